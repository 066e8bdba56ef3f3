// Numbers of ports and virtual channels of a router, as docs/timing.md has them; the same for all routers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/machine.h"
#include "model/topology.h"
#include "routers/engine/group_layout.h"
#include "routers/parts/vc_set.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// True for machines with message classes or limited network interfaces.
[[nodiscard]] inline bool has_classes_or_limits(const MachineConfig& machine) {
  return !machine.classes.empty() || machine.injection_queue || machine.ejection_buffer || machine.requests;
}

[[nodiscard]] GroupShape shape_of(const Topology& topology, const MachineConfig& machine);

/// The routing function of a machine for a network, ready for use.
[[nodiscard]] std::unique_ptr<RoutingFunction> routing_of(const Topology& topology,
                                                          const MachineConfig& machine, unsigned network = 0);

/// How many of each a router has, and their numbers and sets.
class RouterNumbers : public ShapeNumbers<RouterNumbers> {
 public:
  RouterNumbers(const Topology& topology, const MachineConfig& machine);

  [[nodiscard]] NodeId nodes() const { return nodes_; }
  [[nodiscard]] const GroupShape& shape() const { return shape_; }
  /// Flits an input VC can hold.
  [[nodiscard]] std::uint32_t buffer() const { return buffer_; }
  /// Those of links at most, if they share buffers.
  [[nodiscard]] std::uint32_t link_buffer() const { return link_buffer_; }
  [[nodiscard]] unsigned port_of_vc(unsigned vc) const { return vc_infos_[vc].port; }
  /// First VC of a port.
  [[nodiscard]] unsigned first_vc(unsigned port) const {
    return port < link_ports() ? port * virtual_channels()
                               : first_injection_vc() + (port - link_ports()) * node_vcs();
  }
  /// Usable slots behind output VC `output` of a link that a grant to the head in input VC `vc` requires, for
  /// a message of `flits` flits, where packet space is needed (docs/timing.md, stage 4).
  [[nodiscard]] std::uint32_t required_slots(unsigned vc, unsigned output, std::uint32_t flits) const {
    if (allocation_ == VcAllocation::atomic) return link_buffer_;
    if (allocation_ == VcAllocation::with_slot) return 1;
    return bubble_ && port_of_vc(vc) != port_of_vc(output) ? 2 * flits : flits;
  }
  /// Number of an input VC among those of all routers, for tables with a row for each.
  [[nodiscard]] std::size_t row(NodeId node, unsigned vc) const {
    return std::size_t{node} * input_vcs() + vc;
  }
  [[nodiscard]] std::size_t port_row(NodeId node, unsigned port) const {
    return std::size_t{node} * ports() + port;
  }

  /// The port of a VC number, and its successors in the circular orders of docs/timing.md.
  struct alignas(8) VcInfo {
    std::uint8_t port = 0;           ///< its port
    std::uint8_t first = 0;          ///< VC of that port
    std::uint8_t next = 0;           ///< VC, among all VCs
    std::uint8_t next_of_group = 0;  ///< VC, among those of its link port, or of all ejection channels
    std::uint8_t number = 0;         ///< among those of its port
    std::uint8_t vcs_of_port = 0;
  };

  [[nodiscard]] const VcInfo& vc_info(unsigned vc) const { return vc_infos_[vc]; }
  /// Calls visit(other) for the VCs of the port of a VC, and for itself.
  template <typename Visit>
  [[gnu::always_inline]] void for_each_of_port(unsigned vc, Visit visit) const {
    const VcInfo& info = vc_infos_[vc];
    for (unsigned other = info.first; other < unsigned{info.first} + info.vcs_of_port; ++other) visit(other);
  }

  /// Choices of heads, by number: of every message class a set of output VCs for every class of every link
  /// port, then those of ejection channels for every input VC.
  [[nodiscard]] VcSet choice(unsigned number) const { return choice<VcSet>(number, words_); }
  [[nodiscard]] unsigned link_choice(unsigned port, unsigned channel_class,
                                     unsigned message_class = 0) const {
    return message_class * choices_of_class_ + port * classes_ + channel_class;
  }
  [[nodiscard]] unsigned ejection_choice(unsigned vc, unsigned message_class = 0) const {
    return message_class * choices_of_class_ + first_ejection_choice_ + vc;
  }
  /// Where the network of a message class has its link ports, from which its routing function counts, and its
  /// channels.
  struct NetworkPorts {
    std::uint8_t network = 0;
    std::uint8_t first_link_port = 0;
    std::uint8_t first_channel = 0;
    std::uint8_t end_channel = 0;
  };
  [[nodiscard]] const NetworkPorts& network_ports(unsigned message_class) const {
    return network_ports_[message_class];
  }
  /// Those that a network has alone.
  [[nodiscard]] unsigned ports_of_network() const { return ports_of_network_; }
  /// Of a head of a message class in an input VC.
  [[nodiscard]] Arrival arrival(unsigned vc, unsigned message_class) const {
    return arrivals_[message_class][vc];
  }

 protected:
  /// A choice of so many words, all that sets of a router's VCs have.
  template <typename Set>
  [[nodiscard, gnu::always_inline]] Set choice(unsigned number, unsigned words) const {
    Set set;
    for (unsigned i = 0; i < words; ++i) set.word(i) = choices_[std::size_t{number} * words + i];
    return set;
  }

 private:
  void number_ports();
  void add_choice(const VcSet& vcs) {
    for (unsigned i = 0; i < words_; ++i) choices_.push_back(vcs.word(i));
  }
  [[nodiscard]] VcSet same_number(const MachineConfig& machine, unsigned message_class, unsigned vc) const;
  void add_message_class(const Topology& topology, const MachineConfig& machine, unsigned message_class);

  NodeId nodes_;
  GroupShape shape_;
  unsigned ports_of_network_;
  std::uint32_t buffer_;
  std::uint32_t link_buffer_;
  VcAllocation allocation_;
  bool bubble_;  ///< flow control
  std::vector<unsigned> classes_of_network_;
  unsigned classes_;  ///< of the VCs of a link, the most of these
  unsigned first_ejection_choice_;
  unsigned choices_of_class_;
  unsigned words_;  ///< of a set of VCs
  std::array<VcInfo, kMaxInputVcs> vc_infos_{};
  std::array<NetworkPorts, kMaxMessageClasses> network_ports_{};
  std::vector<std::uint64_t> choices_;  ///< by number, word by word
  /// By message class and input VC.
  std::array<std::array<Arrival, kMaxInputVcs>, kMaxMessageClasses> arrivals_{};
};

}  // namespace flitscope
