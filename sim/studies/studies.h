// The studies: what many runs together say about a network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/schedule.h"
#include "model/units.h"
#include "sim/config/config.h"
#include "sim/report/run_directory.h"
#include "sim/studies/study.h"

namespace flitscope {

// flitscope load

struct LoadPlan {
  /// The loads to run, flits per node and cycle. Empty: chosen, finer near saturation, which is then
  /// searched; for a background nine, up to 0.9 times what no router can exceed.
  std::vector<Decimal> loads = {};
  /// The name of the class whose load is varied while the others keep theirs. Nothing: loads are those of all
  /// classes together, in the proportions that the configuration gives them.
  std::optional<std::string> varied = {};
};

/// Latency against the load of the traffic.
struct LoadCurve {
  /// A record a point, by rising load, as `load --json` prints it; what only the text needs is under "print".
  std::vector<nlohmann::ordered_json> points = {};
  /// The highest load below which no point is saturated; nothing if none is saturated at all, or the lowest
  /// is.
  std::optional<double> saturation = {};
  /// Of a message that is alone: by the closed form, or else the mean of the point with the lowest load.
  std::optional<double> zero_load_latency = {};
  /// What no router can exceed.
  std::optional<double> ideal_saturation = {};
  /// As in the plan.
  std::optional<std::string> varied = {};
};

/// The traffic's own load does not matter. Throws what run_experiment throws for a configuration that does
/// not fit, and std::runtime_error if a run fails.
[[nodiscard]] LoadCurve run_load_curve(const ExperimentConfig& config, const LoadPlan& plan,
                                       const StudyRuns& how);
/// Text, JSON, CSV and SVG: mean and 99% latency of the points that are not saturated, and the mean of each
/// class.
[[nodiscard]] StudyReport load_report(const ExperimentConfig& config, const LoadCurve& curve);

/// The time of a schedule against the load of the traffic beside it: text, JSON, CSV and SVG. The first point
/// has no such traffic. A point ends with the status `limit` when the schedule takes more than 20 times its
/// time alone: behind a source queue that grows without end it never completes. Throws what run_load_curve
/// throws.
[[nodiscard]] StudyReport slowdown_study(const ExperimentConfig& config, const LoadPlan& plan,
                                         const StudyRuns& how);

/// Throughput and round trips of a closed loop against the requests that a node has open, which are the loads
/// of the plan: text, JSON, CSV and SVG. Throws what run_load_curve throws.
[[nodiscard]] StudyReport outstanding_study(const ExperimentConfig& config, const LoadPlan& plan,
                                            const StudyRuns& how);

/// Writes config.yaml, and NAME.json, NAME.csv and NAME.svg of a report.
void write_study(const RunDirectory& directory, const ExperimentConfig& config, const char* name,
                 const StudyReport& report);
/// True if `directory` holds a load curve: a load.json.
[[nodiscard]] bool is_load_directory(const std::filesystem::path& directory);
/// {"kind": "load", "curve": load.json, "config": config.yaml} for the report. Throws InputError.
[[nodiscard]] nlohmann::ordered_json load_page_data(const std::filesystem::path& directory);

/// The same of the curve of a closed loop, an outstanding.json.
[[nodiscard]] bool is_outstanding_directory(const std::filesystem::path& directory);
[[nodiscard]] nlohmann::ordered_json outstanding_page_data(const std::filesystem::path& directory);

// flitscope compare

/// Runs every algorithm of a collective, with each of its choices, on the machine of a configuration, changed
/// by `settings`, whose own workload does not count: text, JSON, CSV and Markdown. `only`: the names of those
/// that take part; all if it is empty. If how.keep_going ends it, the report has what is done, and names the
/// rest. Throws InputError if none fits, or none has one of these names.
[[nodiscard]] StudyReport comparison_study(const std::string& collective, const std::filesystem::path& config,
                                           std::span<const std::string> settings,
                                           std::span<const std::uint64_t> messages,
                                           std::span<const std::string> only, const StudyRuns& how);
/// The collectives that can be compared.
[[nodiscard]] const std::vector<std::string>& compared_collectives();

/// The least that any algorithm without reduction in routers puts on the busiest link, in bytes.
[[nodiscard]] double least_link_bytes(const std::string& collective, const Topology& topology,
                                      std::uint64_t message);
/// Cycles of a schedule with barriers if no message ever waits for another one; nothing if links or a node's
/// channels are shared in some step, so that there is no such form.
[[nodiscard]] std::optional<Cycle> closed_form(Schedule& schedule, const MachineConfig& machine);

// flitscope what-if

/// Runs a configuration, changed by `settings`, as it is, and with one change at a time: a virtual channel
/// more and less, buffers twice and half as deep, shorter delays and startup, more ports, wider flits, the
/// other way of advancing; then searches the least buffer that keeps the time. Text, JSON and CSV. Throws
/// InputError if the run as it is is not admissible.
[[nodiscard]] StudyReport what_if_study(const std::filesystem::path& config,
                                        std::span<const std::string> settings, const StudyRuns& how);

// flitscope validate

/// A result of BookSim2: a row of the reference file.
struct ReferencePoint {
  std::string topology;
  std::uint32_t side = 0;
  unsigned dimensions = 0;
  unsigned virtual_channels = 0;
  std::uint32_t buffer = 0;
  std::uint32_t flits = 0;
  std::string traffic;
  Decimal offered;
  /// Nothing of these where BookSim2 found the network unstable.
  std::optional<double> latency;
  std::optional<double> accepted;

  /// All but the load: "8x8 torus, 4 VCs of 8 flits, 1-flit messages, uniform".
  [[nodiscard]] std::string machine() const;
};

/// Reads CSV with a header that names at least topology, k, n, vcs, buffer_flits, message_flits, traffic,
/// offered_flits_per_node_cycle, packet_latency_mean_cycles and accepted_flits_per_node_cycle. `file` is its
/// name in messages. Throws InputError ("file:line: ..").
[[nodiscard]] std::vector<ReferencePoint> read_reference(std::istream& in, const std::string& file);

/// Runs the points on the machine that `config` describes, changed as they say and by `settings`: a Markdown
/// table a machine. The latency is judged up to 0.8 of the highest rate that the reference accepts, or at all
/// points of a machine if none is near saturation, and agrees within 3% if 2 cycles are added for the ends;
/// from there on the accepted rate is, within 5%.
[[nodiscard]] StudyReport validation_study(const std::string& config, std::span<const std::string> settings,
                                           std::span<const ReferencePoint> points, const StudyRuns& how);

/// Whether a file, compressed by gzip or not, has packets of RTL: their times, or a traffic table. Throws
/// InputError.
[[nodiscard]] bool is_rtl_data(const std::string& file);

/// Runs the packets of traffic tables (CSV: cycle, src, dst, bytes) on the machine of `config`, changed by
/// `settings`, whose workload must be traffic and does not count, and compares them with those of RTL (CSV:
/// table, packet, wait, head, tail_span; docs/rtl.md): the share of packets whose head is put and whose head
/// and tail arrive in the same cycles, and the first that differs, as Markdown. A table that is not among
/// `files` is looked for beside the times, and in the folder `traffic` there. Throws InputError.
[[nodiscard]] StudyReport rtl_study(const std::string& config, std::span<const std::string> settings,
                                    std::span<const std::string> files, const StudyRuns& how);

}  // namespace flitscope
