// Fast-forward: cycles that repeat earlier ones are counted instead of run.
//
// Correctness. Take the state of all routers and network interfaces between two cycles, with times relative
// to the present and flits without their index. If this state is equal at t and at t + p, without sends,
// deliveries or queries in between, the cycles from t + p on repeat those from t on, since a cycle is a
// function of this state: no router reads the index of a flit or a clock. Indices, times and counters gain
// the same in every period, so after k more periods each has its value at t + p plus k times the difference
// to t. The repetition ends with the last flit of a message at its network interface, a far event, or an
// access from outside.
//
// The stages are not modelled again here: they are run twice and compared.
#pragma once

#include <cstdint>
#include <vector>

#include "routers/engine/agenda.h"
#include "routers/engine/message_table.h"
#include "routers/engine/nic_pool.h"
#include "routers/engine/router_pool.h"

namespace flitscope {

/// Search for repetitions.
enum class FastForwardMode : std::uint8_t {
  automatic,  ///< while it saves time
  on,         ///< in every quiet phase
  off,
};

/// Fast-forward of one network, whose routers and interfaces only advance() changes.
class FastForward {
 public:
  /// `horizon` is the longest delay of a router or link; beyond the agenda's wheel every cycle is run.
  FastForward(Agenda& agenda, MessageTable& messages, RouterPool& routers, NicPool& nics, Cycle horizon)
      : agenda_(agenda),
        messages_(messages),
        routers_(routers),
        nics_(nics),
        within_wheel_(horizon < agenda.wheel()) {}

  void set_mode(FastForwardMode mode) { mode_ = mode; }

  /// A send, a delivery or another access from outside in cycle `now`.
  void disturb(Cycle now) {
    quiet_from_ = now + 1;
    if (phase_ != Phase::waiting) give_up();
  }

  /// Called after cycle `now`, without accesses from outside before cycle `until`. Returns the number of
  /// cycles from now + 1 on that need not be run; the caller then calls advance() before any other access.
  [[nodiscard]] Cycle after_cycle(Cycle now, Cycle until) {
    if (phase_ == Phase::waiting && now < quiet_from_ + kQuiet) return 0;
    return look(now + 1, until);
  }

  /// True if after_cycle() must be called after every cycle, also after those without work.
  [[nodiscard]] bool busy() const { return phase_ != Phase::waiting; }

  /// Passes `cycles` after the last one run, at most the result of after_cycle(). Returns the cycles that are
  /// counted, whole periods; the rest must be run.
  Cycle advance(Cycle cycles);

  /// Cycles counted so far.
  [[nodiscard]] Cycle skipped() const { return skipped_; }

 private:
  /// Cost of recording the state of a router, in flit-hops.
  static constexpr std::uint64_t kVisit = 16;
  // In cycles.
  static constexpr Cycle kQuiet = 4;        ///< without an access from outside, before a state is recorded
  static constexpr Cycle kWorthwhile = 32;  ///< fewest cycles of a skip
  /// A period is a multiple of the calendar's wheel, up to this one.
  static constexpr Cycle kMaxTurns = 16;
  /// The most values of a recorded state, each of 8 bytes.
  static constexpr std::size_t kMaxValues = std::size_t{1} << 24;

  enum class Phase : std::uint8_t {
    waiting,    ///< for a quiet phase
    gathering,  ///< the routers that have work
    comparing,  ///< the recorded state with the present one
    repeating,  ///< the state is known to repeat
  };

  /// Time of the recorded state, and the present.
  struct Times {
    Cycle then = 0;
    Cycle now = 0;
  };
  class Keeping;
  class Comparing;
  class Subtracting;
  class Advancing;

  [[nodiscard]] bool possible() const;
  [[nodiscard]] bool affordable() const;
  [[nodiscard]] Cycle look(Cycle next, Cycle until);
  void begin_gathering(Cycle next);
  void keep_state(Cycle next);
  [[nodiscard]] bool repeats(Cycle next);
  [[nodiscard]] Cycle cycles_to_skip(Cycle next, Cycle until) const;
  void give_up() { phase_ = Phase::waiting; }
  [[nodiscard]] bool gather(Cycle next);

  // Visits the state that a cycle reads or changes; `visit` gets the kind of each value and stops with
  // `false`.
  template <typename Visit>
  bool visit_state(Visit& visit);
  template <typename Visit>
  bool visit_router(NodeId node, Visit& visit);
  template <typename Visit>
  bool visit_events(NodeId node, Visit& visit);
  template <typename Visit>
  bool visit_standing(NodeId node, Visit& visit);
  template <typename Visit>
  bool visit_stall(NodeId node, unsigned vc, Visit& visit);
  template <typename Visit>
  bool visit_port(NodeId node, unsigned number, Visit& visit);
  template <typename Visit>
  bool visit_input(NodeId node, unsigned vc, Visit& visit);
  template <typename Visit>
  bool visit_interface(NodeId node, Visit& visit);

  Agenda& agenda_;
  MessageTable& messages_;
  RouterPool& routers_;
  NicPool& nics_;

  bool within_wheel_;
  FastForwardMode mode_ = FastForwardMode::automatic;
  Phase phase_ = Phase::waiting;
  Cycle quiet_from_ = 0;                  ///< end of the last access from outside
  Cycle since_ = 0;                       ///< beginning of the phase or of the last period
  std::vector<std::uint64_t> with_work_;  ///< a bit for each router that had any, or may have it soon
  std::vector<NodeId> nodes_;             ///< their numbers
  std::vector<std::uint64_t> values_;     ///< the recorded state; repeating: gains in a period
  Cycle present_ = 0;                     ///< the next cycle to be run
  Cycle period_ = 0;
  Cycle periods_left_ = 0;   ///< before the last flit of some message is put
  Cycle repeats_until_ = 0;  ///< cycle of the first far event
  Cycle skipped_ = 0;
  std::uint64_t skipped_hops_ = 0;
  std::uint64_t spent_ = 0;  ///< on attempts without gain, in flit-hops
};

}  // namespace flitscope
