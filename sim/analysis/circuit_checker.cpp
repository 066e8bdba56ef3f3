#include "sim/analysis/circuit_checker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>

namespace flitscope {
namespace {

struct PortState {
  NodeId target = kNoNode;
  std::uint64_t ready = 0;  ///< when its tuning ends
  std::uint64_t free = 0;   ///< when its last message has left
};

/// A message in flight.
struct Flight {
  std::uint64_t end = 0;
  std::uint64_t step = 0;
  std::uint64_t place = 0;
  NodeId source = 0;
  NodeId destination = 0;
  /// The chunks that arrive; none if the message is impossible.
  std::vector<ChunkId> chunks;
};

class CircuitChecker {
 public:
  explicit CircuitChecker(CircuitSchedule& schedule)
      : schedule_(schedule),
        facts_(schedule.facts()),
        topology_(facts_.topology),
        log_(report_),
        chunks_(facts_.collective, topology_, log_, "by now; it must have received what it sends") {}

  CircuitReport run() {
    check_chunk_sizes();
    check_stages(facts_, log_);
    if (!chunks_.start(Possession::kMemoryLimit)) return std::move(report_);
    for (const Circuit& circuit : facts_.circuits) {
      if (exists(circuit)) port(circuit).target = circuit.target;
    }
    check_events();
    land_until(kNever);
    check_totals();
    check_bounds(report_.units, "unit", facts_.claimed_units, facts_.lower_bound_units, log_);
    if (facts_.claimed_units) report_.claim_kept = report_.units <= *facts_.claimed_units;
    report_.redundant_deliveries = chunks_.possession().redundant();
    return std::move(report_);
  }

 private:
  void check_chunk_sizes() {
    const auto& bytes = facts_.collective.chunk_bytes;
    const auto other =
        std::ranges::find_if(bytes, [&](std::uint64_t size) { return size != bytes[0] || size == 0; });
    if (other == bytes.end()) return;
    log_.violate(ViolationKind::collective,
                 "chunk {} has {} bytes; all chunks must have the same size, above 0", other - bytes.begin(),
                 *other);
  }

  void check_events() {
    CircuitEvent event;
    std::optional<std::uint64_t> last;
    while (schedule_.next(event)) {
      now_ = event.time();
      log_.time = now_;
      if (last && now_ <= *last) {
        log_.violate(ViolationKind::order, "is not later than {}; times must rise", *last);
        break;
      }
      last = now_;
      land_until(now_);
      for (const Circuit& circuit : event.tunings()) check_tuning(circuit);
      if (!event.messages().empty()) log_.step = ++report_.steps;
      for (const CircuitMessage& message : event.messages()) {
        ++log_.message;
        check_message(event, message);
      }
      log_.step = log_.message = 0;
      report_.tunings += event.tunings().size();
      report_.messages += event.messages().size();
    }
    log_.time.reset();
  }

  [[nodiscard]] bool exists(const Circuit& circuit) {
    for (const NodeId node : {circuit.node, circuit.target}) {
      if (node < topology_.nodes()) continue;
      log_.violate(ViolationKind::no_such_node, "node {} does not exist; the {} has nodes 0 to {}", node,
                   topology_.name(), topology_.nodes() - 1);
      return false;
    }
    if (circuit.port >= facts_.send_ports) {
      log_.violate(ViolationKind::no_such_port, "node {} has no port {}; ports are 0 to {}", circuit.node,
                   circuit.port, facts_.send_ports - 1);
      return false;
    }
    if (circuit.node == circuit.target) {
      log_.violate(ViolationKind::self_message,
                   "port {} of node {} leads to the node itself; it must lead to another", circuit.port,
                   circuit.node);
      return false;
    }
    return true;
  }

  PortState& port(const Circuit& circuit) {
    return ports_[std::uint64_t{circuit.node} * facts_.send_ports + circuit.port];
  }

  /// Why the port is busy now; empty if it is free.
  [[nodiscard]] std::string busy(const PortState& state) const {
    if (state.ready > now_)
      return fmt::format("is being tuned to node {} until {}", state.target, state.ready);
    if (state.free > now_) return fmt::format("sends until {}", state.free);
    return "";
  }

  void check_tuning(const Circuit& circuit) {
    if (!exists(circuit)) return;
    PortState& state = port(circuit);
    if (const std::string why = busy(state); !why.empty()) {
      log_.violate(ViolationKind::port_busy, "port {} of node {} cannot be tuned to node {}: it {}",
                   circuit.port, circuit.node, circuit.target, why);
      return;
    }
    state.target = circuit.target;
    state.ready = now_ + facts_.reconfiguration;
  }

  void check_message(const CircuitEvent& event, const CircuitMessage& message) {
    const Circuit& circuit = message.circuit;
    if (!exists(circuit)) return;
    const auto chunks = event.chunks(message);
    const bool carried = check_payload(circuit, chunks);
    PortState& state = port(circuit);
    const bool connected = check_circuit(circuit, state);
    if (!connected || chunks.empty()) return;
    const std::uint64_t end = now_ + chunks.size();
    state.free = end;
    check_arrivals(circuit);
    report_.chunks_sent += chunks.size();
    report_.longest_message = std::max<std::uint64_t>(report_.longest_message, chunks.size());
    Flight flight{end, log_.step, log_.message, circuit.node, circuit.target, {}};
    if (carried) flight.chunks.assign(chunks.begin(), chunks.end());
    flights_.push(std::move(flight));
  }

  [[nodiscard]] bool check_circuit(const Circuit& circuit, const PortState& state) {
    if (state.free > now_) {
      log_.violate(ViolationKind::port_busy, "{}: port {} {}", names(circuit), circuit.port, busy(state));
      return false;
    }
    if (state.target == circuit.target && state.ready <= now_) return true;
    log_.violate(ViolationKind::no_circuit, "{}: port {} {}; it must be tuned to node {} by now",
                 names(circuit), circuit.port,
                 state.target == kNoNode ? "was never tuned"
                 : state.ready > now_    ? busy(state)
                                         : fmt::format("leads to node {}", state.target),
                 circuit.target);
    return false;
  }

  void check_arrivals(const Circuit& circuit) {
    const std::uint32_t arriving = ++arriving_[circuit.target];
    report_.max_arrivals = std::max(report_.max_arrivals, arriving);
    if (arriving <= facts_.receive_ports) return;
    std::vector<std::string> others;
    for (auto rest = flights_; !rest.empty(); rest.pop()) {
      const Flight& flight = rest.top();
      if (flight.destination != circuit.target) continue;
      others.push_back(
          fmt::format("step {}, message {} from node {}", flight.step, flight.place, flight.source));
    }
    log_.violate(ViolationKind::receive_ports,
                 "{}: it is message {} that arrives at node {} at the same time, which may receive {}; the "
                 "others are {}",
                 names(circuit), arriving, circuit.target, facts_.receive_ports, fmt::join(others, ", "));
  }

  /// True if the sender can send what the message carries.
  [[nodiscard]] bool check_payload(const Circuit& circuit, std::span<const ChunkId> chunks) {
    if (chunks.empty()) {
      log_.violate(ViolationKind::empty_message, "{}: carries nothing; it must carry a chunk",
                   names(circuit));
    }
    return chunks_.check_payload(circuit.node, circuit.target, chunks);
  }

  /// Ends all messages that have arrived by `time`.
  void land_until(std::uint64_t time) {
    while (!flights_.empty() && flights_.top().end <= time) {
      const Flight& flight = flights_.top();
      for (const ChunkId chunk : flight.chunks) chunks_.possession().add(flight.destination, chunk);
      --arriving_[flight.destination];
      report_.units = std::max(report_.units, flight.end);
      flights_.pop();
    }
  }

  void check_totals() {
    const auto announced = [&](ViolationKind kind, const char* what, std::uint64_t expected,
                               std::uint64_t actual) {
      if (expected == actual) return;
      log_.violate(kind, "the schedule has {} {}, but announces {}", actual, what, expected);
    };
    announced(ViolationKind::steps, "steps", facts_.steps, report_.steps);
    announced(ViolationKind::messages, "messages", facts_.messages, report_.messages);
    announced(ViolationKind::messages, "tunings", facts_.tunings, report_.tunings);
    chunks_.check_goal();
  }

  [[nodiscard]] std::string names(const Circuit& circuit) const {
    return ends_text(topology_, circuit.node, circuit.target);
  }

  struct Later {
    bool operator()(const Flight& a, const Flight& b) const { return a.end > b.end; }
  };

  CircuitSchedule& schedule_;
  const CircuitFacts& facts_;
  const Topology& topology_;
  CircuitReport report_;
  ViolationLog log_;
  ChunkChecker chunks_;
  // Of those that are used: a file of few lines may announce any number.
  std::unordered_map<std::uint64_t, PortState> ports_;
  std::unordered_map<NodeId, std::uint32_t> arriving_;  ///< messages that arrive at each node at present
  std::priority_queue<Flight, std::vector<Flight>, Later> flights_;
  std::uint64_t now_ = 0;
};

}  // namespace

CircuitReport check_events(CircuitSchedule& schedule) {
  return CircuitChecker(schedule).run();
}

}  // namespace flitscope
