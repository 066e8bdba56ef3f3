// Messages between external modules: the network interface for them.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>

#include "sim/adaptors/messages.h"
#include "sim/network/network.h"

namespace flitscope {

class Endpoints;

/// The network interface of one node as a module: sends messages and reports deliveries.
class Endpoint final : public sc_core::sc_module {
 public:
  using Handler = std::function<void(const IncomingMessage&)>;

  Endpoint(const sc_core::sc_module_name&, Endpoints& all, NodeId node) : all_(all), node_(node) {}

  /// A message that a process sends in cycle t is ready in cycle t + 1, as through a register, in whichever
  /// delta cycle the process runs. A message of a Handler is ready in the same cycle, one before the
  /// network's first cycle in cycle 0. With MachineConfig::injection_queue it is ready when there is room for
  /// it. Messages of one node are sent in the order of these calls, but those of handlers in a cycle before
  /// those that processes sent in the last one. The route is the shortest. Reports an error of type
  /// kUseReport for a message that packet_of() refuses.
  void send(OutgoingMessage message);
  /// Adds a handler for every message that arrives here from now on, at the beginning of its cycle; those of
  /// one cycle in the order of their sends. Handlers are called in the order of these calls; one that a
  /// handler adds gets messages from the next one on.
  void on_delivery(Handler handler) { handlers_.push_back(std::move(handler)); }
  /// Notified in the same cycle, after the handlers.
  [[nodiscard]] const sc_core::sc_event& delivered() const { return delivered_; }
  [[nodiscard]] NodeId node() const { return node_; }

 private:
  friend class Endpoints;
  void take(const IncomingMessage& arrival);

  Endpoints& all_;
  NodeId node_;
  std::deque<Handler> handlers_;  ///< a deque: one that runs stays in place when it adds another
  sc_core::sc_event delivered_{"delivered"};
};

/// The driver of a network whose messages come from modules.
class Endpoints final : public sc_core::sc_module, private Driver {
 public:
  /// `network` is driven by this from now on, and must outlive it; it does not run on without it.
  Endpoints(const sc_core::sc_module_name& name, Network& network);

  /// The endpoint of a node, a child of this module named by its coordinates (endpoint_1_2). It is made by
  /// the first request, which must be before the end of elaboration. Reports an error of type kUseReport for
  /// an unknown node.
  [[nodiscard]] Endpoint& at(NodeId node);
  [[nodiscard]] Network& network() { return network_; }
  /// Messages that were sent and have not arrived.
  [[nodiscard]] std::size_t in_flight() const { return in_flight_.size(); }
  /// Resets the network (Network::reset); messages in it, and those that wait for it, are lost. Between two
  /// clock edges, what processes send before the next one is ready in cycle 0. At an edge cycle 0 begins at
  /// once, so what they send at that time, in whichever delta cycle behind the reset, is ready in cycle 1.
  void reset();

 private:
  friend class Endpoint;
  struct Waiting {
    Cycle due = 0;
    Packet packet;
  };

  void send(NodeId source, OutgoingMessage message);
  /// Hands a message over as soon as there is room for it, in the present cycle if there is.
  void hand_over(Transport& network, const Packet& packet);
  void start(Transport& network) override { at(network, 0); }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  [[nodiscard]] Cycle next_event() const override { return waiting_.empty() ? kNever : waiting_.front().due; }
  void at(Transport& network, Cycle now) override;
  void can_send_again(Transport& network, std::span<const NodeId> nodes, Cycle now) override;
  [[nodiscard]] bool finished() const override { return true; }

  Network& network_;
  std::map<NodeId, std::unique_ptr<Endpoint>> endpoints_;
  std::deque<Waiting> waiting_;  ///< until they are due
  /// Until an injection queue has room, by node and queue.
  std::map<std::pair<NodeId, std::uint32_t>, std::deque<Packet>> held_;
  std::unordered_map<std::uint64_t, IncomingMessage> in_flight_;
  std::uint64_t next_id_ = 0;
};

}  // namespace flitscope
