// A router of the user's, at the wires: in the place of a router of the network.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "sim/network/network.h"

namespace flitscope {

/// One link, from its sender to its receiver, with the credits that come back. What stands on a wire belongs
/// to the cycle in which it can be seen at the next edge of the clock.
struct LinkWires {
  explicit LinkWires(const std::string& name)
      : valid((name + "_valid").c_str()),
        vc((name + "_vc").c_str()),
        flit((name + "_flit").c_str()),
        credit((name + "_credit").c_str()),
        credit_vc((name + "_credit_vc").c_str()) {}

  sc_core::sc_signal<bool> valid;     ///< a flit leaves the sender in this cycle,
  sc_core::sc_signal<unsigned> vc;    ///< by this virtual channel
  sc_core::sc_signal<LinkFlit> flit;  ///< from the user's router its message, index, head and tail will do
  sc_core::sc_signal<bool> credit;    ///< a flit leaves the receiver's FIFO in this cycle,
  sc_core::sc_signal<unsigned> credit_vc;  ///< that of this virtual channel
};

/// Connects a synchronous router of the user's to the network, and is its network interface (stage 7 of
/// docs/timing.md).
///
/// Ports are numbered as those of a Router: link ports, then injection and ejection channels. The user's
/// router works on the clock that the network is bound to. It sees inputs, in()[port], at the edge that
/// begins cycle t + 1 if they were sent in cycle t - (delay of the link - 1); its outputs, out()[port], must
/// be stable from the middle of cycle t on and depend on what it saw at the edge that began t. A flit on
/// out() in cycle t has left it in t; a credit on in() in cycle t, a slot of its FIFO.
///
/// It must send no flit for which there is no credit: at first, room(port) for each virtual channel. Ejection
/// channels need none, but take a flit every `node.ejection_interval` cycles only. A router that does what
/// docs/timing.md says, with a router delay of R, has a flit that it sees at the edge that begins cycle c
/// usable in c + R, and one from an injection channel in c + R - 1.
///
/// Sleeps while the wires are still. Stalls in the user's router are in no counter, and its flits are told to
/// no observer.
class RouterBridge final : public sc_core::sc_module, public ExternalRouter {
 public:
  SC_HAS_PROCESS(RouterBridge);
  /// Takes the place of the router of `node`. Links that lead to it and away must take a flit a cycle: else
  /// an error of type kBindingReport is reported. Their delays may differ.
  RouterBridge(const sc_core::sc_module_name& name, Network& network, NodeId node);
  RouterBridge(const RouterBridge&) = delete;
  RouterBridge& operator=(const RouterBridge&) = delete;

  /// Wires to the user's router, which drives their credits.
  [[nodiscard]] LinkWires& to_router(unsigned port) { return *to_router_.at(port); }
  /// Wires from the user's router, which reads their credits.
  [[nodiscard]] LinkWires& from_router(unsigned port) { return *from_router_.at(port); }
  [[nodiscard]] unsigned ports() const { return static_cast<unsigned>(to_router_.size()); }
  /// Flits that each virtual channel behind link port `port` can hold; 0 where it leads nowhere. Known when
  /// elaboration is over.
  [[nodiscard]] std::uint32_t room(unsigned port) const { return senders_.at(port).room; }
  /// Flits that have left the user's router.
  [[nodiscard]] std::uint64_t flits() const { return flits_; }

  [[nodiscard]] flit_if& in(unsigned port) override { return receivers_.at(port); }
  [[nodiscard]] sc_core::sc_port_b<flit_if>& out(unsigned port) override { return *senders_.at(port).port; }
  void send(MessageSlot message, const Packet& packet) override;

 private:
  using Port = sc_core::sc_port<flit_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

  /// What a neighbour sends here.
  class Receiver final : public flit_if {
   public:
    struct Coming {
      Cycle due = 0;
      unsigned vc = 0;
      LinkFlit flit;
    };
    Receiver(RouterBridge& bridge, Cycle delay) : bridge_(bridge), delay_(delay) {}
    std::uint32_t attach(credit_if& sender) override;
    void put(unsigned vc, const LinkFlit& flit) override;

    credit_if* sender = nullptr;
    std::deque<Coming> coming;

   private:
    RouterBridge& bridge_;
    Cycle delay_;  ///< of the link
  };

  /// What the user's router sends to a neighbour.
  class Sender final : public credit_if {
   public:
    struct Coming {
      Cycle due = 0;
      unsigned vc = 0;
    };
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
  /// An injection channel.
  struct Channel {
    std::deque<WaitingMessage> waiting;  ///< with `ports: all`
    std::optional<WaitingMessage> now;   ///< being put
    std::uint32_t index = 0;             ///< of its next flit
    Cycle due = 0;                       ///< from when on the next flit may be put, or the next message taken
    std::deque<Cycle> slots;             ///< of the router's FIFO: from when on they can be used
  };

  [[nodiscard]] Cycle delay_of(std::optional<NodeId> from, unsigned port) const;
  void end_of_elaboration() override;
  void exchange();
  void wake() { wake_.notify(sc_core::SC_ZERO_TIME); }
  [[nodiscard]] sc_core::sc_time until_middle() const;
  void drive_links(Cycle now);
  void drive_credits(Cycle now);
  void inject(Cycle now);
  bool take(Channel& channel, Cycle now);
  void sample_links(Cycle now);
  void sample_credits(Cycle now);
  void eject(const LinkFlit& flit, Cycle now);
  [[nodiscard]] bool active() const;

  Network& network_;
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
  Cycle sampled_ = kNever;  ///< the last cycle in which it looked at the wires
  bool written_ = false;    ///< in this cycle
  std::uint64_t flits_ = 0;
};

}  // namespace flitscope
