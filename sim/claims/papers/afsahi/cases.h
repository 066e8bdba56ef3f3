// What the claims of Afsahi and Dimopoulos are measured with. N nodes, k ports, d units of tuning; all times
// in units of t_m.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/claims/evidence.h"

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
/// Those where N is a power of k+1, up to `most` nodes.
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

}  // namespace flitscope::claims::afsahi
