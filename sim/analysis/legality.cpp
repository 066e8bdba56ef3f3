#include "sim/analysis/legality.h"

#include <fmt/ranges.h>

#include "model/error.h"
#include "routers/routing/routing.h"

namespace flitscope {

void check_stages(const ScheduleFacts& facts, ViolationLog& log) {
  std::uint64_t taken = 0;
  for (const Stage& stage : facts.stages) {
    const std::uint64_t first = stage.first_step;
    const std::uint64_t last = stage.last_step;
    if (stage.name.empty())
      log.violate(ViolationKind::stages, "the stage of steps {} to {} has no name", first, last);
    if (first < 1 || last < first || last > facts.steps) {
      log.violate(
          ViolationKind::stages,
          "stage \"{}\" has steps {} to {}; they must lie within 1 to {}, the last not before the first",
          stage.name, first, last, facts.steps);
    } else if (first <= taken) {
      log.violate(ViolationKind::stages,
                  "stage \"{}\" starts in step {}, but the stage before it lasts until step {}; stages "
                  "must follow one another",
                  stage.name, first, taken);
    }
    taken = std::max(taken, last);
  }
}

void check_bounds(std::uint64_t actual, const char* unit, const std::optional<std::uint64_t>& claimed,
                  const std::optional<std::uint64_t>& lower_bound, ViolationLog& log) {
  if (lower_bound && *lower_bound > actual) {
    log.violate(ViolationKind::bounds,
                "the schedule takes {}, but announces that none can take fewer than {}",
                counted(actual, unit), *lower_bound);
  }
  if (claimed && lower_bound && *claimed < *lower_bound) {
    log.violate(ViolationKind::bounds,
                "the schedule claims {}, but announces that none can take fewer than {}",
                counted(*claimed, unit), *lower_bound);
  } else if (claimed && *claimed == 0 && actual > 0) {
    log.violate(ViolationKind::bounds, "the schedule takes {}, but claims 0", counted(actual, unit));
  }
}

void check_facts(const ScheduleFacts& facts, ViolationLog& log) {
  if (RoutingRegistry::find(facts.routing) == nullptr) {
    log.violate(ViolationKind::routing, "no routing function is called \"{}\"; there are: {}", facts.routing,
                fmt::join(texts_of(RoutingRegistry::all(), &Routing::name), ", "));
  }
  check_stages(facts, log);
}

std::string ends_text(const Topology& topology, NodeId source, NodeId destination) {
  return fmt::format("{} -> {}", topology.node_name(source), topology.node_name(destination));
}

bool ChunkChecker::start(std::uint64_t limit, std::uint64_t set_limit) {
  try {
    possession_.emplace(collective_, topology_, limit);
    if (collective_.combines()) operands_.emplace(collective_, topology_, set_limit);
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

bool ChunkChecker::check_reduced(NodeId source, NodeId destination, std::span<const ChunkId> reduced) {
  for (const ChunkId chunk : reduced) {
    if (operands_ && operands_->combines(chunk)) continue;
    log_.violate(ViolationKind::not_combined, "{}: reduces chunk {}, which no node contributes to",
                 ends_text(topology_, source, destination), chunk);
    return false;
  }
  return true;
}

void ChunkChecker::finish_step(const Step& step) {
  if (!operands_) return;
  operands_->finish_step(step, [&](const OperandFault& fault) {
    const Message& message = step.messages()[fault.message];
    const std::string ends = ends_text(topology_, message.source, message.destination);
    const std::string whose =
        fault.operand ? fmt::format("the operand of {}", topology_.node_name(*fault.operand)) : "an operand";
    log_.message = fault.message + 1;
    if (fault.kind == OperandFault::Kind::counted_twice) {
      log_.violate(ViolationKind::counted_twice,
                   "{}: counts {} twice in chunk {}; {} has it already, and an operand counts once", ends,
                   whose, fault.chunk, topology_.node_name(message.destination));
    } else {
      log_.violate(ViolationKind::unfinished,
                   "{}: carries chunk {} without {}, which had not arrived at {} when the step started; an "
                   "unfinished value may not replace what {} has",
                   ends, fault.chunk, whose, topology_.node_name(message.source),
                   topology_.node_name(message.destination));
    }
    log_.message = 0;
  });
}

void ChunkChecker::check_goal() {
  check_presence();
  if (!operands_) return;
  const auto unfinished = operands_->unfinished(collective_);
  if (!unfinished || !possession_->holds(unfinished->node, unfinished->chunk)) return;
  const std::string others =
      unfinished->count == 1 ? ""
                             : fmt::format(" (and {} more values are not finished)", unfinished->count - 1);
  if (const auto operand = operands_->missing_operand(unfinished->node, unfinished->chunk)) {
    log_.violate(ViolationKind::goal, "at the end chunk {} at {} lacks the operand of {}{}",
                 unfinished->chunk, topology_.node_name(unfinished->node), topology_.node_name(*operand),
                 others);
  } else {
    log_.violate(
        ViolationKind::goal,
        "at the end chunk {} at {} does not have every operand once; one is missing or counted twice{}",
        unfinished->chunk, topology_.node_name(unfinished->node), others);
  }
}

void ChunkChecker::check_presence() {
  const auto missing = possession_->first_missing(collective_);
  if (!missing) return;
  const std::uint64_t others = possession_->missing(collective_) - 1;
  log_.violate(ViolationKind::goal, "at the end {} does not hold chunk {}{}; the goal wants it there",
               topology_.node_name(missing->node), missing->chunk,
               others == 0 ? "" : fmt::format(" (and {} more chunks are missing)", others));
}

}  // namespace flitscope
