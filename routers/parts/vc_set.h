// Sets of the input VCs of a router, of its output VCs, or of inputs or outputs of its switch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/bits.h"
#include "model/machine.h"

namespace flitscope {

/// VCs by number, in words of 64: as many as routers have at most (VcSet), or fewer.
template <unsigned kSetWords>
class VcSetOf {
 public:
  static constexpr unsigned kWords = kSetWords;

  constexpr VcSetOf() = default;
  /// Those of the first word.
  explicit constexpr VcSetOf(std::uint64_t first) : words_{first} {}
  /// Of a longer set those that fit.
  template <unsigned kOthers>
  explicit(kOthers > kWords) constexpr VcSetOf(const VcSetOf<kOthers>& other) {
    for (unsigned i = 0; i < std::min(kWords, kOthers); ++i) words_[i] = other.word(i);
  }
  [[nodiscard]] static constexpr VcSetOf of(unsigned vc) {
    VcSetOf set;
    set.add(vc);
    return set;
  }
  /// `count` VCs from `first` on.
  [[nodiscard]] static constexpr VcSetOf range(unsigned first, unsigned count) {
    const auto below = [](unsigned end, unsigned i) {
      return lowest_bits(std::min(64U, end - std::min(end, i * 64)));
    };
    VcSetOf set;
    for (unsigned i = 0; i < kWords; ++i) set.words_[i] = below(first + count, i) & ~below(first, i);
    return set;
  }

  [[nodiscard]] constexpr std::uint64_t& word(unsigned i) { return words_[i]; }
  [[nodiscard]] constexpr std::uint64_t word(unsigned i) const { return words_[i]; }
  [[nodiscard]] constexpr bool has(unsigned vc) const { return (words_[word_of(vc)] >> vc % 64 & 1) != 0; }
  constexpr void add(unsigned vc) { words_[word_of(vc)] |= bit(vc % 64); }
  constexpr void remove(unsigned vc) { words_[word_of(vc)] &= ~bit(vc % 64); }
  [[nodiscard]] constexpr bool any() const {
    std::uint64_t any = 0;
    for (const std::uint64_t word : words_) any |= word;
    return any != 0;
  }

  constexpr bool operator==(const VcSetOf& other) const {
    std::uint64_t differ = 0;
    for (unsigned i = 0; i < kWords; ++i) differ |= words_[i] ^ other.words_[i];
    return differ == 0;
  }
  constexpr VcSetOf& operator|=(const VcSetOf& other) {
    for (unsigned i = 0; i < kWords; ++i) words_[i] |= other.words_[i];
    return *this;
  }
  constexpr VcSetOf& operator&=(const VcSetOf& other) {
    for (unsigned i = 0; i < kWords; ++i) words_[i] &= other.words_[i];
    return *this;
  }
  [[nodiscard]] constexpr VcSetOf operator~() const {
    VcSetOf others;
    for (unsigned i = 0; i < kWords; ++i) others.words_[i] = ~words_[i];
    return others;
  }
  friend constexpr VcSetOf operator|(VcSetOf one, const VcSetOf& other) { return one |= other; }
  friend constexpr VcSetOf operator&(VcSetOf one, const VcSetOf& other) { return one &= other; }

 private:
  [[nodiscard]] static constexpr unsigned word_of(unsigned vc) { return kWords == 1 ? 0 : vc / 64; }

  std::array<std::uint64_t, kWords> words_{};
};
using VcSet = VcSetOf<kMaxInputVcs / 64>;

/// Calls visit(vc), the lowest first.
template <unsigned kWords, typename Visit>
[[gnu::always_inline]] inline void for_each_bit(const VcSetOf<kWords>& set, Visit visit) {
  if constexpr (kWords == 1) return for_each_bit(set.word(0), visit);
  for (unsigned i = 0; i < kWords; ++i)
    for_each_bit(set.word(i), [&](unsigned place) { visit(i * 64 + place); });
}

/// The lowest VC of a set that is not empty.
template <unsigned kWords>
[[nodiscard]] unsigned lowest_bit(const VcSetOf<kWords>& set) {
  unsigned i = 0;
  while (i + 1 < kWords && set.word(i) == 0) ++i;
  return i * 64 + lowest_bit(set.word(i));
}

/// The lowest VC at or above `from`, or else the lowest of all, of a set that is not empty.
template <unsigned kWords>
[[nodiscard]] unsigned first_from(const VcSetOf<kWords>& set, unsigned from) {
  if constexpr (kWords == 1) return first_from(set.word(0), from);
  std::uint64_t above = set.word(from / 64) >> from % 64 << from % 64;
  for (unsigned i = from / 64;; above = set.word(i)) {
    if (above != 0) return i * 64 + lowest_bit(above);
    if (++i == kWords) return lowest_bit(set);
  }
}

/// A set in memory, word by word; those beyond its words are empty.
class StoredVcs {
 public:
  /// The words behind the first one lie from `more` on, `stride` words apart.
  StoredVcs(std::uint64_t* first, std::uint64_t* more, std::size_t stride, unsigned words)
      : first_(first), more_(more), stride_(stride), words_(words) {}

  /// As a set that has as many words or more.
  template <unsigned kWords>
  operator VcSetOf<kWords>() const {  // NOLINT(google-explicit-constructor): it is one
    VcSetOf<kWords> set;
    for (unsigned i = 0; i < words_; ++i) set.word(i) = word(i);
    return set;
  }
  void clear() const {
    for (unsigned i = 0; i < words_; ++i) word(i) = 0;
  }
  template <unsigned kWords>
  void add(const VcSetOf<kWords>& set) const {
    for (unsigned i = 0; i < words_; ++i) word(i) |= set.word(i);
  }
  [[nodiscard]] bool has(unsigned vc) const { return (word_of(vc) >> vc % 64 & 1) != 0; }
  void add(unsigned vc) const { word_of(vc) |= bit(vc % 64); }
  void remove(unsigned vc) const { word_of(vc) &= ~bit(vc % 64); }
  [[nodiscard]] bool any() const {
    std::uint64_t any = 0;
    for (unsigned i = 0; i < words_; ++i) any |= word(i);
    return any != 0;
  }

 private:
  [[nodiscard]] std::uint64_t& word(unsigned i) const { return i == 0 ? *first_ : more_[(i - 1) * stride_]; }
  [[nodiscard]] std::uint64_t& word_of(unsigned vc) const { return word(words_ == 1 ? 0 : vc / 64); }

  std::uint64_t* first_;
  std::uint64_t* more_;
  std::size_t stride_;
  unsigned words_;
};

}  // namespace flitscope
