#include "sim/report/page/replay_data.h"

#include <openssl/evp.h>

#include <algorithm>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/schedule.h"
#include "sim/observe/flits/flit_trace.h"
#include "sim/report/page/network_drawing.h"
#include "sim/report/report_parts.h"
#include "sim/report/traced_worms.h"
#include "sim/run/packets.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

constexpr std::size_t kBlock = 256;
constexpr std::uint64_t kDensityBins = 500;

void encode(std::string& bytes, const TracedWorms::Passage& passage,
            const std::vector<std::uint32_t>& places) {
  append_leb128(bytes, places[passage.channel]);
  append_leb128(bytes, passage.vc);
  const auto& runs = passage.runs;
  append_leb128(bytes, runs.empty() ? 0 : runs.front().begin - passage.begin);
  append_leb128(bytes,
                passage.end - (runs.empty() ? passage.begin : runs.back().begin + runs.back().flits - 1));
  append_leb128(bytes, runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    append_leb128(bytes, runs[i].flits - 1);
    if (i + 1 < runs.size()) append_leb128(bytes, runs[i + 1].begin - runs[i].begin - runs[i].flits - 1);
  }
}

void encode(std::string& bytes, const TracedWorms::Stall& stall, const std::vector<std::uint32_t>& places) {
  append_leb128(bytes, stall.end - stall.begin);
  append_leb128(bytes, stall.flit);
  append_leb128(bytes, stall.channel ? places[*stall.channel] + 1 : 0);
  append_leb128(bytes, static_cast<unsigned>(stall.cause));
  append_leb128(bytes, stall.culprit ? *stall.culprit + 1 : 0);
}

std::string base64(const std::string& bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  return text;
}

template <typename Item>
Json packed(std::vector<Item>& items, const std::vector<std::uint32_t>& places) {
  if (!std::ranges::is_sorted(items, {}, &Item::begin)) std::ranges::stable_sort(items, {}, &Item::begin);
  Json index = Json::array();
  std::string bytes;
  for (std::size_t first = 0; first < items.size(); first += kBlock) {
    const std::size_t last = std::min(first + kBlock, items.size());
    const std::size_t offset = bytes.size();
    Cycle end = 0;
    Cycle cycle = items[first].begin;
    std::uint64_t message = 0;
    for (std::size_t i = first; i < last; ++i) {
      append_leb128(bytes, items[i].begin - cycle);
      append_zigzag(bytes, static_cast<std::int64_t>(items[i].message) - static_cast<std::int64_t>(message));
      encode(bytes, items[i], places);
      cycle = items[i].begin;
      message = items[i].message;
      end = std::max(end, items[i].end);
    }
    index.push_back({items[first].begin, end, offset});
  }
  return {{"index", index}, {"bytes", base64(bytes)}};
}

/// Lists of chunks, until they are too long together.
class ChunkLists {
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
    return json_list(holdings, [this](const Holding& holding) {
      return Json{holding.node, of(holding.chunks)};
    });
  }

 private:
  static constexpr std::size_t kMaxRanges = 400'000;

  std::size_t ranges_ = 0;
  std::vector<ChunkId> sorted_;
};

Json density(const TracedWorms& worms) {
  const Cycle width = worms.last / kDensityBins + 1;
  std::vector<std::uint64_t> hops(worms.last / width + 1);
  std::vector<std::uint64_t> stalled(hops.size());
  const auto add = [&](std::vector<std::uint64_t>& bins, Cycle from, Cycle end) {
    while (from < end) {
      const Cycle next = std::min(end, (from / width + 1) * width);
      bins[from / width] += next - from;
      from = next;
    }
  };
  for (const TracedWorms::Passage& passage : worms.passages) {
    for (const TracedWorms::Run& run : passage.runs) add(hops, run.begin, run.begin + run.flits);
  }
  for (const TracedWorms::Stall& stall : worms.stalls) add(stalled, stall.begin, stall.end + 1);
  return {{"width", width}, {"stalled", stalled}, {"hops", hops}};
}

}  // namespace

Json replay_data(const std::filesystem::path& trace) {
  using Traced = TracedWorms::Message;
  TracedWorms worms = read_worms(trace);
  const std::vector<std::uint32_t> places = places_of_links(draw_network(worms.topology), worms.topology);
  const auto step = [](const Traced& message) { return message_name(message.id).step; };
  const auto place = [](const Traced& message) { return message_name(message.id).place; };
  const auto source = [](const Traced& message) { return or_null(message.source); };
  const auto destination = [](const Traced& message) { return or_null(message.destination); };
  const auto arrival = [](const Traced& message) {
    const bool arrived = message.ejected > 0 && message.ejected == message.flits;
    return arrived ? Json(message.last_ejection) : Json(nullptr);
  };
  return {{"events", worms.events},
          {"cycles", worms.last},
          {"messages",
           {{"step", json_list(worms.messages, step)},
            {"place", json_list(worms.messages, place)},
            {"source", json_list(worms.messages, source)},
            {"destination", json_list(worms.messages, destination)},
            {"flits", json_list(worms.messages, &Traced::flits)},
            {"arrival", json_list(worms.messages, arrival)}}},
          {"density", density(worms)},
          {"passages", packed(worms.passages, places)},
          {"stalls", packed(worms.stalls, places)}};
}

Json replay_chunks(const ExperimentConfig& config, const Json& messages) {
  // Chunks arrive with messages, and the trace has packets.
  if (config.workload.has_traffic() || has_packets(config)) return nullptr;
  std::unordered_map<std::uint64_t, std::size_t> places;
  const std::size_t count = messages.at("step").size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t place = messages.at("place")[i].get<std::uint64_t>();
    if (place > 0) places.emplace(message_id(messages.at("step")[i].get<std::uint64_t>(), place - 1), i);
  }
  const auto schedule = make_schedule(config);
  const Collective& collective = schedule->facts().collective;
  ChunkLists lists;
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
