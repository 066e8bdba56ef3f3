// Rounds of messages: a round that repeats an earlier one is replayed instead of simulated.
//
// A *round* is the time between two idle states of the network: messages are sent in one cycle, and no other
// message is sent before the last of them has arrived. With barriers each step of a schedule is a round.
//
// Correctness. An idle network has no flit and no message, every VC is free, and every stored time has
// passed. Its state is the round-robin pointers, and the invisible position of each FIFO in its memory. A
// round follows from that state and from the messages in the order of their sends; no router reads the id of
// a message or a clock. So equal messages, ids aside, and equal pointers give the same deliveries, counters
// and final pointers, shifted in time.
//
// A round is simulated and recorded first, and compared message by message and pointer by pointer. Rounds
// repeat in schedules whose nodes do the same with other chunks: rings, buckets, translated trees,
// repetitions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "routers/engine/router_pool.h"
#include "sim/network/transport.h"

namespace flitscope {

/// The rounds of one network. Only settle() writes to routers: pointers and counters.
class Rounds {
 public:
  /// `longest_wait`: cycles after the last flit move until every stored time has passed.
  Rounds(RouterPool& routers, Cycle longest_wait) : routers_(routers), longest_wait_(longest_wait) {}

  enum class Phase : std::uint8_t {
    busy,       ///< messages are in flight, without a recording
    resting,    ///< idle; sends are collected
    noting,     ///< a round is simulated and recorded
    repeating,  ///< a round is replayed
  };
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] bool repeating() const { return phase_ == Phase::repeating; }

  /// Enables replays.
  void allow(bool allowed);

  // --- Events of the network -----------------------------------------------------------------------------

  /// The network is idle.
  void rest();
  /// Routers are stepped in cycle `now`.
  void step(Cycle now) { last_step_ = now; }
  /// Records deliveries of the round.
  void note(std::span<const Delivery> deliveries) {
    noted_.insert(noted_.end(), deliveries.begin(), deliveries.end());
  }
  /// The network is queried or changed from outside. Requires that no round is replayed.
  void disturb();
  /// A message is sent outside of collect(). Requires that no round is replayed.
  void interrupt();

  // --- A round begins ------------------------------------------------------------------------------------

  /// Collects a message that is sent to an idle network.
  void collect(const Packet& packet) { messages_.push_back(packet); }
  /// True with collected messages, which must begin a round before routers are stepped.
  [[nodiscard]] bool collecting() const { return phase_ == Phase::resting && !messages_.empty(); }
  [[nodiscard]] std::span<const Packet> messages() const { return messages_; }
  /// Begins a round with the collected messages in cycle `now`. Returns true for a replay that ends before
  /// `until`; otherwise the round must be simulated, and all is settled. `planned`: events are planned from
  /// this cycle on although the network is idle.
  [[nodiscard]] bool begin(Cycle now, Cycle until, bool planned);

  // --- Replay --------------------------------------------------------------------------------------------

  [[nodiscard]] Cycle began() const { return began_; }
  /// The next cycle with arrivals of the replay; kNever if there is none.
  [[nodiscard]] Cycle next_delivery() const;
  /// Appends the deliveries of cycle `now`, in any order; after the last one the network is idle. Returns
  /// their flits.
  std::uint64_t take(Cycle now, std::vector<Delivery>& deliveries);
  /// Ends the replay; the round must be simulated from its beginning.
  void give_up();

  /// True if pointers or counters of the routers are stale: settle().
  [[nodiscard]] bool unsettled() const { return !turns_written_ || !counted_; }
  /// Writes the pointers and adds to the counters. Requires that no round is replayed.
  void settle();

  /// Flit-hops of replayed rounds that are not in the routers' counters.
  [[nodiscard]] std::uint64_t flit_hops() const;
  /// Cycles of replayed rounds.
  [[nodiscard]] Cycle skipped() const { return skipped_; }

 private:
  /// Round-robin pointers of every port of every router.
  using Turns = std::vector<std::uint32_t>;
  struct Sent {
    NodeId source = 0;
    NodeId destination = 0;
    Route route;
    std::uint32_t flits = 0;
    bool operator==(const Sent&) const = default;
    [[nodiscard]] static Sent of(const Packet& message) {
      return {message.source, message.destination, message.route, message.flits};
    }
  };
  struct PortGain {
    NodeId node = 0;
    unsigned port = 0;
    PortCounts counts;
  };
  using Stalls = std::array<std::uint64_t, kStallCauses>;
  struct Round {
    std::vector<Sent> sent;
    std::size_t turns_before = 0;  ///< position in turns_
    std::size_t turns_after = 0;
    /// In order of time. The id is the position of the message in `sent`; cycles count from the beginning.
    std::vector<Delivery> deliveries;
    Cycle last_step = 0;  ///< from the beginning
    std::uint64_t flit_hops = 0;
    Stalls stalls{};
    std::vector<PortGain> gains;
    std::uint64_t uncounted = 0;  ///< replays that are not in the routers' counters

    [[nodiscard]] Cycle length() const { return deliveries.back().arrived; }
  };
  struct Known {
    std::vector<std::size_t> rounds;  ///< candidates with these messages, by position in rounds_
    bool unfit = false;               ///< sends within it, or stored times beyond its end
  };

  /// Memory limit in bytes.
  static constexpr std::size_t kMaxMemory = std::size_t{128} << 20;
  /// Reads of the routers' pointers before the first replay, and for each replay.
  static constexpr std::uint64_t kLooksAtFirst = 16;
  static constexpr std::uint64_t kLooksForEach = 4;
  /// The most nodes for each message of a round: a recording takes time by node.
  static constexpr std::size_t kNodesOfMessage = 4;
  static constexpr std::size_t kMaxKnown = std::size_t{1} << 14;

  [[nodiscard]] bool possible(Cycle now) const;
  [[nodiscard]] bool seen_before();
  [[nodiscard]] bool can_be_replayed(const Round& round) const;
  [[nodiscard]] std::uint64_t digest() const;
  [[nodiscard]] bool find_turns();
  [[nodiscard]] const Round* find_round() const;
  void simulate(bool noted);
  void end_noting();
  [[nodiscard]] Round noted_round() const;
  void end_repeating();
  [[nodiscard]] std::vector<PortCounts> counts() const;

  RouterPool& routers_;
  Cycle longest_wait_;
  bool allowed_ = false;
  Phase phase_ = Phase::resting;
  std::optional<Cycle> last_step_;
  Cycle began_ = 0;
  std::vector<Packet> messages_;  ///< of the round that begins, or is under way

  std::unordered_map<std::uint64_t, Known> known_;  ///< by digest of the messages
  std::uint64_t digest_ = 0;                        ///< of messages_
  std::vector<Turns> turns_;
  std::size_t at_rest_ = 0;    ///< position in turns_ of the idle state, if known
  bool turns_known_ = false;   ///< at_rest_ is right
  bool turns_written_ = true;  ///< the routers have these pointers
  std::vector<Round> rounds_;
  std::size_t memory_ = 0;      ///< of turns_ and rounds_, in bytes
  std::uint64_t looks_ = 0;     ///< at the routers' pointers
  std::uint64_t repeated_ = 0;  ///< rounds

  std::size_t round_ = 0;          ///< under replay, in rounds_
  std::size_t next_delivery_ = 0;  ///< of it
  std::vector<Delivery> noted_;
  std::vector<PortCounts> counts_before_;
  std::uint64_t hops_before_ = 0;
  Stalls stalls_before_{};

  bool counted_ = true;  ///< the routers' counters have all replays
  Cycle skipped_ = 0;
};

}  // namespace flitscope
