// What all measurements of Chen, Chiang and Chen share: sizes, experiments, and the paper's cost model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/schedule.h"
#include "sim/config/config.h"

namespace flitscope::claims::chen_multinode {

/// A torus of n^3 nodes and a divisor h of n.
struct Size {
  int n = 0;
  int h = 0;

  [[nodiscard]] int blocks() const { return n / h; }
  bool operator==(const Size&) const = default;
};

[[nodiscard]] std::string size_of(Size size);
/// "n = 3: h = 1, 3; n = 4: h = 1, 2", or "n = 3..9, every h that divides n"; sizes by rising n.
[[nodiscard]] std::string sizes_of(const std::vector<Size>& sizes);
/// All sizes with n = least .. most and every divisor h.
[[nodiscard]] std::vector<Size> sizes_between(int least, int most);

/// A run of the algorithm: `sources` nodes drawn with seed 1, words of one byte (the paper's unit), `more`
/// parameters such as ", prefix: vector".
[[nodiscard]] ExperimentConfig multinode(Size size, std::uint64_t sources, const std::string& algorithm,
                                         const std::string& more = "");

/// The number of all nodes.
[[nodiscard]] std::uint64_t nodes_of(Size size);

/// A schedule by the paper's cost model: a step costs T_s + L T_c, L the bytes of its longest message.
class Volume {
 public:
  explicit Volume(const ExperimentConfig& config);

  [[nodiscard]] const ScheduleFacts& facts() const { return facts_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_.size(); }
  /// With messages of m bytes; every step has its start-up, also one without messages.
  [[nodiscard]] std::uint64_t time(std::uint64_t startup, std::uint64_t per_byte, std::uint64_t m) const;
  /// Cycles on flits of a byte, with synchronous steps, as long as no message waits for another: a step takes
  /// startup + L - 1 and two cycles for each router on the way, of the message for which that is most
  /// (router and link delay 1); a step without messages takes none.
  [[nodiscard]] std::uint64_t cycles_with_barrier(std::uint64_t startup, std::uint64_t m) const;
  /// The sum of the longest data messages of all steps, in units of one source's message.
  [[nodiscard]] std::uint64_t units() const;

  /// The same of one stage, or of all stages up to or from one. A stage the schedule does not have counts as
  /// none.
  struct Part {
    std::uint64_t steps = 0;
    std::uint64_t units = 0;
    std::uint64_t most_units = 0;  ///< of one step
  };
  [[nodiscard]] Part stage(const std::string& name) const;
  /// Aggregation phase: aggregate, prefix sums and tune. Distribution phase: the rest.
  [[nodiscard]] Part aggregation_phase() const;
  [[nodiscard]] Part distribution_phase() const;

 private:
  struct Longest {
    std::uint64_t units = 0;
    std::uint64_t control_bytes = 0;

    [[nodiscard]] std::uint64_t bytes(std::uint64_t m) const { return units * m + control_bytes; }
    void add(const Longest& other);
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

}  // namespace flitscope::claims::chen_multinode
