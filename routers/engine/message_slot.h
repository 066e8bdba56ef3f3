// Numbers of messages and their lengths.
#pragma once

#include <cstdint>

#include "model/machine.h"
#include "model/types.h"

namespace flitscope {

/// Number of a message in the MessageTable; reused after delivery.
using MessageSlot = std::uint32_t;
inline constexpr MessageSlot kNoMessage = 0xFFFFFFFF;

/// The longest message, in flits.
inline constexpr unsigned kFlitsBits = 29;
inline constexpr std::uint32_t kMaxFlits = (1U << kFlitsBits) - 1;
/// Of the number of a message class.
inline constexpr unsigned kClassBits = 32 - kFlitsBits;
static_assert(kMaxMessageClasses == 1U << kClassBits);

}  // namespace flitscope
