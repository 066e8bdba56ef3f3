#include "sim/run/protocol_statistics.h"

#include <algorithm>

namespace flitscope {

void TimeParts::add(Cycle from, Cycle end) {
  if (from >= end) return;
  while (end > length_ * kParts) {
    for (std::size_t part = 0; 2 * part < sums_.size(); ++part) {
      sums_[part] = sums_[2 * part] + (2 * part + 1 < sums_.size() ? sums_[2 * part + 1] : 0);
    }
    sums_.resize((sums_.size() + 1) / 2);
    length_ *= 2;
  }
  sums_.resize(std::max<std::size_t>(sums_.size(), (end - 1) / length_ + 1));
  for (std::size_t part = from / length_; part * length_ < end; ++part) {
    sums_[part] += std::min(end, (part + 1) * length_) - std::max(from, part * length_);
  }
}

ProtocolStatistics::ProtocolStatistics(ProtocolDriver& driver, const ProtocolConfig& protocol,
                                       const OfferedPatterns& patterns, const Topology& topology)
    : driver_(driver), protocol_(protocol), patterns_(patterns), nodes_(topology.nodes()) {
  driver.on_round_trip([this](const RoundTrip& trip) { done(trip); });
}

void ProtocolStatistics::done(const RoundTrip& trip) {
  count(trip, trip.done);
  if (!trip.measured) return;
  const Cycle cycles = trip.done - trip.generated;
  round_trips_.add(cycles);
  (trip.is_read ? reads_ : writes_).add(cycles);
  queueing_.add(trip.begun - trip.arrived);
  issue_ += trip.issued - trip.generated;
  request_ += trip.arrived - trip.issued;
  service_ += trip.replied - trip.begun;
  reply_ += trip.done - trip.replied;
  ++nodes_[trip.source].measured;
  nodes_[trip.source].measured_cycles += cycles;
}

void ProtocolStatistics::count(const RoundTrip& trip, Cycle until) {
  const TrafficPhases& phases = driver_.phases();
  const Cycle begin = phases.begin();
  if (begin == kNever) return;
  const Cycle end = std::min(phases.end(), until);
  // A part of the measurement.
  const auto part = [&](Cycle from, Cycle to) {
    from = std::max(from, begin);
    to = std::min(to, end);
    return std::pair{from, std::max(from, to)};
  };
  const auto [issued, done] = part(trip.issued, trip.done);
  nodes_[trip.source].outstanding_cycles += done - issued;
  outstanding_.add(issued - begin, done - begin);
  const auto [arrived, begun] = part(trip.arrived, trip.begun);
  nodes_[trip.target].queue_cycles += begun - arrived;
  if (phases.measures(trip.begun)) ++nodes_[trip.target].served;
  // The last round trip of a batch ends its measurement.
  if (!phases.measures(trip.done) && !(protocol_.batch && trip.done != kNever)) return;
  ++nodes_[trip.source].round_trips;
  bytes_ +=
      trip.is_read ? protocol_.request + protocol_.reply : protocol_.write_request + protocol_.write_reply;
  completions_.add(trip.done - begin, trip.done - begin + 1);
}

ProtocolResult ProtocolStatistics::result(Cycle last) {
  driver_.for_each_open([&](const RoundTrip& trip) { count(trip, last + 1); });
  ProtocolResult result;
  result.round_trip = round_trips_.summary();
  result.reads = reads_.summary();
  result.writes = writes_.summary();
  result.queueing = queueing_.summary();
  result.distribution = round_trips_.counts();
  const auto mean = [&](std::uint64_t sum) {
    return result.round_trip.messages == 0
               ? 0
               : static_cast<double>(sum) / static_cast<double>(result.round_trip.messages);
  };
  result.issue_mean = mean(issue_);
  result.request_mean = mean(request_);
  result.service_mean = mean(service_);
  result.reply_mean = mean(reply_);
  const TrafficPhases& phases = driver_.phases();
  if (phases.begin() == kNever) return result;
  const Cycle length = std::max<Cycle>(1, std::min(phases.end(), last + 1) - phases.begin());
  const auto per_cycle = [](std::uint64_t sum, Cycle cycles) {
    return static_cast<double>(sum) / static_cast<double>(cycles);
  };
  std::uint64_t round_trips = 0;
  std::uint64_t outstanding = 0;
  for (NodeId number = 0; number < nodes_.size(); ++number) {
    const Node& node = nodes_[number];
    round_trips += node.round_trips;
    outstanding += node.outstanding_cycles;
    const bool requests = patterns_[ProtocolDriver::kRequests]->rate(number) > 0 &&
                          (node.round_trips > 0 || driver_.requests(number));
    const bool answers = patterns_[ProtocolDriver::kReplies]->rate(number) > 0;
    if (!requests && !answers) continue;
    result.nodes.push_back({.node = number,
                            .requests = requests,
                            .answers = answers,
                            .round_trips = node.round_trips,
                            .round_trip_mean = node.measured == 0 ? std::nullopt
                                                                  : std::optional(per_cycle(
                                                                        node.measured_cycles, node.measured)),
                            .outstanding_mean = per_cycle(node.outstanding_cycles, length),
                            .served = node.served,
                            .queue_mean = per_cycle(node.queue_cycles, length),
                            .queue_longest = driver_.longest_queue(number)});
  }
  result.round_trips_per_cycle = per_cycle(round_trips, length);
  result.bytes_per_cycle = per_cycle(bytes_, length);
  result.outstanding_mean = per_cycle(outstanding, length);
  const Cycle width = std::max(outstanding_.length(), completions_.length());
  const auto sum_of = [&](const TimeParts& parts, std::size_t index) {
    std::uint64_t sum = 0;
    const std::size_t ratio = width / parts.length();
    for (std::size_t part = 0; part < ratio; ++part) sum += parts.sum(index * ratio + part);
    return sum;
  };
  for (Cycle begin = 0; begin < length; begin += width) {
    const Cycle cycles = std::min(width, length - begin);
    const std::size_t index = begin / width;
    std::uint64_t completions = sum_of(completions_, index);
    // The last round trip of a batch is done in the cycle behind the measurement.
    if (begin + width == length) completions += sum_of(completions_, index + 1);
    result.parts.push_back({.begin = phases.begin() + begin,
                            .outstanding_mean = per_cycle(sum_of(outstanding_, index), cycles),
                            .round_trips = per_cycle(completions, cycles)});
  }
  return result;
}

}  // namespace flitscope
