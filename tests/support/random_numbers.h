// Random numbers that are the same in every run and with every standard library.
#pragma once

#include <cstdint>
#include <random>

namespace flitscope {

class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint32_t seed) : engine_(seed) {}
  /// From 0 to end - 1.
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(engine_() % end); }

 private:
  std::mt19937 engine_;
};

}  // namespace flitscope
