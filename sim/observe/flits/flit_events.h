// From what routers report to events, those that a filter lets through.
#pragma once

#include "model/topology.h"
#include "routers/engine/flit_observer.h"
#include "sim/observe/flits/flit_event.h"
#include "sim/observe/flits/flit_filter.h"

namespace flitscope {

/// Base of everything that takes events of flits one by one.
///
/// Events come in the order of the cycles in which they are over; within a cycle the order of nodes is that
/// of their numbers. A stall comes when it ends, or when the run does.
class FlitEvents : public FlitObserver, public StallObserver {
 public:
  FlitEvents(FlitFilter filter, const Topology& topology) : filter_(std::move(filter)), topology_(topology) {}

  void injected(Cycle now, NodeId node, unsigned channel, std::uint64_t message, std::uint32_t index,
                bool /*tail*/) override {
    pass({.kind = FlitEventKind::inject,
          .cycle = now,
          .message = message,
          .flit = index,
          .node = node,
          .port = topology_.link_ports() + channel});
  }
  void routed(Cycle now, NodeId node, unsigned /*input_vc*/, unsigned port, std::uint64_t message) override {
    pass({.kind = FlitEventKind::route, .cycle = now, .message = message, .node = node, .port = port});
  }
  void granted(Cycle now, NodeId node, unsigned /*input_vc*/, unsigned port, unsigned vc,
               std::uint64_t message) override {
    pass({.kind = FlitEventKind::vc, .cycle = now, .message = message, .node = node, .port = port, .vc = vc});
  }
  void moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message, std::uint32_t index,
             bool /*tail*/) override {
    pass({.kind = port < topology_.link_ports() ? FlitEventKind::hop : FlitEventKind::eject,
          .cycle = now,
          .message = message,
          .flit = index,
          .node = node,
          .port = port,
          .vc = vc});
  }
  void stalled(const FlitStall& stall) override {
    pass({.kind = FlitEventKind::stall,
          .cycle = stall.from,
          .stall_cycles = stall.cycles,
          .message = stall.message,
          .flit = stall.index,
          .node = stall.node,
          .port = stall.port,
          .vc = stall.vc,
          .cause = stall.cause,
          .culprit = stall.culprit});
  }

 protected:
  virtual void take(const FlitEvent& event) = 0;
  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] const FlitFilter& filter() const { return filter_; }

 private:
  void pass(const FlitEvent& event) {
    if (filter_.passes(event, topology_)) take(event);
  }

  FlitFilter filter_;
  const Topology& topology_;
};

}  // namespace flitscope
