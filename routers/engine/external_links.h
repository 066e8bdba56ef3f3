// The links of routers to and from external modules, in plain C++; the SystemC side is
// routers/modules/link_interface.h.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "model/machine.h"
#include "model/topology.h"
#include "routers/engine/message_table.h"
#include "routers/engine/planes.h"
#include "routers/engine/router_numbers.h"

namespace flitscope {

class ExternalLinks;
class RouterGroups;

/// A flit as external modules see it.
struct LinkFlit {
  MessageSlot message = kNoMessage;  ///< from ClockDomain::open_message, if a module sends its own
  std::uint32_t index = 0;           ///< position in the message, 0 .. length-1
  bool head = false;
  bool tail = false;
  std::uint64_t id = 0;  ///< the driver's number of the message (filled in by routers)
  NodeId source = 0;
  NodeId destination = 0;

  bool operator==(const LinkFlit&) const = default;
};

/// The sending end of a link, as its receiver sees it.
class credit_if {
 public:
  virtual ~credit_if() = default;
  /// A flit of virtual channel `vc` has left the receiver's buffer in the present cycle. The sender can use
  /// the slot `link delay` cycles later, on an injection channel one cycle later.
  virtual void credit(unsigned vc) = 0;
};

/// The receiving end of a link, as its sender sees it.
class FlitReceiver {
 public:
  virtual ~FlitReceiver() = default;

  /// Sets the receiver of credits, without flits in flight; called at the end of elaboration and at a reset.
  /// Returns the flits that each virtual channel can hold.
  virtual std::uint32_t attach(credit_if& sender) = 0;

  /// A flit leaves the sender in the present cycle; it is at the receiver `link delay` cycles later. The
  /// sender puts at most one flit a cycle, and only with a credit. Routers throw std::logic_error for a
  /// violation.
  virtual void put(unsigned vc, const LinkFlit& flit) = 0;
};

/// What external modules need of the clock of the routers.
class ModuleClock {
 public:
  virtual ~ModuleClock() = default;
  [[nodiscard]] virtual Cycle now() const = 0;
  /// Requests a run of `cycle`, possibly before the next planned one.
  virtual void tick_at(Cycle cycle) = 0;
  /// The routers, made with the links that are known by now.
  [[nodiscard]] virtual RouterGroups& groups() = 0;
  /// Routers that were made before know nothing of new links. Throws std::logic_error after the first
  /// message.
  virtual void links_changed() = 0;
};

/// The link of an output port to an external module.
class ExternalReceiver final : public credit_if {
 public:
  ExternalReceiver(ExternalLinks& links, NodeId node, unsigned port, FlitReceiver& receiver)
      : links_(links), node_(node), port_(port), receiver_(receiver) {}
  ExternalReceiver(const ExternalReceiver&) = delete;
  ExternalReceiver& operator=(const ExternalReceiver&) = delete;

  /// Attaches this link to the receiver, of whose slots at most `buffer` are used by each of
  /// `virtual_channels`. Throws std::logic_error for a receiver without slots.
  void attach(unsigned virtual_channels, std::uint32_t buffer);
  [[nodiscard]] std::uint32_t slots() const { return slots_; }

  void put(unsigned vc, const LinkFlit& flit) {
    flits_[vc].push_back(flit.id);
    receiver_.put(vc, flit);
  }
  /// Throws std::logic_error for a credit without a flit.
  void credit(unsigned vc) override;
  /// The message of a flit without a credit, `ahead` behind the one whose credit comes next; nothing if
  /// there are fewer.
  [[nodiscard]] std::optional<std::uint64_t> occupant(unsigned vc, std::uint32_t ahead) const {
    return ahead < flits_[vc].size() ? std::optional(flits_[vc][ahead]) : std::nullopt;
  }

 private:
  ExternalLinks& links_;
  NodeId node_;
  unsigned port_;
  FlitReceiver& receiver_;
  std::uint32_t slots_ = 0;
  std::vector<std::deque<std::uint64_t>> flits_;  ///< per VC, messages of those without a credit
};

/// The link of an external module to an input port.
class ExternalSender {
 public:
  /// `delay` is that of the link.
  ExternalSender(credit_if& module, Cycle delay) : module_(module), delay_(delay) {}

  /// Empties the FIFOs of the port.
  void reset(unsigned virtual_channels, std::uint32_t buffer);
  [[nodiscard]] Cycle delay() const { return delay_; }
  /// Takes a flit in cycle `now`. Throws std::logic_error for a second one in a cycle, or one without credit.
  void put(unsigned vc, MessageSlot message, Cycle now);
  /// A flit leaves the FIFO of a VC; the sender can use its slot from cycle `usable` on.
  void give_credit(unsigned vc, Cycle usable);
  /// Flits in the FIFO, or on their way there.
  [[nodiscard]] std::uint32_t flits(unsigned vc) const { return fifos_[vc].flits; }
  /// The message of the last flit.
  [[nodiscard]] MessageSlot last_message(unsigned vc) const { return fifos_[vc].last; }

 private:
  struct Fifo {
    std::vector<Cycle> usable;  ///< by slot, since its last flit has left
    std::uint32_t back = 0;     ///< slot of the next flit
    std::uint32_t front = 0;    ///< of the next flit to leave
    std::uint32_t flits = 0;
    MessageSlot last = kNoMessage;
  };

  credit_if& module_;
  Cycle delay_;
  std::optional<Cycle> last_put_;
  std::vector<Fifo> fifos_;  ///< per VC
};

/// All external links of a network: rows of ports for the nodes that have any. A reset of the network keeps
/// them.
class ExternalLinks {
 public:
  /// All must outlive it.
  ExternalLinks(const Topology& topology, const MachineConfig& machine, ModuleClock& clock)
      : topology_(topology), machine_(machine), clock_(clock), numbers_(topology, machine) {}
  ExternalLinks(const ExternalLinks&) = delete;
  ExternalLinks& operator=(const ExternalLinks&) = delete;

  [[nodiscard]] const RouterNumbers& numbers() const { return numbers_; }
  /// Throws std::logic_error if routers of this machine take no modules of the user.
  void require_modules() const;

  /// The link of an output port does not lead to the neighbour.
  void cut(NodeId node, unsigned port);
  [[nodiscard]] bool is_cut(NodeId node, unsigned port) const;
  /// Output port `port` of `node` leads to an external module. At most `buffer` of its slots are used. On an
  /// ejection channel, a message whose tail goes there counts as delivered, and the module alone sets the
  /// interval. Throws std::logic_error for a receiver without slots.
  void connect_receiver(NodeId node, unsigned port, FlitReceiver& receiver);
  /// Input port `port` of `node` has an external module as its only sender. Returns the FIFO's length. Throws
  /// std::logic_error if it has another one.
  std::uint32_t connect_sender(NodeId node, unsigned port, credit_if& sender);
  /// Restores the state before the first cycle.
  void reset();

  [[nodiscard]] bool empty() const { return ends_.empty(); }
  [[nodiscard]] bool has_senders() const { return has_senders_; }
  /// The external module of an output port or an input port; nullptr if it has none.
  [[nodiscard]] ExternalReceiver* receiver(NodeId node, unsigned port) const {
    const Ends* const ends = this->ends(node, port);
    return ends != nullptr ? ends->receiver.get() : nullptr;
  }
  [[nodiscard]] ExternalSender* sender(NodeId node, unsigned port) const {
    const Ends* const ends = this->ends(node, port);
    return ends != nullptr ? ends->sender.get() : nullptr;
  }
  // Of a group of 64 routers, those whose output port leads to a module, or whose input port is fed by one.
  [[nodiscard]] Plane to_modules(std::size_t group, unsigned port) const {
    return to_modules_[group * numbers_.ports() + port];
  }
  [[nodiscard]] Plane from_modules(std::size_t group, unsigned port) const {
    return from_modules_[group * numbers_.ports() + port];
  }

  /// A flit of an external module at an input port. Throws std::logic_error for a flit without credit or an
  /// impossible one.
  void put(NodeId node, unsigned port, unsigned vc, const LinkFlit& flit);
  /// A module returns a slot behind an output port.
  void return_slot(NodeId node, unsigned port, unsigned vc);

 private:
  /// External receiver and sender of the ports of one number.
  struct Ends {
    std::unique_ptr<ExternalReceiver> receiver;
    std::unique_ptr<ExternalSender> sender;
    bool cut = false;
  };
  static constexpr std::uint32_t kNoRow = 0xFFFFFFFF;

  [[nodiscard]] const Ends* ends(NodeId node, unsigned port) const {
    return node < rows_.size() && rows_[node] != kNoRow ? &ends_[rows_[node] + port] : nullptr;
  }
  Ends& made(NodeId node, unsigned port);
  [[nodiscard]] NodeId neighbour_before(NodeId node, unsigned port);
  [[nodiscard]] Plane& plane(std::vector<Plane>& planes, NodeId node, unsigned port) const {
    return planes[node / 64 * numbers_.ports() + port];
  }

  const Topology& topology_;
  const MachineConfig& machine_;
  ModuleClock& clock_;
  RouterNumbers numbers_;
  std::vector<std::uint32_t> rows_;  ///< by node, beginning of its row
  std::vector<Ends> ends_;           ///< a row holds one for each port
  std::vector<NodeId> before_;       ///< by node and link port, the neighbour whose link leads there
  std::vector<Plane> to_modules_;    ///< by group and port
  std::vector<Plane> from_modules_;
  bool has_senders_ = false;
};

}  // namespace flitscope
