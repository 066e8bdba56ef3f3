// Memory before it is needed, and in large pages.
#pragma once

#include <cstddef>

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

}  // namespace flitscope
