// Standing: an input VC with a steady stream of a message is not run.
//
// Correctness. Let an input VC in some cycle get a flit and send one on, neither a head nor a tail, without a
// conflict with another flit in the router. While its sender puts a flit and its receiver returns a slot in
// every cycle, and no other flit needs these ports, every cycle is the same: the VC *stands*, and its state
// after k cycles is known without running it. The end is known in time:
//  - The end of a sender's standing arrives with the delay of a flit; until then the receiver writes the
//  flits.
//  - A receiver that has not returned a slot sends a notice for the next cycle, before its sender needs the
//  slot.
//  - A flit that needs the same port is in the same router, which is awake.
// A VC stands only while all of this holds; running it instead is always right. A message begins to stand in
// its network interface, then after a flit's delay in each router on its path, and ends in the same order
// with its tail. (The functions are in router_standing.cpp.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/types.h"
#include "routers/engine/agenda.h"
#include "routers/engine/flit.h"
#include "routers/engine/prefetch.h"

namespace flitscope {

class InjectionSide;
class RouterPool;

/// Standing input VCs and injection channels of a network.
class Standing {
 public:
  Standing(RouterPool& routers, Agenda& agenda);

  /// Enables standing from the next cycle on, where these routers permit it.
  void allow(bool allowed) { allowed_ = allowed; }

  /// The fewest flits left in an injection channel for a message to stand.
  [[nodiscard]] std::uint32_t min_stream_length() const { return worthwhile_; }
  /// True with a standing VC in the router or before it: its step calls the three functions below.
  [[nodiscard]] bool concerns(NodeId node) const { return concerns_[node]; }
  [[nodiscard]] bool concerns_any() const { return concerned_ != 0; }

  /// Cycle `now` begins.
  void begin_cycle(Cycle now) {
    note_worthwhile();
    if (pending_ != 0) take_notices(now);
  }
  /// Called before the router takes arrivals.
  void before_step(NodeId node, Cycle now, InjectionSide& interfaces);
  /// Called after arrivals: resumes VCs that conflict with another flit.
  void resume_conflicting(NodeId node, Cycle now);
  /// Called after its flits have moved.
  void after_step(NodeId node, Cycle now, InjectionSide& interfaces);

  /// Whether an injection channel may stand that puts one flit in every cycle, in `now` the one before
  /// position `back`.
  [[nodiscard]] bool injection_may_stand(NodeId node, unsigned channel, std::uint32_t back, Cycle now) const;
  /// Begins standing; the channel puts `next` in the next cycle.
  void injection_stands(NodeId node, unsigned channel, Slot next, Cycle now);
  /// Ends standing after `passed` flits; from `cycle` on the channel puts them itself, first `next`. Returns
  /// its position, which is `counted` unless cycles were fast-forwarded.
  [[nodiscard]] std::uint32_t injection_resumes(NodeId node, unsigned channel, Slot next,
                                                std::uint32_t counted, Cycle passed, Cycle cycle);

  /// Resumes all from `cycle` on, with the state of cycles that were run; only flits in flight are written to
  /// the receiver's FIFO at their arrival.
  void end(Cycle cycle, InjectionSide& interfaces);

  /// Prefetches the memory of an input VC.
  void fetch(NodeId node, unsigned vc) const;

  [[nodiscard]] bool any_standing() const { return standing_ != 0; }
  /// True after the first standing VC.
  [[nodiscard]] bool used() const { return used_; }
  /// True with notices in flight.
  [[nodiscard]] bool pending() const { return pending_ != 0; }
  /// Flits sent by standing input VCs, as far as they are counted.
  [[nodiscard]] std::uint64_t counted() const { return counted_; }
  /// Flit-hops of standing VCs up to and including `cycle` that are not counted yet.
  [[nodiscard]] std::uint64_t flit_hops(Cycle cycle) const { return hops_a_cycle_ * cycle - hops_before_; }

 private:
  friend class FastForward;  // compares the whole state, and moves it on

  /// The fewest flits left for which standing saves time.
  static constexpr std::uint32_t kWorthwhile = 16;
  // Costs in flits:
  static constexpr std::uint64_t kCost = 8;        ///< of a beginning and an end
  static constexpr std::uint64_t kCostOfStep = 2;  ///< of a router with a standing VC in it or before it

  enum class NoticeKind : std::uint8_t {
    stands,  ///< from the sender: it stands, so its flits arrive by themselves from the next cycle on
    moves,   ///< from the sender: it no longer stands
    stuck,   ///< from the receiver: it has not returned a slot
  };
  /// An input VC.
  struct Place {
    NodeId node = 0;
    unsigned vc = 0;
  };
  /// A notice to an input VC.
  struct Notice {
    NodeId node = 0;
    unsigned vc = 0;
    NoticeKind kind = NoticeKind::stands;
    Slot next;  ///< the flit that arrives in the next cycle, if the sender stands
  };

  void take_notices(Cycle now);
  void post(Cycle due, const Notice& notice);
  void notify_receiver(Cycle due, const Notice& notice);
  void watch(Place place, bool watches);
  void begin_to_watch();
  void notify_sender(NodeId node, unsigned vc, Cycle cycle, InjectionSide& interfaces);
  void let_arrive(NodeId node, unsigned vc);
  [[nodiscard]] bool hinders(NodeId node, unsigned other, unsigned vc) const;
  void note_worthwhile();
  void account(Cycle flits) {
    const std::uint64_t lost = lost_ + kCost;
    lost_ = lost - std::min(lost, flits);
  }
  [[nodiscard]] bool may_stand(NodeId node, unsigned vc, Cycle now) const;
  [[nodiscard]] bool finds_room(const Slot* fifo, std::uint32_t back, Cycle slot_delay, Cycle now) const;
  [[nodiscard]] bool receives(NodeId node, unsigned vc, Cycle now, Cycle delay) const;
  [[nodiscard]] bool has_moved(NodeId node, unsigned vc, Cycle now) const;
  [[nodiscard]] std::uint32_t usable(NodeId node, unsigned vc) const;
  [[nodiscard]] std::uint32_t place_of(NodeId node, unsigned vc, Slot flit, std::uint32_t counted) const;
  [[nodiscard]] Cycle hop() const;
  void stand(NodeId node, unsigned vc, Cycle now);
  void wake(NodeId node, unsigned vc, Cycle cycle);
  void note_concern(NodeId node);
  void note_ports(NodeId node, unsigned vc);

  RouterPool& routers_;
  Agenda& agenda_;
  bool allowed_ = false;
  std::uint32_t worthwhile_ = std::numeric_limits<std::uint32_t>::max();
  /// Sets of input VCs of a router.
  struct alignas(64) AtNode {
    std::uint64_t stands = 0;
    std::uint64_t inputs = 0;   ///< flits arrive from a standing sender; includes all that stand
    std::uint64_t coming = 0;   ///< likewise from the next cycle on; empty between two cycles
    std::uint64_t watched = 0;  ///< their senders stand
    /// Ports of standing VCs, as masks of VCs.
    struct PortSets {
      std::uint64_t inputs = 0;
      std::uint64_t outputs = 0;
    } port_sets;
  };
  /// An input VC.
  struct AtVc {
    Slot next;                  ///< the flit that arrives next, if it is one of AtNode::inputs
    Cycle since = 0;            ///< the last cycle that was run, if it stands
    std::uint32_t waiting = 0;  ///< usable flits in it between two cycles, if it stands
  };
  // Not accessed without standing VCs.
  Zeroed<bool> concerns_;  ///< by node: any set of AtNode is not empty
  NodeId concerned_ = 0;   ///< number of such routers
  Zeroed<AtNode> nodes_;
  Zeroed<AtVc> vcs_;
  std::vector<Place> to_be_watched_;          ///< input VCs with senders that stand since this cycle
  std::vector<std::vector<Notice>> notices_;  ///< by position of the cycle on the agenda's wheel
  std::size_t pending_ = 0;                   ///< notices
  std::size_t standing_ = 0;                  ///< input VCs and injection channels
  std::uint64_t counted_ = 0;
  std::uint64_t lost_ = 0;  ///< by standing without gain, in flits
  bool used_ = false;
  std::uint64_t hops_a_cycle_ = 0;
  std::uint64_t hops_before_ = 0;  ///< correction of flit_hops()
};

}  // namespace flitscope
