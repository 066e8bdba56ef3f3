#include "sim/observe/circuits/circuit_waves.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/schedule.h"
#include "sim/observe/flits/wave_words.h"
#include "sim/observe/writers/gtkwave_save.h"

namespace flitscope {

namespace {

constexpr unsigned kCircuitBits = 2;

}  // namespace

CircuitWaves::CircuitWaves(const std::filesystem::path& file, WaveScope scope, unsigned ports, Cycle startup,
                           std::optional<std::uint64_t> picoseconds)
    : file_(file),
      scope_(std::move(scope)),
      startup_(startup),
      time_per_cycle_(picoseconds.value_or(1)),
      vcd_(file) {
  vcd_.open_scope("flitscope");
  std::ranges::sort(scope_.nodes);
  for (const NodeId node : scope_.nodes) {
    if (!watched_.contains(node)) declare_node(node, ports);
  }
  vcd_.close_scope();
  vcd_.begin(picoseconds ? "1 ps" : "1 ns");
}

void CircuitWaves::declare_node(NodeId node, unsigned ports) {
  Watched& watched = watched_[node];
  vcd_.open_scope(fmt::format("node_{}", node));
  for (unsigned port = 0; port < ports; ++port) {
    watched.ports.push_back(tracks_.size());
    vcd_.open_scope(fmt::format("port_{}", port));
    Track& track = tracks_.emplace_back();
    track.name = fmt::format("node {} port {}", node, port);
    track.is_port = true;
    track.circuit = vcd_.declare("circuit", kCircuitBits);
    track.peer = vcd_.declare("target", kNumberBits);
    declare_flit(track, "sent");
    vcd_.close_scope();
  }
  for (unsigned slot = 0; slot < ports; ++slot) {
    watched.arrivals.push_back(tracks_.size());
    vcd_.open_scope(fmt::format("arriving_{}", slot));
    Track& track = tracks_.emplace_back();
    track.name = fmt::format("node {} arriving {}", node, slot);
    track.peer = vcd_.declare("source", kNumberBits);
    declare_flit(track, "received");
    vcd_.close_scope();
  }
  vcd_.close_scope();
}

void CircuitWaves::declare_flit(Track& track, const std::string& name) {
  track.kind = vcd_.declare(name, kKindBits);
  track.step = vcd_.declare("step", kNumberBits);
  track.message = vcd_.declare("message", kNumberBits);
  track.flit = vcd_.declare("flit", kNumberBits);
}

// --- What happens ------------------------------------------------------------------------------------------

void CircuitWaves::connected(NodeId node, const std::vector<CircuitPort>& ports) {
  const auto& watched = watched_.at(node);
  for (std::size_t port = 0; port < ports.size(); ++port) {
    if (ports[port].state(0) == CircuitPortState::dark) continue;
    Track& track = start(tracks_[watched.ports[port]], 0);
    track.state = CircuitPortState::connected;
    track.partner = ports[port].target();
  }
}

void CircuitWaves::tuned(const Circuit& circuit, Cycle begin, Cycle ready) {
  const auto watched = watched_.find(circuit.node);
  if (watched == watched_.end()) return;
  Track& track = start(tracks_[watched->second.ports[circuit.port]], begin);
  track.state = CircuitPortState::tuning;
  track.partner = circuit.target;
  track.until = ready;
}

void CircuitWaves::sent(const Transmission& transmission) {
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

/// The track does something else from cycle `now` on: what it did before is drawn.
CircuitWaves::Track& CircuitWaves::start(Track& track, Cycle now) {
  show_until(now);
  if (!std::exchange(track.changing, true)) changing_.push_back(&track);
  return track;
}

// --- How it is drawn ---------------------------------------------------------------------------------------

/// Draws all cycles before `end` that are wanted.
void CircuitWaves::show_until(Cycle end) {
  shown_ = std::max(shown_, std::min(scope_.from, end));
  while (shown_ < end && shown_ <= scope_.to.value_or(end)) {
    vcd_.at(shown_ * time_per_cycle_);
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

Cycle CircuitWaves::draw(const Track& track, Cycle cycle) {
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
  vcd_.set(track.kind, moves ? flit_kind(flit == 0, flit + 1 == track.transmission.flits) : 0);
  vcd_.set(track.step, carries ? message_name(track.transmission.id).step : 0);
  vcd_.set(track.message, carries ? message_name(track.transmission.id).place : 0);
  vcd_.set(track.flit, flit);
  if (!busy) return kNever;
  if (!carries) return track.until;
  return moves ? cycle + 1 : first_flit;
}

// --- The end -----------------------------------------------------------------------------------------------

void CircuitWaves::close(Cycle last) {
  const Cycle end = std::min(last, scope_.to.value_or(last)) + 1;
  show_until(end);
  vcd_.close(end * time_per_cycle_);
  GtkwaveSave save(file_);
  std::vector<std::string> states;
  for (unsigned state = 0; state < kCircuitPortStates; ++state) {
    states.emplace_back(name_of(static_cast<CircuitPortState>(state)));
  }
  save.define("circuit", kCircuitBits, states);
  save.define("kind", kKindBits, kFlitKindWords);
  for (const Track& track : tracks_) {
    save.begin_group(track.name);
    for (Signal signal = track.is_port ? track.circuit : track.peer; signal <= track.flit; ++signal) {
      save.add(vcd_.name(signal));
    }
    save.end_group();
  }
  save.write(end * time_per_cycle_);
}

}  // namespace flitscope
