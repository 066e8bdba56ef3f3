#include "routers/engine/prefetch.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace flitscope {

void prefer_large_pages(void* address, std::size_t bytes) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t skipped = (page - start % page) % page;
  if (bytes <= skipped) return;
  madvise(static_cast<std::byte*>(address) + skipped, bytes - skipped, MADV_HUGEPAGE);
}

}  // namespace flitscope
