// A request-reply protocol as docs/timing.md has it, written down as plainly as possible: it looks at every
// node in every cycle. ProtocolDriver is tested against it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "model/random.h"
#include "sim/driver/traffic_source.h"
#include "sim/network/transport.h"
#include "traffic/protocol.h"

namespace flitscope::reference {

/// Requests are generated until those of cycles `warmup` to before `warmup + measure` are answered, or until
/// the batch is.
class ProtocolModel final : public Driver {
 public:
  /// All must outlive it but `traffic`.
  ProtocolModel(const Topology& topology, const MachineConfig& machine, const TrafficConfig& traffic,
                const ProtocolConfig& protocol, const TrafficPattern& pattern);

  void start(Transport& /*network*/) override {}
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  [[nodiscard]] Cycle next_event() const override { return finished() ? kNever : next_; }
  void at(Transport& network, Cycle now) override;
  [[nodiscard]] bool holds_deliveries() const override { return machine_.ejection_buffer.has_value(); }
  [[nodiscard]] bool finished() const override;

  struct Trip {
    NodeId source = 0;
    NodeId target = 0;
    Route route;
    bool read = true;
    Cycle generated = 0;
    Cycle issued = 0;
    Cycle arrived = 0;
    Cycle begun = 0;
    Cycle replied = 0;
    Cycle done = 0;
    std::uint64_t request = 0;  ///< number of the message
  };
  /// In order of generation.
  [[nodiscard]] const std::deque<Trip>& trips() const { return trips_; }

 private:
  struct Service {
    std::deque<Trip*> queue;
    std::deque<Trip*> served;
    bool waits = false;  ///< a reply, for room in the injection queue
    /// It is free from this time on, a whole number and a fraction.
    std::uint64_t whole = 0;
    std::uint64_t fraction = 0;
  };
  struct Target {
    std::deque<Trip*> arrived;
    std::vector<Service> services;
  };
  struct Source {
    bool requests = false;
    std::uint64_t generated = 0;
    std::uint64_t drawn = 0;
    std::deque<Trip*> waiting;
    std::multiset<Cycle> places;  ///< taken: until then, kNever while a request is open
    std::optional<RandomStream> random;
  };
  struct Sent {
    Trip* trip = nullptr;
    bool is_request = true;
  };

  [[nodiscard]] bool stops(Cycle now) const;
  [[nodiscard]] bool has_place(const Source& source, Cycle now) const;
  [[nodiscard]] bool in_batch(const Source& source) const {
    return !protocol_.batch || source.generated < *protocol_.batch;
  }
  Trip* add(const Trip& trip);
  Trip* draw(NodeId node, Cycle now);
  void send(Transport& network, Trip* trip, bool is_request);
  bool serve(Transport& network, Target& target, Cycle now);
  [[nodiscard]] std::uint32_t flits(const Trip& trip, bool of_request) const;

  const Topology& topology_;
  const MachineConfig& machine_;
  TrafficConfig traffic_;
  const ProtocolConfig& protocol_;
  const TrafficPattern& pattern_;
  std::uint32_t request_class_ = 0;
  std::uint32_t reply_class_ = 0;
  Cycle next_ = 0;
  std::optional<TrafficSource> generator_;  ///< of an open loop
  std::vector<Source> sources_;
  std::vector<Target> targets_;
  std::vector<std::uint64_t> numbers_;  ///< of messages, by node
  std::deque<Trip> trips_;
  std::map<std::uint64_t, Sent> sent_;
  std::uint64_t open_ = 0;      ///< round trips
  std::uint64_t measured_ = 0;  ///< that are open
  // The rate is a fraction; the interval between services is its inverse.
  std::uint64_t services_ = 1;
  std::uint64_t cycles_ = 0;
};

}  // namespace flitscope::reference
