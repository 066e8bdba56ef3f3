// Fast-forward: cycles that repeat those before them are counted, not run.
//
// The argument. Take the state of all routers and network interfaces between two cycles, and write each time
// as the distance to the present and each flit without its number in the message. If that state is the same
// at t and at t + p, and nobody from outside sends, delivers or asks in between, then the cycles from t + p
// on repeat those from t on, since a cycle is a function of that state alone: nothing in a router reads the
// number of a flit or a clock. What the numbers, times and counters gain in one period they gain in every
// one. So after k more periods each is what it is at t + p, plus k times the difference to t. That holds
// until something ends it: a message's last flit is put by its network interface, a far event comes, or
// somebody from outside acts.
//
// So nothing is guessed and nothing about the stages is repeated here: they are run, twice, and compared.
#pragma once

#include <cstdint>
#include <vector>

#include "routers/engine/agenda.h"
#include "routers/engine/message_table.h"
#include "routers/engine/nic_pool.h"
#include "routers/engine/router_pool.h"

namespace flitscope {

/// When cycles are looked at for repetition.
enum class FastForwardMode : std::uint8_t {
  automatic,  ///< as often as it pays
  on,         ///< whenever nothing has come from outside for a moment
  off,
};

/// Watches one network, whose routers and interfaces it changes only in advance().
class FastForward {
 public:
  /// `horizon` is the longest delay of a router or link; where it outreaches the agenda's wheel, every cycle
  /// is run.
  FastForward(Agenda& agenda, MessageTable& messages, RouterPool& routers, NicPool& nics, Cycle horizon)
      : agenda_(agenda),
        messages_(messages),
        routers_(routers),
        nics_(nics),
        within_wheel_(horizon < agenda.wheel()) {}

  void set_mode(FastForwardMode mode) { mode_ = mode; }

  /// Somebody has sent or got messages in cycle `now`, or has otherwise interfered.
  void disturb(Cycle now) {
    quiet_from_ = now + 1;
    if (phase_ != Phase::waiting) give_up();
  }

  /// Cycle `now` is over, and nobody from outside acts before cycle `until`. Returns how many of the cycles
  /// from now + 1 on need not be run: whoever counts on that calls advance() before anything else happens.
  [[nodiscard]] Cycle after_cycle(Cycle now, Cycle until) {
    if (phase_ == Phase::waiting && now < quiet_from_ + kQuiet) return 0;
    return look(now + 1, until);
  }

  /// It wants to be asked after every cycle, also after those without work.
  [[nodiscard]] bool busy() const { return phase_ != Phase::waiting; }

  /// `cycles` from the one after the last that was run have passed, at most as many as after_cycle() said.
  /// Returns how many of them are counted now, which are whole periods; the rest must be run.
  Cycle advance(Cycle cycles);

  /// Cycles counted so far.
  [[nodiscard]] Cycle skipped() const { return skipped_; }

 private:
  /// Keeping the state of a router takes as long as so many flit-hops, about.
  static constexpr std::uint64_t kVisit = 16;
  // In cycles.
  static constexpr Cycle kQuiet = 4;        ///< without a message from outside, before a state is kept
  static constexpr Cycle kWorthwhile = 32;  ///< to be skipped at once
  /// A period is a multiple of the calendar's wheel, up to this one.
  static constexpr Cycle kMaxTurns = 16;
  /// Values of a state that is kept, each of 8 bytes.
  static constexpr std::size_t kMaxValues = std::size_t{1} << 24;

  enum class Phase : std::uint8_t {
    waiting,               ///< for a moment in which nothing comes from outside
    partial_packet_flits,  ///< the routers that have work
    comparing,             ///< the state kept with the present one
    repeating,             ///< the state is known to repeat
  };

  /// When the state was kept, and the present.
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

  // Everything that a cycle reads or changes; `visit` is told what each value is, and ends it by `false`.
  template <typename Visit>
  bool visit_state(Visit& visit);
  template <typename Visit>
  bool visit_router(NodeId node, Visit& visit);
  template <typename Visit>
  bool visit_words(NodeId node, Visit& visit);
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
  Cycle quiet_from_ = 0;                  ///< nothing has come from outside since
  Cycle since_ = 0;                       ///< the phase began, or in this cycle the last period
  std::vector<std::uint64_t> with_work_;  ///< a bit for each router that had any, or may have it soon
  std::vector<NodeId> nodes_;             ///< the same
  std::vector<std::uint64_t> values_;     ///< the state kept; repeating: what each value gains in a period
  Cycle present_ = 0;                     ///< the next cycle to be run
  Cycle period_ = 0;
  Cycle periods_left_ = 0;   ///< before the last flit of some message is put
  Cycle repeats_until_ = 0;  ///< something that was planned long before happens in this cycle
  Cycle skipped_ = 0;
  std::uint64_t skipped_hops_ = 0;
  std::uint64_t spent_ = 0;  ///< on attempts that have not paid for themselves, in flit-hops
};

}  // namespace flitscope
