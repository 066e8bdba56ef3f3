// Memory before it is needed, zeroed when it is used, and in large pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace flitscope {

/// Asks for the cache line at `address`, which need not be valid.
inline void prefetch(const void* address) {
  // Without this g++ 12 takes a loop that does nothing else for one that does nothing.
  asm volatile("" : "+r"(address));
  __builtin_prefetch(address);
}

/// Asks the system for large pages where `bytes` at `address` span any: less is lost to the translation of
/// addresses. Where there are none, nothing happens.
void prefer_large_pages(void* address, std::size_t bytes);

struct FreeZeroed {
  void* block = nullptr;
  void operator()(void* /*memory*/) const { std::free(block); }
};
template <typename T>
using Zeroed = std::unique_ptr<T[], FreeZeroed>;

/// `count` objects of which each is valid as zeros, from the start of a cache line on. They come from the
/// system, which hands out pages only when they are used. Throws std::bad_alloc.
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

/// The same for objects that several owners share.
template <typename T>
class SharedZeroed {
 public:
  SharedZeroed() = default;
  explicit(false) SharedZeroed(Zeroed<T> memory) : memory_(std::move(memory)) {}

  [[nodiscard]] T& operator[](std::size_t place) const { return memory_.get()[place]; }
  [[nodiscard]] T* get() const { return memory_.get(); }

 private:
  std::shared_ptr<T[]> memory_;
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
