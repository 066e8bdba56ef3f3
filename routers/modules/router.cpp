#include "routers/modules/router.h"

#include <stdexcept>
#include <string>

namespace flitscope {

Router::Router(const sc_core::sc_module_name&, ExternalLinks& links, NodeId node)
    : links_(links), node_(node), inputs_(links.numbers().ports()) {
  for (unsigned port = 0; port < inputs_.size(); ++port) inputs_[port].place(links, node, port);
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
  for (unsigned port = 0; port < inputs_.size(); ++port) {
    flit_if* const receiver = (*out)[static_cast<int>(port)];
    if (const auto* const input = dynamic_cast<RouterInput*>(receiver);
        input != nullptr && &input->links() == &links_) {
      if (input->port() != port || port >= links_.numbers().link_ports()) {
        throw std::logic_error(std::string(name()) + ": output port " + std::to_string(port) +
                               " must lead to the input port of the same number");
      }
    } else if (dynamic_cast<NicInput*>(receiver) == nullptr &&
               dynamic_cast<UnconnectedPort*>(receiver) == nullptr) {
      links_.connect_receiver(node_, port, receivers_.try_emplace(port, *receiver).first->second);
    }
  }
}

void UnconnectedPort::put(unsigned, const LinkFlit& flit) {
  throw std::logic_error("message " + std::to_string(flit.id) + " runs into the border of the mesh");
}

namespace {

void refuse() {
  report_error(kBindingReport, "only a router of the same network can feed a network interface");
}

}  // namespace

std::uint32_t NicInput::attach(credit_if&) {
  refuse();
  return 0;
}

void NicInput::put(unsigned, const LinkFlit&) {
  refuse();
}

NetworkInterface::NetworkInterface(const sc_core::sc_module_name&, const RouterNumbers& numbers, NodeId node)
    : numbers_(numbers), node_(node), inputs_(numbers.channels()) {}

void NetworkInterface::end_of_elaboration() {
  for (unsigned channel = 0; channel < numbers_.channels(); ++channel) {
    const auto* const input = dynamic_cast<RouterInput*>((*out)[static_cast<int>(channel)]);
    if (input == nullptr || input->node() != node_ || input->port() != numbers_.link_ports() + channel) {
      report_error(kBindingReport, "{}: injection channel {} must lead to its own router", name(), channel);
    }
  }
}

}  // namespace flitscope
