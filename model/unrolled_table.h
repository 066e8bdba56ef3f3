// A routing table, played in steps: how long it takes, what nodes have to keep, and the schedule it comes to.
#pragma once

#include <cstdint>
#include <memory>

#include "model/routing_table.h"
#include "model/schedule.h"

namespace flitscope {

/// Plays the table in steps until every node holds every chunk, and enters what that took: facts.steps,
/// facts.messages, and the packets each link sends in these steps. Throws std::logic_error if `most_steps`
/// steps do not suffice: then the table is wrong.
void complete_table(RoutingTable& table, std::uint64_t most_steps);

/// The most packets that a node has to keep at the end of a step because a link of it may still relay them:
/// the memory it needs for relaying. What lists send is taken from the data that it has anyway.
[[nodiscard]] std::uint64_t most_kept(const RoutingTable& table);

/// The schedule that a complete table unrolls to: in each step every link sends the packet that is next by
/// its rules, if the node has it since the step before. One step's memory, and what relays keep.
[[nodiscard]] std::unique_ptr<Schedule> unroll(RoutingTable table);

}  // namespace flitscope
