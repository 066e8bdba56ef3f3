// Where a router's flits leave the network.
#pragma once

#include <cstdint>

#include "routers/modules/link_interface.h"

namespace flitscope {

/// The receiving end of one ejection channel.
class NicInput final : public flit_if {
 public:
  NicInput() = default;

  /// Only routers of the same pool, which need neither of these, can feed a network interface.
  std::uint32_t attach(credit_if& sender) override;
  void put(unsigned vc, const LinkFlit& flit) override;
};

}  // namespace flitscope
