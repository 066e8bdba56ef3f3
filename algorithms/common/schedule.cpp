#include "algorithms/common/schedule.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/possession.h"

namespace flitscope::common {

namespace {

constexpr auto kSegment = "segment";
constexpr std::uint64_t kMaxSegments = 1'000'000;
constexpr std::uint64_t kMaxChunks = std::uint64_t{1} << 26;

class Stepwise final : public Schedule {
 public:
  Stepwise(ScheduleFacts facts, ProduceStep produce)
      : facts_(std::move(facts)), produce_(std::move(produce)) {}

  [[nodiscard]] const ScheduleFacts& facts() const override { return facts_; }

  [[nodiscard]] bool next(Step& step) override {
    if (made_ == facts_.steps) return false;
    step.clear();
    produce_(++made_, step);
    return true;
  }

 private:
  ScheduleFacts facts_;
  ProduceStep produce_;
  std::uint64_t made_ = 0;
};

/// Adds the messages that `one`, a step of one segment, has for segment `segment`.
void add_segment(const Step& one, std::uint64_t segment, std::uint64_t chunks_of_segment, Step& step) {
  std::vector<ChunkId> chunks;
  for (const Message& message : one.messages()) {
    chunks.clear();
    for (const ChunkId chunk : one.chunks(message)) {
      chunks.push_back(static_cast<ChunkId>(segment * chunks_of_segment + chunk));
    }
    step.add(message.source, message.destination, message.route, chunks, message.control_bytes);
    step.combine(step.messages().size() - 1, message.reduced_count);
    step.rearrange(step.messages().size() - 1, message.rearranged_bytes);
  }
}

/// The chunks of one segment become those of all segments.
void repeat(std::vector<Holding>& holdings, std::uint64_t segments, std::uint64_t chunks) {
  for (Holding& holding : holdings) {
    const std::vector<ChunkId> of_one = std::exchange(holding.chunks, {});
    for (std::uint64_t number = 0; number < segments; ++number) {
      for (const ChunkId chunk : of_one) {
        holding.chunks.push_back(static_cast<ChunkId>(number * chunks) + chunk);
      }
    }
  }
}

/// Segments of `segment` bytes that `bytes` bytes take. Throws Inadmissible("workload.segment") for too many.
std::uint64_t segments_of(std::uint64_t bytes, std::uint64_t segment) {
  const std::uint64_t segments = (bytes - 1) / segment + 1;
  refuse_if(segments > kMaxSegments, "workload.segment",
            "segments of {} bytes are {}; at most {} are possible: use segments of at least {} bytes",
            segment, segments, kMaxSegments, (bytes - 1) / kMaxSegments + 1);
  return segments;
}

using Make = std::function<std::unique_ptr<Schedule>(const Topology&, const ParameterValues&)>;

std::unique_ptr<Schedule> cut(const Make& make, const Topology& topology, const ParameterValues& values) {
  const std::uint64_t bytes = values.bytes("message");
  const std::uint64_t segment = values.has(kSegment) ? values.bytes(kSegment) : 0;
  if (segment == 0 || segment >= bytes) return make(topology, values);
  const std::uint64_t segments = segments_of(bytes, segment);
  const auto of_length = [&](std::uint64_t length) {
    ParameterValues shorter = values;
    shorter.set("message", static_cast<std::int64_t>(length));
    return make(topology, shorter);
  };
  const auto whole = of_length(segment);
  const std::uint64_t chunks = whole->facts().collective.chunk_bytes.size();
  const std::uint64_t possible = std::max<std::uint64_t>(1, kMaxChunks / chunks);
  refuse_if(segments > possible, "workload.segment",
            "{} segments of {} chunks each are more than the {} chunks that are possible: use segments of at "
            "least {} bytes",
            segments, chunks, kMaxChunks, (bytes - 1) / possible + 1);
  const auto last = of_length(bytes - (segments - 1) * segment);
  ScheduleFacts facts = whole->facts();
  std::vector<Step> steps(facts.steps);
  for (Step& step : steps) (void)whole->next(step);

  facts.steps += segments - 1;
  facts.messages *= segments;
  if (facts.claimed_steps) *facts.claimed_steps += segments - 1;
  facts.claimed_channel_load.reset();
  facts.stages.clear();
  facts.send_ports = ports_of(steps, topology.nodes(), &Message::source, segments);
  facts.receive_ports = ports_of(steps, topology.nodes(), &Message::destination, segments);
  Collective& collective = facts.collective;
  const std::vector<std::uint64_t> of_segment = std::exchange(collective.chunk_bytes, {});
  for (std::uint64_t number = 0; number < segments; ++number) {
    const auto& sizes = number + 1 < segments ? of_segment : last->facts().collective.chunk_bytes;
    collective.chunk_bytes.insert(collective.chunk_bytes.end(), sizes.begin(), sizes.end());
  }
  repeat(collective.initial, segments, chunks);
  if (collective.goal) repeat(*collective.goal, segments, chunks);
  return stepwise(std::move(facts), [=, steps = std::move(steps)](std::uint64_t number, Step& step) {
    const std::uint64_t first = number > steps.size() ? number - steps.size() : 0;
    for (std::uint64_t at = first; at < std::min(segments, number); ++at) {
      add_segment(steps[number - at - 1], at, chunks, step);
    }
  });
}

}  // namespace

std::unique_ptr<Schedule> stepwise(ScheduleFacts facts, ProduceStep produce) {
  return std::make_unique<Stepwise>(std::move(facts), std::move(produce));
}

std::unique_ptr<Schedule> recorded(ScheduleFacts facts, std::vector<Step> steps) {
  const NodeId nodes = facts.topology.nodes();
  facts.steps = steps.size();
  facts.messages = 0;
  for (const Step& step : steps) facts.messages += step.messages().size();
  facts.send_ports = ports_of(steps, nodes, &Message::source);
  facts.receive_ports = ports_of(steps, nodes, &Message::destination);
  return stepwise(std::move(facts),
                  [steps = std::move(steps)](std::uint64_t number, Step& step) { step = steps[number - 1]; });
}

unsigned ports_of(const std::vector<Step>& steps, NodeId nodes, NodeId Message::*end, std::uint64_t window) {
  std::vector<unsigned> counts(nodes);
  unsigned most = 1;
  for (std::size_t index = 0; index < steps.size(); ++index) {
    if (index >= window) {
      for (const Message& message : steps[index - window].messages()) --counts[message.*end];
    }
    for (const Message& message : steps[index].messages()) most = std::max(most, ++counts[message.*end]);
  }
  return most;
}

ScheduleFacts facts_of(const Topology& topology, std::string algorithm, unsigned ports) {
  ScheduleFacts facts(topology);
  facts.algorithm = std::move(algorithm);
  facts.send_ports = ports;
  facts.receive_ports = ports;
  return facts;
}

ScheduleFacts broadcast_facts(const Topology& topology, const ParameterValues& values, std::string algorithm,
                              std::string routing, unsigned ports) {
  ScheduleFacts facts = facts_of(topology, std::move(algorithm), ports);
  facts.routing = std::move(routing);
  const NodeId nodes = Participants(topology).count();
  facts.messages = nodes - 1;
  facts.lower_bound_steps = broadcast_lower_bound(nodes, topology.link_ports());
  facts.collective =
      Collective::broadcast(node_parameter(topology, values, "source"), values.bytes("message"));
  return facts;
}

std::vector<std::uint64_t> split(std::uint64_t bytes, std::uint64_t parts) {
  std::vector<std::uint64_t> sizes(parts, bytes / parts);
  for (std::uint64_t part = 0; part < bytes % parts; ++part) ++sizes[part];
  return sizes;
}

Holding run_of_chunks(NodeId node, std::uint64_t count, std::uint64_t first) {
  Holding holding{node, std::vector<ChunkId>(count)};
  std::iota(holding.chunks.begin(), holding.chunks.end(), static_cast<ChunkId>(first));
  return holding;
}

std::vector<Holding> own_chunks(const Participants& participants, std::uint64_t each) {
  std::vector<Holding> holdings;
  for (NodeId place = 0; place < participants.count(); ++place) {
    holdings.push_back(run_of_chunks(participants[place], each, place * each));
  }
  return holdings;
}

void scatter_from(NodeId root, Collective& collective) {
  collective.goal = std::exchange(collective.initial, {run_of_chunks(root, collective.chunk_bytes.size())});
}

void gather_to(NodeId root, Collective& collective) {
  collective.goal = {run_of_chunks(root, collective.chunk_bytes.size())};
}

Parameter data_parameter() {
  return bytes_parameter("message", "all that one node sends, the part for itself included", "4KiB");
}

ScheduleFacts all_to_all_facts(const Topology& topology, const ParameterValues& values, std::string algorithm,
                               unsigned pieces, unsigned ports, bool any_network) {
  if (!any_network) require_torus(topology, algorithm);
  const Participants participants(topology);
  const std::uint64_t p = participants.count();
  constexpr std::uint64_t kMaxNodesCubed = 8 * Possession::kMemoryLimit;
  refuse_if(p > 65536 || p * p * p > kMaxNodesCubed / pieces, "topology.shape",
            "{} keeps a bit for each node and chunk, p^3 of them for p nodes and {} pieces, which "
            "on the {} is more than the limit of {} GiB; it takes a smaller network",
            algorithm, pieces, topology.name(), Possession::kMemoryLimit >> 30);
  ScheduleFacts facts = facts_of(topology, std::move(algorithm), ports);
  Collective& collective = facts.collective;
  const std::uint64_t parts = p * pieces;
  const std::vector<std::uint64_t> sizes = split(values.bytes("message"), parts);
  collective.initial = own_chunks(participants, parts);
  auto& goal = collective.goal.emplace();
  for (NodeId place = 0; place < p; ++place) {
    Holding& wants = goal.emplace_back(Holding{participants[place], {}});
    for (std::uint64_t part = 0; part < parts; ++part) {
      wants.chunks.push_back(static_cast<ChunkId>((part / pieces * p + place) * pieces + part % pieces));
    }
    collective.chunk_bytes.insert(collective.chunk_bytes.end(), sizes.begin(), sizes.end());
  }
  return facts;
}

Parameter segment_parameter(std::string summary, std::string fallback) {
  return bytes_parameter(kSegment, std::move(summary), std::move(fallback), 0);
}

Algorithm segmented(Algorithm rooted) {
  rooted.collective.segments = kSegment;
  rooted.parameters.push_back(segment_parameter(
      "the message is cut into segments of that length, each a step after the one before; 0: one segment",
      "0"));
  rooted.make = [make = std::move(rooted.make)](const Topology& topology, const ParameterValues& values) {
    return cut(make, topology, values);
  };
  return rooted;
}

}  // namespace flitscope::common
