// An algorithm's steps, written down before real nodes are put in the places of addresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/seidel/holders.h"
#include "model/schedule.h"

namespace flitscope::seidel {

/// What an algorithm has to know: the coordinates and the source.
struct Setting {
  /// By dimension: on a linear array {positions}, on a mesh {c, r}.
  std::vector<Axis> axes;
  Address source = 0;
  /// The network is 2^nu times faster than the nodes: up to 2^nu messages may share a link.
  unsigned nu = 0;

  [[nodiscard]] const Axis& columns() const { return axes[0]; }
  [[nodiscard]] const Axis& rows() const { return axes[1]; }
  [[nodiscard]] Address everything() const {
    Address bits = 0;
    for (const Axis& axis : axes) bits |= axis.all();
    return bits;
  }

  /// The source, which holds a message that is cut up as `numbering` says.
  [[nodiscard]] Holders start(Numbering numbering) const {
    return {std::make_shared<const Numbering>(std::move(numbering)), source, 0, 0};
  }
};

/// Steps of transfers that take place at the same time. A step costs memory by its transfers, not by its
/// messages, of which a transfer may be very many.
class Plan {
 public:
  /// What follows belongs to a phase of this name, if it has any steps.
  void phase(std::string name) { name_ = std::move(name); }

  void step(std::vector<Transfer> transfers) {
    for (const Transfer& transfer : transfers) atoms_ = std::max(atoms_, transfer.numbering->atoms());
    steps_.push_back(std::move(transfers));
    if (stages_.empty() || stages_.back().name != name_) {
      stages_.push_back({name_, steps_.size(), steps_.size()});
    }
    stages_.back().last_step = steps_.size();
  }

  /// What nodes have to do in memory because messages are not runs of bytes of the data.
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
/// chunks stand for an atom of the transfer's numbering.
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

}  // namespace flitscope::seidel
