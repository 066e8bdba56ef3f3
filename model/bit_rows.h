// Sets of small numbers, all below one limit, as rows of bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/bits.h"

namespace flitscope {

/// A set of numbers below `width` for each of some rows.
class BitRows {
 public:
  BitRows() = default;
  /// All sets are empty.
  BitRows(std::size_t rows, std::size_t width) : words_((width + 63) / 64), bits_(rows * words_) {}

  [[nodiscard]] bool has(std::size_t row, std::size_t number) const {
    return (bits_[row * words_ + number / 64] >> number % 64 & 1) != 0;
  }
  void add(std::size_t row, std::size_t number) { bits_[row * words_ + number / 64] |= bit(number % 64); }
  void remove(std::size_t row, std::size_t number) { bits_[row * words_ + number / 64] &= ~bit(number % 64); }
  [[nodiscard]] bool any(std::size_t row) const {
    return !all_of(row, [](std::size_t) { return false; });
  }
  void clear(std::size_t row) {
    std::fill_n(bits_.begin() + static_cast<std::ptrdiff_t>(row * words_), words_, 0);
  }
  /// The lowest number in a set and in one of `other`, which is as wide.
  [[nodiscard]] std::optional<unsigned> first_of_both(std::size_t row, const BitRows& other,
                                                      std::size_t its) const {
    for (std::size_t i = 0; i < words_; ++i) {
      const std::uint64_t both = bits_[row * words_ + i] & other.bits_[its * words_ + i];
      if (both != 0) return static_cast<unsigned>(i * 64 + lowest_bit(both));
    }
    return std::nullopt;
  }
  /// Calls visit(number), the lowest first.
  template <typename Visit>
  void for_each(std::size_t row, Visit visit) const {
    for (std::size_t i = 0; i < words_; ++i)
      for_each_bit(bits_[row * words_ + i], [&](unsigned number) { visit(i * 64 + number); });
  }
  /// Whether holds(number) is true for all of a set, the lowest first, up to the first for which it is not.
  template <typename Holds>
  [[nodiscard]] bool all_of(std::size_t row, Holds holds) const {
    for (std::size_t i = 0; i < words_; ++i) {
      for (std::uint64_t left = bits_[row * words_ + i]; left != 0; left &= left - 1) {
        if (!holds(i * 64 + lowest_bit(left))) return false;
      }
    }
    return true;
  }

 private:
  std::size_t words_ = 0;  ///< of a row
  std::vector<std::uint64_t> bits_;
};

}  // namespace flitscope
