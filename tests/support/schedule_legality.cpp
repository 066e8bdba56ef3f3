#include "tests/support/schedule_legality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "algorithms/algorithm.h"
#include "tests/support/node_names.h"

namespace flitscope::test {

namespace {

/// The state of the network while a broadcast is played. Counters of a step carry its number, so that nothing
/// has to be cleared between steps.
class Judge {
 public:
  Judge(const ScheduleFacts& facts, Repeats repeats)
      : facts_(facts),
        topology_(facts.topology),
        repeats_(repeats),
        informed_in_(topology_.nodes(), kNotInformed),
        sends_(topology_.nodes()),
        receives_(topology_.nodes()),
        loads_(topology_.channel_ids()) {
    for (const Holding& holding : facts.collective.initial) informed_in_[holding.node] = 0;
  }

  Legality play(Schedule& schedule) {
    Step step;
    while (!result_.violation && schedule.next(step)) {
      ++result_.steps;
      for (const Message& message : step.messages()) {
        result_.violation = judge(step, message);
        if (result_.violation) break;
        ++result_.messages;
      }
    }
    if (!result_.violation) result_.violation = judge_end();
    return result_;
  }

 private:
  static constexpr std::uint64_t kNotInformed = ~std::uint64_t{0};

  struct Counter {
    std::uint64_t step = 0;
    std::uint32_t count = 0;
  };

  std::uint32_t counted(Counter& counter) const {
    if (counter.step != result_.steps) counter = {result_.steps, 0};
    return ++counter.count;
  }

  std::optional<std::string> judge(const Step& step, const Message& message) {
    const auto wrong = [&](const std::string& what) {
      return fmt::format("step {}, {} -> {}: {}", result_.steps, topology_.node_name(message.source),
                         topology_.node_name(message.destination), what);
    };
    if (message.source == message.destination) return wrong("a message to its own source");
    if (message.chunk_count != 1 || step.chunks(message)[0] != 0) return wrong("does not carry chunk 0");
    if (informed_in_[message.source] >= result_.steps) return wrong("the sender does not hold the data");
    if (counted(sends_[message.source]) > facts_.send_ports) return wrong("more sends than ports");
    if (counted(receives_[message.destination]) > facts_.receive_ports) {
      return wrong("more receives than ports");
    }
    if (const auto objection = path_objection(message)) return wrong(*objection);
    if (const auto objection = walk(message)) return wrong(*objection);
    std::uint64_t& informed = informed_in_[message.destination];
    if (informed == kNotInformed) {
      informed = result_.steps;
    } else if (repeats_ == Repeats::forbidden) {
      return wrong(fmt::format("the destination is informed since step {}", informed));
    }
    return std::nullopt;
  }

  std::optional<std::string> path_objection(const Message& message) const {
    if (facts_.routing == "dimension-order") {
      if (message.route.first_dimension != 0) return "a dimension-order path that does not start in 0";
      return std::nullopt;
    }
    if (facts_.routing != "cyclic-dimension-order") return "unknown routing " + facts_.routing;
    const unsigned first = message.route.first_dimension;
    if (first >= topology_.dimensions()) return "no such first dimension";
    if (topology_.coordinate(message.source, first) == topology_.coordinate(message.destination, first)) {
      return "the first dimension is not travelled";
    }
    for (unsigned dimension = 0; dimension < topology_.dimensions(); ++dimension) {
      if (message.route.sign(dimension) != message.route.sign(0)) return "the path has two signs";
    }
    return std::nullopt;
  }

  /// Follows the links one by one and counts them.
  std::optional<std::string> walk(const Message& message) {
    NodeId at = message.source;
    std::optional<std::string> objection;
    for_each_channel(topology_, message.source, message.destination, message.route, [&](ChannelId channel) {
      if (objection) return;
      if (topology_.channel_node(channel) != at) objection = "the path has a gap";
      at = topology_.neighbour(at, topology_.channel_port(channel)).value();
      const std::uint32_t load = counted(loads_[channel]);
      result_.max_channel_load = std::max(result_.max_channel_load, load);
      if (facts_.claimed_channel_load && load > *facts_.claimed_channel_load) {
        objection = fmt::format("{} messages on link {}", load, topology_.channel_name(channel));
      }
    });
    if (!objection && at != message.destination) return "the path ends elsewhere";
    return objection;
  }

  std::optional<std::string> judge_end() const {
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (informed_in_[node] == kNotInformed) {
        return fmt::format("node {} is never informed", topology_.node_name(node));
      }
    }
    if (result_.steps != facts_.steps) {
      return fmt::format("{} steps, not {} as stated", result_.steps, facts_.steps);
    }
    if (result_.messages != facts_.messages) {
      return fmt::format("{} messages, not {} as stated", result_.messages, facts_.messages);
    }
    return std::nullopt;
  }

  const ScheduleFacts& facts_;
  const Topology& topology_;
  Repeats repeats_;
  std::vector<std::uint64_t> informed_in_;
  std::vector<Counter> sends_;
  std::vector<Counter> receives_;
  std::vector<Counter> loads_;
  Legality result_;
};

}  // namespace

Legality check_broadcast(Schedule& schedule, Repeats repeats) {
  return Judge(schedule.facts(), repeats).play(schedule);
}

RecordedSchedule::RecordedSchedule(Schedule& original) : facts_(original.facts()) {
  Step step;
  while (original.next(step)) steps_.push_back(step);
}

bool RecordedSchedule::next(Step& step) {
  if (made_ == steps_.size()) return false;
  step = steps_[made_++];
  return true;
}

std::unique_ptr<Schedule> make_broadcast(const std::string& algorithm, const Topology& topology,
                                         const std::vector<std::uint32_t>& source,
                                         const std::map<std::string, std::string>& choices) {
  const Algorithm* const found = AlgorithmRegistry::find(algorithm);
  if (found == nullptr) throw std::logic_error("no algorithm " + algorithm);
  ParameterValues values;
  for (const Parameter& parameter : found->parameters) {
    if (parameter.type == ParameterType::choice) values.set(parameter.name, parameter.fallback);
  }
  for (const auto& [name, choice] : choices) values.set(name, choice);
  values.set("source", test::node_name(source));
  values.set("message", std::int64_t{64});
  return found->make(topology, values);
}

Topology equal_torus(std::uint32_t side, unsigned dimensions) {
  return {TopologyKind::torus, std::vector<std::uint32_t>(dimensions, side)};
}

std::vector<Topology> small_tori() {
  std::vector<Topology> tori;
  for (std::uint32_t n = 3; n <= 200; ++n) tori.push_back(equal_torus(n, 1));
  for (const std::uint32_t n : {243U, 729U, 1000U, 2187U, 6561U, 19'999U, 20'000U}) {
    tori.push_back(equal_torus(n, 1));
  }
  for (unsigned d = 2; d <= 6; ++d) {
    for (std::uint32_t n = 3; power(n, d) <= 20'000; ++n) tori.push_back(equal_torus(n, d));
  }
  return tori;
}

std::vector<std::uint32_t> shifted_source(const Topology& torus) {
  std::vector<std::uint32_t> source;
  for (std::uint32_t i = 0; i < torus.dimensions(); ++i) source.push_back((5 * i + 2) % torus.side(i));
  return source;
}

std::vector<std::string> described(const Topology& topology, const Step& step) {
  std::vector<std::string> lines;
  for (const Message& message : step.messages()) {
    lines.push_back(fmt::format("{} -> {} by {}", fmt::join(topology.coordinates(message.source), ""),
                                fmt::join(topology.coordinates(message.destination), ""),
                                route_name(topology, message.source, message.destination, message.route)));
  }
  return lines;
}

}  // namespace flitscope::test
