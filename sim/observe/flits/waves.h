// Waveforms of chosen routers and channels.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "routers/engine/flit_observer.h"
#include "sim/network/clock_domain.h"
#include "sim/observe/deadlock/deadlock.h"
#include "sim/observe/flits/wave_scope.h"
#include "sim/observe/writers/vcd_writer.h"

namespace flitscope {

class GtkwaveSave;

/// What a front flit's buffer is doing.
enum class VcState : std::uint8_t {
  idle,     ///< nothing here, and no message under way through it
  routing,  ///< a head is here that has not spent the delays of link and router
  waiting,  ///< a head has asked for an output VC and has none
  active,   ///< the message holds an output VC
};

/// Looks at the chosen routers after every cycle in which anything happened.
///
/// A value at cycle t is the state at the end of cycle t; `blocked`, `sent` and `put` are about cycle t
/// itself. Stalls must be observed, by whomever. docs/seeing.md lists the signals. The rest of the network
/// keeps its speed.
class Waves final : public FlitObserver {
 public:
  /// `picoseconds`: length of a cycle; without it a cycle is drawn as 1 ns. Throws OutputError.
  Waves(const std::filesystem::path& file, WaveScope scope, const ClockDomain& clock,
        std::optional<std::uint64_t> picoseconds);

  /// Cycle `now` is over.
  void sample(Cycle now);
  void injected(Cycle now, NodeId node, unsigned channel, std::uint64_t message, std::uint32_t index,
                bool tail) override;
  void moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message, std::uint32_t index,
             bool tail) override;

  /// The run is over after cycle `last`. Writes waves.gtkw and its translate files beside the dump. Throws
  /// OutputError.
  void close(Cycle last, const std::optional<Deadlock>& deadlock);

 private:
  using Signal = VcdWriter::Signal;
  /// Flits as they pass by: set for one cycle.
  struct Passing {
    Signal kind, step, message, flit;
  };
  struct Input {
    unsigned vc = 0;
    Signal state, kind, step, message, flit, occupancy, wants, blocked, culprit_step, culprit_message;
  };
  struct Output {
    unsigned port = 0;
    unsigned vc = 0;  ///< of the port
    Passing sent;
    Signal held, holder_step, holder_message, credits;
    std::vector<Cycle> returning;  ///< cycles after the last sample in which a slot becomes usable
    std::uint64_t usable = 0;
  };
  struct Injection {
    unsigned channel = 0;
    Passing put;
  };
  struct Group {
    std::string name;  ///< of a port, as it is shown: "in +0 VC 1"
    Signal first, end;
  };
  struct Watched {
    NodeId node = 0;
    std::string name;
    std::vector<Input> inputs;
    std::vector<Output> outputs;
    std::vector<Injection> injections;
    Signal stalled, buffered;
    std::vector<Group> groups;
  };
  struct Pulse {
    Passing passing;
    std::uint64_t kind, step, message, flit;
  };

  void declare_node(NodeId node, bool whole);
  void declare_input(Watched& watched, unsigned port);
  void declare_output(Watched& watched, unsigned port);
  [[nodiscard]] std::string node_channel(unsigned port, unsigned vc) const;
  void declare_injection(Watched& watched, unsigned channel);
  [[nodiscard]] Passing declare_passing(const std::string& prefix);
  void catch_up(Cycle now);
  void sample_input(const Watched& watched, const Input& input, Cycle now);
  void sample_output(const Watched& watched, Output& output, Cycle now);
  void add_pulse(const Passing& passing, std::uint64_t message, std::uint32_t index, bool tail);
  void show(Cycle cycle) { vcd_.at(cycle * time_per_cycle_); }
  void write_save_file(Cycle end, const std::optional<Deadlock>& deadlock) const;
  void add_cycle(GtkwaveSave& save, const Deadlock& deadlock) const;

  std::filesystem::path file_;
  WaveScope scope_;
  const ClockDomain& clock_;
  const RouterPool& routers_;
  const Topology& topology_;
  std::uint64_t time_per_cycle_ = 1;
  VcdWriter vcd_;
  std::vector<Watched> watched_;
  std::vector<Pulse> pulses_;  ///< of the present cycle
  std::vector<Pulse> shown_;   ///< of the cycle sampled last; to be taken back
  std::optional<Cycle> sampled_;
  std::optional<Cycle> first_stall_;
  unsigned blocked_now_ = 0;
  std::uint64_t buffered_now_ = 0;
};

}  // namespace flitscope
