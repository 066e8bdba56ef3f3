#include "algorithms/common/circulant.h"

#include <algorithm>
#include <utility>

namespace flitscope::common {

std::vector<CirculantStep> circulant_steps(Circulant method, std::uint32_t positions) {
  const std::uint32_t n = positions;
  std::vector<CirculantStep> steps;
  switch (method) {
    case Circulant::ring:
      for (std::uint32_t step = 1; step < n; ++step) steps.push_back({1, (n - (step - 1)) % n, 1});
      break;
    case Circulant::bruck:
      for (std::uint32_t have = 1; have < n; have += steps.back().count) {
        steps.push_back({n - have, 0, std::min(have, n - have)});
      }
      break;
    case Circulant::direct:
      for (std::uint32_t step = 1; step < n; ++step) steps.push_back({step, 0, 1});
      break;
  }
  return steps;
}

Spread circulant_spread(const Topology& topology, Circulant method) {
  std::vector<NodeId> order = NodeGroups(topology).order();
  const auto n = static_cast<std::uint32_t>(order.size());
  std::vector<CirculantStep> steps = circulant_steps(method, n);
  const std::uint64_t count = steps.size();
  return {.steps = count,
          .messages = count * n,
          .produce =
              [topology, participants = Participants(topology), order = std::move(order),
               steps = std::move(steps), n](std::uint64_t number, const Spread::Send& send) {
                const CirculantStep& step = steps[number - 1];
                std::vector<ChunkId> chunks(step.count);
                for (std::uint32_t i = 0; i < n; ++i) {
                  for (std::uint32_t block = 0; block < step.count; ++block) {
                    chunks[block] = participants.place(order[(i + std::uint64_t{step.first} + block) % n]);
                  }
                  const NodeId to = order[(i + std::uint64_t{step.to}) % n];
                  send(order[i], to, shortest_route(topology, order[i], to), chunks);
                }
              },
          .channel_load = 0};
}

Parameter group_size_parameter() {
  return Parameter::integer(
             "group_size",
             "nodes of a group, in order, the last group may have fewer; 0: the groups of the network",
             {0, std::int64_t{1} << 31}, "nodes")
      .or_else("0");
}

NodeGroups groups_of(const Topology& topology, const ParameterValues& values) {
  return NodeGroups(topology, static_cast<std::uint32_t>(values.integer("group_size")));
}

Parameter circulant_parameter(std::string name, std::string summary) {
  return Parameter::choice(std::move(name), std::move(summary), {"ring", "bruck"}).or_else("ring");
}

Circulant circulant_of(const ParameterValues& values, const std::string& name) {
  return values.text(name) == "ring" ? Circulant::ring : Circulant::bruck;
}

}  // namespace flitscope::common
