#include "sim/studies/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/route.h"
#include "model/stall_cause.h"
#include "sim/driver/memories.h"
#include "sim/network/clock_domain.h"
#include "sim/run/memories.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

using Json = nlohmann::ordered_json;

/// A packet of a call; its messages are a request and the reply to it.
struct CallPacket {
  std::size_t call = 0;
  std::uint64_t bytes = 0;
  std::uint32_t network = 0;
};
/// The id of a message of packet `number`.
std::uint64_t id_of(std::size_t number, bool is_reply) {
  return message_id(1, 2 * number + (is_reply ? 1 : 0));
}
std::size_t packet_of(std::uint64_t id) {
  return message_name(id).index() / 2;
}
bool is_reply(std::uint64_t id) {
  return message_name(id).index() % 2 == 1;
}

/// Where packets wait: at an output port of a node, by cause, or for its memory.
struct WaitPlace {
  std::uint32_t network = 0;
  NodeId node = 0;
  unsigned port = 0;
  std::optional<StallCause> cause;  ///< nothing: for the memory
  auto operator<=>(const WaitPlace&) const = default;
};
/// Flit-cycles by call and place.
class CallWaits {
 public:
  /// `packets` must outlive it. Not `of_calls`: all as of call 0.
  CallWaits(const std::vector<CallPacket>& packets, bool of_calls) : packets_(packets), of_calls_(of_calls) {}
  void add(std::uint64_t id, const WaitPlace& place, Cycle cycles) {
    cycles_[{of_calls_ ? packets_[packet_of(id)].call : 0, place}] += cycles;
  }
  [[nodiscard]] const auto& cycles() const { return cycles_; }

 private:
  const std::vector<CallPacket>& packets_;
  bool of_calls_;
  std::map<std::pair<std::size_t, WaitPlace>, Cycle> cycles_;
};

/// One of the networks, and what is sent into it and delivered by it in a cycle.
class ReplayNetwork final : public Driver, public StallObserver {
 public:
  ReplayNetwork(std::uint32_t number, const Topology& topology, const MachineConfig& machine,
                CallWaits& waits)
      : number_(number),
        topology_(topology),
        waits_(waits),
        clock_(sc_core::sc_gen_unique_name("replay"), topology_, machine, sc_core::sc_time(1, sc_core::SC_NS),
               ClockTrigger::caller) {
    clock_.step_together({.stalls = this});
    clock_.drive(*this);
  }

  /// Sends a message in cycle `now`, which has not been run.
  void send(const Packet& packet, Cycle now) {
    sent_.push_back(packet);
    clock_.tick_at(now);
  }
  [[nodiscard]] Cycle next_work() const { return clock_.next_work(); }
  /// Runs a cycle; returns what was delivered in it.
  const std::vector<Delivery>& run(Cycle now) {
    delivered_.clear();
    clock_.run_to(now);
    return delivered_;
  }

  void start(Transport& /*network*/) override {}
  [[nodiscard]] Cycle next_event() const override { return sent_.empty() ? kNever : 0; }
  void at(Transport& network, Cycle /*now*/) override {
    for (const Packet& packet : sent_) network.send(packet);
    sent_.clear();
  }
  void delivered(Transport& /*network*/, std::span<const Delivery> deliveries, Cycle /*now*/) override {
    delivered_.assign(deliveries.begin(), deliveries.end());
  }
  [[nodiscard]] bool finished() const override { return true; }

  void stalled(const FlitStall& stall) override {
    waits_.add(stall.message, {number_, stall.node, stall.port, stall.cause}, stall.cycles);
  }
  /// "no_credit at [1, 0]+0 of network 0".
  [[nodiscard]] std::string name_of_place(const WaitPlace& place) const {
    const std::string port = place.port < topology_.link_ports()
                                 ? topology_.channel_name(topology_.channel(place.node, place.port))
                                 : "the end at " + topology_.node_name(place.node);
    return fmt::format("{} at {} of network {}", name_of(*place.cause), port, number_);
  }

 private:
  std::uint32_t number_;
  Topology topology_;
  CallWaits& waits_;
  std::vector<Packet> sent_;
  std::vector<Delivery> delivered_;
  ClockDomain clock_;
};

/// The torus of the second network: axes exchanged.
Topology second(const Topology& grid) {
  return {grid.kind(), {grid.side(1), grid.side(0)}, grid.directions()};
}

/// Replays calls.
class Replay {
 public:
  Replay(const ExperimentConfig& config, const Recording& recording, bool of_calls)
      : recording_(recording),
        grid_(config.topology),
        waits_(packets_, of_calls),
        config_(completed(config)) {
    memories_.emplace(map_, grid_);
    memories_->on_wait([&](const MemoryRead& read, Cycle cycles) {
      waits_.add(read.tag, {read.network, read.node, 0, std::nullopt}, cycles);
    });
    for (std::size_t call = 0; call < recording.calls.size(); ++call) {
      const RecordedCall& each = recording.calls[call];
      for (std::uint64_t left = each.bytes; left > 0;) {
        const std::uint64_t bytes = std::min(left, RecordedSchedule::kPayload);
        packets_.push_back({call, bytes, each.processor.network});
        left -= bytes;
      }
    }
  }

  Json run() {
    ends_.resize(recording_.calls.size());
    std::size_t next = 0;
    std::size_t answered = 0;
    while (answered < packets_.size()) {
      Cycle now = memories_->next_event();
      if (next < packets_.size()) now = std::min(now, recording_.calls[packets_[next].call].cycle);
      for (const auto& network : networks_) now = std::min(now, network->next_work());
      if (now > config_.cycle_limit) {
        throw InputError(fmt::format("{}: {} of {} packets are not answered within {} cycles",
                                     recording_.file, packets_.size() - answered, packets_.size(),
                                     config_.cycle_limit));
      }
      for (; next < packets_.size() && recording_.calls[packets_[next].call].cycle <= now; ++next) {
        put(id_of(next, false), now);
      }
      memories_->serve(now);
      while (const auto read = memories_->take(now)) send(read->tag, now);
      for (const auto& network : networks_) {
        for (const Delivery& delivery : network->run(now)) {
          if (!is_reply(delivery.id)) {
            put(id_of(packet_of(delivery.id), true), now);
          } else {
            ends_[packets_[packet_of(delivery.id)].call] = now;
            ++answered;
          }
        }
      }
    }
    Json waits = Json::array();
    for (const auto& [key, cycles] : waits_.cycles()) {
      const WaitPlace& place = key.second;
      waits.push_back({key.first,
                       place.cause ? networks_[place.network]->name_of_place(place)
                                   : "memory of " + grid_.node_name(place.node),
                       cycles});
    }
    return {{"ends", ends_}, {"waits", std::move(waits)}};
  }

 private:
  /// Makes the networks and the map of their memories.
  ExperimentConfig completed(ExperimentConfig config) {
    std::uint32_t networks = 0;
    for (const RecordedCall& call : recording_.calls)
      networks = std::max(networks, call.processor.network + 1);
    const auto complete = [](ExperimentConfig& each) {
      each.workload = WorkloadConfig();
      ScheduleFacts facts(each.topology);
      if (each.routing) facts.routing = *each.routing;
      resolve_auto_settings(each, facts);
    };
    // Also refuses places that the torus does not have.
    for (std::uint32_t number = 0; number < networks; ++number) {
      ExperimentConfig own = config;
      if (number == 1 && grid_.dimensions() == 2) own.topology = second(grid_);
      complete(own);
      static_cast<void>(RecordedSchedule(recording_, own.topology, *own.routing, {.network = number}));
      networks_.push_back(std::make_unique<ReplayNetwork>(number, own.topology, own.machine, waits_));
    }
    complete(config);
    if (const auto map = memory_map(config)) map_ = *map;
    const auto request = class_number(config.machine, "request");
    const auto reply = class_number(config.machine, "reply");
    if (map_.own.empty() || map_.own[*reply].latency == 0 ||
        (!map_.shared_by.empty() && map_.shared[*reply].latency == 0)) {
      throw Inadmissible("memory",
                         "a replay needs a section memory with a latency of 1 cycle or more for replies");
    }
    request_ = *request;
    reply_ = *reply;
    return config;
  }

  [[nodiscard]] NodeId node_of(ChipPlace place) const { return place.x + grid_.side(0) * place.y; }

  [[nodiscard]] MemoryRead read_of(std::uint64_t id) const {
    const CallPacket& packet = packets_[packet_of(id)];
    const RecordedCall& call = recording_.calls[packet.call];
    const NodeId tile = node_of(call.processor.tile);
    const NodeId other = node_of(call.other);
    const bool has_data = call.reads == is_reply(id);
    const std::uint64_t bytes = RecordedSchedule::kHead + (has_data ? packet.bytes : 0);
    return {.node = is_reply(id) ? other : tile,
            .reader = is_reply(id) ? tile : other,
            .message_class = is_reply(id) ? reply_ : request_,
            .flits = static_cast<std::uint32_t>(flits_of(bytes, config_.machine.flit_bytes)),
            .tag = id,
            .network = packet.network};
  }
  void put(std::uint64_t id, Cycle now) { memories_->put(read_of(id), now); }

  void send(std::uint64_t id, Cycle now) {
    const MemoryRead read = read_of(id);
    const bool is_first = read.network == 0;
    const Topology topology = is_first ? grid_ : second(grid_);
    const auto at = [&](NodeId node) {
      if (is_first) return node;
      const std::uint32_t x = node % grid_.side(0);
      const std::uint32_t y = node / grid_.side(0);
      return static_cast<NodeId>(grid_.side(1) - 1 - y + grid_.side(1) * (grid_.side(0) - 1 - x));
    };
    Packet packet;
    packet.id = id;
    packet.source = at(read.node);
    packet.destination = at(read.reader);
    packet.route = shortest_route(topology, packet.source, packet.destination);
    packet.flits = read.flits;
    packet.step = 1;
    packet.message_class = read.message_class;
    networks_[read.network]->send(packet, now);
  }

  const Recording& recording_;
  Topology grid_;
  std::vector<CallPacket> packets_;
  CallWaits waits_;
  std::vector<std::unique_ptr<ReplayNetwork>> networks_;
  MemoryMap map_;
  std::uint32_t request_ = 0;
  std::uint32_t reply_ = 0;
  ExperimentConfig config_;
  std::optional<Memories> memories_;
  std::vector<Cycle> ends_;
};

}  // namespace

Json replay(const ExperimentConfig& config, const Recording& recording, bool of_calls) {
  try {
    return Replay(config, recording, of_calls).run();
  } catch (const Inadmissible& reason) {
    throw located(config, reason);
  }
}

}  // namespace flitscope
