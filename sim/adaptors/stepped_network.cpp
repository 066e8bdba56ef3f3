#include "sim/adaptors/stepped_network.h"

#include <algorithm>
#include <list>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "routers/modules/limits.h"
#include "sim/host/processes.h"

namespace flitscope {

namespace {

MachineConfig buildable(const Topology& topology, MachineConfig machine) {
  require_buildable(topology, machine, memory_limit());
  return machine;
}

}  // namespace

class SteppedNetwork::Exchange final : public Driver {
 public:
  struct Arrived {
    std::uint64_t id = 0;
    IncomingMessage message;
  };
  /// Of a node and a message class.
  struct Line {
    std::list<Arrived> arrived;
    std::uint32_t sent = 0;  ///< messages since the last cycle
    bool is_news = false;    ///< its node is in arrived_at
  };

  explicit Exchange(const SteppedNetwork& network)
      : lines(std::size_t{network.topology_.nodes()} * network.machine_.message_classes()),
        network_(network) {}

  void start(Transport&) override {}
  [[nodiscard]] bool holds_deliveries() const override { return true; }
  [[nodiscard]] bool finished() const override { return true; }
  /// Not before that cycle: those that were skipped are run first.
  [[nodiscard]] Cycle next_event() const override {
    return sent.empty() && taken.empty() ? kNever : network_.now_;
  }
  void at(Transport& transport, Cycle) override {
    for (const std::uint64_t id : taken) transport.take(id);
    taken.clear();
    for (const Packet& packet : sent) {
      lines[network_.line_of(packet.source, packet.message_class)].sent = 0;
      transport.send(packet);
    }
    sent.clear();
  }
  void delivered(Transport&, std::span<const Delivery> deliveries, Cycle) override {
    for (const Delivery& delivery : deliveries) {
      IncomingMessage message =
          flitscope::arrived(std::move(in_flight.extract(delivery.id).mapped()), delivery);
      Line& line = lines[network_.line_of(message.destination, message.message_class)];
      if (!std::exchange(line.is_news, true)) arrived_at.push_back(message.destination);
      line.arrived.push_back({delivery.id, std::move(message)});
    }
  }

  std::vector<Packet> sent;          ///< since the last cycle
  std::vector<std::uint64_t> taken;  ///< numbers of messages, likewise
  std::vector<NodeId> arrived_at;    ///< see take_arrived_nodes()
  std::unordered_map<std::uint64_t, IncomingMessage> in_flight;
  std::vector<Line> lines;
  std::uint64_t next_id = 0;

 private:
  const SteppedNetwork& network_;
};

SteppedNetwork::SteppedNetwork(Topology topology, const MachineConfig& machine)
    : topology_(std::move(topology)),
      machine_(buildable(topology_, machine)),
      clock_(sc_core::sc_gen_unique_name("stepped_network"), topology_, machine_,
             sc_core::sc_time(1, sc_core::SC_NS), ClockTrigger::caller),
      exchange_(std::make_unique<Exchange>(*this)) {
  static_cast<void>(clock_.core());  // a routing function refuses a machine when the core is made
  clock_.drive(*exchange_);
}

SteppedNetwork::~SteppedNetwork() = default;

void SteppedNetwork::advance_to(Cycle cycle) {
  if (cycle < now_) {
    throw InvalidCall("cycle {} is over: the next one is {}", cycle, now_);
  }
  if (cycle > kMaxCycles) {
    throw InvalidCall("there is no cycle {}: a network runs {}", cycle, counted(kMaxCycles, "cycle"));
  }
  if (cycle == now_) return;
  clock_.run_to(cycle - 1);
  now_ = cycle;
}

Cycle SteppedNetwork::next_event() const {
  return exchange_->next_event() == kNever ? clock_.next_work() : now_;
}

std::size_t SteppedNetwork::in_flight() const {
  return exchange_->in_flight.size();
}

std::vector<NodeId> SteppedNetwork::take_arrived_nodes() {
  std::vector<NodeId> nodes = std::move(exchange_->arrived_at);
  exchange_->arrived_at.clear();
  for (const NodeId node : nodes) {
    for (std::uint32_t each = 0; each < machine_.message_classes(); ++each) {
      exchange_->lines[line_of(node, each)].is_news = false;
    }
  }
  std::ranges::sort(nodes);
  const auto twice = std::ranges::unique(nodes);
  nodes.erase(twice.begin(), twice.end());
  return nodes;
}

const StallCounts& SteppedNetwork::stalls() {
  clock_.core().settle_stalls(now_);
  return clock_.core().stalls();
}

std::size_t SteppedNetwork::line_of(NodeId node, std::uint32_t message_class) const {
  if (node >= topology_.nodes()) {
    throw InvalidCall("there is no node {}: a {} has {}", node, topology_.name(), topology_.nodes());
  }
  if (message_class >= machine_.message_classes()) {
    throw InvalidCall("there is no message class {}: the machine has {}", message_class,
                      machine_.message_classes());
  }
  return std::size_t{node} * machine_.message_classes() + message_class;
}

std::uint32_t SteppedNetwork::queued(NodeId node, std::uint32_t message_class) const {
  std::uint32_t sent = exchange_->lines[line_of(node, message_class)].sent;
  if (machine_.node_queues == NodeQueues::shared) {
    for (std::uint32_t other = 0; other < machine_.message_classes(); ++other) {
      if (other != message_class) sent += exchange_->lines[line_of(node, other)].sent;
    }
  }
  return sent + clock_.queued(node, message_class);
}

bool SteppedNetwork::can_send(NodeId node, std::uint32_t message_class) const {
  return queued(node, message_class) < machine_.injection_queue.value_or(kNever);
}

void SteppedNetwork::send(NodeId source, OutgoingMessage message) {
  Exchange::Line& line = exchange_->lines[line_of(source, message.message_class)];
  const Packet packet = packet_of(topology_, machine_, exchange_->next_id, source, message);
  if (!can_send(source, message.message_class)) {
    throw InvalidCall("the injection queue of node {} is full: ask can_send() first", source);
  }
  exchange_->sent.push_back(packet);
  ++line.sent;
  exchange_->in_flight.emplace(exchange_->next_id++, IncomingMessage{std::move(message), source});
  clock_.tick_at(now_);
}

const IncomingMessage* SteppedNetwork::peek(NodeId node, std::uint32_t message_class) const {
  const auto& arrived = exchange_->lines[line_of(node, message_class)].arrived;
  return arrived.empty() ? nullptr : &arrived.front().message;
}

IncomingMessage SteppedNetwork::take(NodeId node, std::uint32_t message_class) {
  auto& arrived = exchange_->lines[line_of(node, message_class)].arrived;
  if (arrived.empty()) throw InvalidCall("no message has arrived at node {}", node);
  if (machine_.ejection_buffer) {
    exchange_->taken.push_back(arrived.front().id);
    clock_.tick_at(now_);
  }
  IncomingMessage message = std::move(arrived.front().message);
  arrived.pop_front();
  return message;
}

}  // namespace flitscope
