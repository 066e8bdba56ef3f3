// Several observers in the place of one.
#pragma once

#include <vector>

#include "routers/engine/flit_observer.h"

namespace flitscope {

/// Passes everything on, in the order in which observers were added. They must outlive it.
class Observers final : public FlitObserver, public StallObserver {
 public:
  void add_flits(FlitObserver& observer) { flits_.push_back(&observer); }
  void add_stalls(StallObserver& observer) { stalls_.push_back(&observer); }
  [[nodiscard]] bool watch_flits() const { return !flits_.empty(); }
  [[nodiscard]] bool watch_stalls() const { return !stalls_.empty(); }

  void injected(Cycle now, NodeId node, unsigned channel, std::uint64_t message, std::uint32_t index,
                bool tail) override {
    for (FlitObserver* each : flits_) each->injected(now, node, channel, message, index, tail);
  }
  void moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message, std::uint32_t index,
             bool tail) override {
    for (FlitObserver* each : flits_) each->moved(now, node, port, vc, message, index, tail);
  }
  void routed(Cycle now, NodeId node, unsigned input_vc, unsigned port, std::uint64_t message) override {
    for (FlitObserver* each : flits_) each->routed(now, node, input_vc, port, message);
  }
  void granted(Cycle now, NodeId node, unsigned input_vc, unsigned port, unsigned vc,
               std::uint64_t message) override {
    for (FlitObserver* each : flits_) each->granted(now, node, input_vc, port, vc, message);
  }
  void stalled(const FlitStall& stall) override {
    for (StallObserver* each : stalls_) each->stalled(stall);
  }

 private:
  std::vector<FlitObserver*> flits_;
  std::vector<StallObserver*> stalls_;
};

}  // namespace flitscope
