#include "algorithms/common/segmented.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/common/stepwise_schedule.h"
#include "model/error.h"

namespace flitscope {
namespace {

constexpr auto kSegment = "segment";
constexpr std::uint64_t kMaxSegments = 1'000'000;
constexpr std::uint64_t kMaxChunks = std::uint64_t{1} << 26;

/// Chunk c of segment s is chunk s * chunks + c.
class Segmented final : public StepwiseSchedule {
 public:
  Segmented(ScheduleFacts facts, std::vector<Step> steps, std::uint64_t segments, std::size_t chunks)
      : StepwiseSchedule(std::move(facts)),
        steps_(std::move(steps)),
        segments_(segments),
        chunks_(static_cast<ChunkId>(chunks)) {}

 private:
  void produce(std::uint64_t number, Step& step) override {
    const std::uint64_t first = number > steps_.size() ? number - steps_.size() : 0;
    std::vector<ChunkId> chunks;
    for (std::uint64_t segment = first; segment < std::min(segments_, number); ++segment) {
      const Step& one = steps_[number - segment - 1];
      for (const Message& message : one.messages()) {
        chunks.clear();
        for (const ChunkId chunk : one.chunks(message)) {
          chunks.push_back(static_cast<ChunkId>(segment) * chunks_ + chunk);
        }
        step.add(message.source, message.destination, message.route, chunks, message.control_bytes);
        step.rearrange(step.messages().size() - 1, message.rearranged_bytes);
      }
    }
  }

  std::vector<Step> steps_;
  std::uint64_t segments_;
  ChunkId chunks_;
};

/// The most messages that `end_of` is an end of in `window` steps in a row.
unsigned most_in_window(const std::vector<Step>& steps, NodeId nodes, std::uint64_t window,
                        NodeId Message::*end_of) {
  std::vector<unsigned> counts(nodes);
  unsigned most = 1;
  for (std::size_t index = 0; index < steps.size(); ++index) {
    if (index >= window) {
      for (const Message& message : steps[index - window].messages()) --counts[message.*end_of];
    }
    for (const Message& message : steps[index].messages()) most = std::max(most, ++counts[message.*end_of]);
  }
  return most;
}

/// The chunks of one segment become those of all segments.
void repeat(Holding& holding, std::uint64_t segments, std::uint64_t chunks) {
  const std::vector<ChunkId> of_one = std::exchange(holding.chunks, {});
  for (std::uint64_t number = 0; number < segments; ++number) {
    for (const ChunkId chunk : of_one) {
      holding.chunks.push_back(static_cast<ChunkId>(number * chunks) + chunk);
    }
  }
}

using Make = std::function<std::unique_ptr<Schedule>(const Topology&, const ParameterValues&)>;

std::unique_ptr<Schedule> cut(const Make& make, const Topology& topology, const ParameterValues& values) {
  const std::uint64_t bytes = values.bytes("message");
  const std::uint64_t segment = values.has(kSegment) ? values.bytes(kSegment) : 0;
  if (segment == 0 || segment >= bytes) return make(topology, values);
  const std::uint64_t segments = (bytes - 1) / segment + 1;
  if (segments > kMaxSegments) {
    throw Inadmissible("workload.segment",
                       fmt::format("segments of {} bytes are {}; at most {} are possible: use segments of at "
                                   "least {} bytes",
                                   segment, segments, kMaxSegments, (bytes - 1) / kMaxSegments + 1));
  }
  const auto of_length = [&](std::uint64_t length) {
    ParameterValues shorter = values;
    shorter.set("message", static_cast<std::int64_t>(length));
    return make(topology, shorter);
  };
  const auto whole = of_length(segment);
  const std::uint64_t chunks = whole->facts().collective.chunk_bytes.size();
  const std::uint64_t possible = std::max<std::uint64_t>(1, kMaxChunks / chunks);
  if (segments > possible) {
    throw Inadmissible("workload.segment",
                       fmt::format("{} segments of {} chunks each are more than the {} chunks that are "
                                   "possible: use segments of at least {} bytes",
                                   segments, chunks, kMaxChunks, (bytes - 1) / possible + 1));
  }
  const auto last = of_length(bytes - (segments - 1) * segment);
  ScheduleFacts facts = whole->facts();
  std::vector<Step> steps(facts.steps);
  for (Step& step : steps) (void)whole->next(step);

  facts.steps += segments - 1;
  facts.messages *= segments;
  if (facts.claimed_steps) *facts.claimed_steps += segments - 1;
  facts.claimed_channel_load.reset();
  facts.stages.clear();
  facts.send_ports = most_in_window(steps, topology.nodes(), segments, &Message::source);
  facts.receive_ports = most_in_window(steps, topology.nodes(), segments, &Message::destination);
  Collective& collective = facts.collective;
  const std::vector<std::uint64_t> of_segment = std::exchange(collective.chunk_bytes, {});
  for (std::uint64_t number = 0; number < segments; ++number) {
    const auto& sizes = number + 1 < segments ? of_segment : last->facts().collective.chunk_bytes;
    collective.chunk_bytes.insert(collective.chunk_bytes.end(), sizes.begin(), sizes.end());
  }
  for (Holding& holding : collective.initial) repeat(holding, segments, chunks);
  if (collective.goal) {
    for (Holding& holding : *collective.goal) repeat(holding, segments, chunks);
  }
  return std::make_unique<Segmented>(std::move(facts), std::move(steps), segments, chunks);
}

}  // namespace

Parameter segment_parameter(std::string summary, std::string fallback) {
  return {.name = kSegment,
          .type = ParameterType::bytes,
          .summary = std::move(summary),
          .fallback = std::move(fallback),
          .unit = "bytes",
          .minimum = 0,
          .maximum = std::int64_t{1} << 40};
}

Algorithm segmented(Algorithm rooted) {
  rooted.collective.segments = kSegment;
  rooted.parameters.push_back(
      segment_parameter("the message is cut into segments of that length, each a step after "
                        "the one before; 0: one segment",
                        "0"));
  rooted.make = [make = std::move(rooted.make)](const Topology& topology, const ParameterValues& values) {
    return cut(make, topology, values);
  };
  return rooted;
}

}  // namespace flitscope
