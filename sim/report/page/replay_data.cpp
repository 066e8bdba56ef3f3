#include "sim/report/page/replay_data.h"

#include <openssl/evp.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/schedule.h"
#include "sim/formats/strict_json.h"
#include "sim/observe/flits/flit_trace.h"
#include "sim/report/channel_time.h"
#include "sim/report/page/network_drawing.h"
#include "sim/report/report_parts.h"
#include "sim/run/packets.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kBlock = 256;
constexpr std::uint64_t kDensityBins = 500;

struct Run {
  Cycle begin = 0;
  Cycle flits = 0;
};

struct Passage {
  Cycle granted = 0;
  std::uint32_t message = 0;
  std::uint32_t link = 0;
  unsigned vc = 0;
  boost::container::small_vector<Run, 1> runs;
  /// Cycles behind the last flit in which the worm still holds the link: its tail has not come.
  Cycle held = 0;

  [[nodiscard]] Cycle begin() const { return granted; }
  [[nodiscard]] Cycle last_flit() const {
    return runs.empty() ? granted : runs.back().begin + runs.back().flits - 1;
  }
  [[nodiscard]] Cycle end() const { return last_flit() + held; }
  [[nodiscard]] std::uint64_t flits() const {
    std::uint64_t sum = 0;
    for (const Run& run : runs) sum += run.flits;
    return sum;
  }
};

struct Stall {
  Cycle from = 0;
  Cycle cycles = 0;
  std::uint32_t message = 0;
  std::uint32_t flit = 0;
  std::uint32_t link_and_1 = 0;
  unsigned cause = 0;
  std::uint32_t culprit_and_1 = 0;

  [[nodiscard]] Cycle begin() const { return from; }
  [[nodiscard]] Cycle end() const { return from + cycles - 1; }
};

struct TracedMessage {
  std::uint64_t id = 0;
  std::optional<NodeId> source;
  std::optional<NodeId> destination;
  std::uint32_t flits = 0;
  std::uint32_t ejected = 0;
  Cycle last_ejection = 0;
};

void encode(std::string& bytes, const Passage& passage) {
  append_leb128(bytes, passage.link);
  append_leb128(bytes, passage.vc);
  append_leb128(bytes, passage.runs.empty() ? 0 : passage.runs.front().begin - passage.granted);
  append_leb128(bytes, passage.held);
  append_leb128(bytes, passage.runs.size());
  for (std::size_t i = 0; i < passage.runs.size(); ++i) {
    const Run& run = passage.runs[i];
    append_leb128(bytes, run.flits - 1);
    if (i + 1 < passage.runs.size())
      append_leb128(bytes, passage.runs[i + 1].begin - run.begin - run.flits - 1);
  }
}

void encode(std::string& bytes, const Stall& stall) {
  append_leb128(bytes, stall.cycles - 1);
  append_leb128(bytes, stall.flit);
  append_leb128(bytes, stall.link_and_1);
  append_leb128(bytes, stall.cause);
  append_leb128(bytes, stall.culprit_and_1);
}

std::string base64(const std::string& bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  return text;
}

template <typename Item>
Json packed(std::vector<Item>& items) {
  if (!std::ranges::is_sorted(items, {}, &Item::begin)) std::ranges::stable_sort(items, {}, &Item::begin);
  Json index = Json::array();
  std::string bytes;
  for (std::size_t first = 0; first < items.size(); first += kBlock) {
    const std::size_t last = std::min(first + kBlock, items.size());
    const std::size_t offset = bytes.size();
    Cycle end = 0;
    Cycle cycle = items[first].begin();
    std::uint64_t message = 0;
    for (std::size_t i = first; i < last; ++i) {
      append_leb128(bytes, items[i].begin() - cycle);
      append_zigzag(bytes, static_cast<std::int64_t>(items[i].message) - static_cast<std::int64_t>(message));
      encode(bytes, items[i]);
      cycle = items[i].begin();
      message = items[i].message;
      end = std::max(end, items[i].end());
    }
    index.push_back({items[first].begin(), end, offset});
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

/// Puts the events of a trace together to passages and stalls.
class Collector {
 public:
  explicit Collector(const Topology& topology) : topology_(topology), passing_(topology.channel_ids()) {
    const NetworkDrawing drawing = draw_network(topology);
    links_.resize(topology.channel_ids());
    for (std::size_t i = 0; i < drawing.links.size(); ++i) {
      links_[drawing.links[i].channel] = static_cast<std::uint32_t>(i);
    }
  }

  void take(const FlitEvent& event) {
    ++events_;
    last_ = std::max(last_, event.end() - 1);
    const std::uint32_t number = number_of(event.message);
    TracedMessage& message = messages_[number];
    message.flits = std::max(message.flits, event.flit + 1);
    switch (event.kind) {
      case FlitEventKind::inject:
        message.source = event.node;
        break;
      case FlitEventKind::route:
        break;
      case FlitEventKind::vc:
        if (link_of(event, topology_)) passage(number, event).granted = event.cycle;
        break;
      case FlitEventKind::hop:
        add_flit(passage(number, event), event.cycle);
        if (hops_.empty() || hops_.back().begin != event.cycle) hops_.push_back({event.cycle, 0});
        ++hops_.back().flits;
        break;
      case FlitEventKind::eject:
        message.destination = event.node;
        ++message.ejected;
        message.last_ejection = event.cycle;
        break;
      case FlitEventKind::stall:
        add_stall(number, event);
        break;
    }
  }

  Json json() {
    for (Passage& passage : passages_) {
      if (passage.flits() < messages_[passage.message].flits) passage.held = last_ - passage.last_flit();
    }
    Json density = this->density();
    const auto step = [](const TracedMessage& message) { return message_name(message.id).step; };
    const auto place = [](const TracedMessage& message) { return message_name(message.id).place; };
    const auto source = [](const TracedMessage& message) { return or_null(message.source); };
    const auto destination = [](const TracedMessage& message) { return or_null(message.destination); };
    const auto arrival = [](const TracedMessage& message) {
      const bool arrived = message.ejected > 0 && message.ejected == message.flits;
      return arrived ? Json(message.last_ejection) : Json(nullptr);
    };
    return {{"events", events_},
            {"cycles", last_},
            {"messages",
             {{"step", json_list(messages_, step)},
              {"place", json_list(messages_, place)},
              {"source", json_list(messages_, source)},
              {"destination", json_list(messages_, destination)},
              {"flits", json_list(messages_, &TracedMessage::flits)},
              {"arrival", json_list(messages_, arrival)}}},
            {"density", density},
            {"passages", packed(passages_)},
            {"stalls", packed(stalls_)}};
  }

 private:
  std::uint32_t number_of(std::uint64_t message) {
    const auto [found, is_new] = numbers_.try_emplace(message, static_cast<std::uint32_t>(messages_.size()));
    if (is_new) messages_.emplace_back().id = message;
    return found->second;
  }

  Passage& passage(std::uint32_t message, const FlitEvent& event) {
    const ChannelId channel = topology_.channel(event.node, event.port);
    const std::size_t number =
        passing_.number(channel, event.vc.value_or(0), event.message, passages_.size());
    if (number == passages_.size()) {
      passages_.push_back({.granted = event.cycle,
                           .message = message,
                           .link = links_[channel],
                           .vc = event.vc.value_or(0),
                           .runs = {}});
    }
    return passages_[number];
  }

  static void add_flit(Passage& passage, Cycle cycle) {
    if (!passage.runs.empty()) {
      Run& run = passage.runs.back();
      if (cycle == run.begin + run.flits) {
        ++run.flits;
        return;
      }
    }
    passage.runs.push_back({cycle, 1});
  }

  void add_stall(std::uint32_t number, const FlitEvent& event) {
    if (event.stall_cycles == 0) return;
    const auto link = link_of(event, topology_);
    stalls_.push_back({.from = event.cycle,
                       .cycles = event.stall_cycles,
                       .message = number,
                       .flit = event.flit,
                       .link_and_1 = link ? links_[*link] + 1 : 0,
                       .cause = static_cast<unsigned>(event.cause),
                       .culprit_and_1 = event.culprit ? number_of(*event.culprit) + 1 : 0});
  }

  [[nodiscard]] Json density() const {
    const Cycle width = last_ / kDensityBins + 1;
    std::vector<std::uint64_t> hops(last_ / width + 1);
    std::vector<std::uint64_t> stalled(hops.size());
    for (const Run& run : hops_) hops[run.begin / width] += run.flits;
    for (const Stall& stall : stalls_) {
      for (Cycle from = stall.from; from <= stall.end();) {
        const Cycle next = std::min(stall.end() + 1, (from / width + 1) * width);
        stalled[from / width] += next - from;
        from = next;
      }
    }
    return {{"width", width}, {"stalled", stalled}, {"hops", hops}};
  }

  const Topology& topology_;
  std::vector<std::uint32_t> links_;  ///< place in the drawing, by channel
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  WormTracker passing_;
  std::vector<TracedMessage> messages_;
  std::vector<Passage> passages_;
  std::vector<Stall> stalls_;
  std::vector<Run> hops_;  ///< flits in one cycle
  std::uint64_t events_ = 0;
  Cycle last_ = 0;
};

}  // namespace

nlohmann::ordered_json replay_data(const std::filesystem::path& trace) {
  FlitTraceReader reader(trace);
  Collector collector(reader.topology());
  while (const auto event = reader.next()) collector.take(*event);
  return collector.json();
}

nlohmann::ordered_json replay_chunks(const ExperimentConfig& config, const nlohmann::ordered_json& messages) {
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
