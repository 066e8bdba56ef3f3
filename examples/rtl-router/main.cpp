// Compares a mesh in which routers are replaced by the RTL of router.sv with one of flitscope's own routers,
// flit by flit and cycle by cycle, on random traffic. usage: rtl_router [FLITS [SEED [NODE...]]], without
// nodes all are RTL.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <random>
#include <set>
#include <tuple>

#include "rtl_router.h"

using namespace flitscope;

namespace {

/// A flit leaves a router: cycle, node, output port, VC, message, place in the message.
using Move = std::tuple<Cycle, NodeId, unsigned, unsigned, std::uint64_t, std::uint32_t>;

struct Moves final : FlitObserver {
  void injected(Cycle, NodeId, unsigned, std::uint64_t, std::uint32_t, bool) override {}
  void moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message, std::uint32_t index,
             bool /*tail*/) override {
    list.emplace_back(now, node, port, vc, message, index);
  }
  std::vector<Move> list;
};

/// Messages of 1 to 12 flits between random nodes, in bursts and pauses, until there are `flits` flits.
struct RandomTraffic final : Driver {
  RandomTraffic(const Topology& on, std::uint64_t flits, std::uint64_t seed)
      : mesh(on), left(flits), random(seed) {}
  void start(Transport& network) override { at(network, 0); }
  void at(Transport& network, Cycle now) override {
    const bool burst = now / 200 % 2 == 0;
    for (NodeId node = 0; node < mesh.nodes() && left > 0; ++node) {
      if (random() % (burst ? 6 : 40) != 0) continue;
      const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, 1 + random() % 12));
      const auto destination = static_cast<NodeId>(random() % mesh.nodes());
      network.send({.id = next_id++,
                    .source = node,
                    .destination = destination,
                    .route = shortest_route(mesh, node, destination),
                    .flits = length});
      left -= length;
    }
    next = left > 0 ? now + 1 : kNever;
  }
  void delivered(Transport&, std::span<const Delivery> some, Cycle now) override {
    for (const Delivery& each : some) deliveries.emplace_back(now, each.id);
  }
  [[nodiscard]] Cycle next_event() const override { return next; }
  [[nodiscard]] bool finished() const override { return left == 0; }

  const Topology& mesh;
  std::uint64_t left;
  std::mt19937_64 random;
  std::uint64_t next_id = 1;
  Cycle next = 0;
  std::vector<std::pair<Cycle, std::uint64_t>> deliveries;
};

std::string text(const Move& move) {
  const auto& [cycle, node, port, vc, message, index] = move;
  return fmt::format("cycle {}: flit {} of message {} leaves node {} by port {} VC {}", cycle, index, message,
                     node, port, vc);
}

/// Prints the first difference, if there is one.
bool same(std::vector<Move>& model, std::vector<Move>& rtl) {
  std::ranges::sort(model);
  std::ranges::sort(rtl);
  const auto [one, other] = std::ranges::mismatch(model, rtl);
  if (one == model.end() && other == rtl.end()) return true;
  fmt::print("they differ\n  model  {}\n  RTL    {}\n", one == model.end() ? "nothing" : text(*one),
             other == rtl.end() ? "nothing" : text(*other));
  return false;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  const std::uint64_t flits = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const Topology mesh(TopologyKind::mesh, {4, 4});
  const MachineConfig machine;  // router.sv: 2 virtual channels of 8 flits, all delays 1
  std::set<NodeId> replaced;
  for (int place = 3; place < argc; ++place) replaced.insert(static_cast<NodeId>(std::atoi(argv[place])));
  for (NodeId node = 0; argc < 4 && node < mesh.nodes(); ++node) replaced.insert(node);

  sc_core::sc_clock clock("clock", 1, sc_core::SC_NS);
  Network model("model", mesh, machine, clock);
  Network mixed("mixed", mesh, machine, clock);
  Moves of_model;
  Moves of_mixed;
  model.clock().observe({.flits = &of_model});
  mixed.clock().observe({.flits = &of_mixed});
  std::deque<RouterBridge> bridges;
  std::deque<RtlRouter> routers;
  for (const NodeId node : replaced) {
    RouterBridge& bridge = bridges.emplace_back(fmt::format("bridge_{}", node).c_str(), mixed, node);
    RtlRouter& router = routers.emplace_back(fmt::format("rtl_{}", node).c_str(), bridge, mixed, node);
    router.clock(clock);
    router.on_move = [&mixed, &of_mixed, node](unsigned port, unsigned vc, const LinkFlit& flit) {
      const ClockDomain& time = mixed.clock();
      of_mixed.list.emplace_back(time.now(), node, port, vc, time.messages()[flit.message].id, flit.index);
    };
  }
  RandomTraffic for_model(mesh, flits, seed);
  RandomTraffic for_mixed(mesh, flits, seed);
  model.clock().drive(for_model);
  mixed.clock().drive(for_mixed);

  const auto done = [&](const Network& network, const RandomTraffic& traffic) {
    return traffic.left == 0 && network.clock().messages().open_messages() == 0;
  };
  bool equal = true;
  std::uint64_t moves = 0;
  std::uint64_t of_rtl = 0;
  while (equal && !(done(model, for_model) && done(mixed, for_mixed)) &&
         model.clock().now() < 100 * flits + 10'000) {
    sc_core::sc_start(1000, sc_core::SC_NS);
    moves += of_model.list.size();
    equal = same(of_model.list, of_mixed.list) && for_model.deliveries == for_mixed.deliveries;
    of_model.list.clear();
    of_mixed.list.clear();
  }
  for (const RouterBridge& bridge : bridges) of_rtl += bridge.flits();
  const bool complete = done(model, for_model) && done(mixed, for_mixed);
  fmt::print("{}: {} flits in {} messages, {} moves, {} of them through RTL routers, {} cycles\n",
             equal && complete ? "the same" : "NOT THE SAME", flits, for_model.deliveries.size(), moves,
             of_rtl, model.clock().last_delivery());
  return equal && complete ? 0 : 1;
}
