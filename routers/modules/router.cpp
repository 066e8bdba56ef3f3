#include "routers/modules/router.h"

#include <stdexcept>
#include <string>

#include "routers/modules/report.h"

namespace flitscope {

Router::Router(const sc_core::sc_module_name&, RouterPool& pool, NodeId node)
    : pool_(pool), node_(node), inputs_(pool.ports()) {
  for (unsigned port = 0; port < pool.ports(); ++port) inputs_[port].place(pool, node, port);
}

sc_core::sc_export<flit_if>& Router::in_export(unsigned port) {
  if (const auto found = exports_.find(port); found != exports_.end()) return found->second;
  RouterInput& input = in(port);
  simcontext()->hierarchy_push(this);
  auto& made = exports_.try_emplace(port, ("in_" + std::to_string(port)).c_str()).first->second;
  simcontext()->hierarchy_pop();
  made.bind(input);
  return made;
}

void Router::wire() {
  for (unsigned port = 0; port < pool_.ports(); ++port) {
    flit_if* const receiver = (*out)[static_cast<int>(port)];
    if (auto* const input = dynamic_cast<RouterInput*>(receiver);
        input != nullptr && &input->pool() == &pool_) {
      if (input->port() != port || port >= pool_.link_ports()) {
        throw std::logic_error(std::string(name()) + ": output port " + std::to_string(port) +
                               " must lead to the input port of the same number");
      }
      pool_.connect(node_, port, input->node());
    } else if (dynamic_cast<NicInput*>(receiver) == nullptr &&
               dynamic_cast<UnconnectedPort*>(receiver) == nullptr) {
      pool_.connect_external(node_, port, links_.try_emplace(port, *receiver).first->second);
    }
  }
}

void UnconnectedPort::put(unsigned, const LinkFlit& flit) {
  throw std::logic_error("message " + std::to_string(flit.id) + " runs into the border of the mesh");
}

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
