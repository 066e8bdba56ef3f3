#include "routers/circuits/circuit_schedule_driver.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/text.h"
#include "routers/engine/message_table.h"

namespace flitscope {

std::uint32_t carriable_flits(const MachineConfig& machine, std::uint64_t chunk_bytes, std::uint64_t chunks) {
  const bool countable = chunk_bytes <= kNever / chunks;
  const std::uint64_t flits = countable ? flits_of(chunk_bytes * chunks, machine.flit_bytes) : kNever;
  if (flits <= kMaxFlits) return static_cast<std::uint32_t>(flits);
  throw Inadmissible("node.flit_bytes", "a message of {} of {} has more than {} flits; use larger flits",
                     counted(chunks, "chunk"), counted(chunk_bytes, "byte"), kMaxFlits);
}

CircuitScheduleDriver::CircuitScheduleDriver(CircuitSchedule& schedule, const MachineConfig& machine,
                                             Cycle unit)
    : schedule_(schedule),
      machine_(machine),
      unit_(unit),
      possession_(schedule.facts().collective, schedule.facts().topology.nodes()) {
  for (const Circuit& circuit : schedule_.facts().circuits) require_existing(circuit, 0);
  load();
}

void CircuitScheduleDriver::load() {
  const Cycle last = next_;
  if (!schedule_.next(event_)) {
    next_ = kNever;
    return;
  }
  // Beyond any limit of cycles, but not the end of the schedule.
  next_ = event_.time() > (kNever - 1) / unit_ ? kNever - 1 : event_.time() * unit_;
  if (records_.empty() && tunings_ == 0) return;
  if (next_ <= last) {
    throw ScheduleError("the event of time {} follows that of time {}; times must rise", event_.time(),
                        last / unit_);
  }
}

void CircuitScheduleDriver::require_existing(const Circuit& circuit, Cycle now) const {
  const CircuitFacts& facts = schedule_.facts();
  const NodeId nodes = facts.topology.nodes();
  if (circuit.node < nodes && circuit.target < nodes && circuit.port < *machine_.ports &&
      circuit.node != circuit.target) {
    return;
  }
  throw ScheduleError(
      "cycle {}: no circuit can lead from port {} of node {} to node {}; nodes are 0 to {}, ports 0 to {}, "
      "and a circuit leads to another node",
      now, circuit.port, circuit.node, circuit.target, nodes - 1, *machine_.ports - 1);
}

void CircuitScheduleDriver::at(CircuitTransport& network, Cycle now) {
  for (const Circuit& circuit : event_.tunings()) {
    require_existing(circuit, now);
    network.tune(circuit);
    ++tunings_;
  }
  if (!event_.messages().empty()) records_.emplace_back();
  for (std::uint64_t index = 0; index < event_.messages().size(); ++index) send(network, index, now);
  if (on_event_) on_event_(now);
  load();
}

void CircuitScheduleDriver::send(CircuitTransport& network, std::uint64_t index, Cycle now) {
  const CircuitMessage& message = event_.messages()[index];
  const Circuit& circuit = message.circuit;
  require_existing(circuit, now);
  const std::uint64_t step = records_.size();
  const MessageName name{step, index + 1};
  const auto chunks = event_.chunks(message);
  const auto text = [&] { return circuit_message_text(name, circuit.node, circuit.target); };
  if (chunks.empty()) {
    throw IllegalMessage(name, fmt::format("cycle {}: {} carries nothing", now, text()));
  }
  for (const ChunkId chunk : chunks) {
    if (chunk < possession_.chunks() && possession_.holds(circuit.node, chunk)) continue;
    throw IllegalMessage(name, fmt::format("cycle {}: {} cannot be sent: node {} does not hold chunk {}", now,
                                           text(), circuit.node, chunk));
  }
  const std::uint32_t length =
      carriable_flits(machine_, schedule_.facts().collective.chunk_bytes.front(), message.chunk_count);
  StepRecord& record = records_.back();
  record.begin = std::min(record.begin, now);
  ++record.messages;
  record.flits += length;
  flits_sent_ += length;
  const std::uint64_t id = message_id(step, index);
  in_flight_[id] = {circuit.target, {chunks.begin(), chunks.end()}};
  network.send(id, circuit, length);
}

void CircuitScheduleDriver::delivered(std::span<const Transmission> messages, Cycle now) {
  for (const Transmission& message : messages) {
    const auto flight = in_flight_.extract(message.id);
    for (const ChunkId chunk : flight.mapped().chunks) possession_.add(flight.mapped().target, chunk);
    StepRecord& record = records_[message_name(message.id).step - 1];
    ++record.arrived;
    record.end = std::max(record.end, now);
    ++messages_arrived_;
    flits_delivered_ += message.flits;
  }
}

}  // namespace flitscope
