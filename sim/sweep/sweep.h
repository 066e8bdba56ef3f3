// A sweep: the runs of a configuration with a section `sweep:`.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/config/config.h"
#include "sim/config/config_source.h"
#include "sim/formats/strict_json.h"
#include "sim/sweep/sweep_plan.h"

namespace flitscope {

/// Digits of a run's id.
inline constexpr std::size_t kRunIdDigits = 12;

/// One run of a sweep. Its configuration is made when it is needed (Sweep::config).
struct SweepRun {
  /// Position in the cross product, from 0, exclusions included.
  std::uint64_t point = 0;
  /// From 1.
  unsigned repeat = 1;
  /// Twelve digits by the configuration (see id_of), then "-2" for the second repeat and so on.
  std::string id;
};

/// The swept keys, axis by axis; those of an axis move together.
using SweptAxes = std::vector<std::vector<std::string>>;

/// A schedule file and the network that runs read it for.
struct SweptSchedule {
  std::filesystem::path file;
  std::optional<std::string> digest;  ///< see WorkloadConfig
  TopologyKind kind = TopologyKind::torus;
  /// Of a graph, or of a torus or mesh of which something is missing; otherwise empty.
  std::string graph_digest;
  /// Of a configuration with `networks`, which decide where paths begin; otherwise empty.
  std::vector<std::uint32_t> sides{};
  std::vector<PhysicalNetwork> networks{};
  std::vector<MessageClass> classes{};
  auto operator<=>(const SweptSchedule&) const = default;
};
[[nodiscard]] SweptSchedule swept_schedule(const ExperimentConfig& config);
/// Schedule files, each with its network if that has a graph, of which a file has no more than the digest, or
/// is one of several, of which a file says nothing.
using SweptSchedules = std::map<SweptSchedule, std::optional<Topology>>;

/// The parts of "A,B,..": commas within brackets, and of a part in quotes, belong to a part.
[[nodiscard]] std::vector<std::string> parts_between_commas(const std::string& text);

/// A key of batch_sections() on the command line, which overrides the file.
struct BatchOption {
  const BatchSection& section;
  const BatchKey& key;
  std::string value;

  /// "run-time", "slurm-at-once".
  [[nodiscard]] static std::string name_of(const BatchSection& section, const Key& key);
};

class Sweep {
 public:
  using Reading = std::function<void(std::uint64_t read, std::uint64_t points)>;

  /// Reads every configuration of the cross product. Throws an InputError that names all diagnostics of the
  /// file, the overrides and the options, each with its place: those of the sweep, those of any
  /// run, and two runs that are the same. `on_progress` is called with the number of points of the cross
  /// product that have been read, and of all.
  explicit Sweep(const std::filesystem::path& file, std::span<const std::string> overrides = {},
                 std::span<const BatchOption> options = {}, const Reading& on_progress = {});

  /// In the order of the cross product, each with its repeats behind one another; at least one.
  [[nodiscard]] const std::vector<SweepRun>& runs() const { return runs_; }
  [[nodiscard]] ExperimentConfig config(const SweepRun& run) const;

  /// The first columns of a run's row: "id", "number" (from 1), "replica" if there are
  /// replicas, "repeat" if there are any, "name", and every swept key with its value.
  [[nodiscard]] Json labels(std::size_t index) const;
  /// Labels for messages: "workload.message = 64, node.ports = 1".
  [[nodiscard]] std::string text_of(std::size_t index) const;
  /// The keys, axis by axis, in the order of the file; "replica" and "repeat" are among them.
  [[nodiscard]] SweptAxes swept() const;

  /// The schedule files of all runs, each once.
  [[nodiscard]] const SweptSchedules& schedule_files() const { return schedule_files_; }
  [[nodiscard]] const BatchSettings& settings() const { return plan_.settings; }
  /// Points of the cross product that are excluded.
  [[nodiscard]] std::uint64_t excluded() const { return excluded_; }
  /// Places of exclusions that excluded nothing.
  [[nodiscard]] const std::vector<SourceLocation>& idle_exclusions() const { return idle_exclusions_; }

 private:
  [[nodiscard]] std::uint64_t points() const;
  [[nodiscard]] std::vector<const Choice*> choices_of(std::uint64_t point) const;
  [[nodiscard]] ConfigSource source_of(std::uint64_t point, Diagnostics& diagnostics) const;
  void refuse_swept(std::span<const std::string> overrides, Diagnostics& diagnostics) const;
  void find_runs(Diagnostics& diagnostics, const Reading& on_progress);
  void reject_duplicates(Diagnostics& diagnostics) const;

  ConfigSource base_;
  SweepPlan plan_;
  std::vector<SweepRun> runs_;
  SweptSchedules schedule_files_;
  std::uint64_t excluded_ = 0;
  std::vector<SourceLocation> idle_exclusions_;
};

/// Makes every run's schedule up to its first step and checks that its machine can be built and can carry
/// that step, in `workers` processes. A schedule file is read once, for all runs that play it. `on_progress`
/// is called with the number of runs that have been checked. Throws an InputError with a line for each kind
/// of mistake: its place, the mistake, and its runs.
void check_runs(const Sweep& sweep, unsigned workers, const std::function<void(std::size_t)>& on_progress);

}  // namespace flitscope
