#include "routers/modules/network_interface.h"

#include <stdexcept>
#include <string>

#include "routers/modules/report.h"
#include "routers/modules/router.h"

namespace flitscope {

NetworkInterface::NetworkInterface(const sc_core::sc_module_name&, const RouterPool& pool, NodeId node)
    : pool_(pool), node_(node), inputs_(pool.channels()) {}

void NetworkInterface::end_of_elaboration() {
  for (unsigned channel = 0; channel < pool_.channels(); ++channel) {
    const auto* const input = dynamic_cast<RouterInput*>((*out)[static_cast<int>(channel)]);
    if (input == nullptr || input->node() != node_ || input->port() != pool_.link_ports() + channel) {
      reporting(kBindingReport, [&] {
        throw std::logic_error(std::string(name()) + ": injection channel " + std::to_string(channel) +
                               " must lead to its own router");
      });
    }
  }
}

}  // namespace flitscope
