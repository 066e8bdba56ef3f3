// Waveforms of chosen nodes of a complete network.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "routers/circuits/circuit_network.h"
#include "routers/circuits/circuit_node.h"
#include "sim/observe/observers/waves.h"

namespace flitscope::waves_observer {

namespace {

constexpr unsigned kCircuitBits = 2;

/// Draws what the ports of the chosen nodes do, and what arrives at them, flit by flit: on a circuit flit i
/// of a message moves in cycle begin + startup + i. A value at cycle t is about cycle t. docs/seeing.md lists
/// the signals. Work follows what changes at the chosen nodes.
class CircuitWaves final : public WaveDump, public CircuitObserver {
 public:
  CircuitWaves(const std::filesystem::path& file, const WaveScope& scope, ObservedRun& run)
      : WaveDump(file, scope, run.clock), startup_(run.machine.startup) {
    vcd_.open_scope("flitscope");
    std::ranges::sort(scope_.nodes);
    for (const NodeId node : scope_.nodes) {
      if (!watched_.contains(node)) declare_node(node, *run.machine.ports);
    }
    vcd_.close_scope();
    begin();
    for (const auto& [node, watched] : watched_) connect(watched, run.circuits().node(node).ports());
    run.on_circuits(*this);
  }

  void tuned(const Circuit& circuit, Cycle begin, Cycle ready) override {
    const auto watched = watched_.find(circuit.node);
    if (watched == watched_.end()) return;
    Track& track = start(tracks_[watched->second.ports[circuit.port]], begin);
    track.state = CircuitPortState::tuning;
    track.partner = circuit.target;
    track.until = ready;
  }
  void sent(const Transmission& transmission) override {
    const auto fill = [&](Track& track, NodeId partner) {
      track.state = CircuitPortState::sending;
      track.partner = partner;
      track.until = transmission.end;
      track.transmission = transmission;
    };
    if (const auto source = watched_.find(transmission.source); source != watched_.end()) {
      fill(start(tracks_[source->second.ports[transmission.port]], transmission.begin),
           transmission.destination);
    }
    if (const auto target = watched_.find(transmission.destination); target != watched_.end()) {
      const unsigned slot = target->second.slots.take(transmission.begin, transmission.end);
      fill(start(tracks_[target->second.arrivals[slot]], transmission.begin), transmission.source);
    }
  }

  void close(const RunEnd& run) override {
    const Cycle end = end_of(run.last);
    show_until(end);
    GtkwaveSave save = close_dump(end);
    std::vector<std::string> states;
    for (unsigned state = 0; state < kCircuitPortStates; ++state) {
      states.emplace_back(name_of(static_cast<CircuitPortState>(state)));
    }
    save.define("circuit", kCircuitBits, states);
    for (const Track& track : tracks_) {
      save.begin_group(track.name);
      for (Signal signal = track.is_port ? track.circuit : track.peer; signal <= track.passing.flit;
           ++signal) {
        save.add(vcd_.name(signal));
      }
      save.end_group();
    }
    save.write(time_of(end));
  }

 private:
  /// A port, or a place for a message that arrives: what is drawn, and what it does.
  struct Track {
    std::string name;  ///< as it is shown: "node 5 port 0"
    bool is_port = false;
    Signal circuit = 0;  ///< of a port
    Signal peer = 0;     ///< the node at the other end
    Passing passing;
    CircuitPortState state = CircuitPortState::dark;  ///< of an arrival: sending, until it ends
    NodeId partner = 0;
    Cycle until = 0;            ///< when tuning, sending or arriving ends
    Transmission transmission;  ///< the last one
    bool changing = false;
  };
  /// Places in tracks_.
  struct Watched {
    std::vector<std::size_t> ports;
    std::vector<std::size_t> arrivals;
    ReceptionSlots slots;
  };

  // --- What is shown ---

  void declare_node(NodeId node, unsigned ports) {
    Watched& watched = watched_[node];
    vcd_.open_scope(fmt::format("node_{}", node));
    for (unsigned port = 0; port < ports; ++port) {
      watched.ports.push_back(tracks_.size());
      declare_track(fmt::format("port_{}", port), fmt::format("node {} port {}", node, port), true);
    }
    for (unsigned slot = 0; slot < ports; ++slot) {
      watched.arrivals.push_back(tracks_.size());
      declare_track(fmt::format("arriving_{}", slot), fmt::format("node {} arriving {}", node, slot), false);
    }
    vcd_.close_scope();
  }
  void declare_track(const std::string& scope, std::string name, bool is_port) {
    Track& track = tracks_.emplace_back();
    track.name = std::move(name);
    track.is_port = is_port;
    vcd_.open_scope(scope);
    if (is_port) track.circuit = vcd_.declare("circuit", kCircuitBits);
    track.peer = vcd_.declare(is_port ? "target" : "source", kNumberBits);
    track.passing = declare_passing(is_port ? "sent" : "received", "");
    vcd_.close_scope();
  }
  /// Before the run: what a node's ports are in cycle 0.
  void connect(const Watched& watched, const std::vector<CircuitPort>& ports) {
    for (std::size_t port = 0; port < ports.size(); ++port) {
      if (ports[port].state(0) == CircuitPortState::dark) continue;
      Track& track = start(tracks_[watched.ports[port]], 0);
      track.state = CircuitPortState::connected;
      track.partner = ports[port].target();
    }
  }

  // --- How it is drawn ---

  /// The track does something else from cycle `now` on: what it did before is drawn.
  Track& start(Track& track, Cycle now) {
    show_until(now);
    if (!std::exchange(track.changing, true)) changing_.push_back(&track);
    return track;
  }
  /// Draws all cycles before `end` that are wanted.
  void show_until(Cycle end) {
    shown_ = std::max(shown_, std::min(scope_.from, end));
    while (shown_ < end && shown_ <= scope_.to.value_or(end)) {
      show(shown_);
      Cycle next = end;
      for (Track* const track : changing_) {
        const Cycle change = draw(*track, shown_);
        track->changing = change != kNever;
        next = std::min(next, change);
      }
      std::erase_if(changing_, [](const Track* track) { return !track->changing; });
      shown_ = next;
    }
  }
  /// Sets the signals of a track to what they are in a cycle; returns the next cycle in which they change by
  /// themselves, or kNever.
  Cycle draw(const Track& track, Cycle cycle) {
    const bool busy = cycle < track.until;
    const bool carries = busy && track.state == CircuitPortState::sending;
    const Cycle first_flit = track.transmission.begin + startup_;
    const bool moves = carries && cycle >= first_flit;
    const std::uint64_t flit = moves ? cycle - first_flit : 0;
    if (track.is_port) {
      const bool holds = !busy && track.state != CircuitPortState::dark;
      const CircuitPortState state = holds ? CircuitPortState::connected : track.state;
      vcd_.set(track.circuit, static_cast<std::uint64_t>(state));
    }
    vcd_.set(track.peer, track.is_port || busy ? track.partner : 0);
    set_passing(track.passing, moves ? flit_kind(flit == 0, flit + 1 == track.transmission.flits) : 0,
                carries ? std::optional(track.transmission.id) : std::nullopt, flit);
    if (!busy) return kNever;
    if (!carries) return track.until;
    return moves ? cycle + 1 : first_flit;
  }

  Cycle startup_;
  std::unordered_map<NodeId, Watched> watched_;
  std::vector<Track> tracks_;
  std::vector<Track*> changing_;  ///< that are not yet drawn as they stay
  Cycle shown_ = 0;               ///< cycles before this one are drawn
};

}  // namespace

std::unique_ptr<Observer> waves_on_circuits(const std::filesystem::path& file, const WaveScope& scope,
                                            ObservedRun& run) {
  return std::make_unique<CircuitWaves>(file, scope, run);
}

}  // namespace flitscope::waves_observer
