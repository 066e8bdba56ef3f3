// Waveforms of chosen nodes of a complete network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "routers/circuits/circuit_network.h"
#include "routers/circuits/circuit_node.h"
#include "sim/observe/flits/reception_slots.h"
#include "sim/observe/flits/wave_scope.h"
#include "sim/observe/writers/vcd_writer.h"

namespace flitscope {

/// Draws what the ports of the chosen nodes do, and what arrives at them, flit by flit: on a circuit flit i
/// of a message moves in cycle begin + startup + i. A value at cycle t is about cycle t. docs/seeing.md lists
/// the signals. Work follows what changes at the chosen nodes.
class CircuitWaves final : public CircuitObserver {
 public:
  /// `picoseconds`: length of a cycle; without it a cycle is drawn as 1 ns. Throws OutputError.
  CircuitWaves(const std::filesystem::path& file, WaveScope scope, unsigned ports, Cycle startup,
               std::optional<std::uint64_t> picoseconds);

  /// Before the run: what a node's ports are in cycle 0.
  void connected(NodeId node, const std::vector<CircuitPort>& ports);
  void tuned(const Circuit& circuit, Cycle begin, Cycle ready) override;
  void sent(const Transmission& transmission) override;

  /// The run is over after cycle `last`. Writes waves.gtkw and its translate files beside the dump. Throws
  /// OutputError.
  void close(Cycle last);

 private:
  using Signal = VcdWriter::Signal;
  /// A port, or a place for a message that arrives: what is drawn, and what it does.
  struct Track {
    std::string name;  ///< as it is shown: "node 5 port 0"
    bool is_port = false;
    Signal circuit = 0;                                ///< of a port
    Signal peer = 0;                                   ///< the node at the other end
    Signal kind = 0, step = 0, message = 0, flit = 0;  ///< what passes
    CircuitPortState state = CircuitPortState::dark;   ///< of an arrival: sending, until it ends
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

  void declare_node(NodeId node, unsigned ports);
  void declare_flit(Track& track, const std::string& name);
  Track& start(Track& track, Cycle now);
  void show_until(Cycle end);
  /// Sets the signals of a track to what they are in a cycle; returns the next cycle in which they change by
  /// themselves, or kNever.
  Cycle draw(const Track& track, Cycle cycle);

  std::filesystem::path file_;
  WaveScope scope_;
  Cycle startup_;
  std::uint64_t time_per_cycle_ = 1;
  VcdWriter vcd_;
  std::unordered_map<NodeId, Watched> watched_;
  std::vector<Track> tracks_;
  std::vector<Track*> changing_;  ///< that are not yet drawn as they stay
  Cycle shown_ = 0;               ///< cycles before this one are drawn
};

}  // namespace flitscope
