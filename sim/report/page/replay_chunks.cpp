#include "sim/report/page/replay_chunks.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/schedule.h"
#include "sim/run/workload.h"

namespace flitscope::replay_chunk_lists {
namespace {

using Json = nlohmann::ordered_json;

/// Lists of chunks, until they are too long together.
class Lists {
 public:
  [[nodiscard]] bool too_long() const { return ranges_ > kMaxRanges; }

  Json of(std::span<const ChunkId> chunks) {
    sorted_.assign(chunks.begin(), chunks.end());
    std::ranges::sort(sorted_);
    Json list = Json::array();
    for (std::size_t begin = 0, end = 0; begin < sorted_.size() && !too_long(); begin = end) {
      for (end = begin + 1; end < sorted_.size() && sorted_[end] == sorted_[begin] + (end - begin); ++end) {
      }
      list.push_back(sorted_[begin]);
      list.push_back(sorted_[end - 1]);
      ++ranges_;
    }
    return list;
  }
  Json of(const std::vector<Holding>& holdings) {
    Json lists = Json::array();
    for (const Holding& holding : holdings) lists.push_back({holding.node, of(holding.chunks)});
    return lists;
  }

 private:
  static constexpr std::size_t kMaxRanges = 400'000;

  std::size_t ranges_ = 0;
  std::vector<ChunkId> sorted_;
};

}  // namespace
}  // namespace flitscope::replay_chunk_lists

namespace flitscope {

nlohmann::ordered_json replay_chunks(const ExperimentConfig& config, const nlohmann::ordered_json& messages) {
  using namespace replay_chunk_lists;
  if (config.workload.has_traffic()) return nullptr;
  std::unordered_map<std::uint64_t, std::size_t> places;
  const std::size_t count = messages.at("step").size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t place = messages.at("place")[i].get<std::uint64_t>();
    if (place > 0) places.emplace(message_id(messages.at("step")[i].get<std::uint64_t>(), place - 1), i);
  }
  const auto schedule = make_schedule(config);
  const Collective& collective = schedule->facts().collective;
  Lists lists;
  Json json{{"count", collective.chunk_bytes.size()},
            {"start", lists.of(collective.initial)},
            {"parts", collective.operands_everywhere ? Json() : lists.of(collective.operands)}};
  std::vector<Json> carried(count, Json::array());
  std::uint64_t number = 0;
  for (Step step; schedule->next(step) && !lists.too_long();) {
    ++number;
    for (std::size_t i = 0; i < step.messages().size(); ++i) {
      const auto found = places.find(message_id(number, i));
      if (found != places.end()) carried[found->second] = lists.of(step.chunks(step.messages()[i]));
    }
  }
  if (lists.too_long()) return nullptr;
  json["carried"] = std::move(carried);
  return json;
}

}  // namespace flitscope
