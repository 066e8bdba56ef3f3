#include "sim/booksim2/interconnect.h"

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/text.h"
#include "sim/adaptors/stepped_network.h"
#include "sim/booksim2/booksim_machine.h"
#include "sim/formats/text_lines.h"
#include "sim/observe/deadlock/deadlock.h"
#include "sim/run/workload.h"

namespace booksim2 {

using namespace flitscope;

namespace {

BookSimMachine read_machine(const std::string& file) {
  Diagnostics diagnostics;
  const auto text = text_of_file(file, diagnostics);
  diagnostics.throw_if_any();
  BookSimMachine machine = read_booksim_machine(*text, file, std::filesystem::current_path(), true);
  for (const std::string& note : machine.notes) fmt::print(stderr, "{}: {}\n", printable(file), note);
  return machine;
}

ExperimentConfig complete(const std::string& machine, const std::string& file) {
  // A configuration has a workload.
  const std::string text = machine + "workload: {traffic: uniform, message: 1, load: 0.1, measure: 100}\n";
  return read_imported_machine(text, file, std::filesystem::current_path());
}

}  // namespace

struct Interconnect::State {
  struct Node {
    std::vector<std::vector<std::uint32_t>> waiting;  ///< flits of sent packets, by message class
    std::uint32_t turn = 0;                           ///< the message class that is taken from first
  };
  struct Subnet {
    std::unique_ptr<SteppedNetwork> network;
    std::vector<Node> nodes;
  };

  explicit State(const std::string& file) : machine(read_machine(file)) {
    const ExperimentConfig config = complete(machine.machine, file);
    subnets.resize(machine.subnets);
    for (Subnet& subnet : subnets) {
      subnet.network = std::make_unique<SteppedNetwork>(config.topology, config.machine);
      subnet.nodes.resize(config.topology.nodes());
      for (Node& node : subnet.nodes) node.waiting.resize(config.machine.message_classes());
    }
  }

  [[nodiscard]] NodeId nodes() const { return subnets.front().network->topology().nodes(); }
  [[nodiscard]] Cycle cycle() const { return subnets.front().network->now(); }

  [[nodiscard]] const Subnet& at(NodeId node, std::uint32_t subnet) const {
    if (subnet >= subnets.size()) {
      throw InvalidCall("there is no subnet {}: there are {}", subnet, subnets.size());
    }
    if (node >= nodes()) throw InvalidCall("there is no node {} of {}", node, nodes());
    return subnets[subnet];
  }

  [[nodiscard]] std::uint32_t flits_of_packet(std::uint32_t bytes) const {
    return static_cast<std::uint32_t>(flits_of(bytes, machine.flit_bytes));
  }

  [[nodiscard]] static std::uint64_t waiting_flits(NodeId node, const Subnet& subnet) {
    std::uint64_t flits = 0;
    for (std::uint32_t each = 0; each < subnet.nodes[node].waiting.size(); ++each) {
      const std::vector<std::uint32_t>& sent = subnet.nodes[node].waiting[each];
      std::uint32_t queued = subnet.network->queued(node, each);
      for (auto last = sent.rbegin(); queued > 0 && last != sent.rend(); ++last, --queued) flits += *last;
    }
    return flits;
  }

  /// The message class of the next packet of a node.
  [[nodiscard]] std::optional<std::uint32_t> next_class(NodeId node, std::uint32_t subnet) const {
    const Subnet& chosen = at(node, subnet);
    const auto classes = static_cast<std::uint32_t>(chosen.nodes[node].waiting.size());
    for (std::uint32_t turn = 0; turn < classes; ++turn) {
      const std::uint32_t each = (chosen.nodes[node].turn + turn) % classes;
      if (chosen.network->peek(node, each) != nullptr) return each;
    }
    return std::nullopt;
  }

  BookSimMachine machine;
  std::vector<Subnet> subnets;
  std::uint64_t pushed = 0;  ///< packets
  std::uint64_t popped = 0;
  std::uint64_t flits = 0;    ///< of packets taken
  std::uint64_t latency = 0;  ///< their sum, from push to arrival, of packets taken
};

Interconnect::Interconnect(const std::string& config_file, int nodes)
    : state_(std::make_unique<State>(config_file)) {
  if (nodes < 0 || static_cast<NodeId>(nodes) <= state_->nodes()) return;
  throw FormattedError("{}: its network has {} nodes, not {}", config_file, state_->nodes(), nodes);
}

Interconnect::~Interconnect() = default;

void Interconnect::run() {
  for (State::Subnet& subnet : state_->subnets) subnet.network->step();
}

std::uint64_t Interconnect::get_cycle() const {
  return state_->cycle();
}

unsigned Interconnect::get_flit_size() const {
  return state_->machine.flit_bytes;
}

unsigned Interconnect::nodes() const {
  return state_->nodes();
}

const BookSimMachine& Interconnect::machine() const {
  return state_->machine;
}

bool Interconnect::is_full(std::uint32_t node, std::uint32_t subnet, std::uint32_t bytes) const {
  const std::uint64_t waiting = State::waiting_flits(node, state_->at(node, subnet));
  return waiting + state_->flits_of_packet(bytes) > state_->machine.input_buffer;
}

void Interconnect::push(void* packet, std::uint32_t subnet, std::uint64_t, std::uint32_t bytes, Type type,
                        std::uint32_t source, std::uint32_t destination) {
  if (is_full(source, subnet, bytes)) {
    throw InvalidCall("the input queue of node {} has no room for {} bytes: ask first", source, bytes);
  }
  const std::uint32_t message_class = state_->machine.message_class[static_cast<std::size_t>(type)];
  SteppedNetwork& network = *state_->subnets[subnet].network;
  const std::uint32_t flits = state_->flits_of_packet(bytes);
  network.send(
      source,
      {.destination = destination, .flits = flits, .content = packet, .message_class = message_class});
  std::vector<std::uint32_t>& waiting = state_->subnets[subnet].nodes[source].waiting[message_class];
  waiting.push_back(flits);
  const std::uint32_t queued = network.queued(source, message_class);
  if (waiting.size() > std::size_t{2} * queued) waiting.erase(waiting.begin(), waiting.end() - queued);
  ++state_->pushed;
}

bool Interconnect::is_empty(std::uint32_t node, std::uint32_t subnet) const {
  return !state_->next_class(node, subnet);
}

void* Interconnect::top(std::uint32_t node, std::uint32_t subnet) const {
  const auto found = state_->next_class(node, subnet);
  if (!found) return nullptr;
  return std::any_cast<void*>(state_->subnets[subnet].network->peek(node, *found)->content);
}

void Interconnect::pop(std::uint32_t node, std::uint32_t subnet) {
  const auto found = state_->next_class(node, subnet);
  if (!found) throw InvalidCall("no packet to pop at node {}", node);
  const IncomingMessage message = state_->subnets[subnet].network->take(node, *found);
  state_->subnets[subnet].nodes[node].turn = *found + 1;
  ++state_->popped;
  state_->flits += message.flits;
  state_->latency += message.arrived - message.ready;
}

void Interconnect::drain() {
  const auto moves = [](const State::Subnet& subnet) { return subnet.network->next_event() != kNever; };
  std::uint64_t hops = 0;
  Cycle last_hop = state_->cycle();
  // Heads can ask in vain in every cycle, so that there is always an event.
  const Cycle patience = 1000 + 2 * state_->subnets.front().network->machine().furthest_ahead();
  while (std::ranges::any_of(state_->subnets, moves) && state_->cycle() - last_hop <= patience) {
    run();
    std::uint64_t now = 0;
    for (const State::Subnet& subnet : state_->subnets) now += subnet.network->clock().flit_hops();
    if (std::exchange(hops, now) != now) last_hop = state_->cycle();
  }
}

bool Interconnect::is_busy() const {
  return state_->pushed != state_->popped;
}

std::string Interconnect::statistics() const {
  const auto share = [](double amount, double of) {
    return of == 0 ? std::string("-") : fmt::format("{:.4g}", amount / of);
  };
  std::string text = fmt::format(
      "cycles {}\npackets pushed {}, popped {}\npacket latency {} cycles (mean, of popped ones)\n"
      "accepted {} flits per node and cycle\n",
      state_->cycle(), state_->pushed, state_->popped,
      share(static_cast<double>(state_->latency), static_cast<double>(state_->popped)),
      share(static_cast<double>(state_->flits),
            static_cast<double>(state_->nodes()) * static_cast<double>(state_->cycle())));
  for (std::size_t i = 0; i < state_->subnets.size(); ++i) {
    SteppedNetwork& network = *state_->subnets[i].network;
    std::string stalls;
    for (std::size_t cause = 0; cause < kStallCauses; ++cause) {
      const std::uint64_t count = network.stalls()[cause];
      if (count > 0) stalls += fmt::format(" {} {}", name_of(static_cast<StallCause>(cause)), count);
    }
    text += fmt::format("subnet {}: {} flit-hops; stalled flit-cycles:{}\n", i, network.clock().flit_hops(),
                        stalls.empty() ? " none" : stalls);
  }
  return text;
}

std::string Interconnect::state() const {
  std::string text = statistics();
  for (std::size_t i = 0; i < state_->subnets.size(); ++i) {
    const SteppedNetwork& network = *state_->subnets[i].network;
    if (const auto deadlock = find_deadlock(network.clock())) {
      text += fmt::format("subnet {}: deadlock since cycle {}, {} input VCs blocked; the dependency cycle:\n",
                          i, deadlock->standstill, deadlock->blocked_buffers);
      for (const std::string& line : describe(*deadlock, network.topology())) text += "  " + line + '\n';
    } else {
      text += fmt::format("subnet {}: no deadlock\n", i);
    }
    std::uint64_t left = 0;
    for (NodeId node = 0; node < state_->nodes(); ++node) {
      const bool waits = state_->next_class(node, static_cast<std::uint32_t>(i)).has_value();
      if (waits && ++left <= 8) {
        text += fmt::format("subnet {}: node {} has packets to take\n", i, node);
      }
    }
    if (left > 8) text += fmt::format("subnet {}: and {} nodes more\n", i, left - 8);
  }
  return text;
}

void Interconnect::print_stats() const {
  fmt::print("{}", statistics());
}

void Interconnect::print_state() const {
  fmt::print("{}", state());
}

}  // namespace booksim2
