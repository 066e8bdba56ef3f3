// What Seidel's algorithms are made of: sets of nodes that act alike, and how they hand on what they hold.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/types.h"

namespace flitscope::seidel {

/// A node among 2^d by the bits of its number: on a linear array its position, on a mesh r * 2^d2 + c. All
/// messages lead from an address to another that differs from it in some bits.
using Address = std::uint32_t;

/// Set in the addresses of the opposite one of two trees over the same nodes; no part of a node's number.
inline constexpr Address kOppositeTree = Address{1} << 31;

/// The bits of an address that make up one coordinate.
struct Axis {
  unsigned low = 0;
  unsigned bits = 0;

  [[nodiscard]] Address bit(unsigned b) const { return Address{1} << (low + b); }
  [[nodiscard]] Address below(unsigned b) const { return (bit(b) - 1) & ~(bit(0) - 1); }
  [[nodiscard]] Address all() const { return below(bits); }
  [[nodiscard]] Address from(unsigned b) const { return all() & ~below(b); }
};

/// Bits `end`-1 down to `lowest` of an axis.
[[nodiscard]] std::vector<Address> bits_down(const Axis& axis, unsigned lowest, unsigned end);

/// Where each atom of the message belongs. Atoms are numbered in the order of the message; an atom belongs to
/// the addresses whose bits, each with its `image`, add up (exclusive or) to the atom's number.
class Numbering {
 public:
  /// The atom's number is made of these bits of the address, the most significant first.
  explicit Numbering(const std::vector<Address>& bits);

  /// Lets a bit that is in the numbering contribute `image` instead of its own place.
  void let(Address bit, ChunkId image);

  [[nodiscard]] std::uint64_t atoms() const { return std::uint64_t{1} << parts_.size(); }

  /// One of the atoms that belong to the addresses that agree with `address` in the bits `agree`. The others
  /// differ from it (exclusive or) by differences(agree).
  [[nodiscard]] ChunkId one_of(Address address, Address agree) const;
  /// How many they are together.
  [[nodiscard]] std::uint64_t count(Address agree) const;
  /// Rising, 0 first.
  [[nodiscard]] std::vector<ChunkId> differences(Address agree) const;

 private:
  struct Part {
    Address bit = 0;
    ChunkId image = 0;
  };
  std::vector<Part> parts_;
};

/// Messages of one step, from every node of a set, all across the same bits.
struct Transfer {
  std::shared_ptr<const Numbering> numbering;
  /// One of the senders; the others differ from it in any of the bits `varying`.
  Address sender = 0;
  Address varying = 0;
  /// Bits in which a receiver's address differs from its sender's.
  Address across = 0;
  /// The message holds the atoms of all addresses that agree, in the bits `agree`, with sender ^ `meant_for`.
  Address agree = 0;
  Address meant_for = 0;
};

/// Nodes that act alike, and what they hold: `first` and all that differ from it in any of the bits
/// `varying`. Each holds the atoms of the addresses that agree with its own in the bits `agree`; at first,
/// everything. The functions make the messages of one step, and the holders what they are after it.
struct Holders {
  std::shared_ptr<const Numbering> numbering;
  Address first = 0;
  Address varying = 0;
  Address agree = 0;

  /// A step of the distribute operation (Section 3.1.1): each sends to the node across `bit` the part of its
  /// atoms that belongs there and keeps the rest. The receivers are holders, too.
  [[nodiscard]] Transfer distribute(Address bit);

  /// The same, but the part that belongs across `bit` goes to the node across the bits `across`, and the
  /// receivers become holders of their own, `others`.
  [[nodiscard]] Transfer part_with(Address bit, Address across, Holders& others);

  /// A step of the spanning tree (ST): each sends all it has across `bit`. The receivers are holders, too.
  [[nodiscard]] Transfer copy(Address bit);

  /// A step of the dimensional exchange: each sends all it has across `bit`. Leaves the holders as they are,
  /// since what they receive is sent by those across; afterwards all of them agree in less (see united).
  [[nodiscard]] Transfer swap(Address bit) const;

  /// swap(), where the nodes across `bit` are holders of the same set.
  [[nodiscard]] Transfer exchange(Address bit);
};

/// The set of all holders after several sets have swapped: all that differ from `first` in the bits
/// `varying`. They hold what agrees with them in what `part` agreed, without the bits `settled`.
[[nodiscard]] Holders united(const Holders& part, Address varying, Address settled);

}  // namespace flitscope::seidel
