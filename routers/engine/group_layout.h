// Places of a group's planes in memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace flitscope {

/// How many ports and VCs the routers of a network have.
struct GroupShape {
  unsigned link_ports = 0;
  unsigned virtual_channels = 0;
  unsigned channels = 0;  ///< injection channels, and ejection channels
  unsigned node_vcs = 1;  ///< of each of these
  unsigned queues = 1;    ///< of messages, each with VCs of its own there
  unsigned message_classes = 1;
  unsigned networks = 1;
  bool priorities = false;        ///< classes have different ones
  bool ejection_buffers = false;  ///< are limited
  unsigned banks = 0;             ///< of a node's memory; 0: they do not count

  bool operator==(const GroupShape&) const = default;

  [[nodiscard]] constexpr unsigned ports() const { return link_ports + channels; }
  [[nodiscard]] constexpr unsigned first_injection_vc() const { return link_ports * virtual_channels; }
  [[nodiscard]] constexpr unsigned injection_vcs() const { return channels * node_vcs; }
  /// An injection channel has an injector for each queue.
  [[nodiscard]] constexpr unsigned injectors() const { return channels * queues; }
  [[nodiscard]] constexpr unsigned vcs_of_injector() const { return node_vcs / queues; }
  [[nodiscard]] constexpr unsigned input_vcs() const { return first_injection_vc() + injection_vcs(); }
  [[nodiscard]] constexpr unsigned vcs_of_port(unsigned port) const {
    return port < link_ports ? virtual_channels : node_vcs;
  }
  /// Bits of the number of a port.
  [[nodiscard]] constexpr unsigned port_bits() const { return std::bit_width(ports() - 1); }
  /// Bits of the number of a VC at its port.
  [[nodiscard]] constexpr unsigned vc_bits() const {
    return std::bit_width(std::max(virtual_channels, node_vcs) - 1);
  }
  // Planes of all VCs, of those of injection, of all injectors, of all ports, in quads.
  [[nodiscard]] constexpr unsigned vc_quads() const { return (input_vcs() + 3) / 4; }
  [[nodiscard]] constexpr unsigned injection_vc_quads() const { return (injection_vcs() + 3) / 4; }
  [[nodiscard]] constexpr unsigned injector_quads() const { return (injectors() + 3) / 4; }
  [[nodiscard]] constexpr unsigned port_quads() const { return (ports() + 3) / 4; }
};

/// Numbers of flits that are left of a message, beyond which the rest is counted apart.
inline constexpr unsigned kLeftBits = 8;
inline constexpr std::uint32_t kMostLeft = (1U << kLeftBits) - 1;
/// Of the number of cycles in which a flit lost the switch.
inline constexpr unsigned kLostBits = 6;
/// Of the number of cycles after which a VC is starved.
inline constexpr unsigned kLossBits = 16;

/// Where the planes of a group lie, in words from its first. All but the first four have a plane for every
/// VC or channel, side by side and filled up to whole quads; numbers have one for every bit. `lost`, `losses`
/// and `starved` lie behind what each cycle reads, and are not prefetched; `left` and those behind it lie
/// last, since planes that repeat are compared but for them.
struct GroupLayout {
  unsigned retry = 0;        ///< routers in which heads may get a VC that they wait for
  unsigned asking = 1;       ///< routers in which heads wait for the space of a message
  unsigned repeatable = 2;   ///< not 0: `moved` and `sent` are those of the last traversal
  unsigned steady = 3;       ///< not 0: the next cycle can be like the last one (SteadyGroup)
  unsigned ready = 0;        ///< input VC: a flit is usable
  unsigned active = 0;       ///< it holds an output VC
  unsigned behind = 0;       ///< messages wait behind the first
  unsigned head = 0;         ///< the head of its first message has not left
  unsigned no_room = 0;      ///< it holds an output VC without a slot or within its interval
  unsigned turn = 0;         ///< of the VCs of its port, it moved a flit last
  unsigned losing = 0;       ///< its `lost` is not 0
  unsigned room = 0;         ///< output VC: a usable slot
  unsigned moved = 0;        ///< input VC: it moved a flit, no tail, in the last traversal
  unsigned sent = 0;         ///< output VC: such a flit left by it then
  unsigned output_port = 0;  ///< input VC: number of the port of the output VC that it holds; or 0
  unsigned output_vc = 0;    ///< number of that VC at its port; or 0
  unsigned next_input = 0;   ///< output port: number of the input port behind the last to move a flit
  unsigned idle = 0;         ///< injector: it may take a message
  unsigned queued = 0;       ///< its queue of messages is not empty
  unsigned due = 0;          ///< it may put its next flit
  unsigned put_head = 0;     ///< which is a head
  unsigned put_more = 0;     ///< more flits are left to put than are counted in `to_put`
  unsigned put_room = 0;     ///< injection VC: a usable slot
  unsigned chosen = 0;       ///< the message of its injector goes by it
  unsigned put_chosen = 0;   ///< injector: the VC of its message is chosen, and the head is not put
  unsigned put_last = 0;     ///< of the injectors of its channel, it put a flit last
  unsigned paced = 0;        ///< injection channel: it may put a flit
  unsigned has_read = 0;     ///< injector: the next flit is read, where banks count
  unsigned lost = 0;         ///< input VC: cycles of lost switches of its first message, not counted yet
  unsigned losses = 0;       ///< number of cycles in which it lost the switch since a flit left
  unsigned starved = 0;      ///< these are as many as a VC may lose
  unsigned left = 0;         ///< number of flits left of the first message
  unsigned to_put = 0;       ///< injector: number of flits left to put
  unsigned credited = 0;     ///< output VC: it gets a slot in each cycle, where the group is steady
  unsigned put = 0;          ///< injector: it puts a flit in each cycle, likewise
  unsigned freed = 0;        ///< injection VC: it gets a slot in each cycle, likewise
  unsigned end = 0;          ///< of these

  constexpr explicit GroupLayout(const GroupShape& shape) {
    const unsigned of_vcs = shape.vc_quads() * 4;
    const unsigned of_injection_vcs = shape.injection_vc_quads() * 4;
    const unsigned of_injectors = shape.injector_quads() * 4;
    const unsigned of_ports = shape.port_quads() * 4;
    end = 4;  // the quad of the first four
    const auto place = [this](unsigned& plane, unsigned words) {
      plane = end;
      end += words;
    };
    for (unsigned GroupLayout::*const plane :
         {&GroupLayout::ready, &GroupLayout::active, &GroupLayout::behind, &GroupLayout::head,
          &GroupLayout::no_room, &GroupLayout::turn, &GroupLayout::losing, &GroupLayout::room,
          &GroupLayout::moved, &GroupLayout::sent}) {
      place(this->*plane, of_vcs);
    }
    place(output_port, of_vcs * shape.port_bits());
    place(output_vc, of_vcs * shape.vc_bits());
    place(next_input, of_ports * shape.port_bits());
    for (unsigned GroupLayout::*const plane : {&GroupLayout::idle, &GroupLayout::queued, &GroupLayout::due,
                                               &GroupLayout::put_head, &GroupLayout::put_more}) {
      place(this->*plane, of_injectors);
    }
    place(put_room, of_injection_vcs);
    place(chosen, shape.node_vcs == 1 ? 0 : of_injection_vcs);
    place(put_chosen, shape.node_vcs == 1 ? 0 : of_injectors);
    place(put_last, shape.queues == 1 ? 0 : of_injectors);
    place(paced, shape.queues == 1 ? 0 : (shape.channels + 3) / 4 * 4);
    place(has_read, shape.banks == 0 ? 0 : of_injectors);
    place(lost, of_vcs * kLostBits);
    place(losses, shape.priorities ? of_vcs * kLossBits : 0);
    place(starved, shape.priorities ? of_vcs : 0);
    place(left, of_vcs * kLeftBits);
    place(to_put, of_injectors * kLeftBits);
    place(credited, of_vcs);
    place(put, of_injectors);
    place(freed, of_injection_vcs);
  }
};

}  // namespace flitscope
