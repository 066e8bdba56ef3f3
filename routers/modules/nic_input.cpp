#include "routers/modules/nic_input.h"

#include <stdexcept>

namespace flitscope {

std::uint32_t NicInput::attach(credit_if&) {
  throw std::logic_error("only a router of the same network can feed a network interface");
}

void NicInput::put(unsigned, const LinkFlit&) {
  throw std::logic_error("only a router of the same network can feed a network interface");
}

}  // namespace flitscope
