// Whole numbers for random cases, the same on every platform.
#pragma once

#include <cstdint>
#include <random>

namespace flitscope::reference {

/// The distributions of the standard library differ between platforms; the engine does not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  /// A number from `least` to `most`, both included.
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    const std::uint64_t values = std::uint64_t{most} - least + 1;
    return least + static_cast<std::uint32_t>(engine_() % values);
  }
  bool one_in(std::uint32_t chances) { return between(1, chances) == 1; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace flitscope::reference
