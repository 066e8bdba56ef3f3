// The cases with which the claims of Chen, Chiang and Chen are measured.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "model/schedule.h"
#include "sim/claims/claim.h"
#include "sim/config/config.h"

namespace flitscope::claims::chen_multinode {

extern const Claims partition_claims;     // Section 2
extern const Claims aggregation_claims;   // Section 3.2.1, Lemma 2
extern const Claims tuning_claims;        // Section 3.2.2, Lemma 3
extern const Claims distribution_claims;  // Section 3.3, Lemma 4
extern const Claims analysis_claims;      // Sections 1 and 4.1
extern const Claims simulation_claims;    // Section 4.2
extern const Figures figures;             // Figures 7 and 8, and the same on flits

/// A torus of n^3 nodes and a divisor h of n.
struct Size {
  int n = 0;
  int h = 0;

  [[nodiscard]] int blocks() const { return n / h; }
  [[nodiscard]] std::uint64_t nodes() const { return std::uint64_t{1} * n * n * n; }
  /// ceil(log_7) of n, of h and of R = n/h.
  [[nodiscard]] std::uint64_t log_n() const { return ceil_log(7, n); }
  [[nodiscard]] std::uint64_t log_h() const { return ceil_log(7, h); }
  [[nodiscard]] std::uint64_t log_blocks() const { return ceil_log(7, blocks()); }
  bool operator==(const Size&) const = default;
};

[[nodiscard]] std::string name_of(Size size);
/// These, by rising n, named "n = 3: h = 1, 3; n = 4: h = 1, 2".
[[nodiscard]] Sizes<Size> named(std::vector<Size> list);
/// All sizes with n = least .. most: "n = 3..9, every h that divides n".
[[nodiscard]] Sizes<Size> sizes_between(int least, int most);
/// n = 3..9, in full 3..16, with every divisor.
[[nodiscard]] Sizes<Size> phase_sizes(Extent extent);

/// A run of the algorithm: `sources` nodes drawn with seed 1, words of one byte (the paper's unit), `more`
/// parameters such as ", prefix: vector".
[[nodiscard]] ExperimentConfig multinode(Size size, std::uint64_t sources, const std::string& algorithm,
                                         const std::string& more = "");

/// A schedule by the paper's cost model: a step costs T_s + L T_c, L the bytes of its longest message.
class Volume {
 public:
  explicit Volume(const ExperimentConfig& config);

  [[nodiscard]] std::uint64_t steps() const { return steps_.size(); }
  /// With messages of m bytes; every step has its start-up, also one without messages.
  [[nodiscard]] std::uint64_t time(std::uint64_t startup, std::uint64_t per_byte, std::uint64_t m) const;
  /// Cycles on flits of a byte, with synchronous steps, as long as no message waits for another: a step takes
  /// startup + L - 1 and two cycles for each router on the path, of the message for which that is most
  /// (router and link delay 1); a step without messages takes none.
  [[nodiscard]] std::uint64_t cycles_with_barrier(std::uint64_t startup, std::uint64_t m) const;
  /// The sum of the longest data messages of all steps, in units of one source's message.
  [[nodiscard]] std::uint64_t units() const { return part(1, steps()).units; }

  /// The same of one stage, or of all stages up to or from one. A stage the schedule does not have counts as
  /// none.
  struct Part {
    std::uint64_t steps = 0;
    std::uint64_t units = 0;
    std::uint64_t most_units = 0;  ///< of one step
  };
  [[nodiscard]] Part stage(const std::string& name) const;
  /// Aggregation phase: aggregate, prefix sums and tune. Distribution phase: the rest.
  [[nodiscard]] Part aggregation_phase() const { return part(1, last_of_aggregation()); }
  [[nodiscard]] Part distribution_phase() const { return part(last_of_aggregation() + 1, steps()); }

 private:
  struct Longest {
    std::uint64_t units = 0;
    std::uint64_t control_bytes = 0;

    [[nodiscard]] std::uint64_t bytes(std::uint64_t m) const { return units * m + control_bytes; }
    void add(const Longest& other) {
      units = std::max(units, other.units);
      control_bytes = std::max(control_bytes, other.control_bytes);
    }
  };
  struct OfStep {
    Longest of_all;
    std::map<std::uint32_t, Longest> by_links;
  };
  [[nodiscard]] Part part(std::uint64_t first, std::uint64_t last) const;
  [[nodiscard]] std::uint64_t last_of_aggregation() const;

  ScheduleFacts facts_;
  std::vector<OfStep> steps_;
};

/// The volume of chen-multinode.
[[nodiscard]] Volume broadcast(Size size, std::uint64_t sources);

/// (7^b - 1) / 6, b = ceil(log_7 h): the units of data of the aggregation by Lemma 2.
[[nodiscard]] std::uint64_t lemma_2_units(int h);

/// The measurement of a lemma that says how many start-ups a phase takes at most.
[[nodiscard]] Measure phase_startups(std::uint64_t (*claimed)(int n, int h),
                                     Volume::Part (Volume::*phase)() const);

}  // namespace flitscope::claims::chen_multinode
