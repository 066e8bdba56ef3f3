#include "model/possession.h"

#include <fmt/format.h>

#include <bit>

#include "model/error.h"
#include "model/random.h"
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
            "the collective's {} names chunk {} at node {}, which does not exist; there are {} chunks, "
            "numbered from 0",
            list, chunk, holding.node, chunks);
      }
    }
  }
}

/// Calls visit(node, chunk) for all that the goal wants, in its order; if none is listed, for every chunk of
/// every participant.
template <typename Visit>
void for_each_wanted(const Collective& collective, const Participants& participants, Visit visit) {
  if (collective.goal) {
    for (const Holding& wanted : *collective.goal) {
      for (const ChunkId chunk : wanted.chunks) visit(wanted.node, chunk);
    }
    return;
  }
  for (NodeId place = 0; place < participants.count(); ++place) {
    for (std::size_t chunk = 0; chunk < collective.chunk_bytes.size(); ++chunk) {
      visit(participants[place], static_cast<ChunkId>(chunk));
    }
  }
}

}  // namespace

Possession::Possession(const Collective& collective, const Participants& participants,
                       std::uint64_t limit_bytes)
    : participants_(participants), chunks_(collective.chunk_bytes.size()) {
  const NodeId nodes = participants_.nodes();
  const std::uint64_t words = (nodes * chunks_ + 63) / 64;
  refuse_if(words > limit_bytes / sizeof(std::uint64_t), "workload",
            "keeping track of {} at {} nodes takes {}, more than the limit of {}; it takes fewer "
            "chunks or a smaller network",
            counted(chunks_, "chunk"), nodes, gibibytes(words * sizeof(std::uint64_t)),
            gibibytes(limit_bytes));
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
  if (collective.goal || !participants_.all()) {
    std::optional<MissingChunk> first;
    for_each_wanted(collective, participants_, [&](NodeId node, ChunkId chunk) {
      if (!first && !holds(node, chunk)) first = MissingChunk{node, chunk};
    });
    return first;
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
  for_each_wanted(collective, participants_,
                  [&](NodeId node, ChunkId chunk) { missing += holds(node, chunk) ? 0 : 1; });
  return missing;
}

OperandLedger::OperandLedger(const Collective& collective, const Participants& participants,
                             std::uint64_t set_limit)
    : participants_(participants) {
  const NodeId nodes = participants_.nodes();
  require_existing(collective.operands, "operands", nodes, collective.chunk_bytes.size());
  count_operands(collective);
  places_.assign(counts_.size(), kNoPlace);
  std::uint32_t combined = 0;
  for (std::size_t chunk = 0; chunk < counts_.size(); ++chunk) {
    if (counts_[chunk] != 0) places_[chunk] = combined++;
  }
  const std::uint64_t values = std::uint64_t{combined} * nodes;
  const std::uint64_t most = counts_.empty() ? 0 : *std::ranges::max_element(counts_);
  width_ = std::max<std::uint64_t>(1, (most + 63) / 64);
  exact_ = values * width_ * sizeof(std::uint64_t) <= set_limit;
  if (!exact_) {
    width_ = 1;
    finished_.resize(combined);
  }
  const std::uint64_t bytes = values * width_ * sizeof(std::uint64_t);
  refuse_if(
      bytes > kMemoryLimit, "workload",
      "keeping track of the operands of {} chunks at {} nodes takes {} GiB, more than the limit of {} GiB; "
      "it takes fewer chunks or a smaller network",
      counts_.size(), nodes, bytes >> 30, kMemoryLimit >> 30);
  row_ = combined * width_;
  words_.resize(values * width_);
  enter_operands(collective);
}

void OperandLedger::count_operands(const Collective& collective) {
  const std::size_t chunks = collective.chunk_bytes.size();
  counts_.assign(chunks, collective.operands_everywhere ? participants_.count() : 0);
  if (collective.operands_everywhere) return;
  owners_.resize(chunks);
  for (const Holding& holding : collective.operands) {
    for (const ChunkId chunk : holding.chunks) {
      if (std::ranges::find(owners_[chunk], holding.node) != owners_[chunk].end()) {
        throw ScheduleError("the collective gives node {} two operands of chunk {}", holding.node, chunk);
      }
      owners_[chunk].push_back(holding.node);
      ++counts_[chunk];
    }
  }
}

void OperandLedger::enter_operands(const Collective& collective) {
  RandomStream keys(0, 0);
  const auto enter_one = [&](NodeId node, ChunkId chunk, std::uint64_t index) {
    if (exact_) return enter(node, chunk, index);
    const std::uint64_t key = keys.next();
    *value(node, chunk) = key;
    finished_[places_[chunk]] += key;
  };
  if (collective.operands_everywhere) {
    for (NodeId place = 0; place < participants_.count(); ++place) {
      for (std::size_t chunk = 0; chunk < counts_.size(); ++chunk) {
        enter_one(participants_[place], static_cast<ChunkId>(chunk), place);
      }
    }
    return;
  }
  for (std::size_t chunk = 0; chunk < owners_.size(); ++chunk) {
    for (std::size_t index = 0; index < owners_[chunk].size(); ++index) {
      enter_one(owners_[chunk][index], static_cast<ChunkId>(chunk), index);
    }
  }
}

void OperandLedger::take(const Step& step, std::size_t message) {
  const Message& taken = step.messages()[message];
  taken_.push_back(message);
  if (!ordered_) order_values(step);
  std::size_t word = carried_.size();
  const auto chunks = step.chunks(taken);
  carried_.resize(word + chunks.size() * width_);
  for (const ChunkId chunk : chunks) {
    if (!combines(chunk)) continue;
    copy(value(taken.source, chunk), &carried_[word]);
    word += width_;
  }
  carried_.resize(word);
}

/// Values that travel together lie together, in the order in which the messages of the first step have them:
/// there are too many for the processor's caches. Messages that are not taken may have chunks that do not
/// exist.
void OperandLedger::order_values(const Step& step) {
  ordered_ = true;
  std::vector<std::uint32_t> places(places_.size(), kNoPlace);
  std::uint32_t next = 0;
  const auto place = [&](ChunkId chunk) {
    if (chunk < places.size() && combines(chunk) && places[chunk] == kNoPlace) places[chunk] = next++;
  };
  for (const Message& message : step.messages()) std::ranges::for_each(step.chunks(message), place);
  for (std::size_t chunk = 0; chunk < places.size(); ++chunk) place(static_cast<ChunkId>(chunk));
  const auto move_all = [&](std::span<std::uint64_t> values) {
    const std::vector<std::uint64_t> before(values.begin(), values.end());
    for (std::size_t chunk = 0; chunk < places.size(); ++chunk) {
      if (places[chunk] != kNoPlace) copy(&before[places_[chunk] * width_], &values[places[chunk] * width_]);
    }
  };
  for (std::size_t first = 0; first < words_.size(); first += row_)
    move_all(std::span(words_).subspan(first, row_));
  if (!exact_) move_all(finished_);
  places_ = std::move(places);
}

bool OperandLedger::has_all(const std::uint64_t* value, ChunkId chunk) const {
  std::uint64_t count = 0;
  for (std::size_t word = 0; word < width_; ++word)
    count += static_cast<unsigned>(std::popcount(value[word]));
  return count == counts_[chunk];
}

std::optional<OperandFault> OperandLedger::unite(std::uint64_t* there, const std::uint64_t* arriving,
                                                 ChunkId chunk) const {
  std::optional<NodeId> twice;
  for (std::size_t word = 0; word < width_; ++word) {
    const std::uint64_t both = there[word] & arriving[word];
    if (both != 0 && !twice) {
      twice = operand_node(chunk, 64 * word + static_cast<unsigned>(std::countr_zero(both)));
    }
    there[word] |= arriving[word];
  }
  if (!twice) return std::nullopt;
  return OperandFault{OperandFault::Kind::counted_twice, 0, chunk, twice};
}

std::optional<NodeId> OperandLedger::missing_in(const std::uint64_t* value, ChunkId chunk) const {
  if (!exact_) return std::nullopt;
  for (std::uint64_t index = 0; index < counts_[chunk]; ++index) {
    if ((value[index / 64] >> (index % 64) & 1) == 0) return operand_node(chunk, index);
  }
  return std::nullopt;
}

std::optional<OperandLedger::Unfinished> OperandLedger::unfinished(const Collective& collective) const {
  std::optional<Unfinished> first;
  for_each_wanted(collective, participants_, [&](NodeId node, ChunkId chunk) {
    if (!combines(chunk) || finished(node, chunk)) return;
    if (!first) first = Unfinished{node, chunk, 0};
    ++first->count;
  });
  return first;
}

}  // namespace flitscope
