// The latencies of a run, out of its messages.csv.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace flitscope {

/// {"from", "width", "counts", "messages", "terms": [{"name", "cycles", "slowest_cycles"}], "slowest"}: a
/// histogram with bins of `width` cycles, and how many cycles of all latencies each term has; of the slowest
/// hundredth of the messages, too, which are `slowest` many. Terms add up to the latencies. Null if there
/// were no messages.
[[nodiscard]] nlohmann::ordered_json latency_data(const std::filesystem::path& messages_csv);

}  // namespace flitscope
