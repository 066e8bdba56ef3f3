// The measurements behind the ledger of Afsahi and Dimopoulos' claims; what each measures stands in
// ledger.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/claims/claim.h"

namespace flitscope::claims::afsahi {

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
