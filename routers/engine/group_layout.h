// Places of a group's planes in memory, and the state of its routers beside them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "model/types.h"
#include "routers/engine/message_table.h"
#include "routers/parts/vc_set.h"

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

/// Numbers of the shape() that a class has, perhaps as a constant.
template <typename Owner>
class ShapeNumbers {
 public:
  [[nodiscard]] unsigned link_ports() const { return its().link_ports; }
  [[nodiscard]] unsigned channels() const { return its().channels; }
  [[nodiscard]] unsigned ports() const { return its().ports(); }
  [[nodiscard]] unsigned virtual_channels() const { return its().virtual_channels; }
  /// Virtual channels of an injection or an ejection channel, of all message classes.
  [[nodiscard]] unsigned node_vcs() const { return its().node_vcs; }
  [[nodiscard]] unsigned vcs_of_port(unsigned port) const { return its().vcs_of_port(port); }
  /// Input VCs (and output VCs) of a router.
  [[nodiscard]] unsigned input_vcs() const { return its().input_vcs(); }
  /// Output VCs from this one on are those of ejection channels, input VCs those of injection channels.
  [[nodiscard]] unsigned first_injection_vc() const { return its().first_injection_vc(); }
  /// Number of a link port among those of all routers, for tables with a row for each.
  [[nodiscard]] std::size_t link_row(NodeId node, unsigned port) const {
    return std::size_t{node} * link_ports() + port;
  }
  [[nodiscard]] unsigned vc_quads() const { return its().vc_quads(); }
  [[nodiscard]] unsigned injection_vc_quads() const { return its().injection_vc_quads(); }
  [[nodiscard]] unsigned port_quads() const { return its().port_quads(); }
  [[nodiscard]] unsigned port_bits() const { return its().port_bits(); }
  [[nodiscard]] unsigned vc_bits() const { return its().vc_bits(); }

 private:
  friend Owner;
  ShapeNumbers() = default;

  [[nodiscard]] const GroupShape& its() const { return static_cast<const Owner*>(this)->shape(); }
};

/// Numbers of flits that are left of a message, beyond which the rest is counted apart.
inline constexpr unsigned kLeftBits = 8;
inline constexpr std::uint32_t kMostLeft = (1U << kLeftBits) - 1;
/// Of the number of cycles in which a flit lost the switch.
inline constexpr unsigned kLostBits = 6;

/// Where the planes of a group lie, in words from its first. All but the first four have a plane for every
/// VC or channel, side by side and filled up to whole quads; numbers have one for every bit. `lost`
/// and `starved` lie behind what each cycle reads, and are not prefetched; `left` and those behind it lie
/// last, since planes that repeat are compared but for them.
struct GroupLayout {
  constexpr explicit GroupLayout(const GroupShape& group_shape) : shape(group_shape) {}

  GroupShape shape;
  unsigned end = 4;  ///< of the planes below, at first of the quad of the first four
  // Of a plane for every VC, and so on.
  unsigned vc_words = shape.vc_quads() * 4;
  unsigned injection_vc_words = shape.injection_vc_quads() * 4;
  unsigned injector_words = shape.injector_quads() * 4;
  unsigned port_words = shape.port_quads() * 4;

  unsigned retry = 0;                  ///< routers in which heads may get a VC that they wait for
  unsigned asking = 1;                 ///< routers in which heads wait for the space of a message
  unsigned repeatable = 2;             ///< not 0: `moved` and `sent` are those of the last traversal
  unsigned steady = 3;                 ///< not 0: the next cycle can be like the last one (SteadyGroup)
  unsigned ready = place(vc_words);    ///< input VC: a flit is usable
  unsigned active = place(vc_words);   ///< it holds an output VC
  unsigned behind = place(vc_words);   ///< messages wait behind the first
  unsigned head = place(vc_words);     ///< the head of its first message has not left
  unsigned no_room = place(vc_words);  ///< it holds an output VC without a slot or within its interval
  unsigned turn = place(vc_words);     ///< of the VCs of its port, it moved a flit last
  unsigned losing = place(vc_words);   ///< its `lost` is not 0
  unsigned room = place(vc_words);     ///< output VC: a usable slot
  unsigned moved = place(vc_words);    ///< input VC: it moved a flit, no tail, in the last traversal
  unsigned sent = place(vc_words);     ///< output VC: such a flit left by it then
  /// Input VC: number of the port of the output VC that it holds; or 0.
  unsigned output_port = place(vc_words * shape.port_bits());
  unsigned output_vc = place(vc_words * shape.vc_bits());  ///< number of that VC at its port; or 0
  /// Output port: number of the input port behind the last to move a flit.
  unsigned next_input = place(port_words * shape.port_bits());
  unsigned idle = place(injector_words);          ///< injector: it may take a message
  unsigned queued = place(injector_words);        ///< its queue of messages is not empty
  unsigned due = place(injector_words);           ///< it may put its next flit
  unsigned put_head = place(injector_words);      ///< which is a head
  unsigned put_more = place(injector_words);      ///< more flits are left to put than are counted in `to_put`
  unsigned put_room = place(injection_vc_words);  ///< injection VC: a usable slot
  /// The message of its injector goes by it.
  unsigned chosen = place(shape.node_vcs == 1 ? 0 : injection_vc_words);
  /// Injector: the VC of its message is chosen, and the head is not put.
  unsigned put_chosen = place(shape.node_vcs == 1 ? 0 : injector_words);
  /// Of the injectors of its channel, it put a flit last.
  unsigned put_last = place(shape.queues == 1 ? 0 : injector_words);
  /// Injection channel: it may put a flit.
  unsigned paced = place(shape.queues == 1 ? 0 : (shape.channels + 3) / 4 * 4);
  /// Injector: the next flit is read, where banks count.
  unsigned has_read = place(shape.banks == 0 ? 0 : injector_words);
  /// Input VC: cycles of lost switches of its first message, not counted yet.
  unsigned lost = place(vc_words * kLostBits);
  unsigned starved = place(shape.priorities ? vc_words : 0);  ///< it has lost the switch too often
  unsigned left = place(vc_words * kLeftBits);                ///< number of flits left of the first message
  unsigned to_put = place(injector_words * kLeftBits);        ///< injector: number of flits left to put
  unsigned put =
      place(injector_words);  ///< injector: it puts a flit in each cycle, where the group is steady

 private:
  /// The place of so many words behind those before.
  constexpr unsigned place(unsigned words) { return std::exchange(end, end + words); }
};

/// A block of memory, by frequency of use: what a hop needs is in one line of the cache on grids of up to
/// three dimensions. Numbers of 8 bits are fields of longer types: a store to a character may change any
/// object, so the compiler would load again what it has in registers.
struct RouterBlock {
  /// A word of each of three sets; the first ones lie at the beginning of a block.
  struct Header {
    std::uint64_t holds = 0;    ///< output VCs that are held
    std::uint64_t asking = 0;   ///< input VCs whose head waits for an output VC
    std::uint64_t awaited = 0;  ///< output VCs that these request
  };
  /// Round-robin pointers of a group of output VCs: of a link port, or of the ejection channels of a network.
  struct Turn {
    std::uint16_t request : 8 = 0;  ///< input VC
    std::uint16_t vc : 8 = 0;       ///< output VC
  };
  /// Messages whose tails have left by a port, and their flits.
  struct Counts {
    std::uint64_t flits = 0;
    std::uint64_t messages = 0;
  };
  /// Those that are not in its Counts yet.
  struct Recent {
    std::uint16_t flits = 0;
    std::uint16_t messages = 0;
  };
  /// The message at the front of an input VC, if it waits for an output VC or holds one beyond a cycle.
  struct Front {
    MessageSlot message = 0;
    std::uint32_t flits = 0;        ///< of the message
    std::uint32_t more = 0;         ///< flits left beyond those counted in the planes
    std::uint32_t first = 0;        ///< place of the first message behind it
    std::uint32_t waiting = 0;      ///< messages behind it
    std::uint32_t choice : 16 = 0;  ///< number of what its head requests, while that waits for an output VC
    std::uint32_t group : 8 = 0;    ///< likewise
    std::uint32_t output : 8 = 0;   ///< VC held
    Cycle since = 0;                ///< first cycle of the present stall, but for a lost switch
  };
  static_assert(sizeof(Front) == 32);

  /// Places in bytes from the beginning of a block.
  struct Layout {
    unsigned words;  ///< of a set of VCs
    unsigned recent;
    unsigned granted;
    unsigned counts;
    unsigned front;
    unsigned more;  ///< headers behind the first one
    unsigned bytes;

    constexpr explicit Layout(const GroupShape& shape)
        : words(std::max(1U, (shape.input_vcs() + 63) / 64)),
          recent(aligned(sizeof(Header) + (shape.link_ports + shape.networks) * sizeof(Turn), 4)),
          granted(aligned(recent + shape.ports() * unsigned{sizeof(Recent)}, 8)),
          counts(granted + words * unsigned{sizeof(std::uint64_t)}),
          front(counts + shape.ports() * unsigned{sizeof(Counts)}),
          more(front + shape.input_vcs() * unsigned{sizeof(Front)}),
          bytes(aligned(more + (words - 1) * sizeof(Header), kCacheLine)) {}

   private:
    static constexpr unsigned kCacheLine = 64;
    static constexpr unsigned aligned(std::size_t place, std::size_t unit) {
      return static_cast<unsigned>((place + unit - 1) / unit * unit);
    }
  };

  std::byte* block;
  const Layout& layout;
  unsigned words;  ///< layout.words, perhaps as a constant

  /// The first words of its sets: all of a router with up to 64 input VCs.
  [[nodiscard]] Header& header() const { return *reinterpret_cast<Header*>(block); }
  [[nodiscard]] StoredVcs holds() const { return set(&Header::holds); }
  [[nodiscard]] StoredVcs asking() const { return set(&Header::asking); }
  [[nodiscard]] StoredVcs awaited() const { return set(&Header::awaited); }
  [[nodiscard]] Turn& turn(unsigned group) const { return at<Turn>(sizeof(Header), group); }
  /// Input VCs that will hold their output VC after MachineConfig::vc_delay.
  [[nodiscard]] StoredVcs granted() const {
    auto* const first = &at<std::uint64_t>(layout.granted);
    return {first, first + 1, 1, words};
  }
  [[nodiscard]] Front& front(unsigned vc) const { return at<Front>(layout.front, vc); }

  /// The tail of a message of so many flits has left by a port.
  [[gnu::always_inline]] void count(unsigned port, std::uint32_t flits) const {
    Recent& recent = this->recent(port);
    if (recent.flits + flits > kMostRecent) return count_all(port, flits);
    recent.flits = static_cast<std::uint16_t>(recent.flits + flits);
    ++recent.messages;
  }
  /// Counts of a port, recent ones included.
  [[nodiscard]] Counts all_counts(unsigned port) const {
    Counts all = counts(port);
    all.flits += recent(port).flits;
    all.messages += recent(port).messages;
    return all;
  }

 private:
  static constexpr std::uint32_t kMostRecent = 0xFFFF;

  template <typename T>
  [[nodiscard]] T& at(unsigned place, unsigned number = 0) const {
    return *reinterpret_cast<T*>(block + place + number * sizeof(T));
  }
  [[nodiscard]] StoredVcs set(std::uint64_t Header::*of) const {
    return {&(header().*of), &(at<Header>(layout.more).*of), sizeof(Header) / sizeof(std::uint64_t), words};
  }
  [[nodiscard]] Counts& counts(unsigned port) const { return at<Counts>(layout.counts, port); }
  [[nodiscard]] Recent& recent(unsigned port) const { return at<Recent>(layout.recent, port); }
  [[gnu::noinline]] void count_all(unsigned port, std::uint32_t flits) const {
    Counts& counts = this->counts(port);
    counts = all_counts(port);
    counts.flits += flits;
    ++counts.messages;
    recent(port) = {};
  }
};

}  // namespace flitscope
