#include "routers/modules/nic_input.h"

#include <stdexcept>

#include "routers/modules/report.h"

namespace flitscope {

namespace {

void refuse() {
  reporting(kBindingReport,
            [] { throw std::logic_error("only a router of the same network can feed a network interface"); });
}

}  // namespace

std::uint32_t NicInput::attach(credit_if&) {
  refuse();
  return 0;
}

void NicInput::put(unsigned, const LinkFlit&) {
  refuse();
}

}  // namespace flitscope
