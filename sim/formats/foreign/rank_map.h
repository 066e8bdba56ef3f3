// Which node a rank is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/topology.h"
#include "sim/formats/foreign/format.h"
#include "sim/formats/foreign/rank_program.h"

namespace flitscope {

/// "identity", "snake", "search", or nodes by number, "3,1,0,2". Throws InputError for anything else.
[[nodiscard]] RankMap read_rank_map(const std::string& text);

/// Bytes between two ranks.
struct RankTraffic {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint64_t bytes = 0;
};

/// The nodes of ranks 0, 1, ...; `file` is the file with so many ranks. The search lowers the sum of bytes
/// times links travelled and gives the same every time. Throws InputError if there are more ranks than nodes,
/// or if a list has another number of nodes, one that does not exist, or one twice.
[[nodiscard]] std::vector<NodeId> map_ranks(const ImportOptions& options, const std::string& file,
                                            std::uint32_t ranks, std::span<const RankTraffic> traffic);

/// The same for a complete program.
[[nodiscard]] std::vector<NodeId> map_ranks(const ImportOptions& options, const std::string& file,
                                            const RankProgram& program);

}  // namespace flitscope
