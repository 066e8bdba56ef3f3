// What waveforms of links and of circuits have in common: what they show, the dump, signals of flits that
// pass.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/topology.h"
#include "sim/observe/observer.h"
#include "sim/observe/writers/vcd_writer.h"

namespace flitscope::waves_observer {

struct WaveScope {
  std::vector<NodeId> nodes;        ///< with all their ports
  std::vector<ChannelId> channels;  ///< the output port at one end, the input port at the other
  Cycle from = 0;
  std::optional<Cycle> to;  ///< the last cycle; nothing: no end

  [[nodiscard]] bool empty() const { return nodes.empty() && channels.empty(); }
  /// The nodes at which anything is shown, in rising order.
  [[nodiscard]] std::vector<NodeId> watched_nodes(const Topology& topology) const;
};

/// A dump with a save file for GTKWave beside it. Without a clock a cycle is drawn as 1 ns.
class WaveDump : public Observer {
 protected:
  using Signal = VcdWriter::Signal;
  /// The name of a message; both are 0 where there is none.
  struct MessageSignals {
    Signal step = 0, message = 0;
  };
  /// A flit that passes: its kind, message and number; all are 0 in cycles without one.
  struct Passing {
    Signal kind = 0;
    MessageSignals message;
    Signal flit = 0;
  };

  static constexpr unsigned kNumberBits = 32;  ///< of steps, messages, flits and nodes
  static constexpr unsigned kKindBits = 3;

  WaveDump(const std::filesystem::path& file, WaveScope scope, const std::optional<ClockPeriod>& clock)
      : scope_(std::move(scope)),
        file_(file),
        timescale_(clock ? "1 ps" : "1 ns"),
        time_per_cycle_(clock ? clock->whole_picoseconds() : 1),
        vcd_(file) {}

  /// Number of a kind of flit: nothing, head, body, tail, single.
  [[nodiscard]] static constexpr std::uint64_t flit_kind(bool head, bool tail) {
    if (head) return tail ? 4 : 1;
    return tail ? 3 : 2;
  }
  [[nodiscard]] MessageSignals declare_message(const std::string& prefix);
  void set_message(const MessageSignals& signals, std::optional<std::uint64_t> message);
  /// `prefix` precedes the names of all signals but the kind's.
  [[nodiscard]] Passing declare_passing(const std::string& kind, const std::string& prefix);
  /// All signals are declared, and have their values in the first cycle that is shown.
  void begin() { vcd_.begin(timescale_, time_of(scope_.from)); }
  void show(Cycle cycle) { vcd_.at(cycle * time_per_cycle_); }
  /// `kind` 0: no flit.
  void set_passing(const Passing& passing, std::uint64_t kind, std::optional<std::uint64_t> message,
                   std::uint64_t flit);
  /// The first cycle that is not shown of a run whose last cycle is `last`.
  [[nodiscard]] Cycle end_of(Cycle last) const { return std::min(last, scope_.to.value_or(last)) + 1; }
  /// Ends the dump; returns its save file with the words for kinds of flits. Throws OutputError.
  [[nodiscard]] GtkwaveSave close_dump(Cycle end);
  [[nodiscard]] std::uint64_t time_of(Cycle cycle) const { return cycle * time_per_cycle_; }

  WaveScope scope_;

 private:
  std::filesystem::path file_;
  const char* timescale_;
  std::uint64_t time_per_cycle_;

 protected:
  VcdWriter vcd_;
};

[[nodiscard]] std::unique_ptr<Observer> waves_on_links(const std::filesystem::path& file,
                                                       const WaveScope& scope, ObservedRun& run);
[[nodiscard]] std::unique_ptr<Observer> waves_on_circuits(const std::filesystem::path& file,
                                                          const WaveScope& scope, ObservedRun& run);

}  // namespace flitscope::waves_observer
