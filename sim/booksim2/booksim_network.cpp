#include "sim/booksim2/booksim_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "model/text.h"
#include "sim/config/config_source.h"
#include "sim/formats/text_lines.h"
#include "sim/observe/deadlock/deadlock.h"
#include "sim/run/workload.h"

namespace flitscope {

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

BookSimNetwork::BookSimNetwork(const std::string& file) : machine_(read_machine(file)) {
  const ExperimentConfig config = complete(machine_.machine, file);
  subnets_.resize(machine_.subnets);
  for (Subnet& subnet : subnets_) {
    subnet.network = std::make_unique<SteppedNetwork>(config.topology, config.machine);
    subnet.nodes.resize(config.topology.nodes());
    for (Node& node : subnet.nodes) node.waiting.resize(config.machine.message_classes());
  }
}

const BookSimNetwork::Subnet& BookSimNetwork::at(NodeId node, std::uint32_t subnet) const {
  if (subnet >= subnets_.size()) {
    throw std::invalid_argument(fmt::format("there is no subnet {}: there are {}", subnet, subnets_.size()));
  }
  if (node >= nodes()) throw std::invalid_argument(fmt::format("there is no node {} of {}", node, nodes()));
  return subnets_[subnet];
}

std::uint32_t BookSimNetwork::flits_of_packet(std::uint32_t bytes) const {
  return static_cast<std::uint32_t>(flits_of(bytes, machine_.flit_bytes));
}

std::uint64_t BookSimNetwork::waiting_flits(NodeId node, const Subnet& subnet) const {
  std::uint64_t flits = 0;
  for (std::uint32_t each = 0; each < subnet.nodes[node].waiting.size(); ++each) {
    const std::vector<std::uint32_t>& sent = subnet.nodes[node].waiting[each];
    std::uint32_t queued = subnet.network->queued(node, each);
    for (auto last = sent.rbegin(); queued > 0 && last != sent.rend(); ++last, --queued) flits += *last;
  }
  return flits;
}

bool BookSimNetwork::has_room(NodeId node, std::uint32_t subnet, std::uint32_t bytes) const {
  return waiting_flits(node, at(node, subnet)) + flits_of_packet(bytes) <= machine_.input_buffer;
}

void BookSimNetwork::push(NodeId source, NodeId destination, std::uint32_t subnet, std::uint32_t bytes,
                          PacketKind kind, void* data) {
  if (!has_room(source, subnet, bytes)) {
    throw std::invalid_argument(
        fmt::format("the input queue of node {} has no room for {} bytes: ask first", source, bytes));
  }
  const std::uint32_t message_class = machine_.message_class[static_cast<std::size_t>(kind)];
  SteppedNetwork& network = *subnets_[subnet].network;
  const std::uint32_t flits = flits_of_packet(bytes);
  network.send(source,
               {.destination = destination, .flits = flits, .content = data, .message_class = message_class});
  std::vector<std::uint32_t>& waiting = subnets_[subnet].nodes[source].waiting[message_class];
  waiting.push_back(flits);
  const std::uint32_t queued = network.queued(source, message_class);
  if (waiting.size() > 2 * queued) waiting.erase(waiting.begin(), waiting.end() - queued);
  ++pushed_;
}

std::optional<std::uint32_t> BookSimNetwork::next_class(NodeId node, std::uint32_t subnet) const {
  const Subnet& chosen = at(node, subnet);
  const auto classes = static_cast<std::uint32_t>(chosen.nodes[node].waiting.size());
  for (std::uint32_t turn = 0; turn < classes; ++turn) {
    const std::uint32_t each = (chosen.nodes[node].turn + turn) % classes;
    if (chosen.network->peek(node, each) != nullptr) return each;
  }
  return std::nullopt;
}

void* BookSimNetwork::front(NodeId node, std::uint32_t subnet) const {
  const auto found = next_class(node, subnet);
  if (!found) return nullptr;
  return std::any_cast<void*>(subnets_[subnet].network->peek(node, *found)->content);
}

void* BookSimNetwork::pop(NodeId node, std::uint32_t subnet) {
  const auto found = next_class(node, subnet);
  if (!found) return nullptr;
  const IncomingMessage message = subnets_[subnet].network->take(node, *found);
  subnets_[subnet].nodes[node].turn = *found + 1;
  ++popped_;
  flits_ += message.flits;
  latency_ += message.arrived - message.ready;
  return std::any_cast<void*>(message.content);
}

void BookSimNetwork::step() {
  for (Subnet& subnet : subnets_) subnet.network->step();
}

void BookSimNetwork::drain() {
  const auto moves = [](const Subnet& subnet) { return subnet.network->next_event() != kNever; };
  std::uint64_t hops = 0;
  Cycle last_hop = cycle();
  // Heads can ask in vain in every cycle, so that there is always an event.
  const Cycle patience = 1000 + 2 * subnets_.front().network->machine().furthest_ahead();
  while (std::ranges::any_of(subnets_, moves) && cycle() - last_hop <= patience) {
    step();
    std::uint64_t now = 0;
    for (const Subnet& subnet : subnets_) now += subnet.network->clock().flit_hops();
    if (std::exchange(hops, now) != now) last_hop = cycle();
  }
}

std::string BookSimNetwork::statistics() const {
  const auto share = [](double amount, double of) {
    return of == 0 ? std::string("-") : fmt::format("{:.4g}", amount / of);
  };
  std::string text = fmt::format(
      "cycles {}\npackets pushed {}, popped {}\npacket latency {} cycles (mean, of popped ones)\n"
      "accepted {} flits per node and cycle\n",
      cycle(), pushed_, popped_, share(static_cast<double>(latency_), static_cast<double>(popped_)),
      share(static_cast<double>(flits_), static_cast<double>(nodes()) * static_cast<double>(cycle())));
  for (std::size_t i = 0; i < subnets_.size(); ++i) {
    SteppedNetwork& network = *subnets_[i].network;
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

std::string BookSimNetwork::state() const {
  std::string text = statistics();
  for (std::size_t i = 0; i < subnets_.size(); ++i) {
    const SteppedNetwork& network = *subnets_[i].network;
    if (const auto deadlock = find_deadlock(network.clock())) {
      text += fmt::format("subnet {}: deadlock since cycle {}, {} input VCs blocked; the dependency cycle:\n",
                          i, deadlock->standstill, deadlock->blocked_buffers);
      for (const std::string& line : describe(*deadlock, network.topology())) text += "  " + line + '\n';
    } else {
      text += fmt::format("subnet {}: no deadlock\n", i);
    }
    std::uint64_t left = 0;
    for (NodeId node = 0; node < nodes(); ++node) {
      const bool waits = next_class(node, static_cast<std::uint32_t>(i)).has_value();
      if (waits && ++left <= 8) {
        text += fmt::format("subnet {}: node {} has packets to take\n", i, node);
      }
    }
    if (left > 8) text += fmt::format("subnet {}: and {} nodes more\n", i, left - 8);
  }
  return text;
}

}  // namespace flitscope
