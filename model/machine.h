// The machine: everything about routers, links and network interfaces that a configuration can set.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/stall_cause.h"
#include "model/text.h"
#include "model/topology.h"
#include "model/types.h"
#include "model/units.h"

namespace flitscope {

/// VCs of a link or of an injection channel at most: sets of them are 64-bit masks.
inline constexpr unsigned kMaxVirtualChannels = 64;
/// Input VCs of a router at most.
inline constexpr unsigned kMaxInputVcs = 256;
/// Banks of a node's memory.
inline constexpr unsigned kMaxBanks = 128;
/// Cycles from when a flit leaves a buffer until its slot can be used again, at most.
inline constexpr Cycle kMaxSlotDelay = 65535;

enum class Switching : std::uint8_t {
  wormhole,             ///< a flit moves on when the next buffer has room for it
  virtual_cut_through,  ///< a VC is granted only if the next buffer has room for the whole message
  store_and_forward,    ///< as virtual cut-through, and the head waits until the tail is here
};
template <>
inline constexpr std::array kNamesOf<Switching>{"wormhole", "virtual-cut-through", "store-and-forward"};

/// Which of several candidates of a routing function a head asks for (docs/timing.md, "Candidates").
enum class Selection : std::uint8_t {
  first_free,    ///< the first one with a free virtual channel
  most_credits,  ///< the one with the most usable slots behind its free virtual channels
  round_robin,   ///< the next one with a free virtual channel, port by port
};
template <>
inline constexpr std::array kNamesOf<Selection>{"first-free", "most-credits", "round-robin"};

/// When a virtual channel of a link can be granted again (docs/timing.md, stage 4).
enum class VcAllocation : std::uint8_t {
  non_atomic,  ///< when the tail of the last message has left through it
  with_slot,   ///< and the buffer behind it has a usable slot
  atomic,      ///< when the buffer behind it is empty, too: it never holds flits of two messages
};
template <>
inline constexpr std::array kNamesOf<VcAllocation>{"non-atomic", "with-slot", "atomic"};

/// Conditions of a VC grant beyond a free virtual channel and its slots (docs/timing.md, stage 4).
enum class FlowControl : std::uint8_t {
  credit,  ///< nothing
  bubble,  ///< on tori: a message enters a ring only if there is room for two of its length
};
template <>
inline constexpr std::array kNamesOf<FlowControl>{"credit", "bubble"};

/// Message classes of a machine at most.
inline constexpr unsigned kMaxMessageClasses = 8;

/// Messages that must not wait for others, such as replies for requests (docs/timing.md, "Message classes"):
/// a virtual network.
struct MessageClass {
  std::string name;
  std::uint64_t vcs = 0;  ///< of every link that its messages may use: bit v for VC v
  /// Flits of a higher one go first.
  std::uint32_t priority = 0;
  /// The one of several networks whose links its messages use (Topology::networks).
  std::uint32_t network = 0;
  auto operator<=>(const MessageClass&) const = default;
};

struct MachineConfig;
/// The number of a message class, by its name.
[[nodiscard]] std::optional<std::uint32_t> class_number(const MachineConfig& machine,
                                                        const std::string& name);

/// What the message classes have of the network interfaces.
enum class NodeQueues : std::uint8_t {
  separate,  ///< a queue of its own for each, and VCs of its own on the channels of a node
  shared,    ///< one queue and the same VCs for all
};
template <>
inline constexpr std::array kNamesOf<NodeQueues>{"separate", "shared"};

/// How heads are matched with output VCs (docs/timing.md, "Router parts").
enum class VcAllocator : std::uint8_t {
  circular,                    ///< request by request, in circular order
  separable_input_first,       ///< every head picks a VC, then every VC an input port and a head of it
  separable_input_first_flat,  ///< every head picks a VC, then every VC a head
  wavefront,                   ///< diagonal by diagonal of a matrix of heads and VCs
  switch_winner,               ///< a head that wins the switch gets a VC
};
template <>
inline constexpr std::array kNamesOf<VcAllocator>{"circular", "separable-input-first",
                                                  "separable-input-first-flat", "wavefront", "switch-winner"};

/// How input ports are matched with output ports (docs/timing.md, "Router parts").
enum class SwitchAllocator : std::uint8_t {
  separable_input_first,        ///< every input port picks a VC, then every output port an input port
  separable_input_first_ports,  ///< the same, but every input port picks an output port
  separable_output_first,
  wavefront,
  islip,
  max_size,  ///< as many flits as possible
};
template <>
inline constexpr std::array kNamesOf<SwitchAllocator>{"separable-input-first",
                                                      "separable-input-first-ports",
                                                      "separable-output-first",
                                                      "wavefront",
                                                      "islip",
                                                      "max-size"};

/// Which of several requests an arbiter picks (docs/timing.md, "Router parts").
enum class Arbiter : std::uint8_t {
  round_robin,         ///< the first one behind the last winner
  round_robin_binary,  ///< as that of published RTL, which skips one
  matrix,              ///< the one that was picked least recently
  fixed,               ///< the one of lowest number
  age,                 ///< the one of the oldest message
};
template <>
inline constexpr std::array kNamesOf<Arbiter>{"round-robin", "round-robin-binary", "matrix", "fixed", "age"};

/// Whether a head asks for the switch before it has an output VC, and which requests come first
/// (docs/timing.md, "Router parts").
enum class Speculation : std::uint8_t {
  none,
  prioritised,  ///< one allocator; others come first
  requests,     ///< an allocator of its own; where another flit asks for the port, it wins nothing
  grants,       ///< likewise where another flit is granted the port
};
template <>
inline constexpr std::array kNamesOf<Speculation>{"none", "prioritised", "requests", "grants"};

/// Who may use the buffer of an input port (docs/timing.md, "Shared buffers").
enum class Buffers : std::uint8_t {
  of_vcs,  ///< each of its VCs a part of its own
  shared,  ///< all its VCs, each with a reserve
};
template <>
inline constexpr std::array kNamesOf<Buffers>{"of-vcs", "shared"};

/// What a router tells the sender of a link of its buffers (docs/timing.md, "Stop and go").
enum class Credits : std::uint8_t {
  counts,  ///< every slot that is free again
  on_off,  ///< whether there is a number of free slots
};
template <>
inline constexpr std::array kNamesOf<Credits>{"counts", "on-off"};

/// What a router allocates with.
struct RouterParts {
  VcAllocator vc_allocator = VcAllocator::circular;
  SwitchAllocator switch_allocator = SwitchAllocator::separable_input_first;
  /// Iterations of islip in a cycle.
  std::uint32_t switch_iterations = 1;
  Arbiter arbiter = Arbiter::round_robin;
  Speculation speculation = Speculation::none;
  /// VC allocation learns of credits a cycle before the switch, at ejection and injection channels too.
  bool early_credits = false;
  /// A flit that finds its buffer empty can leave without the allocators, if nothing else wants its ports.
  bool bypass = false;
  /// A VC whose flit has won the switch keeps it for the flits behind it, as long as these can leave.
  bool hold = false;
  /// Flits of different VCs that can leave an input port in a cycle.
  std::uint32_t input_speedup = 1;
  /// Flits from different input ports that can come to an output port in a cycle.
  std::uint32_t output_speedup = 1;
  /// Flits that the queue between the switch and a link or an ejection channel can hold; 0: there is none.
  std::uint32_t output_queue = 0;
  Buffers buffers = Buffers::of_vcs;
  /// Flits of a shared buffer that are for one VC alone, for each.
  std::uint32_t buffer_reserve = 1;
  Credits credits = Credits::counts;
  /// With Credits::on_off a sender goes on if so many slots are free; nothing: the fewest that lose no flit.
  std::optional<std::uint32_t> stop_threshold{};
  /// Cycles from when a head is usable at the front of its VC until it requests an output VC.
  std::uint32_t routing_delay = 0;
  /// Cycles that the credit of an injection buffer takes.
  std::uint32_t injection_credit_delay = 0;
  /// Heads without an output VC ask for the switch.
  [[nodiscard]] bool speculates() const {
    return speculation != Speculation::none || vc_allocator == VcAllocator::switch_winner;
  }
  /// Heads for which no output VC is free can win their inputs again and again, so that others never leave: a
  /// livelock, no deadlock.
  [[nodiscard]] bool can_starve() const {
    const bool is_fair = arbiter == Arbiter::round_robin || arbiter == Arbiter::matrix;
    return vc_allocator == VcAllocator::switch_winner && speculation == Speculation::prioritised && !is_fair;
  }
  /// These with the usual buffers and credits.
  [[nodiscard]] RouterParts of_allocation() const {
    const RouterParts usual;
    RouterParts own = *this;
    own.buffers = usual.buffers;
    own.buffer_reserve = usual.buffer_reserve;
    own.credits = usual.credits;
    own.stop_threshold = usual.stop_threshold;
    return own;
  }
  /// A usable slot is not all that a flit needs behind a VC of a link.
  [[nodiscard]] bool limits_room() const { return buffers == Buffers::shared || credits == Credits::on_off; }
  bool operator==(const RouterParts&) const = default;
};

/// A directed link.
struct LinkTime {
  std::uint32_t delay = 1;  ///< cycles a flit spends on it
  Ratio cycles_per_flit{};  ///< it takes one flit every so many cycles
  bool operator==(const LinkTime&) const = default;
};

/// Links that differ from the rest (MachineConfig::link_delay, link_cycles_per_flit). Settings of a single
/// link have priority, then those of the topology, then those of its dimension.
struct LinkTimes {
  /// Settings of a single link; absent ones keep the common value.
  struct Own {
    std::optional<std::uint32_t> delay{};
    std::optional<Ratio> cycles_per_flit{};
    bool operator==(const Own&) const = default;
  };

  /// Delays, one a dimension. Empty: all dimensions are alike. Only of tori and meshes.
  std::vector<std::uint32_t> by_dimension;
  /// By channel, if the topology has times of its own; otherwise empty.
  std::vector<LinkTime> by_channel;
  using Singles = std::map<ChannelId, Own>;
  Singles single;

  [[nodiscard]] bool none() const { return by_dimension.empty() && by_channel.empty() && single.empty(); }
  /// The link `channel` where links without settings are `usual`.
  [[nodiscard]] LinkTime of(const Topology& topology, ChannelId channel, LinkTime usual) const {
    LinkTime time = usual;
    if (topology.networks() > 1) {
      // Those of all networks are alike.
      const unsigned port = topology.channel_port(channel);
      channel -= port - topology.port_alone(port);
    }
    if (!by_dimension.empty()) time.delay = by_dimension[dimension_of_port(topology.channel_port(channel))];
    if (!by_channel.empty()) time = by_channel[channel];
    if (const auto own = single.find(channel); own != single.end()) {
      time = {own->second.delay.value_or(time.delay),
              own->second.cycles_per_flit.value_or(time.cycles_per_flit)};
    }
    return time;
  }
  /// No link has a longer delay, or takes longer for a flit.
  [[nodiscard]] LinkTime longest(LinkTime usual) const {
    LinkTime time = usual;
    const auto add = [&](LinkTime other) {
      time = {std::max(time.delay, other.delay), std::max(time.cycles_per_flit, other.cycles_per_flit)};
    };
    for (const std::uint32_t delay : by_dimension) add({delay, 1});
    for (const LinkTime& each : by_channel) add(each);
    for (const auto& [channel, own] : single) add({own.delay.value_or(1), own.cycles_per_flit.value_or(1U)});
    return time;
  }
  bool operator==(const LinkTimes&) const = default;
};

/// One node's share of the network, the same for all nodes. Times in cycles. docs/timing.md says exactly
/// what each of them does.
struct MachineConfig {
  Switching switching = Switching::wormhole;
  /// Matters only with routing functions that offer several candidates.
  Selection selection = Selection::first_free;
  std::string routing = "dimension-order";
  unsigned virtual_channels = 2;
  VcAllocation vc_allocation = VcAllocation::non_atomic;
  FlowControl flow = FlowControl::credit;
  RouterParts parts{};
  /// Flits an input virtual channel can hold.
  std::uint32_t buffer = 8;
  std::uint32_t router_delay = 1;
  /// Of the links that have none of their own in `links`, and of ejection channels.
  std::uint32_t link_delay = 1;
  /// Links that have none of their own take one flit every so many cycles.
  Ratio link_cycles_per_flit{};
  LinkTimes links{};
  /// Cycles from when a tail leaves by a VC of a link until that can be granted again: 2 if VC allocation is
  /// a stage of its own before switch allocation.
  std::uint32_t vc_reallocation_delay = 1;
  /// Cycles from when a head is granted a VC until it takes part in switch allocation: 1 if VC allocation is
  /// a stage of its own before switch allocation. Flits behind the head do without.
  std::uint32_t vc_delay = 0;
  /// Cycles that a credit takes in the router that sends it, before its link.
  std::uint32_t credit_delay = 0;
  /// Accept fewer virtual channels than the routing function needs to be free of deadlock.
  bool allow_deadlock = false;
  /// A pool of that many injection and as many ejection channels, in each network. Nothing: all-port, an
  /// injection and an ejection channel for every link port of the router. A complete network has a number, at
  /// least 1.
  std::optional<unsigned> ports{};
  /// Message classes by number; empty: all messages are of one, which has all VCs.
  std::vector<MessageClass> classes{};
  NodeQueues node_queues = NodeQueues::separate;
  /// Virtual channels of every injection and every ejection channel, with separate queues for each message
  /// class. They share its one flit a cycle.
  unsigned node_vcs = 1;
  /// Messages that can wait in a node for an injection channel, of each class with separate queues. Nothing:
  /// no limit.
  std::optional<std::uint32_t> injection_queue{};
  /// Flits that the buffer behind a VC of an ejection channel can hold. Nothing: no limit.
  std::optional<std::uint32_t> ejection_buffer{};
  /// Messages with an answer that a node works on at once, for each VC of an ejection channel: the last one
  /// keeps the VC until the tail of an answer has left the node. All messages take the ejection VC of the
  /// number by which they came. Nothing: no limit.
  std::optional<std::uint32_t> requests{};
  /// Nodes that work on another number of them. Without effect where there is no limit.
  std::map<NodeId, std::uint32_t> requests_at{};
  /// An injector reads a flit of a message of several every so many cycles, by message class, with separate
  /// queues; empty: as fast as it can put them.
  std::vector<Ratio> read_intervals{};
  /// Of nodes that read at others.
  std::map<NodeId, std::vector<Ratio>> read_intervals_at{};
  /// Banks of a node's memory, a power of two, that flits of messages are read from: while a flit is read for
  /// one of several networks, others cannot read from its bank, nor can any in the cycle in which a flit that
  /// arrives is written to it. 0: they do not disturb each other.
  unsigned banks = 0;
  /// A flit keeps its bank until it is put, and at most for so many cycles, 1 or more.
  std::uint32_t bank_hold = 16;
  /// A flit that lost the switch in so many cycles, one after the other, goes before those of higher
  /// priorities.
  std::uint32_t starvation_limit = 64;
  std::uint64_t startup = 0;
  /// An injection channel takes one flit every so many cycles.
  std::uint32_t injection_interval = 1;
  /// The same of an ejection channel.
  std::uint32_t ejection_interval = 1;
  std::uint32_t flit_bytes = 8;
  /// Cycles that tuning a port of a complete network takes. Of the others these networks have `ports`,
  /// `startup` and `flit_bytes`.
  std::uint64_t reconfiguration = 0;
  /// Cycles a node takes to move a byte from one place of its memory to another. Routers and network
  /// interfaces know nothing of it: a schedule driver hands a message over later (Message::rearranged_bytes).
  Decimal copy_cycles_per_byte{};
  /// Cycles a node takes to combine a byte that has arrived with one that it has. Applied by the driver, too:
  /// a message that must be combined counts as arrived later.
  Decimal reduce_cycles_per_byte{};

  /// Requires a limit.
  [[nodiscard]] std::uint32_t requests_of(NodeId node) const {
    const auto other = requests_at.find(node);
    return other == requests_at.end() ? *requests : other->second;
  }
  /// Requires read_intervals.
  [[nodiscard]] Ratio read_interval(NodeId node, std::uint32_t message_class) const {
    const auto other = read_intervals_at.find(node);
    return (other == read_intervals_at.end() ? read_intervals : other->second)[message_class];
  }
  /// The network by which a message class goes.
  [[nodiscard]] unsigned network_of(std::uint32_t message_class) const {
    return classes.empty() ? 0 : classes[message_class].network;
  }
  /// At least 1.
  [[nodiscard]] unsigned message_classes() const {
    return classes.empty() ? 1 : static_cast<unsigned>(classes.size());
  }
  /// Queues of a node, each with VCs of its own: of the classes, or one for all.
  [[nodiscard]] unsigned queues_of_node() const {
    return node_queues == NodeQueues::separate ? message_classes() : 1;
  }
  /// VCs of an injection or of an ejection channel.
  [[nodiscard]] unsigned channel_vcs() const { return node_vcs * queues_of_node(); }
  /// Classes have different priorities.
  [[nodiscard]] bool has_priorities() const {
    return std::ranges::any_of(
        classes, [&](const MessageClass& each) { return each.priority != classes.front().priority; });
  }
  /// Allocation is other than the usual one.
  [[nodiscard]] bool has_parts() const {
    return parts != RouterParts{} || vc_allocation == VcAllocation::with_slot;
  }
  /// It is so in more than whether a flit has a slot behind its VC, as with shared buffers, and stop and go.
  [[nodiscard]] bool allocates_by_parts() const {
    return has_parts() &&
           (parts.of_allocation() != RouterParts{} || vc_allocation != VcAllocation::non_atomic);
  }
  [[nodiscard]] LinkTime link(const Topology& topology, ChannelId channel) const {
    return links.of(topology, channel, {link_delay, link_cycles_per_flit});
  }
  /// No link has a longer delay, or takes longer for a flit.
  [[nodiscard]] LinkTime longest_link() const { return links.longest({link_delay, link_cycles_per_flit}); }
  /// Share of a link's capacity that `flits` flits in `cycles` cycles take, 0 to 1.
  [[nodiscard]] double utilisation(const Topology& topology, ChannelId channel, std::uint64_t flits,
                                   Cycle cycles) const;
  /// The furthest that an event is planned ahead, in cycles.
  [[nodiscard]] Cycle furthest_ahead() const {
    const LinkTime link = longest_link();
    const std::uint32_t interval =
        std::max({injection_interval, ejection_interval, link.cycles_per_flit.rounded_up()});
    return startup + interval + head_delay() + link.delay + credit_delay;
  }
  /// Flits that the buffer behind a VC of a link can hold if its other VCs are empty.
  [[nodiscard]] std::uint32_t link_buffer() const {
    if (parts.buffers == Buffers::of_vcs) return buffer;
    return virtual_channels * buffer - (virtual_channels - 1) * parts.buffer_reserve;
  }
  /// Flits that may leave before a sender knows that it should stop.
  [[nodiscard]] static Cycle stop_delay(Cycle link, Cycle credit) { return 2 * link + credit; }
  /// Of Credits::on_off: free slots with which a sender goes on.
  [[nodiscard]] std::uint32_t go_slots() const {
    return parts.stop_threshold.value_or(
        static_cast<std::uint32_t>(stop_delay(longest_link().delay, credit_delay)));
  }
  /// Flits that a message alone can have on their way behind a slot: those of credits that count.
  [[nodiscard]] std::uint32_t window() const {
    if (parts.credits == Credits::counts) return buffer;
    return buffer + static_cast<std::uint32_t>(stop_delay(longest_link().delay, credit_delay)) - go_slots();
  }
  /// Cycles that a head spends in a router at least.
  [[nodiscard]] Cycle head_delay() const { return Cycle{router_delay} + parts.routing_delay + vc_delay; }
  /// Cycles from when a message's flit is put into an empty buffer behind a link of that delay until its slot
  /// can be used again, if nothing hinders the message.
  [[nodiscard]] Cycle credit_loop(Cycle delay) const { return head_delay() + 2 * delay + credit_delay; }
};

/// A virtual channel of a link is granted only with room for more than the next flit: for a whole message,
/// for two, or all that the buffer has.
[[nodiscard]] constexpr bool needs_packet_space(Switching switching, VcAllocation allocation) {
  return switching != Switching::wormhole || allocation == VcAllocation::atomic;
}

/// Injection (and ejection) channels of a node, of all networks.
[[nodiscard]] unsigned node_channels(const Topology& topology, const MachineConfig& machine);
/// The network that an injection channel leads to, or an ejection channel comes from.
[[nodiscard]] unsigned network_of_channel(const Topology& topology, const MachineConfig& machine,
                                          unsigned channel);

/// Flits of a message: ceil(bytes / flit_bytes), at least 1.
[[nodiscard]] constexpr std::uint64_t flits_of(std::uint64_t bytes, std::uint32_t flit_bytes) {
  return bytes == 0 ? 1 : (bytes - 1) / flit_bytes + 1;
}

}  // namespace flitscope
