#include "sim/run/node_statistics.h"

#include <algorithm>
#include <utility>

namespace flitscope {

std::uint32_t MessageChains::add(const CriticalMessage& message, std::uint32_t before) {
  std::uint32_t place = 0;
  if (free_.empty()) {
    place = static_cast<std::uint32_t>(links_.size());
    links_.emplace_back();
  } else {
    place = free_.back();
    free_.pop_back();
  }
  links_[place] = {message, share(before), 1};
  return place;
}

void MessageChains::release(std::uint32_t place) {
  // Not recursive: chains are as long as schedules.
  while (place != kNone && --links_[place].references == 0) {
    free_.push_back(place);
    place = links_[place].before;
  }
}

void count_at_nodes(const Delivery& delivery, std::uint64_t flits, const MachineConfig& machine,
                    NodeRecord& source, NodeRecord& destination) {
  source.queueing += delivery.head_entered - delivery.ready - machine.startup;
  add_causes(delivery.head_stalls, source.head_stalls);
  ++source.delivered_messages;
  source.delivered_flits += flits;
  ++destination.arrived_messages;
  destination.arrived_flits += flits;
}

NodeStatistics::NodeStatistics(const Topology& topology, const MachineConfig& machine, bool barrier,
                               Cycle begins)
    : machine_(machine), barrier_(barrier), begins_(begins), nodes_(topology.nodes()) {
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    nodes_[node].record.node = node;
    nodes_[node].free_since = begins;
  }
}

void NodeStatistics::wait(Node& node, Cycle arrived, Cycle now, std::uint32_t released_by) {
  const Cycle waited = arrived - std::min(arrived, node.free_since);
  node.record.waiting += waited;
  node.record.computing += now - std::max(arrived, node.free_since);
  if (waited != 0 && released_by != MessageChains::kNone) {
    node.waits_for[chains_.at(released_by).source] += waited;
  }
}

void NodeStatistics::sent(const Packet& packet, Cycle now) {
  if (packet.step == 0) return;  // of traffic beside the schedule
  if (barrier_ && std::exchange(step_, packet.step) != packet.step) {
    chains_.release(before_step_);
    before_step_ = chains_.share(last_arrival_);
  }
  Node& node = nodes_[packet.source];
  const std::uint32_t released_by = this->released_by(packet);
  if (node.in_flight++ == 0) {
    wait(node, works_since(packet, released_by).value_or(now), now, released_by);
    node.free_since = now;
  }
  ++node.record.sent_messages;
  node.record.sent_flits += packet.flits;
  const CriticalMessage message{packet.id,    packet.source, packet.destination,
                                packet.route, packet.flits,  machine_.network_of(packet.message_class)};
  in_flight_[packet.id] = {chains_.add(message, now == begins_ ? MessageChains::kNone : released_by),
                           packet.is_awaited};
}

std::optional<Cycle> NodeStatistics::works_since(const Packet& packet, std::uint32_t released_by) const {
  if (packet.released_by && packet.released_by->message != 0 && packet.released_by->sent) {
    const auto found = awaited_.find(packet.released_by->message);
    if (found == awaited_.end() || chains_.at(found->second).source != packet.source) return std::nullopt;
    return chains_.at(found->second).ready;
  }
  if (released_by == MessageChains::kNone) return begins_;
  const CriticalMessage& arrival = chains_.at(released_by);
  const bool begins_step = barrier_ && !packet.released_by && machine_.reduce_cycles_per_byte == Decimal();
  if (arrival.destination != packet.source && !begins_step) return std::nullopt;
  return arrival.arrived;
}

std::uint32_t NodeStatistics::released_by(const Packet& packet) const {
  const std::uint32_t last = barrier_ ? before_step_ : nodes_[packet.source].last_arrival;
  if (!packet.released_by) return last;
  const auto& [id, sent] = *packet.released_by;
  if (id == 0) return MessageChains::kNone;
  if (const auto found = awaited_.find(id); found != awaited_.end())
    return sent ? chains_.before(found->second) : found->second;
  const auto found = in_flight_.find(id);
  return found == in_flight_.end() ? last : chains_.before(found->second.place);
}

/// Of very long schedules the last messages only: their chains are kept.
void NodeStatistics::remember(std::uint64_t message, std::uint32_t place) {
  constexpr std::size_t kRemembered = std::size_t{1} << 18;
  awaited_[message] = chains_.share(place);
  remembered_.push_back(message);
  if (remembered_.size() <= kRemembered) return;
  chains_.release(awaited_.extract(remembered_.front()).mapped());
  remembered_.pop_front();
}

void NodeStatistics::delivered(const Delivery& delivery) {
  const auto found = in_flight_.extract(delivery.id);
  if (found.empty()) return;
  if (delivery.arrived != arrived_in_) arrived_.clear();
  arrived_in_ = delivery.arrived;
  const std::uint32_t place = found.mapped().place;
  if (found.mapped().is_awaited) remember(delivery.id, place);
  CriticalMessage& message = chains_.at(place);
  message.ready = delivery.ready;
  message.head_entered = delivery.head_entered;
  message.head_arrived = delivery.head_arrived;
  message.arrived = delivery.arrived;
  arrived_[delivery.id] = place;

  Node& source = nodes_[message.source];
  Node& destination = nodes_[message.destination];
  count_at_nodes(delivery, message.flits, machine_, source.record, destination.record);
  source.record.finished = std::max(source.record.finished, delivery.arrived);
  if (--source.in_flight == 0) {
    source.record.sending += delivery.arrived - source.free_since;
    source.free_since = delivery.arrived;
  }
  destination.record.finished = std::max(destination.record.finished, delivery.arrived);
  chains_.release(destination.last_arrival);
  destination.last_arrival = chains_.share(place);
  chains_.release(last_arrival_);
  last_arrival_ = place;  // takes the reference of in_flight_
}

void NodeStatistics::explain(std::uint64_t message, const LatencyParts& parts, const Wait* longest) {
  const auto found = arrived_.find(message);
  if (found == arrived_.end()) return;
  CriticalMessage& explained = chains_.at(found->second);
  explained.parts = parts;
  if (longest != nullptr) explained.longest_wait = *longest;
}

void NodeStatistics::fill(LinkResult& links, const RunResult& result) {
  links.nodes.reserve(nodes_.size());
  for (Node& node : nodes_) {
    NodeRecord& record = node.record;
    if (result.config.topology.is_missing(record.node)) continue;
    if (node.in_flight > 0) {
      record.sending += result.cycles - std::min(result.cycles, node.free_since);
    } else if (node.last_arrival != MessageChains::kNone) {
      // After its own messages a node still waits for those of others.
      const Cycle arrived = std::max(chains_.at(node.last_arrival).arrived, node.free_since);
      wait(node, arrived, arrived, node.last_arrival);
    }
    const auto most =
        std::ranges::max_element(node.waits_for, {}, [](const auto& each) { return each.second; });
    if (most != node.waits_for.end()) {
      record.waits_most_for = most->first;
      record.waits_most = most->second;
    }
    links.nodes.push_back(record);
  }
  if (result.status != RunStatus::completed) return;
  for (std::uint32_t place = last_arrival_; place != MessageChains::kNone; place = chains_.before(place)) {
    links.critical_path.push_back(chains_.at(place));
  }
  std::ranges::reverse(links.critical_path);
}

}  // namespace flitscope
