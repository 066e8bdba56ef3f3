// Schedules as algorithms for MSCCL: a thread block for every node that a rank sends to or receives from.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "model/error.h"
#include "model/possession.h"
#include "sim/formats/foreign/msccl.h"
#include "sim/formats/foreign/rank_program.h"

namespace flitscope::msccl {
namespace {

struct XmlStep {
  const char* type = "nop";
  char source_buffer = 'i';
  std::int64_t source = -1;
  char target_buffer = 'o';
  std::int64_t target = -1;
  std::size_t count = 0;
  std::int64_t after_block = -1;  ///< that of the step which it waits for
  std::int64_t after_step = -1;
  std::uint64_t schedule_step = 0;  ///< of a send
  bool awaited = false;
};

struct Block {
  std::int64_t send = -1;
  std::int64_t receive = -1;
  std::vector<XmlStep> steps;
};

struct Slot {
  char buffer = 'i';
  std::uint64_t offset = 0;
};

/// A step that reads and writes the same slots.
XmlStep step_at(const char* type, const Slot& slot, std::size_t count) {
  const auto offset = static_cast<std::int64_t>(slot.offset);
  return {type, slot.buffer, offset, slot.buffer, offset, count};
}

/// Which of the collectives that MSCCL knows a schedule performs, and where chunks lie in its buffers.
class Layout {
 public:
  explicit Layout(const ScheduleFacts& facts)
      : collective_(facts.collective),
        nodes_(facts.topology.nodes()),
        chunks_(collective_.chunk_bytes.size()) {
    for (const std::uint64_t bytes : collective_.chunk_bytes) {
      if (bytes == collective_.chunk_bytes.front()) continue;
      throw Inadmissible("workload.schedule", "its chunks have different sizes");
    }
    find_owners();
    const bool everything = !collective_.goal;
    if (collective_.operands_everywhere && everything) {
      name_ = "allreduce";
    } else if (collective_.operands_everywhere && is_goal(shares())) {
      name_ = "reduce_scatter";
    } else if (!collective_.combines() && everything && collective_.initial == shares()) {
      name_ = "allgather";
    } else if (!collective_.combines() && everything && collective_.initial.size() == 1) {
      name_ = "broadcast";
    } else if (!collective_.combines() && collective_.initial == shares() && is_goal(parts())) {
      name_ = "alltoall";
    }
    in_place_ = name_ == "allreduce" || name_ == "reduce_scatter" || name_ == "allgather";
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool in_place() const { return in_place_; }

  [[nodiscard]] Slot slot(NodeId node, ChunkId chunk) const {
    if (name_ == "allgather") return {'o', chunk};
    if (in_place_) return {'i', chunk};
    if (name_ == "alltoall") {
      const std::uint64_t own = chunks_ / nodes_;
      if (chunk / own == node) return {'i', chunk % own};
      if (chunk % own / (own / nodes_) == node) return {'o', output(chunk)};
      return {'s', chunk};
    }
    return {starts_with(node, chunk) ? 'i' : 's', chunk};
  }

  /// Chunks of the buffer of a node.
  [[nodiscard]] std::uint64_t size(char buffer) const {
    if (name_ == "allgather") return buffer == 'o' ? chunks_ : 0;
    if (in_place_) return buffer == 'i' ? chunks_ : 0;
    if (name_ == "alltoall") return buffer == 's' ? chunks_ : chunks_ / nodes_;
    return chunks_;
  }

  /// Chunks that a node wants and that must still be copied to the output.
  [[nodiscard]] std::vector<ChunkId> copied(NodeId node) const {
    if (in_place_ || name_ == "broadcast") return {};
    std::vector<ChunkId> wanted;
    if (!collective_.goal) {
      wanted = first_chunks(chunks_);
    } else {
      for (const Holding& holding : *collective_.goal) {
        if (holding.node == node) wanted.insert(wanted.end(), holding.chunks.begin(), holding.chunks.end());
      }
    }
    std::erase_if(wanted, [&](ChunkId chunk) { return slot(node, chunk).buffer == 'o'; });
    return wanted;
  }
  /// Where such a chunk is copied to.
  [[nodiscard]] std::uint64_t output(ChunkId chunk) const {
    if (name_ != "alltoall") return chunk;
    const std::uint64_t own = chunks_ / nodes_;
    const std::uint64_t share = own / nodes_;
    return chunk / own * share + chunk % share;
  }

 private:
  void find_owners() {
    owners_.assign(chunks_, {});
    const auto add = [&](const std::vector<Holding>& holdings) {
      for (const Holding& holding : holdings) {
        for (const ChunkId chunk : holding.chunks) owners_[chunk].push_back(holding.node);
      }
    };
    add(collective_.operands);
    add(collective_.initial);
    const std::vector<bool> combined = combined_chunks(collective_);
    for (ChunkId chunk = 0; chunk < chunks_; ++chunk) {
      if (combined[chunk] || owners_[chunk].size() <= 1) continue;
      throw Inadmissible("workload.schedule", "chunk {} is at several nodes at the start", chunk);
    }
  }
  [[nodiscard]] bool starts_with(NodeId node, ChunkId chunk) const {
    return collective_.operands_everywhere || std::ranges::find(owners_[chunk], node) != owners_[chunk].end();
  }
  [[nodiscard]] bool is_goal(const std::vector<Holding>& wanted) const {
    return !wanted.empty() && collective_.goal == wanted;
  }
  /// Chunks shared out evenly, in their order; nothing if they cannot be.
  [[nodiscard]] std::vector<Holding> shares() const {
    if (chunks_ == 0 || chunks_ % nodes_ != 0) return {};
    return shared_out(nodes_, chunks_ / nodes_);
  }
  /// Of every node's chunks, the part that is for a node.
  [[nodiscard]] std::vector<Holding> parts() const {
    if (chunks_ % nodes_ != 0 || chunks_ / nodes_ % nodes_ != 0) return {};
    return transposed(nodes_, chunks_ / nodes_);
  }

  const Collective& collective_;
  std::uint64_t nodes_;
  std::uint64_t chunks_;
  std::vector<std::vector<NodeId>> owners_;
  std::string name_ = "custom";
  bool in_place_ = false;
};

class Writer final : ScheduleExport {
 public:
  explicit Writer(Schedule& schedule)
      : ScheduleExport(schedule),
        layout_(facts_),
        ranks_(facts_.topology.nodes()),
        last_sent_(ranks_.size()),
        there_(facts_.collective, facts_.topology.nodes()) {}

  std::string text() {
    run();
    for (NodeId node = 0; node < ranks_.size(); ++node) copy_output(node);
    return print();
  }

 private:
  struct Rank {
    std::vector<Block> blocks;
    std::map<std::pair<NodeId, bool>, std::uint32_t> block_of;  ///< by peer, and whether it is sent to
  };

  // A Place is a thread block and a step of it.
  static std::uint32_t block_of(Place place) { return static_cast<std::uint32_t>(place >> 32); }
  static std::uint32_t step_of(Place place) { return static_cast<std::uint32_t>(place); }

  /// Adds a step that depends on others; what one step cannot say, steps that do nothing say before it.
  Place add(NodeId node, std::uint32_t block, XmlStep step, std::vector<Place> after) {
    // Of a thread block only the last step matters.
    std::ranges::sort(after);
    std::vector<Block>& blocks = ranks_[node].blocks;
    std::vector<Place> needed;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const bool last = i + 1 == after.size() || block_of(after[i + 1]) != block_of(after[i]);
      if (last && block_of(after[i]) != block) needed.push_back(after[i]);
    }
    std::vector<XmlStep>& steps = blocks[block].steps;
    for (std::size_t i = 0; i < std::max<std::size_t>(needed.size(), 1); ++i) {
      XmlStep& added = steps.emplace_back(i + 1 < needed.size() ? XmlStep() : step);
      if (needed.empty()) break;
      added.after_block = block_of(needed[i]);
      added.after_step = step_of(needed[i]);
      blocks[block_of(needed[i])].steps[step_of(needed[i])].awaited = true;
    }
    return std::uint64_t{block} << 32 | (steps.size() - 1);
  }

  std::uint32_t block_with(NodeId node, NodeId peer, bool sends) {
    Rank& rank = ranks_[node];
    const auto [found, fresh] =
        rank.block_of.try_emplace({peer, sends}, static_cast<std::uint32_t>(rank.blocks.size()));
    if (fresh) {
      rank.blocks.emplace_back();
      (sends ? rank.blocks.back().send : rank.blocks.back().receive) = peer;
    }
    return found->second;
  }

  /// Where the chunks of a message lie at a node, side by side.
  Slot slots(const Step& step, const Message& message, NodeId node, std::uint64_t number,
             std::uint64_t index) const {
    const auto chunks = step.chunks(message);
    if (chunks.empty() || message.control_bytes != 0)
      refuse_message(number, index, "carries data that is no chunk");
    const Slot first = layout_.slot(node, chunks.front());
    for (std::size_t k = 1; k < chunks.size(); ++k) {
      const Slot slot = layout_.slot(node, chunks[k]);
      if (slot.buffer != first.buffer || slot.offset != first.offset + k) {
        refuse_message(number, index, "carries chunks that do not lie side by side");
      }
    }
    return first;
  }

  Place send(const Step& step, std::uint64_t number, std::uint64_t index) override {
    const Message& message = step.messages()[index];
    if (message.reduced_count != 0 && message.reduced_count != message.chunk_count) {
      refuse_message(number, index, "combines some of its chunks and replaces others");
    }
    const Slot slot = slots(step, message, message.source, number, index);
    static_cast<void>(slots(step, message, message.destination, number, index));
    std::vector<Place> after = needed(step, message);
    if (last_sent_[message.source]) after.push_back(*last_sent_[message.source]);
    for (const Dependency& dependency : step.dependencies(message)) {
      if (dependency.wait != 0) refuse_message(number, index, "waits for cycles");
      if (dependency.message != 0) after.push_back(awaited(step, dependency, number, index));
    }
    XmlStep one = step_at("s", slot, message.chunk_count);
    one.schedule_step = number;
    const std::uint32_t block = block_with(message.source, message.destination, true);
    const Place place = add(message.source, block, one, std::move(after));
    last_sent_[message.source] = place;
    for (const ChunkId chunk : step.chunks(message)) {
      if (combines(chunk)) readers_[key(message.source, chunk)].push_back(place);
    }
    return place;
  }

  Place receive(const Step& step, const Message& message) override {
    const Slot slot = layout_.slot(message.destination, step.chunks(message).front());
    std::vector<Place> after;
    bool combined = message.reduced_count != 0;
    for (const ChunkId chunk : step.chunks(message)) {
      if (!combines(chunk)) continue;
      // Reads of the present value, and its last change, come first.
      const std::uint64_t own = key(message.destination, chunk);
      auto& readers = readers_[own];
      after.insert(after.end(), readers.begin(), readers.end());
      readers.clear();
      const auto changed = changed_.find(own);
      combined = combined && (there_.holds(message.destination, chunk) || changed != changed_.end());
      if (changed != changed_.end()) after.push_back(changed->second);
    }
    const std::uint32_t block = block_with(message.destination, message.source, false);
    const Place place = add(message.destination, block,
                            step_at(combined ? "rrc" : "r", slot, message.chunk_count), std::move(after));
    for (const ChunkId chunk : step.chunks(message)) {
      changed_[key(message.destination, chunk)] = place;
      there_.put(message.destination, chunk);
    }
    return place;
  }

  void copy_output(NodeId node) {
    const auto chunks = layout_.copied(node);
    std::optional<std::uint32_t> block;
    for (const ChunkId chunk : chunks) {
      if (!there_.holds(node, chunk)) continue;
      if (!block) {
        block = static_cast<std::uint32_t>(ranks_[node].blocks.size());
        ranks_[node].blocks.emplace_back();
      }
      std::vector<Place> after;
      if (const auto found = changed_.find(key(node, chunk)); found != changed_.end())
        after.push_back(found->second);
      XmlStep one = step_at("cpy", layout_.slot(node, chunk), 1);
      one.target_buffer = 'o';
      one.target = static_cast<std::int64_t>(layout_.output(chunk));
      add(node, *block, one, std::move(after));
    }
  }

  [[nodiscard]] std::string print() const {
    const std::size_t chunks = facts_.collective.chunk_bytes.size();
    std::string name = facts_.algorithm;
    std::erase_if(name, [](char one) { return one == '<' || one == '&' || one == '"' || one < ' '; });
    std::string text = fmt::format(
        "<algo name=\"{}\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"{}\" ngpus=\"{}\" coll=\"{}\" "
        "inplace=\"{}\" outofplace=\"{}\">\n",
        name, chunks, ranks_.size(), layout_.name(), layout_.in_place() ? 1 : 0, layout_.in_place() ? 0 : 1);
    const auto out = std::back_inserter(text);
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      fmt::format_to(out, "  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", rank,
                     layout_.size('i'), layout_.size('o'), layout_.size('s'));
      const auto& blocks = ranks_[rank].blocks;
      for (std::size_t id = 0; id < blocks.size(); ++id) {
        fmt::format_to(out, "    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"0\">\n", id, blocks[id].send,
                       blocks[id].receive);
        for (std::size_t s = 0; s < blocks[id].steps.size(); ++s) print_step(out, s, blocks[id].steps[s]);
        text += "    </tb>\n";
      }
      text += "  </gpu>\n";
    }
    return text + "</algo>\n";
  }

  static void print_step(std::back_insert_iterator<std::string> out, std::size_t number,
                         const XmlStep& step) {
    fmt::format_to(out,
                   "      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" "
                   "cnt=\"{}\" depid=\"{}\" deps=\"{}\" hasdep=\"{}\"",
                   number, step.type, step.source_buffer, step.source, step.target_buffer, step.target,
                   step.count, step.after_block, step.after_step, step.awaited ? 1 : 0);
    if (step.schedule_step != 0) fmt::format_to(out, " flitscope_step=\"{}\"", step.schedule_step);
    fmt::format_to(out, "/>\n");
  }

  Layout layout_;
  std::vector<Rank> ranks_;
  std::vector<std::optional<Place>> last_sent_;
  Possession there_;
  /// By node and combined chunk: sends of its present value.
  std::unordered_map<std::uint64_t, std::vector<Place>> readers_;
  /// By node and chunk: what has brought it last.
  std::unordered_map<std::uint64_t, Place> changed_;
};

}  // namespace

std::string xml_of(Schedule& schedule) {
  return Writer(schedule).text();
}

}  // namespace flitscope::msccl
