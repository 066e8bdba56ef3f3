// Plans of Seidel's algorithms: sets of nodes that act alike, the transfers of each step between them, and
// the phases of which the broadcasts consist.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/schedule.h"
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

/// Owners of the atoms of the message. Atoms are numbered in the order of the message; an atom belongs to
/// the addresses whose bits, each with its `image`, add up (exclusive or) to the atom's number.
class Numbering {
 public:
  /// The atom's number is made of these bits of the address, the most significant first.
  explicit Numbering(const std::vector<Address>& bits);

  /// Lets a bit that is in the numbering contribute `image` instead of its own place.
  void let(Address bit, ChunkId image) { std::ranges::find(parts_, bit, &Part::bit)->image = image; }

  [[nodiscard]] std::uint64_t atoms() const { return std::uint64_t{1} << parts_.size(); }

  /// One of the atoms that belong to the addresses that agree with `address` in the bits `agree`. The others
  /// differ from it (exclusive or) by differences(agree).
  [[nodiscard]] ChunkId one_of(Address address, Address agree) const;
  /// Number of these atoms.
  [[nodiscard]] std::uint64_t count(Address agree) const {
    const auto fixed =
        std::ranges::count_if(parts_, [&](const Part& part) { return (agree & part.bit) != 0; });
    return atoms() >> fixed;
  }
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
  [[nodiscard]] Transfer distribute(Address bit) {
    const Transfer made{numbering, first, varying, bit, agree | bit, bit};
    varying |= bit;
    agree |= bit;
    return made;
  }

  /// The same, but the part that belongs across `bit` goes to the node across the bits `across`, and the
  /// receivers become holders of their own, `others`.
  [[nodiscard]] Transfer part_with(Address bit, Address across, Holders& others) {
    const Transfer made{numbering, first, varying, across & ~kOppositeTree, agree | bit, across | bit};
    agree |= bit;
    others = *this;
    others.first ^= across | bit;
    return made;
  }

  /// A step of the spanning tree (ST): each sends all it has across `bit`. The receivers are holders, too.
  [[nodiscard]] Transfer copy(Address bit) {
    const Transfer made = swap(bit);
    varying |= bit;
    return made;
  }

  /// A step of the dimensional exchange: each sends all it has across `bit`. Leaves the holders as they are,
  /// since what they receive is sent by those across; afterwards all of them agree in less (see united).
  [[nodiscard]] Transfer swap(Address bit) const { return {numbering, first, varying, bit, agree, 0}; }

  /// swap(), where the nodes across `bit` are holders of the same set.
  [[nodiscard]] Transfer exchange(Address bit) {
    const Transfer made = swap(bit);
    agree &= ~bit;
    return made;
  }
};

/// The set of all holders after several sets have swapped: all that differ from `first` in the bits
/// `varying`. They hold what agrees with them in what `part` agreed, without the bits `settled`.
[[nodiscard]] Holders united(const Holders& part, Address varying, Address settled);

/// Input of an algorithm: the coordinates and the source.
struct Setting {
  /// By dimension: on a linear array {positions}, on a mesh {c, r}.
  std::vector<Axis> axes;
  Address source = 0;
  /// The network is 2^nu times faster than the nodes: up to 2^nu messages may share a link.
  unsigned nu = 0;

  [[nodiscard]] const Axis& columns() const { return axes[0]; }
  [[nodiscard]] const Axis& rows() const { return axes[1]; }
  [[nodiscard]] Address everything() const { return Axis{0, bits()}.all(); }
  /// All bits, the most significant first.
  [[nodiscard]] std::vector<Address> all_bits() const { return bits_down({0, bits()}, 0, bits()); }

  /// The source, which holds a message that is cut up as `numbering` says.
  [[nodiscard]] Holders start(Numbering numbering) const {
    return {std::make_shared<const Numbering>(std::move(numbering)), source, 0, 0};
  }

 private:
  /// Axes follow one another from bit 0 on.
  [[nodiscard]] unsigned bits() const { return axes.back().low + axes.back().bits; }
};

/// Steps of transfers that take place at the same time. A step costs memory by its transfers, not by its
/// messages, of which a transfer may be very many.
class Plan {
 public:
  /// Begins a phase of this name; a phase without steps leaves no trace.
  void phase(std::string name) { name_ = std::move(name); }

  void step(std::vector<Transfer> transfers) {
    for (const Transfer& transfer : transfers) atoms_ = std::max(atoms_, transfer.numbering->atoms());
    steps_.push_back(std::move(transfers));
    if (stages_.empty() || stages_.back().name != name_) {
      stages_.push_back({name_, steps_.size(), steps_.size()});
    }
    stages_.back().last_step = steps_.size();
  }

  /// Work in a node's memory for messages that are not runs of bytes of the data.
  enum class Permutation : std::uint8_t {
    none,
    at_source,    ///< the source permutes all data before the first step; then everything sent is a run
    of_messages,  ///< a message that is no run is put together before it is sent
  };
  void permute(Permutation permutation) { permutation_ = permutation; }

  [[nodiscard]] const std::vector<std::vector<Transfer>>& steps() const { return steps_; }
  [[nodiscard]] const std::vector<Stage>& stages() const { return stages_; }
  /// Parts into which the message is cut, a power of two.
  [[nodiscard]] std::uint64_t atoms() const { return atoms_; }
  [[nodiscard]] Permutation permutation() const { return permutation_; }

 private:
  std::string name_;
  std::vector<std::vector<Transfer>> steps_;
  std::vector<Stage> stages_;
  std::uint64_t atoms_ = 1;
  Permutation permutation_ = Permutation::none;
};

/// The messages of a transfer, each with its atoms in rising order: visit(sender, receiver, atoms). `scale`
/// chunks are an atom of the transfer's numbering.
template <typename Visit>
void for_each_message(const Transfer& transfer, std::uint64_t scale, const Visit& visit) {
  const std::vector<ChunkId> differences = transfer.numbering->differences(transfer.agree);
  std::vector<ChunkId> atoms(differences.size());
  std::vector<ChunkId> chunks;
  Address difference = 0;
  do {
    const Address sender = transfer.sender ^ difference;
    const ChunkId one = transfer.numbering->one_of(sender ^ transfer.meant_for, transfer.agree);
    std::ranges::transform(differences, atoms.begin(), [one](ChunkId each) { return one ^ each; });
    if (!std::ranges::is_sorted(atoms)) std::ranges::sort(atoms);
    chunks.clear();
    for (const ChunkId atom : atoms) {
      for (std::uint64_t i = 0; i < scale; ++i) chunks.push_back(static_cast<ChunkId>(atom * scale + i));
    }
    visit(sender & ~kOppositeTree, (sender ^ transfer.across) & ~kOppositeTree, chunks);
    difference = (difference - transfer.varying) & transfer.varying;  // the next subset, 0 after the last
  } while (difference != 0);
}

using Bits = std::vector<Address>;

/// One list after another.
[[nodiscard]] Bits joined(const std::vector<Bits>& lists);
[[nodiscard]] Bits reversed(Bits bits);

/// A step for each bit, in the order given (Section 3.1.1). A distribute operation, or a spanning tree, takes
/// the most significant bit first; a dimensional exchange in the reverse order leaves the atoms in order.
void distribute(Plan& plan, Holders& holders, const Bits& bits);
void spanning_tree(Plan& plan, Holders& holders, const Bits& bits);
void dimensional_exchange(Plan& plan, Holders& holders, const Bits& bits);

/// The bidirectional spanning tree over `bits`, of which there is at least one, the most significant first
/// (Section 3.3.1): half of the atoms go to the complement of the root; both roots act as roots of trees; in
/// the end neighbours swap. The numbering must have kOppositeTree.
void bidirectional_tree(Plan& plan, Holders& holders, const Bits& bits);

/// The members of `holders` by the class (a, b) of their row and column: four sets, in which the bits `row`
/// and `column` do not vary.
[[nodiscard]] std::vector<Holders> by_class(const Holders& holders, Address row, Address column);

/// When a tree starts along the shorter one of two axes.
enum class Start : std::uint8_t {
  late,          ///< so that it ends with the longer one, as printed
  at_once,       ///< with the longer one; as good
  back_to_back,  ///< when the tree's own first axis is done; then links are shared
};

/// Spanning trees of all sets at once, over the bits above `nu` (Sections 3.2.1 and 3.4.1, Figures 5 and 9).
/// Red classes (a + b even) go down their columns first and then along their rows, black ones in the
/// other order. Each of the two halves lasts as long as the longer axis needs.
void red_black_trees(Plan& plan, std::vector<Holders>& sets, const Setting& setting,
                     Start start = Start::late);

/// The better ST broadcast on a mesh (Sections 3.2.1 and 3.2.2).
[[nodiscard]] Plan better_st(const Setting& setting, Start start = Start::late);

}  // namespace flitscope::seidel
