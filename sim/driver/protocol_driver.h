// The driver of a request-reply protocol (docs/timing.md, "Protocols").
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "sim/driver/measured_traffic.h"
#include "sim/driver/traffic_source.h"
#include "sim/network/transport.h"
#include "traffic/protocol.h"

namespace flitscope {

/// A request and its reply: when each part of it ended. kNever: not yet.
struct RoundTrip {
  NodeId source = 0;
  NodeId target = 0;
  Route route;  ///< of the request
  bool is_read = true;
  bool measured = false;  ///< generated in the measurement
  Cycle generated = 0;
  Cycle issued = kNever;      ///< the request is handed over
  Cycle arrived = kNever;     ///< the request is delivered
  Cycle begun = kNever;       ///< its service
  Cycle replied = kNever;     ///< the reply is handed over
  Cycle done = kNever;        ///< the reply is delivered
  std::uint64_t request = 0;  ///< number of the message
};

/// The beginnings of a target's services, at a rational rate.
class ServiceRate {
 public:
  /// Services in a cycle, at most 16; nothing: any number.
  explicit ServiceRate(const std::optional<Decimal>& rate);

  [[nodiscard]] bool is_free(Cycle now) const { return free_parts_ < Wide{now + 1} * services_; }
  /// The first cycle from `now` on in which it is free.
  [[nodiscard]] Cycle free_from(Cycle now) const {
    return is_free(now) ? now : static_cast<Cycle>(free_parts_ / services_);
  }
  void begin(Cycle now) { free_parts_ = std::max(free_parts_, now * services_) + cycles_; }

 private:
  using Wide = unsigned __int128;
  /// `services_` in `cycles_` cycles, in lowest terms; 1 in 0 if there is no limit.
  Wide services_ = 1;
  Wide cycles_ = 0;
  Wide free_parts_ = 0;  ///< when it is free, times services_
};

/// Plays requests and replies, whose messages are numbered together. Class 0 are the requests, class 1 the
/// replies; the phases measure round trips.
class ProtocolDriver final : public MeasuredTraffic {
 public:
  static constexpr std::size_t kRequests = 0;
  static constexpr std::size_t kReplies = 1;

  /// All must outlive the driver. `phases` has the warm-up and the measurement.
  ProtocolDriver(const Topology& topology, const MachineConfig& machine, const TrafficConfig& phases,
                 const ProtocolConfig& protocol, const TrafficPattern& pattern);

  /// Counters of round trips; their flits are those of both messages.
  [[nodiscard]] const TrafficTally& round_trips() const { return round_trips_; }
  /// Called in the cycle in which a round trip is done.
  void on_round_trip(std::function<void(const RoundTrip&)> callback) { on_round_trip_ = std::move(callback); }
  /// Calls visit(round_trip) for every one that is not done.
  void for_each_open(const std::function<void(const RoundTrip&)>& visit) const;
  /// Most requests that have waited at a target in a cycle of the measurement.
  [[nodiscard]] std::uint64_t longest_queue(NodeId target) const { return targets_[target].longest; }

  /// With finite ends a target takes requests into its queue itself.
  [[nodiscard]] bool holds_deliveries() const override { return holds_deliveries_; }
  void start(Transport& network) override;
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  [[nodiscard]] Cycle next_event() const override;
  void at(Transport& network, Cycle now) override;
  [[nodiscard]] bool finished() const override { return stops() && round_trips_.in_flight() == 0; }
  /// Whether requests of the node go anywhere.
  [[nodiscard]] bool requests(NodeId node);

 private:
  using Index = std::uint32_t;  ///< in trips_

  struct Node {
    std::uint64_t places = 0;        ///< requests that it may issue
    std::uint64_t generated = 0;     ///< requests
    std::deque<Index> waiting;       ///< generated and not issued
    std::optional<bool> has_others;  ///< it has targets beside itself; nothing: not looked at yet
  };
  struct Service {
    explicit Service(const std::optional<Decimal>& services) : rate(services) {}
    ServiceRate rate;
    std::deque<Index> queue;
    std::deque<Index> served;  ///< by rising begin
    bool waits = false;        ///< for room for the first reply of these
  };
  struct Target {
    std::deque<Index> arrived;  ///< delivered and not in a queue yet
    std::vector<Service> services;
    std::uint64_t longest = 0;
  };

  [[nodiscard]] TrafficTally measured() const override { return round_trips_; }
  void integrate(Cycle now) override;
  /// No more requests are generated.
  [[nodiscard]] bool stops() const { return phases().phase() >= TrafficPhase::emptying; }
  /// The source generates requests.
  [[nodiscard]] bool generates() const {
    return !stops() && !protocol_.closed_loop && (!protocol_.batch || batches_left_ > 0);
  }
  [[nodiscard]] static Service& service_of(Target& target, const RoundTrip& trip) {
    return target.services[target.services.size() == 1 || trip.is_read ? 0 : 1];
  }

  void begin_cycle(Cycle now);
  static void note_queue(Target& target);
  void serve(Transport& network, NodeId node, Cycle now);
  bool answer(Transport& network, Target& target, Cycle now);
  bool take(Transport& network, Target& target);
  bool begin(Target& target, Cycle now);
  void generate(const GeneratedMessage& message, Cycle now);
  [[nodiscard]] bool generate_next(NodeId node, Cycle now);
  void request(Transport& network, NodeId number, Cycle now);
  void send(Transport& network, std::size_t message_class, Index index);
  void done(Index index, Cycle now);
  [[nodiscard]] std::uint32_t flits(const RoundTrip& trip, std::size_t message_class) const {
    return flits_[message_class][trip.is_read ? 0 : 1];
  }
  [[nodiscard]] Route reply_route(const RoundTrip& trip) const;

  const ProtocolConfig& protocol_;
  const TrafficPattern& pattern_;
  bool holds_deliveries_;
  std::array<std::uint32_t, 2> message_classes_;         ///< of requests and of replies
  Topology topology_of_replies_;                         ///< their network
  std::array<std::array<std::uint32_t, 2>, 2> flits_{};  ///< by class, of reads and writes
  TrafficSource source_;
  std::vector<Node> nodes_;
  std::vector<Target> targets_;
  std::vector<RoundTrip> trips_;
  std::vector<Index> unused_;
  std::uint64_t batches_left_ = 0;  ///< requests that batches still generate
  TrafficTally round_trips_;
  Cycle counted_to_ = 0;
  /// Targets and nodes with something to do, by cycle and number; of nodes how many places they get.
  std::map<std::pair<Cycle, NodeId>, std::uint64_t> due_nodes_;
  std::set<std::pair<Cycle, NodeId>> due_targets_;
  std::function<void(const RoundTrip&)> on_round_trip_;
};

}  // namespace flitscope
