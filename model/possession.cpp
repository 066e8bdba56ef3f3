#include "model/possession.h"

#include <fmt/format.h>

#include <bit>

#include "model/error.h"
#include "model/text.h"

namespace flitscope {
namespace {

std::string gibibytes(std::uint64_t bytes) {
  return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / static_cast<double>(std::uint64_t{1} << 30));
}

void require_existing(const std::vector<Holding>& holdings, const char* list, NodeId nodes,
                      std::uint64_t chunks) {
  for (const Holding& holding : holdings) {
    if (holding.node >= nodes) {
      throw ScheduleError(
          "the collective's {} names node {}, which does not exist; nodes are numbered 0 to {}", list,
          holding.node, nodes - 1);
    }
    for (const ChunkId chunk : holding.chunks) {
      if (chunk >= chunks) {
        throw ScheduleError(
            "the collective's {} names chunk {} at node {}, which does not exist; there are {} "
            "chunks, numbered from 0",
            list, chunk, holding.node, chunks);
      }
    }
  }
}

}  // namespace

Possession::Possession(const Collective& collective, const Participants& participants,
                       std::uint64_t limit_bytes)
    : participants_(participants), chunks_(collective.chunk_bytes.size()) {
  const NodeId nodes = participants_.nodes();
  const std::uint64_t words = (nodes * chunks_ + 63) / 64;
  if (words > limit_bytes / sizeof(std::uint64_t)) {
    throw Inadmissible("workload",
                       "keeping track of {} at {} nodes takes {}, more than the limit of {}; it takes "
                       "fewer chunks or a smaller network",
                       counted(chunks_, "chunk", "chunks"), nodes, gibibytes(words * sizeof(std::uint64_t)),
                       gibibytes(limit_bytes));
  }
  require_existing(collective.initial, "start", nodes, chunks_);
  if (collective.goal) require_existing(*collective.goal, "goal", nodes, chunks_);
  bits_.resize(words);
  require_existing(collective.operands, "operands", nodes, chunks_);
  for (const auto* const held : {&collective.initial, &collective.operands}) {
    for (const Holding& holding : *held) {
      for (const ChunkId chunk : holding.chunks) insert(holding.node, chunk);
    }
  }
  if (!collective.operands_everywhere) return;
  for (NodeId place = 0; place < participants_.count(); ++place) {
    for (std::uint64_t chunk = 0; chunk < chunks_; ++chunk) {
      insert(participants_[place], static_cast<ChunkId>(chunk));
    }
  }
}

std::optional<MissingChunk> Possession::first_missing(const Collective& collective) const {
  if (collective.goal) {
    for (const Holding& wanted : *collective.goal) {
      for (const ChunkId chunk : wanted.chunks) {
        if (!holds(wanted.node, chunk)) return MissingChunk{wanted.node, chunk};
      }
    }
    return std::nullopt;
  }
  if (!participants_.all()) {
    for (NodeId place = 0; place < participants_.count(); ++place) {
      for (std::uint64_t chunk = 0; chunk < chunks_; ++chunk) {
        const MissingChunk wanted{participants_[place], static_cast<ChunkId>(chunk)};
        if (!holds(wanted.node, wanted.chunk)) return wanted;
      }
    }
    return std::nullopt;
  }
  if (held_ == nodes() * chunks_) return std::nullopt;
  std::uint64_t word = 0;
  while (bits_[word] == ~std::uint64_t{0}) ++word;
  const std::uint64_t bit = 64 * word + static_cast<unsigned>(std::countr_one(bits_[word]));
  return MissingChunk{static_cast<NodeId>(bit / chunks_), static_cast<ChunkId>(bit % chunks_)};
}

std::uint64_t Possession::missing(const Collective& collective) const {
  if (!collective.goal && participants_.all()) return nodes() * chunks_ - held_;
  std::uint64_t missing = 0;
  if (!collective.goal) {
    for (NodeId place = 0; place < participants_.count(); ++place) {
      for (std::uint64_t chunk = 0; chunk < chunks_; ++chunk) {
        missing += holds(participants_[place], static_cast<ChunkId>(chunk)) ? 0 : 1;
      }
    }
    return missing;
  }
  for (const Holding& wanted : *collective.goal) {
    for (const ChunkId chunk : wanted.chunks) missing += holds(wanted.node, chunk) ? 0 : 1;
  }
  return missing;
}

}  // namespace flitscope
