#include "sim/driver/protocol_driver.h"

#include <numeric>

#include "model/bits.h"

namespace flitscope {

ServiceRate::ServiceRate(const std::optional<Decimal>& rate) {
  if (!rate) return;
  constexpr std::uint64_t kUnit = 1'000'000'000'000'000'000;
  const std::uint64_t quintillionths = rate->times_rounded_up(kUnit);  // exact
  const std::uint64_t divisor = std::gcd(quintillionths, kUnit);
  services_ = quintillionths / divisor;
  cycles_ = kUnit / divisor;
}

namespace {

TrafficPhases phases_of(const TrafficConfig& phases, const ProtocolConfig& protocol) {
  if (protocol.batch) return TrafficPhases::of_batch(phases);
  return {phases, {SendingTime{}}, protocol.closed_loop};
}

/// The requests, which a closed loop does not generate by time.
TrafficConfig requests_of(const ProtocolConfig& protocol) {
  TrafficConfig requests = protocol.offered.front();
  if (protocol.closed_loop) requests.load = Decimal(0);
  return requests;
}

}  // namespace

ProtocolDriver::ProtocolDriver(const Topology& topology, const MachineConfig& machine,
                               const TrafficConfig& phases, const ProtocolConfig& protocol,
                               const TrafficPattern& pattern)
    : MeasuredTraffic(phases_of(phases, protocol), topology.nodes(), 2),
      protocol_(protocol),
      pattern_(pattern),
      holds_deliveries_(machine.ejection_buffer.has_value()),
      message_classes_(message_classes(protocol, machine)),
      topology_of_replies_(topology.network(machine.network_of(message_classes_.back()))),
      source_(topology, machine, requests_of(protocol), pattern),
      nodes_(topology.nodes()),
      targets_(topology.nodes()) {
  const auto flits_of_bytes = [&](std::uint64_t bytes) {
    return static_cast<std::uint32_t>(flits_of(bytes, machine.flit_bytes));
  };
  flits_ = {{{flits_of_bytes(protocol.request), flits_of_bytes(protocol.write_request)},
             {flits_of_bytes(protocol.reply), flits_of_bytes(protocol.write_reply)}}};
  constexpr std::uint64_t kAnyNumber = ~std::uint64_t{0} >> 1;
  const Service service(protocol.service.rate);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    targets_[node].services.assign(protocol.service.shared ? 1 : 2, service);
    if (pattern.rate(node) <= 0) continue;
    nodes_[node].places = protocol.outstanding.value_or(kAnyNumber);
    if (protocol.batch && requests(node)) batches_left_ += *protocol.batch;
    if (protocol.closed_loop) due_nodes_[{0, node}] = 0;
  }
}

bool ProtocolDriver::requests(NodeId node) {
  if (protocol_.offered.front().self) return true;
  std::optional<bool>& has_others = nodes_[node].has_others;
  if (!has_others) {
    has_others = false;
    pattern_.for_each_share(node, [&](NodeId target, double share) {
      if (share > 0 && target != node) has_others = true;
    });
  }
  return *has_others;
}

void ProtocolDriver::for_each_open(const std::function<void(const RoundTrip&)>& visit) const {
  for (const RoundTrip& trip : trips_) {
    if (trip.done == kNever) visit(trip);
  }
}

void ProtocolDriver::integrate(Cycle now) {
  MeasuredTraffic::integrate(now);
  round_trips_.message_cycles += (now - counted_to_) * round_trips_.in_flight();
  counted_to_ = now;
}

void ProtocolDriver::start(Transport& network) {
  if (protocol_.batch) report_phase(0);
  if (protocol_.batch && batches_left_ == 0) phases_.end_batch(0, round_trips_);
  at(network, 0);
}

Cycle ProtocolDriver::next_event() const {
  if (finished()) return kNever;
  Cycle next = phases().next();
  if (generates()) next = std::min(next, source_.next());
  if (!due_nodes_.empty()) next = std::min(next, due_nodes_.begin()->first.first);
  if (!due_targets_.empty()) next = std::min(next, due_targets_.begin()->first);
  return next;
}

void ProtocolDriver::begin_cycle(Cycle now) {
  const TrafficPhase before = phases().phase();
  advance_phase(now);
  integrate(now);
  // Queues that are there when the measurement begins count.
  if (phases().phase() != before && phases().measures(now)) std::ranges::for_each(targets_, note_queue);
}

void ProtocolDriver::note_queue(Target& target) {
  std::uint64_t waiting = target.arrived.size();
  for (const Service& service : target.services) waiting += service.queue.size();
  target.longest = std::max(target.longest, waiting);
}

void ProtocolDriver::delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) {
  begin_cycle(now);
  for (const Delivery& delivery : deliveries) {
    const SentMessages::Record record = receive(delivery, now);
    if (record.traffic_class == kReplies) {
      if (holds_deliveries_) network.take(delivery.id);
      done(record.round_trip, now);
      continue;
    }
    trips_[record.round_trip].arrived = now;
    trips_[record.round_trip].request = delivery.id;
    targets_[record.destination].arrived.push_back(record.round_trip);
    due_targets_.emplace(now, record.destination);
  }
}

void ProtocolDriver::done(Index index, Cycle now) {
  RoundTrip& trip = trips_[index];
  trip.done = now;
  ++round_trips_.arrived_messages;
  round_trips_.arrived_flits += flits(trip, kRequests) + flits(trip, kReplies);
  round_trips_.latencies += now - trip.generated;
  ++due_nodes_[{now + protocol_.think, trip.source}];
  if (trip.measured) phases_.measured_arrived(trip.generated, now, 0);
  if (on_round_trip_) on_round_trip_(trip);
  unused_.push_back(index);
  if (!protocol_.batch || batches_left_ > 0 || round_trips_.in_flight() > 0) return;
  phases_.end_batch(now, round_trips_);
  report_phase(now);
}

void ProtocolDriver::at(Transport& network, Cycle now) {
  begin_cycle(now);
  while (!due_targets_.empty() && due_targets_.begin()->first <= now) {
    const NodeId target = due_targets_.begin()->second;
    due_targets_.erase(due_targets_.begin());
    serve(network, target, now);
  }
  if (generates() && source_.next() == now) {
    source_.generate(now, [&](const GeneratedMessage& message) {
      generate(message, now);
      due_nodes_.try_emplace({now, message.source}, 0);
    });
  }
  while (!due_nodes_.empty() && due_nodes_.begin()->first.first <= now) {
    const auto [due, places] = *due_nodes_.begin();
    due_nodes_.erase(due_nodes_.begin());
    nodes_[due.second].places += places;
    request(network, due.second, now);
  }
}

// Targets.

void ProtocolDriver::serve(Transport& network, NodeId node, Cycle now) {
  Target& target = targets_[node];
  bool changed = true;
  while (changed) {
    changed = answer(network, target, now);
    changed |= take(network, target);
    changed |= begin(target, now);
  }
  if (phases().measures(now)) note_queue(target);
  for (const Service& service : target.services) {
    if (service.waits) due_targets_.emplace(now + 1, node);
    if (service.waits || service.served.empty()) continue;
    due_targets_.emplace(trips_[service.served.front()].begun + protocol_.service.latency, node);
  }
  for (const Service& service : target.services) {
    if (!service.queue.empty() && !service.waits) due_targets_.emplace(service.rate.free_from(now), node);
  }
  if (target.arrived.empty() || !holds_deliveries_) return;
  // The target takes no request until the first one's service has room.
  const bool waits = service_of(target, trips_[target.arrived.front()]).waits;
  const auto reply = waits ? std::optional(message_classes_[kReplies]) : std::nullopt;
  for (const Index trip : target.arrived) network.wait_to_send(trips_[trip].request, reply);
}

/// Hands over the replies whose services are over, as long as there is room for them.
bool ProtocolDriver::answer(Transport& network, Target& target, Cycle now) {
  bool any = false;
  for (Service& service : target.services) {
    service.waits = false;
    while (!service.served.empty() &&
           trips_[service.served.front()].begun + protocol_.service.latency <= now) {
      const Index trip = service.served.front();
      service.waits = !network.can_send(trips_[trip].target, message_classes_[kReplies]);
      if (service.waits) break;
      service.served.pop_front();
      trips_[trip].replied = now;
      send(network, kReplies, trip);
      any = true;
    }
  }
  return any;
}

/// Takes requests that have arrived into their queues, in order, until a queue is full.
bool ProtocolDriver::take(Transport& network, Target& target) {
  bool any = false;
  while (!target.arrived.empty()) {
    std::deque<Index>& queue = service_of(target, trips_[target.arrived.front()]).queue;
    if (protocol_.service.queue && queue.size() >= *protocol_.service.queue) return any;
    queue.push_back(target.arrived.front());
    if (holds_deliveries_) network.take(trips_[target.arrived.front()].request);
    target.arrived.pop_front();
    any = true;
  }
  return any;
}

/// Begins services at the rate of the target, unless a reply waits for room.
bool ProtocolDriver::begin(Target& target, Cycle now) {
  bool any = false;
  for (Service& service : target.services) {
    while (!service.waits && !service.queue.empty() && service.rate.is_free(now)) {
      service.rate.begin(now);
      trips_[service.queue.front()].begun = now;
      service.served.push_back(service.queue.front());
      service.queue.pop_front();
      any = true;
    }
  }
  return any;
}

// Sources.

void ProtocolDriver::generate(const GeneratedMessage& message, Cycle now) {
  Node& node = nodes_[message.source];
  if (protocol_.batch && node.generated == *protocol_.batch) return;
  if (protocol_.batch) --batches_left_;
  ++node.generated;
  if (unused_.empty()) {
    unused_.push_back(static_cast<Index>(trips_.size()));
    trips_.emplace_back();
  }
  const Index index = unused_.back();
  unused_.pop_back();
  RoundTrip& trip = trips_[index];
  trip = {.source = message.source,
          .target = message.destination,
          .route = message.route,
          .is_read = protocol_.reads > Decimal(0) && message.size == 0,
          .measured = phases().measures(now),
          .generated = now};
  ++round_trips_.generated_messages;
  round_trips_.generated_flits += flits(trip, kRequests) + flits(trip, kReplies);
  if (trip.measured) phases_.measured_generated();
  node.waiting.push_back(index);
}

/// Issues the requests of a node that wait for nothing.
void ProtocolDriver::request(Transport& network, NodeId number, Cycle now) {
  Node& node = nodes_[number];
  while (node.places > 0) {
    const bool has_more = !node.waiting.empty() || (protocol_.closed_loop && !stops());
    if (has_more && !network.can_send(number, message_classes_[kRequests])) {
      due_nodes_.try_emplace({now + 1, number}, 0);
      return;
    }
    if (node.waiting.empty() && !generate_next(number, now)) return;
    const Index trip = node.waiting.front();
    node.waiting.pop_front();
    --node.places;
    trips_[trip].issued = now;
    send(network, kRequests, trip);
  }
}

/// Generates the next request of a closed loop; false if there is none.
bool ProtocolDriver::generate_next(NodeId node, Cycle now) {
  if (!protocol_.closed_loop || stops()) return false;
  if (protocol_.batch && nodes_[node].generated == *protocol_.batch) return false;
  GeneratedMessage message = source_.draw(node);
  // A request to its own node is not sent.
  while (message.destination == node && !protocol_.offered.front().self) {
    if (!requests(node)) return false;
    message = source_.draw(node);
  }
  generate(message, now);
  return true;
}

void ProtocolDriver::send(Transport& network, std::size_t message_class, Index index) {
  const RoundTrip& trip = trips_[index];
  const bool is_request = message_class == kRequests;
  const NodeId from = is_request ? trip.source : trip.target;
  const NodeId to = is_request ? trip.target : trip.source;
  const Route route = is_request ? trip.route : reply_route(trip);
  hand_over(network,
            {from, to, flits(trip, message_class), route, static_cast<std::uint32_t>(message_class), index},
            message_classes_[message_class]);
}

/// The shortest route back, with the draw of the request; of two equal directions the opposite of the
/// request's unless ties go to plus.
Route ProtocolDriver::reply_route(const RoundTrip& trip) const {
  const Topology& topology = topology_of_replies_;
  Route route = shortest_route(topology, trip.target, trip.source);
  route.draw = trip.route.draw;
  if (protocol_.offered.front().ties == Ties::plus) return route;
  for_each_bit(ties_between(topology, trip.target, trip.source),
               [&](unsigned dimension) { route.set_sign(dimension, opposite(trip.route.sign(dimension))); });
  return route;
}

}  // namespace flitscope
