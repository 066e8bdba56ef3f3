// Whether the tests run under the address sanitizer, whose own memory no limit can hold.
#pragma once

namespace flitscope::test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace flitscope::test
