// Whoever wants to see every flit move.
#pragma once

#include <cstdint>

#include "model/types.h"

namespace flitscope {

/// Called by routers and network interfaces at the cycle in which a flit moves. Without an observer a flit
/// pays one test of a pointer for it.
class FlitObserver {
 public:
  virtual ~FlitObserver() = default;
  /// A flit was put into its source router through injection channel `channel`.
  virtual void injected(Cycle now, NodeId node, unsigned channel, std::uint64_t message,
                        std::uint32_t index) = 0;
  /// A flit left a router through output port `port` (link ports first, then ejection channels).
  virtual void moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message,
                     std::uint32_t index) = 0;
};

}  // namespace flitscope
