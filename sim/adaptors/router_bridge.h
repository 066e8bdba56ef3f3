// A router of the user in place of a router of the network, connected by wires.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "routers/modules/report.h"
#include "sim/network/network.h"

namespace flitscope {

/// One link with its credits. The value of a wire belongs to the cycle whose ending clock edge samples it.
struct LinkWires {
  explicit LinkWires(const std::string& name)
      : valid((name + "_valid").c_str()),
        vc((name + "_vc").c_str()),
        flit((name + "_flit").c_str()),
        credit((name + "_credit").c_str()),
        credit_vc((name + "_credit_vc").c_str()) {}

  sc_core::sc_signal<bool> valid;          ///< a flit leaves the sender in this cycle,
  sc_core::sc_signal<unsigned> vc;         ///< by this virtual channel
  sc_core::sc_signal<LinkFlit> flit;       ///< a user's router sets message, index, head and tail
  sc_core::sc_signal<bool> credit;         ///< a flit leaves the receiver's FIFO in this cycle,
  sc_core::sc_signal<unsigned> credit_vc;  ///< that of this virtual channel
};

/// Connects a synchronous router of the user to the network, and is its network interface (stage 7 of
/// docs/timing.md).
///
/// Ports are numbered as those of a Router: link ports, then injection and ejection channels. The user's
/// router works on the clock of the network. It samples inputs, to_router(port), at the edge that begins
/// cycle t + 1 if they were sent in cycle t - (delay of the link - 1); its outputs, from_router(port), must
/// be stable from the middle of cycle t on and depend on the inputs sampled at the edge that began t. A flit
/// on from_router() in cycle t leaves it in t; a credit on to_router() in cycle t returns a slot of its FIFO.
///
/// The router must send flits only with a credit: initially room(port) for each virtual channel. Ejection
/// channels need none, but take a flit every `node.ejection_interval` cycles only. In a router with delay R
/// as in docs/timing.md, a flit sampled at the edge that begins cycle c is usable in c + R, and one from an
/// injection channel in c + R - 1.
///
/// A flit that has not come in, or leaves out of its message's order, between the flits of another message in
/// a VC or at a node that is not its destination, and a credit for no flit are errors of type
/// kProtocolReport; so are flits of an ejection channel within its interval. A flit that never leaves is
/// none: its message stays open. A message passes the router once.
///
/// Sleeps while the wires do not change. Stalls and flits of the user's router are not counted or observed.
class RouterBridge final : public sc_core::sc_module, public ExternalRouter {
 public:
  SC_HAS_PROCESS(RouterBridge);
  /// Replaces the router of `node`. Its links must take a flit a cycle, otherwise an error of type
  /// kBindingReport is reported; their delays may differ.
  RouterBridge(const sc_core::sc_module_name& name, Network& network, NodeId node);

  /// Wires to the user's router, which drives their credits.
  [[nodiscard]] LinkWires& to_router(unsigned port) { return *to_router_.at(port); }
  /// Wires from the user's router, which reads their credits.
  [[nodiscard]] LinkWires& from_router(unsigned port) { return *from_router_.at(port); }
  [[nodiscard]] unsigned ports() const { return static_cast<unsigned>(to_router_.size()); }
  /// Flits that each virtual channel behind link port `port` can hold; 0 without a link. Known after
  /// elaboration.
  [[nodiscard]] std::uint32_t room(unsigned port) const { return senders_.at(port).room; }
  /// Flits that have left the user's router.
  [[nodiscard]] std::uint64_t flits() const { return flits_; }

  [[nodiscard]] flit_if& in(unsigned port) override { return receivers_.at(port); }
  [[nodiscard]] sc_core::sc_port_b<flit_if>& out(unsigned port) override { return *senders_.at(port).port; }
  void send(MessageSlot message, const Packet& packet) override;
  /// Forgets all flits and credits under way. The user's router must begin again, too, and take nothing from
  /// the wires of that cycle.
  void reset() override;

 private:
  using Port = sc_core::sc_port<flit_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

  /// A flit or, without one, a credit on its way over a link.
  struct Coming {
    Cycle due = 0;
    unsigned vc = 0;
    LinkFlit flit = {};
  };

  /// The end of a link from a neighbour.
  class Receiver final : public flit_if {
   public:
    Receiver(RouterBridge& bridge, Cycle delay) : bridge_(bridge), delay_(delay) {}
    std::uint32_t attach(credit_if& from) override;
    void put(unsigned vc, const LinkFlit& flit) override;

    credit_if* sender = nullptr;
    std::deque<Coming> coming;

   private:
    RouterBridge& bridge_;
    Cycle delay_;  ///< of the link
  };

  /// The end of a link to a neighbour.
  class Sender final : public credit_if {
   public:
    Sender(RouterBridge& bridge, unsigned number, Cycle delay);
    void credit(unsigned vc) override;

    std::unique_ptr<Port> port;
    std::deque<Coming> coming;
    std::uint32_t room = 0;

   private:
    RouterBridge& bridge_;
    Cycle delay_;  ///< of the link
  };

  struct WaitingMessage {
    MessageSlot message = 0;
    Packet packet;
  };
  /// A message of which flits have come into the user's router, or have left it.
  struct Passing {
    std::uint32_t came = 0;
    std::uint32_t left = 0;
    std::optional<std::pair<unsigned, unsigned>> by;  ///< port and VC of the link by which its head left
  };
  /// An injection channel.
  struct Channel {
    std::deque<WaitingMessage> waiting;  ///< with `ports: all`
    std::optional<WaitingMessage> now;   ///< being put
    std::uint32_t index = 0;             ///< of its next flit
    Cycle due = 0;                       ///< first cycle for the next flit, or the next message
    Cycle ejects = 0;                    ///< first cycle for the next flit of its ejection channel
    std::deque<Cycle> slots;             ///< of the router's FIFO: first cycles of their use
  };

  [[nodiscard]] Cycle delay_of(std::optional<NodeId> from, unsigned port) const;
  void end_of_elaboration() override;
  void exchange();
  void wake() { wake_.notify(sc_core::SC_ZERO_TIME); }
  [[nodiscard]] sc_core::sc_time until_middle() const;
  static std::optional<Coming> take_due(std::deque<Coming>& coming, Cycle now);
  void drive(Cycle now);
  void inject(Cycle now);
  bool take(Channel& channel, Cycle now);
  void sample_links(Cycle now);
  void sample_credits(Cycle now);
  void leave(unsigned port, unsigned vc, const LinkFlit& flit);
  template <typename... Values>
  [[noreturn]] void refuse(fmt::format_string<Values...> what, Values&&... values) const {
    report_error(kProtocolReport, "{}: {}", name(), fmt::format(what, std::forward<Values>(values)...));
  }
  void eject(const LinkFlit& flit, Cycle now);
  [[nodiscard]] bool active() const;

  Network& network_;
  NodeId node_;
  unsigned link_ports_;
  bool all_port_;
  std::vector<std::unique_ptr<LinkWires>> to_router_;
  std::vector<std::unique_ptr<LinkWires>> from_router_;
  std::deque<Receiver> receivers_;
  std::deque<Sender> senders_;
  std::vector<Channel> channels_;
  std::deque<WaitingMessage> waiting_;  ///< with `ports: k`
  sc_core::sc_event wake_{"wake"};
  sc_core::sc_event_or_list awaited_;
  enum class Phase { asleep, sampling, driving };
  Phase phase_ = Phase::asleep;
  Cycle sampled_ = kNever;  ///< the last cycle in which the wires were sampled
  bool written_ = false;    ///< in this cycle
  std::uint64_t flits_ = 0;
  std::map<MessageSlot, Passing> passing_;
};

}  // namespace flitscope
