#include "model/schedule.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "model/graph.h"
#include "model/numbers.h"
#include "model/text.h"

namespace flitscope {

std::string message_label(std::uint64_t id) {
  const MessageName name = message_name(id);
  return std::to_string(name.step) + "." + std::to_string(name.place);
}

std::uint64_t message_bytes(const Collective& collective, const Step& step, const Message& message) {
  std::uint64_t bytes = message.control_bytes;
  for (const ChunkId chunk : step.chunks(message)) bytes += collective.chunk_bytes[chunk];
  return bytes;
}

std::uint64_t reduced_bytes(const Collective& collective, const Step& step, const Message& message) {
  std::uint64_t bytes = 0;
  for (const ChunkId chunk : step.reduced(message)) bytes += collective.chunk_bytes[chunk];
  return bytes;
}

std::optional<std::size_t> first_repeated(std::span<const ChunkId> chunks) {
  // Fast path: rising chunks do not repeat.
  if (std::ranges::adjacent_find(chunks, std::greater_equal()) == chunks.end()) return std::nullopt;
  // Nor do chunks that differ once they are sorted.
  std::vector<ChunkId> sorted(chunks.begin(), chunks.end());
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) == sorted.end()) return std::nullopt;
  std::unordered_set<ChunkId> seen;
  for (std::size_t place = 0; place < chunks.size(); ++place) {
    if (!seen.insert(chunks[place]).second) return place;
  }
  return std::nullopt;
}

std::string KindCounts::add(const Topology& topology, const Step& step, std::size_t index) {
  const Message& message = step.messages()[index];
  std::string objection;
  for (const Dependency& dependency : step.dependencies(message)) {
    if (dependency.count == 0) continue;
    const auto found = counts_.find({message.source, dependency.message});
    const std::uint64_t before = found == counts_.end() ? 0 : found->second;
    if (dependency.count <= before || !objection.empty()) continue;
    objection = "waits for " + counted(dependency.count, "message") + " of kind " +
                std::to_string(dependency.message) + " at " + topology.node_name(message.source) +
                ", but there are " + std::to_string(before) + " before it";
  }
  if (const std::uint32_t kind = step.kind(message); kind != 0) ++counts_[{message.destination, kind}];
  return objection;
}

std::vector<ChunkId> first_chunks(std::uint64_t count) {
  return numbers_below<ChunkId>(count);
}

std::vector<Holding> holdings_of(std::map<NodeId, std::vector<ChunkId>> lists) {
  std::vector<Holding> holdings;
  for (auto& [node, chunks] : lists) {
    std::ranges::sort(chunks);
    const auto repeated = std::ranges::unique(chunks);
    chunks.erase(repeated.begin(), repeated.end());
    holdings.push_back({node, std::move(chunks)});
  }
  return holdings;
}

Participants::Participants(const Topology& topology) : Participants(topology.nodes()) {
  if (topology.graph() == nullptr || topology.graph()->faults().nodes.empty()) return;
  place_.assign(nodes_, kNoNode);
  for (NodeId node = 0; node < nodes_; ++node) {
    if (topology.is_missing(node)) continue;
    place_[node] = static_cast<NodeId>(node_.size());
    node_.push_back(node);
  }
  count_ = static_cast<NodeId>(node_.size());
}

}  // namespace flitscope
