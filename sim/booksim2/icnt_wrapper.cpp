#include "sim/booksim2/icnt_wrapper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <vector>

#include "model/error.h"
#include "sim/booksim2/booksim_machine.h"
#include "sim/booksim2/interconnect.h"

void (*icnt_create)(unsigned shaders, unsigned memories);
void (*icnt_init)();
bool (*icnt_has_buffer)(unsigned input, unsigned bytes);
void (*icnt_push)(unsigned input, unsigned output, void* data, unsigned bytes);
void* (*icnt_pop)(unsigned output);
void (*icnt_transfer)();
bool (*icnt_busy)();
void (*icnt_drain)();
void (*icnt_display_stats)();
void (*icnt_display_overall_stats)();
void (*icnt_display_state)(std::FILE* file);
unsigned (*icnt_get_flit_size)();
char* g_network_config_filename;
int (*icnt_packet_kind)(void* data);

namespace {

using booksim2::Interconnect;

struct Devices {
  std::unique_ptr<Interconnect> network;
  unsigned shaders = 0;
  std::vector<unsigned> nodes;  ///< of the devices
};
Devices devices;

Interconnect& network() {
  if (devices.network == nullptr) throw std::logic_error("there is no network before icnt_create()");
  return *devices.network;
}

/// Ends the program with the text of an error: callers do not expect exceptions.
template <typename Act>
decltype(auto) or_exit(Act act) {
  try {
    return act();
  } catch (const std::exception& error) {
    fmt::print(stderr, "flitscope: {}\n", error.what());
    std::exit(1);
  }
}

/// Nodes of memories where the file has use_map = 1 and no list: those of BookSim2, by numbers of shaders and
/// memories.
const std::map<std::pair<unsigned, unsigned>, std::vector<unsigned>> kMemoryNodes{
    {{8, 8}, {1, 3, 4, 6, 9, 11, 12, 14}},
    {{28, 8}, {3, 7, 10, 12, 23, 25, 28, 32}},
    {{56, 8}, {3, 15, 17, 29, 36, 47, 49, 61}},
    {{110, 11}, {12, 20, 25, 28, 57, 60, 63, 92, 95, 100, 108}}};

/// Shaders have the nodes that memories leave, in order.
std::vector<unsigned> placed(const Interconnect& network, unsigned shaders, unsigned memories) {
  if (shaders + memories > network.nodes()) {
    throw flitscope::InvalidCall("{} shaders and {} memories need more than the network's {} nodes", shaders,
                                 memories, network.nodes());
  }
  std::vector<unsigned> of_memories = network.machine().memory_nodes;
  if (!network.machine().maps_nodes) {
    of_memories.clear();
    for (unsigned i = 0; i < memories; ++i) of_memories.push_back(shaders + i);
  } else if (of_memories.empty()) {
    const auto known = kMemoryNodes.find({shaders, memories});
    if (known == kMemoryNodes.end()) {
      throw flitscope::InvalidCall("use_map = 1 needs memory_node_map for {} shaders and {} memories",
                                   shaders, memories);
    }
    of_memories = known->second;
  }
  if (of_memories.size() != memories) {
    throw flitscope::InvalidCall("memory_node_map has {} nodes for {} memories", of_memories.size(),
                                 memories);
  }
  std::vector<unsigned> nodes;
  for (unsigned node = 0; nodes.size() < shaders && node < network.nodes(); ++node) {
    if (std::ranges::find(of_memories, node) == of_memories.end()) nodes.push_back(node);
  }
  nodes.insert(nodes.end(), of_memories.begin(), of_memories.end());
  const bool distinct = std::ranges::all_of(of_memories, [&](unsigned node) {
    return node < network.nodes() && std::ranges::count(of_memories, node) == 1;
  });
  if (!distinct || nodes.size() != shaders + memories) {
    throw flitscope::InvalidCall("memory_node_map must have different nodes of the network");
  }
  return nodes;
}

unsigned node_of(unsigned device) {
  if (device < devices.nodes.size()) return devices.nodes[device];
  throw flitscope::InvalidCall("there is no device {} of {}", device, devices.nodes.size());
}

/// The subnet of what a device sends, or takes.
std::uint32_t subnet_of(unsigned device, bool sends) {
  const bool requests = sends == (device < devices.shaders);
  return requests ? 0 : std::min(1U, network().machine().subnets - 1);
}

void create(unsigned shaders, unsigned memories) {
  or_exit([&] {
    if (g_network_config_filename == nullptr) {
      throw flitscope::InvalidCall("g_network_config_filename must name a configuration");
    }
    auto network = std::make_unique<Interconnect>(g_network_config_filename, 0);
    std::vector<unsigned> nodes = placed(*network, shaders, memories);
    devices = {std::move(network), shaders, std::move(nodes)};
  });
}

bool has_buffer(unsigned input, unsigned bytes) {
  return or_exit([&] { return !network().is_full(node_of(input), subnet_of(input, true), bytes); });
}

void push(unsigned input, unsigned output, void* data, unsigned bytes) {
  or_exit([&] {
    using Type = Interconnect::Type;
    Type type = input < devices.shaders ? Type::READ : Type::READ_REPLY;
    if (icnt_packet_kind != nullptr) type = static_cast<Type>(icnt_packet_kind(data) & 3);
    network().push(data, subnet_of(input, true), 0, bytes, type, node_of(input), node_of(output));
  });
}

void* pop(unsigned output) {
  return or_exit([&] {
    const unsigned subnet = subnet_of(output, false);
    if (network().is_empty(node_of(output), subnet)) return static_cast<void*>(nullptr);
    void* const packet = network().top(node_of(output), subnet);
    network().pop(node_of(output), subnet);
    return packet;
  });
}

void transfer() {
  or_exit([&] { network().run(); });
}

}  // namespace

void icnt_wrapper_init() {
  icnt_create = create;
  icnt_init = [] {};
  icnt_has_buffer = has_buffer;
  icnt_push = push;
  icnt_pop = pop;
  icnt_transfer = transfer;
  icnt_busy = [] { return or_exit([] { return network().is_busy(); }); };
  icnt_drain = [] { or_exit([] { network().drain(); }); };
  icnt_display_stats = [] { or_exit([] { network().print_stats(); }); };
  icnt_display_overall_stats = icnt_display_stats;
  icnt_display_state = [](std::FILE* file) { or_exit([&] { fmt::print(file, "{}", network().state()); }); };
  icnt_get_flit_size = [] { return or_exit([] { return network().get_flit_size(); }); };
}
