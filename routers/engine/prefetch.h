// Memory: prefetches, lazily zeroed and shared arrays, large pages.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace flitscope {

/// Prefetches the cache line at `address`, which need not be valid.
inline void prefetch(const void* address) {
  // Without this g++ 12 removes a loop of prefetches as empty.
  asm volatile("" : "+r"(address));
  __builtin_prefetch(address);
}

/// Requests large pages for `bytes` at `address` where they span any, to reduce the cost of address
/// translation.
inline void prefer_large_pages(void* address, std::size_t bytes) {
  constexpr std::size_t kUsualLargePage = std::size_t{1} << 21;
  if (bytes < kUsualLargePage) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t skipped = (page - start % page) % page;
  madvise(static_cast<std::byte*>(address) + skipped, bytes - skipped, MADV_HUGEPAGE);
}

struct FreeZeroed {
  void* block = nullptr;
  void operator()(void* /*memory*/) const { std::free(block); }
};
template <typename T>
using Zeroed = std::unique_ptr<T[], FreeZeroed>;

/// `count` zeroed objects from the start of a cache line on, with pages allocated at their first use. Throws
/// std::bad_alloc.
template <typename T>
[[nodiscard]] Zeroed<T> zeroed(std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr std::size_t kLine = 64;
  void* const block = std::calloc(count + kLine / sizeof(T) + 1, sizeof(T));
  if (block == nullptr) throw std::bad_alloc();
  const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(block) % kLine;
  Zeroed<T> memory(reinterpret_cast<T*>(static_cast<std::byte*>(block) + skipped), FreeZeroed{block});
  prefer_large_pages(memory.get(), count * sizeof(T));
  return memory;
}

/// An array of which several ranges of routers use parts, each its own.
template <typename T>
struct SharedArray : std::shared_ptr<T[]> {
  SharedArray() = default;
  template <typename Owner>
  explicit(false) SharedArray(Owner array) : std::shared_ptr<T[]>(std::move(array)) {}

  T& operator[](std::size_t place) const { return this->get()[place]; }
};

/// For containers that prefer large pages.
template <typename T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <typename U>
  explicit(false) LargePages(const LargePages<U>& /*other*/) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    T* const memory = std::allocator<T>().allocate(count);
    prefer_large_pages(memory, count * sizeof(T));
    return memory;
  }
  void deallocate(T* memory, std::size_t count) { std::allocator<T>().deallocate(memory, count); }
  bool operator==(const LargePages&) const = default;
};

}  // namespace flitscope
