#include "routers/engine/prefetch.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace flitscope {

void prefer_large_pages(void* address, std::size_t bytes) {
  constexpr std::size_t kUsualLargePage = std::size_t{1} << 21;
  if (bytes < kUsualLargePage) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t skipped = (page - start % page) % page;
  madvise(static_cast<std::byte*>(address) + skipped, bytes - skipped, MADV_HUGEPAGE);
}

}  // namespace flitscope
