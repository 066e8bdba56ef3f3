#include "model/machine.h"

namespace flitscope {

unsigned node_channels(const Topology& topology, const MachineConfig& machine) {
  return machine.ports.value_or(topology.link_ports());
}

const char* name_of(Switching switching) {
  switch (switching) {
    case Switching::wormhole:
      return "wormhole";
    case Switching::virtual_cut_through:
      return "virtual-cut-through";
    case Switching::store_and_forward:
      return "store-and-forward";
  }
  return "?";
}

const char* name_of(VcAllocation allocation) {
  switch (allocation) {
    case VcAllocation::non_atomic:
      return "non-atomic";
    case VcAllocation::atomic:
      return "atomic";
  }
  return "?";
}

const char* name_of(FlowControl flow) {
  switch (flow) {
    case FlowControl::credit:
      return "credit";
    case FlowControl::bubble:
      return "bubble";
  }
  return "?";
}

const char* name_of(Selection selection) {
  switch (selection) {
    case Selection::first_free:
      return "first-free";
    case Selection::most_credits:
      return "most-credits";
    case Selection::round_robin:
      return "round-robin";
  }
  return "?";
}

}  // namespace flitscope
