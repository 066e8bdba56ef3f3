// A SystemC module of your own in a node's place: it takes flits when it likes, and the network waits for it.
#include <fmt/format.h>

#include <deque>

#include "sim/network/network.h"

using namespace flitscope;

/// Receives what one ejection channel brings: has room for 4 flits and takes one every 5 cycles.
class TrafficSink final : public sc_core::sc_module, public flit_if {
 public:
  SC_HAS_PROCESS(TrafficSink);
  TrafficSink(const sc_core::sc_module_name&, const Network& network)
      : cycle_(network.clock().period()), link_delay_(cycle_ * network.machine().link_delay) {
    SC_THREAD(consume);
  }
  std::uint32_t attach(credit_if& router) override {
    router_ = &router;
    return 4;
  }
  void put(unsigned /*vc*/, const LinkFlit& flit) override {
    buffer_.push_back({flit, sc_core::sc_time_stamp() + link_delay_});  // in flight until then
    not_empty_.notify(sc_core::SC_ZERO_TIME);
  }
  unsigned taken = 0;

 private:
  void consume() {
    while (true) {
      while (buffer_.empty()) wait(not_empty_);
      const auto [flit, arrival] = buffer_.front();
      if (arrival > sc_core::sc_time_stamp()) wait(arrival - sc_core::sc_time_stamp());
      fmt::print("{}: flit {} of message {}\n", sc_core::sc_time_stamp().to_string(), flit.index, flit.id);
      ++taken;
      buffer_.pop_front();
      router_->credit(0);  // room for one more; an ejection channel has one virtual channel
      wait(cycle_ * 5);
    }
  }

  struct Received {
    LinkFlit flit;
    sc_core::sc_time arrival;
  };
  sc_core::sc_time cycle_;
  sc_core::sc_time link_delay_;
  credit_if* router_ = nullptr;
  std::deque<Received> buffer_;
  sc_core::sc_event not_empty_;
};

/// Every node sends 4 flits to node 0, at once.
struct AllToOne final : Driver {
  explicit AllToOne(const Topology& torus) : topology(torus) {}
  void start(Transport& network) override {
    for (NodeId node = 1; node < topology.nodes(); ++node) {
      network.send({.id = node, .source = node, .route = shortest_route(topology, node, 0), .flits = 4});
    }
  }
  void delivered(Transport&, std::span<const Delivery>, Cycle) override {}
  [[nodiscard]] bool finished() const override { return true; }
  const Topology& topology;
};

int sc_main(int, char*[]) {
  const Topology torus(TopologyKind::torus, {4, 4});
  Network network("network", torus, MachineConfig{.ports = 1});
  TrafficSink sink("sink", network);
  network.replace_receiver(0, torus.link_ports(), sink);  // behind the link ports: ejection channel 0
  AllToOne driver(torus);
  network.run(driver);
  fmt::print("{} flits taken; flit-cycles that flits had to wait:\n", sink.taken);
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    fmt::print("{} {}\n", name_of(static_cast<StallCause>(cause)), network.clock().core().stalls()[cause]);
  }
  return 0;
}
