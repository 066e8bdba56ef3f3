#include "algorithms/afsahi/circuit_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "algorithms/afsahi/closed_forms.h"
#include "algorithms/common/schedule.h"

namespace flitscope::afsahi {
namespace {

NodeId source_of(const CircuitMachine& network, const ParameterValues& values) {
  const auto source = static_cast<std::uint64_t>(values.integer("source"));
  const NodeId nodes = network.topology.nodes();
  refuse_if(source >= nodes, "workload.source", "node {} lies outside the {}: it must be 0 to {}", source,
            network.topology.name(), nodes - 1);
  return static_cast<NodeId>(source);
}

class SortedEvents final : public CircuitSchedule {
 public:
  SortedEvents(CircuitFacts facts, std::vector<CircuitList::Event> events, std::vector<ChunkId> chunks)
      : facts_(std::move(facts)), events_(std::move(events)), chunks_(std::move(chunks)) {}

  [[nodiscard]] const CircuitFacts& facts() const override { return facts_; }

  [[nodiscard]] bool next(CircuitEvent& event) override {
    if (next_ == events_.size()) return false;
    event.clear(events_[next_].start);
    for (; next_ < events_.size() && events_[next_].start == event.time(); ++next_) {
      const CircuitList::Event& each = events_[next_];
      if (each.sends) {
        event.send(each.circuit, std::span(chunks_).subspan(each.first_chunk, each.chunk_count));
      } else {
        event.tune(each.circuit);
      }
    }
    return true;
  }

 private:
  CircuitFacts facts_;
  std::vector<CircuitList::Event> events_;
  std::vector<ChunkId> chunks_;
  std::size_t next_ = 0;
};

class Rounds final : public CircuitSchedule {
 public:
  Rounds(CircuitFacts facts, ProduceRound produce) : facts_(std::move(facts)), produce_(std::move(produce)) {
    facts_.tunings = facts_.messages;
  }

  [[nodiscard]] const CircuitFacts& facts() const override { return facts_; }

  [[nodiscard]] bool next(CircuitEvent& event) override {
    if (!tuned_) {
      if (made_ == facts_.steps) return false;
      round_.clear(time_ + facts_.reconfiguration);
      produce_(++made_, round_);
    }
    if (facts_.reconfiguration > 0 && !tuned_) {
      event.clear(time_);
      for (const CircuitMessage& message : round_.messages()) event.tune(message.circuit);
      tuned_ = true;
      return true;
    }
    std::uint32_t longest = 0;
    event.clear(round_.time());
    for (const CircuitMessage& message : round_.messages()) {
      if (!tuned_) event.tune(message.circuit);
      event.send(message.circuit, round_.chunks(message));
      longest = std::max(longest, message.chunk_count);
    }
    tuned_ = false;
    time_ = event.time() + longest;
    return true;
  }

 private:
  CircuitFacts facts_;
  ProduceRound produce_;
  std::uint64_t made_ = 0;
  std::uint64_t time_ = 0;
  CircuitEvent round_;
  /// The messages of round_ have yet to be given.
  bool tuned_ = false;
};

}  // namespace

Parameter message_parameter() {
  return bytes_parameter("message", "length of a message of one unit", "64");
}

std::vector<Parameter> rooted_parameters(std::vector<Parameter> more) {
  std::vector<Parameter> all{Parameter::integer("source", "number of the node that has the data at the start",
                                                {0, (std::int64_t{1} << 31) - 1})
                                 .or_else("0"),
                             message_parameter()};
  std::ranges::move(more, std::back_inserter(all));
  return all;
}

Parameter start_parameter(const std::string& fallback) {
  return Parameter::choice(
             "start", "warm: every node's first circuits are there at time 0; cold: they are tuned as well",
             {"warm", "cold"})
      .or_else(fallback);
}

bool is_warm(const ParameterValues& values) {
  return values.text("start") == "warm";
}

CircuitFacts facts_of(const CircuitMachine& network, const std::string& algorithm) {
  CircuitFacts facts(network);
  facts.algorithm = algorithm;
  return facts;
}

CircuitFacts broadcast_facts(const CircuitMachine& network, const ParameterValues& values,
                             const std::string& algorithm) {
  CircuitFacts facts = facts_of(network, algorithm);
  facts.collective = Collective::broadcast(source_of(network, values), values.bytes("message"));
  facts.lower_bound_units = broadcast_lower_bound(network.topology.nodes(), network.ports);
  return facts;
}

CircuitFacts gossip_facts(const CircuitMachine& network, const ParameterValues& values,
                          const std::string& algorithm) {
  CircuitFacts facts = facts_of(network, algorithm);
  facts.collective.chunk_bytes.assign(network.topology.nodes(), values.bytes("message"));
  facts.collective.initial = common::own_chunks(network.topology.nodes());
  // No node can receive its N-1 chunks, nor the source of a scatter send them, faster than k at a time.
  facts.lower_bound_units = ceil_div(network.topology.nodes() - 1, network.ports);
  return facts;
}

CircuitFacts scatter_facts(const CircuitMachine& network, const ParameterValues& values,
                           const std::string& algorithm) {
  CircuitFacts facts = gossip_facts(network, values, algorithm);
  common::scatter_from(source_of(network, values), facts.collective);
  return facts;
}

void require_power(const CircuitMachine& network, const std::string& key, const std::string& what,
                   const std::string& instead) {
  const std::uint64_t nodes = network.topology.nodes();
  const std::uint64_t base = std::uint64_t{network.ports} + 1;
  const std::uint64_t above = power(base, ceil_log(base, nodes));
  const std::string below = above / base > 1 ? fmt::format("{} or ", above / base) : "";
  refuse_if(
      !is_power(nodes, base), key,
      "{} needs a power of {} (ports + 1) nodes, not {}; nearest admissible: {}{}, or {} for any number",
      what, base, nodes, below, above, instead);
}

FromSource from_source(const CircuitFacts& facts) {
  return [source = std::uint64_t{facts.collective.initial.front().node}, nodes = facts.topology.nodes()](
             std::uint64_t relative) { return static_cast<NodeId>((source + relative) % nodes); };
}

void CircuitList::send(const Circuit& circuit, std::uint64_t start, std::span<const ChunkId> chunks) {
  events_.push_back({start, circuit, true, static_cast<std::uint32_t>(chunks.size()), chunks_.size()});
  chunks_.insert(chunks_.end(), chunks.begin(), chunks.end());
}

std::unique_ptr<CircuitSchedule> CircuitList::schedule(CircuitFacts facts) && {
  std::ranges::stable_sort(events_, {},
                           [](const Event& event) { return std::pair(event.start, event.sends); });
  std::ranges::sort(circuits_, {},
                    [](const Circuit& circuit) { return std::pair(circuit.node, circuit.port); });
  facts.circuits = std::move(circuits_);
  facts.messages = static_cast<std::uint64_t>(std::ranges::count(events_, true, &Event::sends));
  facts.tunings = events_.size() - facts.messages;
  facts.steps = 0;
  std::optional<std::uint64_t> last;
  for (const Event& event : events_) {
    if (event.sends && std::exchange(last, event.start) != event.start) ++facts.steps;
  }
  return std::make_unique<SortedEvents>(std::move(facts), std::move(events_), std::move(chunks_));
}

std::unique_ptr<CircuitSchedule> in_rounds(CircuitFacts facts, ProduceRound produce) {
  return std::make_unique<Rounds>(std::move(facts), std::move(produce));
}

}  // namespace flitscope::afsahi
