// The cases with which the claims of Chen, Chiang and Chen are measured.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/schedule.h"
#include "sim/claims/claim.h"
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

inline constexpr std::uint64_t kStartup = 30;
inline constexpr std::uint64_t kPerByte = 1;

/// Sources from 1 % of the nodes to all of them, and lengths of a source's message in bytes.
[[nodiscard]] std::vector<std::uint64_t> source_counts(int n);
[[nodiscard]] std::vector<std::uint64_t> lengths();

/// "n = 14, s = 27, m = 1"
[[nodiscard]] std::string point(int n, std::uint64_t sources, std::uint64_t m);

/// An algorithm with its parameters, and how its steps are filled.
struct Contender {
  std::string algorithm;
  Size size;
  std::string more;
  Volume volume;

  Contender(std::string name, Size on, std::uint64_t sources, std::string parameters);

  /// By the cost model, with messages of m bytes.
  [[nodiscard]] std::uint64_t time(std::uint64_t m) const { return volume.time(kStartup, kPerByte, m); }
  /// On flits, see Volume.
  [[nodiscard]] std::uint64_t cycles_with_barrier(std::uint64_t m) const {
    return volume.cycles_with_barrier(kStartup, m);
  }
  /// "h = 7", "batch = 4"
  [[nodiscard]] std::string choice() const;
};

using Contenders = std::vector<Contender>;

/// Cost by which contenders are compared, for messages of m bytes.
using Cost = std::uint64_t (Contender::*)(std::uint64_t m) const;

/// An aggregation algorithm with every h >= 2 that divides n.
[[nodiscard]] Contenders with_divisors(const std::string& algorithm, int n, std::uint64_t sources);

/// The trees found by search, pipelined, in batches of 1, 4, 16, ..
[[nodiscard]] Contenders trees(int n, std::uint64_t sources);

[[nodiscard]] const Contender& best(const Contenders& all, std::uint64_t m, Cost cost = &Contender::time);

/// 3 floor(n/2) (T_s + ceil(s/6) m T_c), the trees as Section 4.1 counts them: no gather, no pipelining.
[[nodiscard]] std::uint64_t trees_formula(int n, std::uint64_t sources, std::uint64_t m);

/// chen-multinode, chen-multinode-fast and the trees on one torus with the same sources.
class Families {
 public:
  Families(int n, std::uint64_t sources);

  /// In this order.
  [[nodiscard]] const std::vector<Contenders>& all() const { return families_; }
  /// The best of each by the model.
  [[nodiscard]] std::vector<const Contender*> finalists(std::uint64_t m) const;

 private:
  std::vector<Contenders> families_;
};

/// Cycles on flits of one byte. Throws std::runtime_error if the run is not verified.
[[nodiscard]] std::uint64_t cycles_on_flits(const Contender& contender, std::uint64_t sources,
                                            std::uint64_t m, Advance advance);

/// Calls visit(sources, m, families) for all numbers of sources and all lengths.
template <typename Visit>
void for_each_point(int n, const Visit& visit) {
  for (const std::uint64_t sources : source_counts(n)) {
    const Families families(n, sources);
    for (const std::uint64_t m : lengths()) visit(sources, m, families);
  }
}

/// n = 3..9, in full 3..16, with every divisor.
[[nodiscard]] std::vector<Size> phase_sizes(Extent extent);

/// (7^b - 1) / 6, b = ceil(log_7 h): the units of data of the aggregation by Lemma 2.
[[nodiscard]] std::uint64_t lemma_2_units(int h);

/// A lemma that says how many start-ups a phase takes at most.
[[nodiscard]] Finding phase_startups(Extent extent, std::uint64_t (*claimed)(int n, int h),
                                     Volume::Part (Volume::*phase)() const);

[[nodiscard]] std::vector<Claim> partition_claims();     ///< Section 2
[[nodiscard]] std::vector<Claim> aggregation_claims();   ///< Section 3.2.1, Lemma 2
[[nodiscard]] std::vector<Claim> tuning_claims();        ///< Section 3.2.2, Lemma 3
[[nodiscard]] std::vector<Claim> distribution_claims();  ///< Section 3.3, Lemma 4
[[nodiscard]] std::vector<Claim> analysis_claims();      ///< Sections 1 and 4.1
[[nodiscard]] std::vector<Claim> simulation_claims();    ///< Section 4.2
[[nodiscard]] std::vector<Figure> figures();             ///< Figures 7 and 8, and the same on flits

}  // namespace flitscope::claims::chen_multinode
