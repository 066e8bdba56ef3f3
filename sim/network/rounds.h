// Rounds of messages: those that repeat an earlier one are told as that was, not simulated again.
//
// A *round* is what happens between two moments at which the network is at rest: messages are sent in one
// cycle, and before the last of them has arrived nobody sends or interferes. With barriers each step of a
// schedule is a round.
//
// The argument. At rest there is no flit and no message, every VC is free, and every time that is kept has
// passed. What is left of all that was is whose turn it is, the round-robin pointers; and where in its memory
// each FIFO begins, which nobody sees. What happens in a round follows from that and from the messages, in
// the order in which they are sent; nothing in a router reads a message's id or a clock. So if the messages
// are the same but for their ids, and so are the pointers, all happens again, so many cycles later:
// deliveries, what is counted, and whose turn it is afterwards.
//
// So nothing is guessed: a round is simulated, noted, and compared message by message and pointer by pointer.
// Schedules of which steps repeat are those whose nodes do the same with other chunks: rings, buckets,
// translated trees, and whatever is done several times.
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

/// Watches one network, of which it writes the pointers and the counters only, in settle().
class Rounds {
 public:
  /// `longest_wait`: that many cycles after the last flit has moved every time that is kept has passed.
  Rounds(RouterPool& routers, Cycle longest_wait) : routers_(routers), longest_wait_(longest_wait) {}

  enum class Phase : std::uint8_t {
    busy,       ///< messages are on their way, and nobody takes notes
    resting,    ///< none are; those that are sent are collected
    noting,     ///< a round is simulated, and noted
    repeating,  ///< a round is told as an earlier one was
  };
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] bool repeating() const { return phase_ == Phase::repeating; }

  /// Otherwise all rounds are simulated.
  void allow(bool allowed);

  // --- What the network says -----------------------------------------------------------------------------

  /// No message is left.
  void rest();
  /// Routers are stepped in cycle `now`.
  void step(Cycle now) { last_step_ = now; }
  /// Messages of the round that is noted have arrived.
  void note(std::span<const Delivery> deliveries) {
    noted_.insert(noted_.end(), deliveries.begin(), deliveries.end());
  }
  /// Somebody looks at the network, or may change it. Requires that no round repeats.
  void disturb();
  /// A message is sent otherwise than by collect(). Requires that no round repeats.
  void interrupt();

  // --- A round begins ------------------------------------------------------------------------------------

  /// A message is sent by a network at rest.
  void collect(const Packet& packet) { messages_.push_back(packet); }
  /// There are some, which must begin a round before routers are stepped.
  [[nodiscard]] bool collecting() const { return phase_ == Phase::resting && !messages_.empty(); }
  [[nodiscard]] std::span<const Packet> messages() const { return messages_; }
  /// The messages collected are sent in cycle `now`. Returns whether the round repeats an earlier one, and
  /// ends before `until`; otherwise it is to be simulated, and nothing is unsettled. `planned`: something is
  /// planned from this cycle on, although no message is left.
  [[nodiscard]] bool begin(Cycle now, Cycle until, bool planned);

  // --- A round that repeats ------------------------------------------------------------------------------

  [[nodiscard]] Cycle began() const { return began_; }
  /// The next cycle in which messages of it arrive; kNever if there is none.
  [[nodiscard]] Cycle next_delivery() const;
  /// Appends those that arrive in cycle `now`, in any order. After the last of them the network is at rest.
  /// Returns how many flits they have.
  std::uint64_t take(Cycle now, std::vector<Delivery>& deliveries);
  /// It is simulated after all, from its beginning.
  void give_up();

  /// Pointers or counters of the routers are not what they should be: settle().
  [[nodiscard]] bool unsettled() const { return !turns_written_ || !counted_; }
  /// Writes the pointers as they are at rest, and adds to the counters. Requires that no round repeats.
  void settle();

  /// Flit-hops of the rounds that were told, as far as they are not in the routers' counters.
  [[nodiscard]] std::uint64_t flit_hops() const;
  /// Cycles of the rounds that were told.
  [[nodiscard]] Cycle skipped() const { return skipped_; }

 private:
  /// Whose turn it is at every port of every router.
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
    std::size_t turns_before = 0;  ///< place in turns_
    std::size_t turns_after = 0;
    /// In order of time. The id is the place of the message in `sent`, cycles count from the beginning.
    std::vector<Delivery> deliveries;
    Cycle last_step = 0;  ///< likewise
    std::uint64_t flit_hops = 0;
    Stalls stalls{};
    std::vector<PortGain> gains;
    std::uint64_t uncounted = 0;  ///< times that it was told, and is not in the routers' counters

    [[nodiscard]] Cycle length() const { return deliveries.back().arrived; }
  };
  struct Known {
    std::vector<std::size_t> rounds;  ///< with these messages, perhaps: places in rounds_
    bool unfit = false;               ///< somebody sent in the midst of one, or times outlast it
  };

  /// What may be kept, in bytes.
  static constexpr std::size_t kMaxMemory = std::size_t{128} << 20;
  /// How often whose turn it is may be read from the routers before any round has repeated, and for each that
  /// has.
  static constexpr std::uint64_t kLooksAtFirst = 16;
  static constexpr std::uint64_t kLooksForEach = 4;
  /// A round has a message for so many nodes at least: what is kept of it takes time by node.
  static constexpr std::size_t kNodesOfMessage = 4;
  static constexpr std::size_t kMaxKnown = std::size_t{1} << 14;

  [[nodiscard]] bool possible(Cycle now) const;
  [[nodiscard]] bool seen_before();
  [[nodiscard]] bool can_be_told(const Round& round) const;
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
  std::size_t at_rest_ = 0;    ///< place in turns_ of those at rest, if that is known
  bool turns_known_ = false;   ///< at_rest_ is right
  bool turns_written_ = true;  ///< the routers have them
  std::vector<Round> rounds_;
  std::size_t memory_ = 0;      ///< that turns_ and rounds_ take, in bytes
  std::uint64_t looks_ = 0;     ///< at the routers' pointers
  std::uint64_t repeated_ = 0;  ///< rounds

  std::size_t round_ = 0;          ///< the one that repeats, in rounds_
  std::size_t next_delivery_ = 0;  ///< of it
  std::vector<Delivery> noted_;
  std::vector<PortCounts> counts_before_;
  std::uint64_t hops_before_ = 0;
  Stalls stalls_before_{};

  bool counted_ = true;  ///< the routers' counters have what was told
  Cycle skipped_ = 0;
};

}  // namespace flitscope
