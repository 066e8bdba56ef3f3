// Our results beside those of BookSim2, point by point.
#pragma once

#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "model/units.h"
#include "sim/studies/load_curve.h"

namespace flitscope {

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

  /// Of all but the load.
  [[nodiscard]] std::string machine() const;
};

/// Reads CSV with a header that names at least topology, k, n, vcs, buffer_flits, message_flits, traffic,
/// offered_flits_per_node_cycle, packet_latency_mean_cycles and accepted_flits_per_node_cycle. `file` is its
/// name in messages. Throws InputError ("file:line: ..").
[[nodiscard]] std::vector<ReferencePoint> read_reference(std::istream& in, const std::string& file);

/// What was asked of a point, and whether it holds.
enum class Judgement : std::uint8_t { agrees, outside, not_judged };

struct ComparedPoint {
  ReferencePoint reference;
  LoadPoint ours;
  /// Ours, the constant at the ends included, against the reference, in parts of it; nothing if either has
  /// none.
  std::optional<double> latency_difference;
  std::optional<double> accepted_difference;
  Judgement verdict = Judgement::not_judged;
};

struct Agreement {
  /// Cycles that a message spends at the ends beyond our pipeline.
  double ends = 2;
  double latency_tolerance = 0.03;
  double accepted_tolerance = 0.05;
  /// The latency is judged up to this part of the highest rate that the reference accepts, the accepted rate
  /// from there on.
  double judged_below = 0.8;
};

/// Runs the points on the machine that `file` describes, changed as they say and by `settings`. `told` is
/// called when a machine's points are done.
[[nodiscard]] std::vector<ComparedPoint> compare(const std::string& file,
                                                 const std::vector<std::string>& settings,
                                                 const std::vector<ReferencePoint>& points,
                                                 const Agreement& agreement, unsigned workers,
                                                 const std::function<void(const std::string&)>& told);

/// Tables, one a machine, in Markdown.
[[nodiscard]] std::string agreement_markdown(const std::vector<ComparedPoint>& points,
                                             const Agreement& agreement);

}  // namespace flitscope
