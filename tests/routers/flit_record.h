// Flits of a run as text, of the engine and of the reference model: moves, and stalls.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "routers/engine/flit_observer.h"
#include "tests/reference/reference_network.h"

namespace flitscope::test {

inline std::string line_of(const FlitStall& stall) {
  return fmt::format(
      "cycle {} node {} input VC {}: message {} flit {} {} cycles {} port {} vc {} culprit {}\n", stall.from,
      stall.node, stall.input_vc, stall.message, stall.index, stall.cycles, name_of(stall.cause), stall.port,
      stall.vc ? fmt::format("{}", *stall.vc) : "-", stall.culprit ? fmt::format("{}", *stall.culprit) : "-");
}

/// By cycle and place, in whatever order they are reported.
inline std::string text_of(std::vector<FlitStall> stalls) {
  std::ranges::sort(stalls, {},
                    [](const FlitStall& each) { return std::tuple(each.from, each.node, each.input_vc); });
  std::string text;
  for (const FlitStall& stall : stalls) text += line_of(stall);
  return text;
}

/// Flits that leave routers, and those that network interfaces put.
inline std::string text_of(std::vector<reference::Traversal> moves, std::vector<reference::Injection> puts) {
  std::ranges::sort(moves, {}, [](const auto& t) { return std::tuple(t.cycle, t.node, t.output_port); });
  std::ranges::sort(puts, {}, [](const auto& i) { return std::tuple(i.cycle, i.node, i.channel); });
  std::string text;
  for (const auto& [cycle, node, port, vc, message, flit] : moves) {
    text += fmt::format("cycle {} node {} port {} vc {} message {} flit {}\n", cycle, node, port, vc, message,
                        flit);
  }
  for (const auto& [cycle, node, channel, message, flit] : puts) {
    text +=
        fmt::format("cycle {} node {} channel {} message {} flit {}\n", cycle, node, channel, message, flit);
  }
  return text;
}

/// All of it: what an engine reports, or what the model has.
class FlitRecord final : public FlitObserver, public StallObserver {
 public:
  FlitRecord() = default;
  explicit FlitRecord(const reference::ReferenceNetwork& slow)
      : moves(slow.traversals()), puts(slow.injections()), stalls(slow.stalls()) {
    // Flits in output queues leave after the end.
    std::erase_if(moves, [&](const reference::Traversal& move) { return move.cycle >= slow.now(); });
  }

  void injected(Cycle now, NodeId node, unsigned channel, std::uint64_t message, std::uint32_t index,
                bool /*tail*/) override {
    puts.push_back({now, node, channel, message, index});
  }
  void moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message, std::uint32_t index,
             bool /*tail*/) override {
    moves.push_back({now, node, port, vc, message, index});
  }
  void stalled(const FlitStall& stall) override { stalls.push_back(stall); }
  [[nodiscard]] std::string flits() const { return text_of(moves, puts); }
  [[nodiscard]] std::string text() const { return flits() + text_of(stalls); }

  std::vector<reference::Traversal> moves;
  std::vector<reference::Injection> puts;
  std::vector<FlitStall> stalls;
};

}  // namespace flitscope::test
