// What is known of a run before it: the same configuration, run once before, gives the same run.
#pragma once

#include <vector>

#include "model/types.h"

namespace flitscope {

/// What a first run found. A list is empty if there is nothing of what it names.
struct ProfileRun {
  std::vector<NodeId> dependency_cycle;  ///< nodes of a deadlock's dependency cycle
  std::vector<NodeId> busiest_node;      ///< the one that sends most flits
  std::vector<ChannelId> busiest_link;   ///< the one that moves most flits
  std::vector<ChannelId> awaited_link;   ///< the one that flits wait for longest
};

}  // namespace flitscope
