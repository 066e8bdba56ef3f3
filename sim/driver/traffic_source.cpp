#include "sim/driver/traffic_source.h"

#include <cmath>

#include "model/bits.h"
#include "routers/routing/routing.h"

namespace flitscope {

namespace {

using Wide = unsigned __int128;

constexpr std::uint64_t kRateUnit = 1'000'000'000'000'000;

/// Cycles that the calendar of the next messages spans, within a few megabytes.
Cycle horizon(NodeId nodes) {
  constexpr Cycle kMarks = Cycle{1} << 26;
  constexpr Cycle kLeast = 64;
  constexpr Cycle kMost = 1024;
  return std::clamp<Cycle>(kMarks / nodes, kLeast, kMost) - 1;
}

}  // namespace

TrafficSource::TrafficSource(const Topology& topology, const MachineConfig& machine,
                             const TrafficConfig& config, const TrafficPattern& pattern)
    : topology_(topology.network(machine.network_of(class_of(config, machine)))),
      pattern_(pattern),
      process_(config.process),
      ties_(config.ties),
      drawn_paths_(drawn_paths_of(machine.routing, config.drawn_paths)),
      self_(config.self),
      message_class_(class_of(config, machine)),
      burst_(1 / static_cast<double>(config.burst)),
      pause_(1 / static_cast<double>(config.pause)),
      start_(config.start),
      end_(config.end.value_or(kNever)),
      agenda_(topology.nodes(), horizon(topology.nodes())) {
  double weights = 0;
  for (const auto& [bytes, weight] : config.message.sizes) weights += weight.approximate();
  double below = 0;
  for (const auto& [bytes, weight] : config.message.sizes) {
    below += weight.approximate();
    sizes_.push_back(
        {probability_bits(below / weights), static_cast<std::uint32_t>(flits_of(bytes, machine.flit_bytes))});
  }

  const double flits =
      mean_of(config.message, [&](std::uint64_t bytes) { return flits_of(bytes, machine.flit_bytes); });
  const double load = config.load.approximate();
  if (process_ == Injection::on_off) {
    burst_share_ = static_cast<double>(config.burst) / static_cast<double>(config.burst + config.pause);
  }
  std::vector<double> parts(topology.nodes());
  for (NodeId node = 0; node < topology.nodes(); ++node) parts[node] = pattern.rate(node);
  const bool all_alike = std::ranges::all_of(parts, [](double part) { return part == 1; });
  if (all_alike) parts.resize(1);
  for (const double part : parts) {
    gaps_.emplace_back(std::min(load * part / flits / burst_share_, 1.0));
    rates_.push_back(static_cast<std::uint64_t>(std::llround(load * part * static_cast<double>(kRateUnit))));
  }

  for (NodeId node = 0; node < topology.nodes(); ++node) {
    nodes_.push_back({RandomStream(config.seed, node)});
    if (rate(node) > 0) schedule_first(node);
  }
  find_next(0);
}

void TrafficSource::find_next(Cycle agenda_cycle) {
  const Cycle next = agenda_.next(agenda_cycle);
  next_ = next == kNever ? kNever : next - 1;
}

std::uint32_t TrafficSource::draw_size(RandomStream& random) const {
  if (sizes_.size() == 1) return 0;
  const auto at = std::ranges::upper_bound(sizes_, random.next(), {}, &Size::below);
  return static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(at - sizes_.begin(), std::ssize(sizes_) - 1));
}

Route TrafficSource::draw_route(NodeId source, NodeId destination, RandomStream& random) const {
  Route route = shortest_route(topology_, source, destination);
  const std::uint32_t ties = ties_ == Ties::plus ? 0 : ties_between(topology_, source, destination);
  for_each_bit(ties, [&](unsigned dimension) {
    if (random.below(2) == 1) route.set_sign(dimension, Sign::minus);
  });
  if (drawn_paths_ > 1) route.draw = static_cast<std::uint8_t>(random.below(drawn_paths_));
  return route;
}

void TrafficSource::schedule_first(NodeId node) {
  Node& state = nodes_[node];
  Cycle first = 0;
  switch (process_) {
    case Injection::bernoulli:
      first = gap(node).draw(state.random) - 1;
      break;
    case Injection::on_off: {
      Cycle from = 0;
      if (state.random.next() >= probability_bits(burst_share_)) from = pause_.draw(state.random);
      state.burst_left = burst_.draw(state.random);
      first = draw_in_bursts(node, from);
      break;
    }
    case Injection::periodic: {
      // A random offset in an interval.
      const std::uint64_t part = state.random.next() >> 32;
      const Wide interval = Wide{sizes_.front().flits} * kRateUnit;
      const Wide offset = interval * part >> 32;
      first = static_cast<Cycle>(offset / rate(node));
      state.remainder = static_cast<std::uint64_t>(offset % rate(node));
      break;
    }
  }
  first += start_;
  if (first < end_) agenda_.wake_at(node, first + 1, 0);
}

Cycle TrafficSource::draw_cycle(NodeId node, Cycle from, std::uint32_t flits) {
  Node& state = nodes_[node];
  switch (process_) {
    case Injection::bernoulli:
      return from + gap(node).draw(state.random) - 1;
    case Injection::on_off:
      return draw_in_bursts(node, from);
    case Injection::periodic: {
      const Wide interval = Wide{flits} * kRateUnit + state.remainder;
      state.remainder = static_cast<std::uint64_t>(interval % rate(node));
      // A node generates one message a cycle at most.
      return from + std::max(static_cast<Cycle>(interval / rate(node)), Cycle{1}) - 1;
    }
  }
  return kNever;
}

Cycle TrafficSource::draw_in_bursts(NodeId node, Cycle from) {
  Node& state = nodes_[node];
  std::uint64_t left = gap(node).draw(state.random);
  while (left > state.burst_left) {
    left -= state.burst_left;
    from += state.burst_left + pause_.draw(state.random);
    state.burst_left = burst_.draw(state.random);
  }
  state.burst_left -= left;
  return from + left - 1;
}

GeneratedMessage TrafficSource::draw(NodeId node) {
  Node& state = nodes_[node];
  GeneratedMessage message;
  message.source = node;
  message.size = draw_size(state.random);
  message.flits = sizes_[message.size].flits;
  message.destination = pattern_.destination(node, state.messages++, state.random);
  message.route = draw_route(node, message.destination, state.random);
  return message;
}

GeneratedMessage TrafficSource::generate_at(NodeId node, Cycle now) {
  const GeneratedMessage message = draw(node);
  const Cycle next = draw_cycle(node, now + 1, message.flits);
  if (next < end_) agenda_.wake_at(node, next + 1, now + 1);
  return message;
}

}  // namespace flitscope
