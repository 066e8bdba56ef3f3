// Standing: an input VC through which a message only streams is not run.
//
// The argument. In some cycle an input VC gets a flit and sends one on, neither a head nor a tail, and no
// other flit in the router wants the same input port or output port. As long as its sender puts a flit in
// every cycle, its receiver gives back a slot in every cycle, and nobody else wants these ports, it goes on
// like that: it *stands*, and what happens to it in k cycles is known without running it. What ends that is
// known in time:
//  - A sender that stands no longer says so with the delay of a flit; until then the receiver writes the
//    flits down itself.
//  - A receiver that has not given back a slot says so for the next cycle, before its sender could miss it.
//  - Whoever wants the same port is in the same router, and awake.
// Nothing is guessed: to be run is always right, and an input VC is let stand only when all of that holds. A
// message begins to stand in its network interface, and a flit's delay later in each router on its way; with
// its tail it ends in the same order. (The functions are in router_standing.cpp.)
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

/// Which input VCs and injection channels of a network stand.
class Standing {
 public:
  Standing(RouterPool& routers, Agenda& agenda);

  /// From the next cycle on, where that is possible with these routers.
  void allow(bool allowed) { allowed_ = allowed; }

  /// A message of which an injection channel has so many flits left may stand.
  [[nodiscard]] std::uint32_t min_stream_length() const { return worthwhile_; }
  /// Somebody stands in the router or before it: the three functions below are called when it is stepped.
  [[nodiscard]] bool concerns(NodeId node) const { return concerns_[node]; }
  [[nodiscard]] bool concerns_anybody() const { return concerned_ != 0; }

  /// Cycle `now` begins.
  void begin_cycle(Cycle now) {
    note_worthwhile();
    if (pending_ != 0) take_notices(now);
  }
  /// Before the router takes what has arrived.
  void before_step(NodeId node, Cycle now, InjectionSide& interfaces);
  /// When it has: whoever stands where another flit wants to move is run again, and gets its flit.
  void resume_conflicting(NodeId node, Cycle now);
  /// After its flits have moved.
  void after_step(NodeId node, Cycle now, InjectionSide& interfaces);

  /// An injection channel that puts one flit in every cycle, in `now` the one before position `back`, may
  /// stand.
  [[nodiscard]] bool injection_may_stand(NodeId node, unsigned channel, std::uint32_t back, Cycle now) const;
  /// It does, and puts `next` in the next cycle.
  void injection_stands(NodeId node, unsigned channel, Slot next, Cycle now);
  /// It has put `passed` flits, and from `cycle` on puts them itself again, first `next`. Returns at which
  /// position, which is `counted` unless cycles were not run but counted.
  [[nodiscard]] std::uint32_t injection_resumes(NodeId node, unsigned channel, Slot next,
                                                std::uint32_t counted, Cycle passed, Cycle cycle);

  /// Everybody is run again from `cycle` on, and all is as if it had been run in the cycles before, but for
  /// flits that are on their way: where they stand in the receiver's FIFO is written when they arrive.
  void end(Cycle cycle, InjectionSide& interfaces);

  /// The memory of an input VC.
  void fetch(NodeId node, unsigned vc) const;

  [[nodiscard]] bool anybody() const { return standing_ != 0; }
  /// Somebody has stood.
  [[nodiscard]] bool used() const { return used_; }
  /// Somebody has begun or ceased to stand, and not all know.
  [[nodiscard]] bool pending() const { return pending_ != 0; }
  /// Flits that input VCs have sent while they stood, as far as they are counted.
  [[nodiscard]] std::uint64_t counted() const { return counted_; }
  /// Flit-hops up to and with `cycle` of those that stand, which are not counted yet.
  [[nodiscard]] std::uint64_t flit_hops(Cycle cycle) const { return hops_a_cycle_ * cycle - hops_before_; }

 private:
  friend class FastForward;  // compares the whole state, and moves it on

  /// Flits left, below which to begin and to end costs more than is saved.
  static constexpr std::uint32_t kWorthwhile = 16;
  // In flits that are run:
  static constexpr std::uint64_t kCost = 8;        ///< of beginning and ending
  static constexpr std::uint64_t kCostOfStep = 2;  ///< of a router in which somebody stands, or before it

  enum class Tells : std::uint8_t {
    stands,  ///< the sender of the input VC: its flits arrive from the next cycle on without its doing
    moves,   ///< the same: no longer
    stuck,   ///< the receiver: it has not given back a slot
  };
  /// An input VC.
  struct Place {
    NodeId node = 0;
    unsigned vc = 0;
  };
  /// To an input VC.
  struct Notice {
    NodeId node = 0;
    unsigned vc = 0;
    Tells tells = Tells::stands;
    Slot next;  ///< the flit that arrives in the next cycle, if the sender stands
  };

  void take_notices(Cycle now);
  void post(Cycle due, const Notice& notice);
  void tell_receiver(Cycle due, const Notice& notice);
  void watch(Place place, bool watches);
  void begin_to_watch();
  void tell_sender(NodeId node, unsigned vc, Cycle cycle, InjectionSide& interfaces);
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
  void note_ways(NodeId node, unsigned vc);

  RouterPool& routers_;
  Agenda& agenda_;
  bool allowed_ = false;
  std::uint32_t worthwhile_ = std::numeric_limits<std::uint32_t>::max();
  /// Sets of input VCs of a router.
  struct alignas(64) AtNode {
    std::uint64_t stands = 0;
    std::uint64_t inputs = 0;   ///< flits arrive without their sender's doing; all that stand are among them
    std::uint64_t coming = 0;   ///< the same from the next cycle on; empty between two cycles
    std::uint64_t watched = 0;  ///< their senders stand
    /// Ports that belong to those that stand, as VCs.
    struct Ways {
      std::uint64_t inputs = 0;
      std::uint64_t outputs = 0;
    } ways;
  };
  /// An input VC.
  struct AtVc {
    Slot next;                  ///< the flit that arrives next, if it is one of AtNode::inputs
    Cycle since = 0;            ///< the last cycle in which it was run, if it stands
    std::uint32_t waiting = 0;  ///< usable flits in it between two cycles, if it stands
  };
  // Not touched where nobody stands.
  Zeroed<bool> concerns_;  ///< by node: any set of AtNode is not empty
  NodeId concerned_ = 0;   ///< routers for which that is so
  Zeroed<AtNode> nodes_;
  Zeroed<AtVc> vcs_;
  std::vector<Place> to_be_watched_;          ///< input VCs whose senders stand since this cycle
  std::vector<std::vector<Notice>> notices_;  ///< by the place of the cycle on the agenda's wheel
  std::size_t pending_ = 0;                   ///< notices
  std::size_t standing_ = 0;                  ///< input VCs and injection channels
  std::uint64_t counted_ = 0;
  std::uint64_t lost_ = 0;  ///< by those whose standing did not pay for itself, in flits
  bool used_ = false;
  std::uint64_t hops_a_cycle_ = 0;
  std::uint64_t hops_before_ = 0;  ///< what flit_hops() would count too much
};

}  // namespace flitscope
