// Measurements for the claims of Afsahi and Dimopoulos. N nodes, k ports, d units of tuning; all times
// in units of t_m.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/afsahi/closed_forms.h"
#include "algorithms/algorithm.h"
#include "sim/claims/claim.h"

namespace flitscope::claims::afsahi {

using flitscope::afsahi::ceil_div;
using flitscope::afsahi::informed;
using flitscope::afsahi::power;

extern const Claims broadcast_claims, generation_claims, broadcast_table_claims, exchange_claims;
extern const Figures broadcast_figures, exchange_figures;

/// A complete network.
struct Size {
  std::uint64_t nodes = 2;
  std::uint64_t k = 1;
  std::uint64_t d = 0;
};

/// "N = 41, k = 2, d = 1"
[[nodiscard]] std::string name_of(const Size& size);

/// ceil(log_{k+1} N).
[[nodiscard]] inline std::uint64_t log_of(const Size& size) {
  return ceil_log(size.k + 1, size.nodes);
}

/// All sizes of N = 2..last, k = 1..last_k, d = 0, 1, 3, 10; by k, d and then N.
[[nodiscard]] Sizes<Size> sizes(std::uint64_t last, std::uint64_t last_k = 4);
/// Sizes where N is a power of k+1, up to `most` nodes.
[[nodiscard]] Sizes<Size> power_sizes(std::uint64_t most, std::uint64_t first_k = 1,
                                      std::uint64_t last_k = 4);

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

/// The measurement of a claim that an algorithm takes `claimed` units. In `parameters` {} is log_{k+1} N.
[[nodiscard]] Measure takes(Sizes<Size> (*sizes)(Extent), std::uint64_t (*claimed)(const Size&),
                            const std::string& algorithm, const std::string& parameters = "");

/// A message of a broadcast: it is the source's set number q (from 0, of k messages each).
struct Informed {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  std::uint64_t arrival = 0;
  std::uint64_t set = 0;
};
/// The messages of a warm broadcast by afsahi-b4 from node 0, in order of time.
[[nodiscard]] std::vector<Informed> latency_hiding_broadcast(const Size& size);

}  // namespace flitscope::claims::afsahi
