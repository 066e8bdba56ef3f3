#include "sim/analysis/chunk_checker.h"

#include <fmt/format.h>

#include "model/chunk_list.h"
#include "model/error.h"

namespace flitscope {

std::string ends_text(const Topology& topology, NodeId source, NodeId destination) {
  return fmt::format("{} -> {}", topology.node_name(source), topology.node_name(destination));
}

bool ChunkChecker::start(std::uint64_t limit) {
  try {
    possession_.emplace(collective_, topology_.nodes(), limit);
    return true;
  } catch (const ScheduleError& error) {
    log_.violate(ViolationKind::collective, "{}", error.what());
    return false;
  }
}

bool ChunkChecker::check_payload(NodeId source, NodeId destination, std::span<const ChunkId> chunks) {
  std::uint64_t lacking = 0;
  ChunkId example = 0;
  for (const ChunkId chunk : chunks) {
    if (chunk >= possession_->chunks()) {
      log_.violate(ViolationKind::no_such_chunk,
                   "{}: carries chunk {}, which does not exist; the collective has {}, numbered from 0",
                   ends_text(topology_, source, destination), chunk, possession_->chunks());
      return false;
    }
    if (!possession_->holds(source, chunk) && lacking++ == 0) example = chunk;
  }
  if (const auto again = first_repeated(chunks)) {
    log_.violate(ViolationKind::repeated_chunk, "{}: carries chunk {} twice; a message carries a chunk once",
                 ends_text(topology_, source, destination), chunks[*again]);
  }
  if (lacking == 0) return true;
  log_.violate(ViolationKind::not_held, "{}: {} does not hold chunk {}{} {}",
               ends_text(topology_, source, destination), topology_.node_name(source), example,
               lacking == 1 ? "" : fmt::format(" (and {} more)", lacking - 1), when_);
  return false;
}

void ChunkChecker::check_goal() {
  const auto missing = possession_->first_missing(collective_);
  if (!missing) return;
  const std::uint64_t others = possession_->missing(collective_) - 1;
  log_.violate(ViolationKind::goal, "at the end {} does not hold chunk {}{}; the goal wants it there",
               topology_.node_name(missing->node), missing->chunk,
               others == 0 ? "" : fmt::format(" (and {} more chunks are missing)", others));
}

}  // namespace flitscope
