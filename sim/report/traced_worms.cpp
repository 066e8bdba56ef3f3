#include "sim/report/traced_worms.h"

#include <algorithm>
#include <unordered_map>

#include "sim/observe/flits/flit_trace.h"

namespace flitscope {

namespace {

/// Puts the events of a trace together to passages and stalls.
class WormCollector {
 public:
  explicit WormCollector(const Topology& topology)
      : worms_{.topology = topology}, passing_(topology.channel_ids()) {}

  void take(const FlitEvent& event) {
    ++worms_.events;
    worms_.last = std::max(worms_.last, event.end() - 1);
    const std::uint32_t number = number_of(event.message);
    TracedWorms::Message& message = worms_.messages[number];
    message.flits = std::max(message.flits, event.flit + 1);
    switch (event.kind) {
      case FlitEventKind::inject:
        message.source = event.node;
        break;
      case FlitEventKind::route:
        break;
      case FlitEventKind::vc:
        if (link_of(event, worms_.topology)) passage(number, event).begin = event.cycle;
        break;
      case FlitEventKind::hop:
        add_flit(passage(number, event), event.cycle);
        break;
      case FlitEventKind::eject:
        message.destination = event.node;
        ++message.ejected;
        message.last_ejection = event.cycle;
        break;
      case FlitEventKind::stall:
        if (event.stall_cycles > 0) add_stall(number, event);
        break;
    }
  }

  TracedWorms finish() {
    for (TracedWorms::Passage& passage : worms_.passages) {
      std::uint64_t flits = 0;
      for (const TracedWorms::Run& run : passage.runs) flits += run.flits;
      if (flits < worms_.messages[passage.message].flits) passage.end = worms_.last;
    }
    return std::move(worms_);
  }

 private:
  std::uint32_t number_of(std::uint64_t message) {
    const auto next = static_cast<std::uint32_t>(worms_.messages.size());
    const auto [found, is_new] = numbers_.try_emplace(message, next);
    if (is_new) worms_.messages.emplace_back().id = message;
    return found->second;
  }

  TracedWorms::Passage& passage(std::uint32_t message, const FlitEvent& event) {
    const ChannelId channel = worms_.topology.channel(event.node, event.port);
    const unsigned vc = event.vc.value_or(0);
    const std::size_t number = passing_.number(channel, vc, event.message, worms_.passages.size());
    if (number == worms_.passages.size()) {
      worms_.passages.push_back(
          {.begin = event.cycle, .message = message, .channel = channel, .vc = vc, .runs = {}});
    }
    return worms_.passages[number];
  }

  static void add_flit(TracedWorms::Passage& passage, Cycle cycle) {
    auto& runs = passage.runs;
    if (runs.empty() || cycle != runs.back().begin + runs.back().flits) runs.push_back({cycle, 0});
    ++runs.back().flits;
    passage.end = cycle;
  }

  void add_stall(std::uint32_t number, const FlitEvent& event) {
    worms_.stalls.push_back({.begin = event.cycle,
                             .end = event.end() - 1,
                             .message = number,
                             .flit = event.flit,
                             .node = event.node,
                             .channel = link_of(event, worms_.topology),
                             .cause = event.cause,
                             .culprit = {}});
    if (event.culprit) worms_.stalls.back().culprit = number_of(*event.culprit);
  }

  TracedWorms worms_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  WormTracker passing_;
};

}  // namespace

TracedWorms read_worms(const std::filesystem::path& trace) {
  FlitTraceReader reader(trace);
  WormCollector collector(reader.topology());
  while (const auto event = reader.next()) collector.take(*event);
  return collector.finish();
}

}  // namespace flitscope
