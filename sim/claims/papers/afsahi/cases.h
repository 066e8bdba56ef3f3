// Measurements for the claims of Afsahi and Dimopoulos. N nodes, k ports, d units of tuning; all times
// in units of t_m.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/claims/claim.h"

namespace flitscope::claims::afsahi {

/// A complete network.
struct Size {
  std::uint64_t nodes = 2;
  std::uint64_t k = 1;
  std::uint64_t d = 0;
};

/// "N = 41, k = 2, d = 1"
[[nodiscard]] std::string name_of(const Size& size);

/// All sizes of N = 2..last, k = 1..4, d = 0, 1, 3, 10; by k, d and then N.
[[nodiscard]] std::vector<Size> sizes(std::uint64_t last);
/// Sizes where N is a power of k+1, up to `most` nodes.
[[nodiscard]] std::vector<Size> power_sizes(std::uint64_t most);

/// The time of an algorithm by the schedule checker. `parameters` is YAML: "start: warm, repeat: 2". Throws
/// std::runtime_error if the schedule is not legal.
[[nodiscard]] std::uint64_t checked_time(const Size& size, const std::string& algorithm,
                                         const std::string& parameters = "");
/// Whether the schedule is legal at all.
[[nodiscard]] bool is_legal(const Size& size, const std::string& algorithm, const std::string& parameters);
/// The time on flits, one flit a chunk. Throws std::runtime_error unless the run is verified.
[[nodiscard]] double time_on_flits(const Size& size, const std::string& algorithm,
                                   const std::string& parameters = "");
/// Likewise the time of the longest message, with a preparation of `startup` cycles.
[[nodiscard]] double longest_message(const Size& size, const std::string& algorithm, std::uint64_t startup);

/// A message of a broadcast: it is the source's set number q (from 0, of k messages each).
struct Informed {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  std::uint64_t arrival = 0;
  std::uint64_t set = 0;
};
/// The messages of a warm broadcast by afsahi-b4 from node 0, in order of time.
[[nodiscard]] std::vector<Informed> latency_hiding_broadcast(const Size& size);

/// "Little loss" for dummy nodes: at most so many per cent more time.
inline constexpr std::uint64_t kLittleLoss = 10;

// broadcast_claims.cpp
[[nodiscard]] Finding b1_time(Extent extent);
[[nodiscard]] Finding b2_time(Extent extent);
[[nodiscard]] Finding b3_time(Extent extent);
[[nodiscard]] Finding figure_2_delay(Extent extent);
[[nodiscard]] Finding figure_2_sets(Extent extent);
[[nodiscard]] Finding reach_while_tuning(Extent extent);
[[nodiscard]] Finding multi_broadcast(Extent extent);
[[nodiscard]] Finding faster_broadcast(Extent extent);

// analysis_claims.cpp
[[nodiscard]] Finding recurrence(Extent extent);
[[nodiscard]] Finding generation_depth(Extent extent);
[[nodiscard]] Finding generation_sizes(Extent extent);
[[nodiscard]] Finding last_generation(Extent extent);
[[nodiscard]] Finding equation_1(Extent extent);
[[nodiscard]] Finding equation_2(Extent extent);

// table_claims.cpp
[[nodiscard]] Finding table_1(Extent extent);
[[nodiscard]] Finding table_2(Extent extent);
[[nodiscard]] Finding table_3(Extent extent);
[[nodiscard]] Finding table_4(Extent extent);
[[nodiscard]] Finding table_5(Extent extent);
[[nodiscard]] std::vector<std::vector<std::string>> broadcast_times(Extent extent);
[[nodiscard]] std::vector<std::vector<std::string>> exchange_times(Extent extent);

// exchange_claims.cpp
[[nodiscard]] Finding message_time(Extent extent);
[[nodiscard]] Finding s1_one_port(Extent extent);
[[nodiscard]] Finding s1_time(Extent extent);
[[nodiscard]] Finding s2_one_port(Extent extent);
[[nodiscard]] Finding s2_time(Extent extent);
[[nodiscard]] Finding scatter_hiding(Extent extent);
[[nodiscard]] Finding g1_time(Extent extent);
[[nodiscard]] Finding g2_one_port(Extent extent);
[[nodiscard]] Finding g2_time(Extent extent);
[[nodiscard]] Finding te1_one_port(Extent extent);
[[nodiscard]] Finding te1_time(Extent extent);
[[nodiscard]] Finding te2_time(Extent extent);
[[nodiscard]] Finding te3_time(Extent extent);
[[nodiscard]] Finding te3_example(Extent extent);
[[nodiscard]] Finding te3_ends(Extent extent);
[[nodiscard]] Finding conjecture(Extent extent);
[[nodiscard]] Finding best_i(Extent extent);
[[nodiscard]] Finding dummy_nodes(Extent extent);
[[nodiscard]] Finding conjecture_with_dummy_nodes(Extent extent);

}  // namespace flitscope::claims::afsahi
