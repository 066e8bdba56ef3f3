#include "tests/reference/protocol_model.h"

#include <algorithm>
#include <string>

#include "model/schedule.h"

namespace flitscope::reference {

ProtocolModel::ProtocolModel(const Topology& topology, const MachineConfig& machine,
                             const TrafficConfig& traffic, const ProtocolConfig& protocol,
                             const TrafficPattern& pattern)
    : topology_(topology),
      machine_(machine),
      traffic_(traffic),
      protocol_(protocol),
      pattern_(pattern),
      sources_(topology.nodes()),
      targets_(topology.nodes()),
      numbers_(topology.nodes()) {
  if (protocol.service.rate) {
    std::string text = protocol.service.rate->text();
    cycles_ = 1;
    if (const auto point = text.find('.'); point != std::string::npos) {
      for (std::size_t place = point + 1; place < text.size(); ++place) cycles_ *= 10;
      text.erase(point, 1);
    }
    services_ = std::stoull(text);
  }
  for (std::uint32_t each = 0; each < machine.classes.size(); ++each) {
    if (machine.classes[each].name == "request") request_class_ = each;
    if (machine.classes[each].name == "reply") reply_class_ = each;
  }
  if (!protocol.closed_loop) generator_.emplace(topology, machine, protocol.offered.front(), pattern);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    targets_[node].services.resize(protocol.service.shared ? 1 : 2);
    sources_[node].random.emplace(traffic.seed, node);
    pattern.for_each_share(node, [&](NodeId target, double share) {
      if (share > 0 && pattern.rate(node) > 0 && (target != node || traffic.self))
        sources_[node].requests = true;
    });
  }
}

bool ProtocolModel::stops(Cycle now) const {
  if (protocol_.batch) {
    return std::ranges::none_of(sources_,
                                [&](const Source& source) { return source.requests && in_batch(source); });
  }
  return now >= *traffic_.warmup + traffic_.measure && measured_ == 0;
}

bool ProtocolModel::finished() const {
  return next_ > 0 && stops(next_ - 1) && open_ == 0;
}

bool ProtocolModel::has_place(const Source& source, Cycle now) const {
  if (!protocol_.outstanding) return true;
  const auto taken = std::ranges::count_if(source.places, [&](Cycle until) { return until > now; });
  return static_cast<std::uint64_t>(taken) < *protocol_.outstanding;
}

std::uint32_t ProtocolModel::flits(const Trip& trip, bool of_request) const {
  const std::uint64_t bytes = of_request ? (trip.read ? protocol_.request : protocol_.write_request)
                                         : (trip.read ? protocol_.reply : protocol_.write_reply);
  return static_cast<std::uint32_t>((bytes + machine_.flit_bytes - 1) / machine_.flit_bytes);
}

void ProtocolModel::send(Transport& network, Trip* trip, bool is_request) {
  const NodeId from = is_request ? trip->source : trip->target;
  const NodeId to = is_request ? trip->target : trip->source;
  Route route = trip->route;
  if (!is_request) {
    route = shortest_route(topology_, from, to);
    const bool both_ways = topology_.wraps() && !topology_.is_one_way();
    for (unsigned k = 0; k < topology_.dimensions() && both_ways; ++k) {
      const std::uint32_t one = topology_.coordinate(from, k);
      const std::uint32_t other = topology_.coordinate(to, k);
      const bool tie = 2 * (one < other ? other - one : one - other) == topology_.sides()[k];
      if (tie && traffic_.ties == Ties::random) route.set_sign(k, opposite(trip->route.sign(k)));
    }
  }
  const std::uint64_t number = ++numbers_[from];
  const std::uint64_t id = message_id(number, from);
  sent_[id] = {trip, is_request};
  if (is_request) trip->request = id;
  network.send({id, from, to, route, flits(*trip, is_request), static_cast<std::uint32_t>(number),
                is_request ? request_class_ : reply_class_});
}

void ProtocolModel::delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) {
  for (const Delivery& delivery : deliveries) {
    const auto [trip, is_request] = sent_.at(delivery.id);
    sent_.erase(delivery.id);
    if (is_request) {
      trip->arrived = now;
      targets_[trip->target].arrived.push_back(trip);
      continue;
    }
    trip->done = now;
    if (holds_deliveries()) network.take(delivery.id);
    --open_;
    if (trip->generated >= *traffic_.warmup && trip->generated < *traffic_.warmup + traffic_.measure)
      --measured_;
    auto& places = sources_[trip->source].places;
    places.erase(places.find(kNever));
    places.insert(now + protocol_.think);
  }
}

/// One turn of a target; false if nothing changed.
bool ProtocolModel::serve(Transport& network, Target& target, Cycle now) {
  bool changed = false;
  for (Service& service : target.services) {
    service.waits = false;
    while (!service.served.empty() && service.served.front()->begun + protocol_.service.latency <= now) {
      service.waits = !network.can_send(service.served.front()->target, reply_class_);
      if (service.waits) break;
      service.served.front()->replied = now;
      send(network, service.served.front(), false);
      service.served.pop_front();
      changed = true;
    }
  }
  while (!target.arrived.empty()) {
    Trip* const first = target.arrived.front();
    auto& queue = target.services[!protocol_.service.shared && !first->read ? 1 : 0].queue;
    if (protocol_.service.queue && queue.size() == *protocol_.service.queue) break;
    queue.push_back(first);
    if (holds_deliveries()) network.take(first->request);
    target.arrived.pop_front();
    changed = true;
  }
  for (Service& service : target.services) {
    while (!service.waits && !service.queue.empty() && service.whole <= now) {
      if (service.whole < now) {
        service.whole = now;
        service.fraction = 0;
      }
      service.whole += cycles_ / services_;
      service.fraction += cycles_ % services_;
      service.whole += service.fraction / services_;
      service.fraction %= services_;
      service.queue.front()->begun = now;
      service.served.push_back(service.queue.front());
      service.queue.pop_front();
      changed = true;
    }
  }
  return changed;
}

ProtocolModel::Trip* ProtocolModel::add(const Trip& trip) {
  trips_.push_back(trip);
  ++open_;
  ++sources_[trip.source].generated;
  if (trip.generated >= *traffic_.warmup && trip.generated < *traffic_.warmup + traffic_.measure) ++measured_;
  return &trips_.back();
}

ProtocolModel::Trip* ProtocolModel::draw(NodeId node, Cycle now) {
  Source& source = sources_[node];
  Trip trip{.source = node, .target = node, .route = {}, .generated = now};
  do {
    const double reads = protocol_.reads.approximate();
    if (reads == 0) trip.read = false;
    if (reads > 0 && reads < 1) trip.read = source.random->next() < probability_bits(reads);
    trip.target = pattern_.destination(node, source.drawn++, *source.random);
    trip.route = shortest_route(topology_, node, trip.target);
    const bool both_ways = topology_.wraps() && !topology_.is_one_way();
    for (unsigned k = 0; k < topology_.dimensions() && both_ways && traffic_.ties == Ties::random; ++k) {
      const std::uint32_t one = topology_.coordinate(node, k);
      const std::uint32_t other = topology_.coordinate(trip.target, k);
      const bool tie = 2 * (one < other ? other - one : one - other) == topology_.sides()[k];
      if (tie && source.random->below(2) == 1) trip.route.set_sign(k, Sign::minus);
    }
  } while (trip.target == node && !traffic_.self);
  return add(trip);
}

void ProtocolModel::at(Transport& network, Cycle now) {
  next_ = now + 1;
  for (Target& target : targets_) {
    while (serve(network, target, now)) continue;
  }
  if (generator_ && !stops(now) && generator_->next() == now) {
    generator_->generate(now, [&](const GeneratedMessage& message) {
      if (!in_batch(sources_[message.source])) return;
      Trip* const trip = add({.source = message.source,
                              .target = message.destination,
                              .route = message.route,
                              .read = protocol_.reads > Decimal(0) && message.size == 0,
                              .generated = now});
      sources_[message.source].waiting.push_back(trip);
    });
  }
  for (NodeId node = 0; node < sources_.size(); ++node) {
    Source& source = sources_[node];
    while (has_place(source, now) && network.can_send(node, request_class_)) {
      if (!generator_ && source.requests && !stops(now) && in_batch(source))
        source.waiting.push_back(draw(node, now));
      if (source.waiting.empty()) break;
      Trip* const trip = source.waiting.front();
      source.waiting.pop_front();
      trip->issued = now;
      source.places.insert(kNever);
      send(network, trip, true);
    }
  }
}

}  // namespace flitscope::reference
