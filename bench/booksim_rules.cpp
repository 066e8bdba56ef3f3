// A network by BookSim2's rules, as far as its results hang on them (docs/validation.md): each rule can be
// left out, one at a time. It shares no code with the engine, and knows only what that comparison
// needs: dimension order, a router of three cycles and a channel of one.
//
//   booksim_rules torus|mesh SIDES VCS BUFFER FLITS LOAD [PATTERN]     such as torus 8x8 4 8 4 0.3
//
// PATTERN is uniform (the default), transpose (of two equal sides), bit-complement or tornado; or read-write:
// as with use_read_write, half of the requests have 1 flit and replies of FLITS, half the other way round, to
// uniform destinations. LOAD is that of requests, the latency that of a round trip; requests have the first
// half of the VCs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <iostream>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "model/topology.h"

namespace flitscope::bench {
namespace {

/// BookSim2's if true. The equal machine has all but three of them.
struct Rules {
  /// A head asks for a VC in the cycle in which it is at the front, and for the switch in the next one; other
  /// flits have one cycle less to go. Else all flits have that cycle, and a VC is free a cycle later.
  bool heads_have_a_stage = true;
  /// The VCs of a node's ejection port share one flit a cycle. Else each is a channel.
  bool ejection_is_shared = true;
  /// A node injects message after message, into one VC after the other. Else each VC is a channel.
  bool injection_is_shared = true;
  /// The credit of an injection buffer takes a cycle on its channel, as that of a link. Else the slot can be
  /// used in the cycle after its flit has left.
  bool injection_has_credits = true;
  /// Separable: a head asks for one VC, though others may be free. Ours: it gets any.
  bool vcs_are_separable = true;
  /// An input port asks for one output port after the other. Ours: one VC after the other asks.
  bool switch_goes_by_output = true;
  /// A message has one class all around a ring: whether it passes the dateline. Else it changes there.
  bool class_is_of_the_ring = true;
};

struct NamedRule {
  const char* name;
  bool Rules::*rule;
};
constexpr std::array kRules{NamedRule{"heads have a stage of their own", &Rules::heads_have_a_stage},
                            NamedRule{"VCs share the ejection channel", &Rules::ejection_is_shared},
                            NamedRule{"VCs share the injection channel", &Rules::injection_is_shared},
                            NamedRule{"injection by credits", &Rules::injection_has_credits},
                            NamedRule{"separable VC allocation", &Rules::vcs_are_separable},
                            NamedRule{"switch allocation by output", &Rules::switch_goes_by_output},
                            NamedRule{"one class all around a ring", &Rules::class_is_of_the_ring}};

struct Workload {
  std::string pattern = "uniform";
  unsigned vcs = 2;
  std::uint32_t buffer = 8;
  std::uint32_t flits = 1;
  double load = 0.1;
  [[nodiscard]] bool has_replies() const { return pattern == "read-write"; }
  /// Of messages: each has its own share of the VCs.
  [[nodiscard]] unsigned classes() const { return has_replies() ? 2 : 1; }
};

constexpr unsigned kMaxSides = 4;
constexpr Cycle kWarmUp = 5000;
constexpr Cycle kMeasured = 30'000;
constexpr Cycle kLimit = 100'000;  ///< beyond saturation messages wait without end
constexpr Cycle kHop = 4;          ///< of a head, from the switch to the next one
constexpr Cycle kCredit = 2;       ///< from the switch back to the sender

/// `place` in circular order, counted from `first`.
std::size_t distance(std::size_t first, std::size_t place, std::size_t size) {
  return (place + size - first) % size;
}

/// The place behind `place` in circular order.
std::size_t behind(std::size_t place, std::size_t size) {
  return place + 1 == size ? 0 : place + 1;
}

class Model {
 public:
  Model(const Topology& topology, const Rules& rules, const Workload& workload)
      : topology_(topology),
        rules_(rules),
        workload_(workload),
        vcs_(workload.vcs),
        links_(topology.link_ports()),
        all_vcs_((links_ + 1) * vcs_),
        routers_(topology.nodes()),
        nodes_(topology.nodes()) {
    for (Router& router : routers_) {
      router.inputs.resize(all_vcs_);
      router.outputs.assign(all_vcs_, {.credits = workload.buffer});
      router.request_pointers.resize(links_ + 1);
      router.vc_pointers.resize(links_ + 1);
      router.next_vc.resize(all_vcs_);
      router.next_output.resize(all_vcs_);
      router.next_input.resize(all_vcs_);
    }
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      for (const std::uint32_t at : topology.coordinates(node)) coordinates_.push_back(at);
    }
    for (Node& node : nodes_) {
      node.channels.resize(rules.injection_is_shared ? 1 : vcs_);
      node.credits.assign(vcs_, workload.buffer);
    }
  }

  struct Result {
    double latency = 0;   ///< mean of the messages that are generated in the measurement, or of round trips
    double accepted = 0;  ///< flits a node and cycle that arrive in it
  };
  [[nodiscard]] Result run() {
    for (now_ = 0; now_ < kWarmUp + kMeasured || (outstanding_ > 0 && now_ < kLimit); ++now_) {
      receive();
      generate();
      std::vector<Grant> grants;
      for (NodeId node = 0; node < topology_.nodes(); ++node) allocate_vcs(node, grants);
      // With a stage of their own heads take part in the switch in the next cycle.
      if (!rules_.heads_have_a_stage) take(grants);
      std::vector<Grant> moves;
      for (NodeId node = 0; node < topology_.nodes(); ++node) allocate_switch(node, moves);
      if (rules_.heads_have_a_stage) take(grants);
      for (const Grant& move : moves) traverse(move);
      for (NodeId node = 0; node < topology_.nodes(); ++node) inject(node);
    }
    const auto mean = [](std::uint64_t sum, std::uint64_t count) {
      return static_cast<double>(sum) / static_cast<double>(count);
    };
    return {mean(latencies_, arrived_) * workload_.classes(),
            mean(accepted_flits_, kMeasured * topology_.nodes())};
  }

 private:
  struct Message {
    NodeId source = 0;
    NodeId destination = 0;
    Cycle generated = 0;
    std::uint32_t flits = 1;
    bool is_reply = false;
    std::array<bool, kMaxSides> up{};  ///< by dimension: direction +
  };
  struct Flit {
    std::size_t message = 0;
    std::uint32_t index = 0;
    Cycle usable = 0;
  };
  struct Input {
    std::deque<Flit> fifo;
    std::optional<std::size_t> output;
    Cycle asks_from = 0;  ///< the head at the front, for a VC; its message, for the switch
    std::size_t pointer = 0;
  };
  struct Output {
    bool held = false;
    Cycle free_from = 0;
    std::uint32_t credits = 0;
    std::size_t pointer = 0;
  };
  struct Router {
    std::vector<Input> inputs;
    std::vector<Output> outputs;
    std::vector<std::size_t> request_pointers;  ///< by group
    std::vector<std::size_t> vc_pointers;       ///< by group
    std::vector<std::size_t> next_vc;           ///< by input port
    std::vector<std::size_t> next_output;       ///< by input port
    std::vector<std::size_t> next_input;        ///< by output port
  };
  struct Channel {
    std::optional<std::size_t> message;
    std::uint32_t next_flit = 0;
    std::size_t vc = 0;
  };
  struct Node {
    std::deque<std::size_t> queue;
    std::deque<std::size_t> replies;  ///< which are injected first
    std::vector<Channel> channels;
    std::vector<std::uint32_t> credits;  ///< by VC
    std::size_t last_vc = 0;
  };
  /// An input VC and the output VC that it gets, or leaves by.
  struct Grant {
    NodeId node = 0;
    std::size_t input = 0;
    std::size_t output = 0;
  };
  struct Event {
    NodeId node = 0;
    std::size_t vc = 0;
    std::optional<Flit> flit;  ///< else a credit
  };
  struct Port {
    std::size_t first = 0;
    std::size_t vcs = 0;
  };

  /// Node channels behind the links: one port with all VCs, or one for each.
  [[nodiscard]] std::size_t ports(bool shared) const { return links_ + (shared ? 1 : vcs_); }
  [[nodiscard]] Port port(std::size_t number, bool shared) const {
    if (number < links_ || shared) return {number * vcs_, vcs_};
    return {links_ * vcs_ + number - links_, 1};
  }
  [[nodiscard]] std::size_t port_of(std::size_t vc, bool shared) const {
    return vc < links_ * vcs_ || shared ? vc / vcs_ : links_ + vc - links_ * vcs_;
  }

  [[nodiscard]] std::uint32_t at(NodeId node, unsigned dimension) const {
    return coordinates_[node * topology_.dimensions() + dimension];
  }
  /// The group that a head asks for: a link port, or the node.
  [[nodiscard]] std::size_t way(NodeId node, const Message& message) const {
    for (unsigned d = 0; d < topology_.dimensions(); ++d) {
      if (at(node, d) != at(message.destination, d)) return 2 * d + (message.up[d] ? 0 : 1);
    }
    return links_;
  }
  /// VCs of its class, of the first group.
  [[nodiscard]] Port class_vcs(const Message& message) const {
    return {message.is_reply ? vcs_ / 2 : 0, vcs_ / workload_.classes()};
  }
  /// The VCs of a group that it may have.
  [[nodiscard]] Port admissible(NodeId node, const Message& message, std::size_t group) const {
    const auto [first, vcs] = class_vcs(message);
    if (group == links_ || !topology_.wraps()) return {group * vcs_ + first, vcs};
    const unsigned d = static_cast<unsigned>(group) / 2;
    const std::uint32_t from = at(rules_.class_is_of_the_ring ? message.source : node, d);
    const std::uint32_t to = at(message.destination, d);
    const bool upper = message.up[d] ? from < to : to < from;
    return {group * vcs_ + first + (upper ? vcs / 2 : 0), vcs / 2};
  }

  void post(Cycle when, const Event& event) { events_[when % events_.size()].push_back(event); }

  void receive() {
    for (const Event& event : events_[now_ % events_.size()]) {
      if (!event.flit) {
        ++routers_[event.node].outputs[event.vc].credits;
        continue;
      }
      Input& input = routers_[event.node].inputs[event.vc];
      if (input.fifo.empty() && !input.output) input.asks_from = now_;
      input.fifo.push_back(*event.flit);
    }
    events_[now_ % events_.size()].clear();
    for (; !returning_.empty() && returning_.front().first == now_; returning_.pop_front()) {
      const auto& [node, vc] = returning_.front().second;
      ++nodes_[node].credits[vc];
    }
    for (; !answers_.empty() && answers_.front().generated < now_; answers_.pop_front()) {
      add(nodes_[answers_.front().source].replies, answers_.front());
    }
  }

  void generate() {
    const double flits = workload_.has_replies() ? (1.0 + workload_.flits) / 2 : workload_.flits;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (!std::bernoulli_distribution(workload_.load / flits)(random_)) continue;
      // A read has one flit and is answered by a long message, a write is the other way round.
      const bool reads = workload_.has_replies() && random_() % 2 == 0;
      add(nodes_[node].queue, {node, destination_of(node), now_, reads ? 1 : workload_.flits, false, {}});
    }
  }
  void add(std::deque<std::size_t>& queue, Message message) {
    for (unsigned d = 0; d < topology_.dimensions(); ++d) {
      const std::uint32_t side = topology_.sides()[d];
      const std::uint32_t to = at(message.destination, d);
      const std::uint32_t ahead = (to + side - at(message.source, d)) % side;
      const bool shorter = 2 * ahead < side || (2 * ahead == side && random_() % 2 == 0);
      message.up[d] = topology_.wraps() ? shorter : to > at(message.source, d);
    }
    outstanding_ += measured(message) ? 1 : 0;
    queue.push_back(messages_.size());
    messages_.push_back(message);
  }
  [[nodiscard]] NodeId destination_of(NodeId node) {
    if (workload_.pattern == "uniform" || workload_.has_replies())
      return static_cast<NodeId>(random_() % topology_.nodes());
    std::vector<std::uint32_t> to(topology_.dimensions());
    for (unsigned d = 0; d < to.size(); ++d) {
      const std::uint32_t side = topology_.sides()[d];
      if (workload_.pattern == "transpose") {
        to[d] = at(node, 1 - d);
      } else if (workload_.pattern == "tornado") {
        to[d] = (at(node, d) + (side + 1) / 2 - 1) % side;
      } else {
        to[d] = side - 1 - at(node, d);
      }
    }
    return topology_.node(to);
  }
  [[nodiscard]] static bool measured(const Message& message) {
    return message.generated >= kWarmUp && message.generated < kWarmUp + kMeasured;
  }

  /// The message whose head asks for a VC now.
  [[nodiscard]] const Message* asking(const Input& input) const {
    if (input.output || input.fifo.empty() || input.asks_from > now_ || input.fifo.front().usable > now_)
      return nullptr;
    return &messages_[input.fifo.front().message];
  }
  [[nodiscard]] bool is_free(const Output& output) const { return !output.held && output.free_from <= now_; }

  void allocate_vcs(NodeId node, std::vector<Grant>& grants) {
    Router& router = routers_[node];
    if (!rules_.vcs_are_separable) {
      for (std::size_t group = 0; group <= links_; ++group) allocate_group(node, group, grants);
      return;
    }
    std::vector<std::optional<std::size_t>> winners(all_vcs_);
    for (std::size_t vc = 0; vc < all_vcs_; ++vc) {
      Input& input = router.inputs[vc];
      const Message* const message = asking(input);
      if (message == nullptr) continue;
      const Port range = admissible(node, *message, way(node, *message));
      std::optional<std::size_t> best;
      for (std::size_t output = range.first; output < range.first + range.vcs; ++output) {
        if (is_free(router.outputs[output]) &&
            (!best || distance(input.pointer, output, all_vcs_) < distance(input.pointer, *best, all_vcs_)))
          best = output;
      }
      if (!best) continue;
      std::optional<std::size_t>& winner = winners[*best];
      const std::size_t first = router.outputs[*best].pointer;
      if (!winner || distance(first, vc, all_vcs_) < distance(first, *winner, all_vcs_)) winner = vc;
    }
    for (std::size_t output = 0; output < all_vcs_; ++output) {
      if (winners[output]) grants.push_back({node, *winners[output], output});
    }
  }

  void allocate_group(NodeId node, std::size_t group, std::vector<Grant>& grants) {
    Router& router = routers_[node];
    const std::size_t first = router.request_pointers[group];
    for (std::size_t i = 0; i < all_vcs_; ++i) {
      const std::size_t vc = (first + i) % all_vcs_;
      const Message* const message = asking(router.inputs[vc]);
      if (message == nullptr || way(node, *message) != group) continue;
      const Port range = admissible(node, *message, group);
      for (std::size_t j = 0; j < vcs_; ++j) {
        const std::size_t output = group * vcs_ + (router.vc_pointers[group] + j) % vcs_;
        if (output < range.first || output >= range.first + range.vcs || !is_free(router.outputs[output]))
          continue;
        router.outputs[output].held = true;
        router.vc_pointers[group] = (output + 1) % vcs_;
        router.request_pointers[group] = (vc + 1) % all_vcs_;
        grants.push_back({node, vc, output});
        break;
      }
    }
  }

  void take(const std::vector<Grant>& grants) {
    for (const auto& [node, input, output] : grants) {
      Router& router = routers_[node];
      router.outputs[output].held = true;
      router.inputs[input].output = output;
      router.inputs[input].pointer = (output + 1) % all_vcs_;
      router.outputs[output].pointer = (input + 1) % all_vcs_;
    }
  }

  void allocate_switch(NodeId node, std::vector<Grant>& moves) {
    Router& router = routers_[node];
    const std::size_t inputs = ports(rules_.injection_is_shared);
    const std::size_t outputs = ports(rules_.ejection_is_shared);
    std::vector<std::optional<std::pair<std::size_t, std::size_t>>> winners(outputs);  // input port and VC
    for (std::size_t from = 0; from < inputs; ++from) {
      const auto request = request_of(router, from, outputs);
      if (!request) continue;
      const std::size_t to = port_of(*router.inputs[*request].output, rules_.ejection_is_shared);
      const std::size_t first = router.next_input[to];
      if (!winners[to] || distance(first, from, inputs) < distance(first, winners[to]->first, inputs))
        winners[to] = {from, *request};
    }
    for (std::size_t to = 0; to < outputs; ++to) {
      if (!winners[to]) continue;
      const auto [from, vc] = *winners[to];
      const Port place = port(from, rules_.injection_is_shared);
      router.next_input[to] = behind(from, inputs);
      router.next_output[from] = behind(to, outputs);
      router.next_vc[from] = behind(vc - place.first, place.vcs);
      moves.push_back({node, vc, *router.inputs[vc].output});
    }
  }

  /// The VC of an input port that asks for the switch.
  [[nodiscard]] std::optional<std::size_t> request_of(const Router& router, std::size_t from,
                                                      std::size_t outputs) const {
    const Port place = port(from, rules_.injection_is_shared);
    std::vector<std::optional<std::size_t>> by_output(outputs);
    for (std::size_t i = 0; i < place.vcs; ++i) {
      const std::size_t vc = place.first + (router.next_vc[from] + i) % place.vcs;
      const Input& input = router.inputs[vc];
      if (!input.output || input.fifo.empty() || input.fifo.front().usable > now_) continue;
      if (router.outputs[*input.output].credits == 0) continue;
      if (!rules_.switch_goes_by_output) return vc;
      auto& first = by_output[port_of(*input.output, rules_.ejection_is_shared)];
      if (!first) first = vc;
    }
    for (std::size_t i = 0; i < outputs; ++i) {
      const auto& vc = by_output[(router.next_output[from] + i) % outputs];
      if (vc) return vc;
    }
    return std::nullopt;
  }

  void traverse(const Grant& move) {
    Router& router = routers_[move.node];
    Input& input = router.inputs[move.input];
    Output& output = router.outputs[move.output];
    Flit flit = input.fifo.front();
    input.fifo.pop_front();
    const bool is_link = move.output < links_ * vcs_;
    if (is_link) {
      --output.credits;
      const auto next = topology_.neighbour(move.node, static_cast<unsigned>(move.output / vcs_));
      flit.usable = now_ + kHop - (rules_.heads_have_a_stage ? 1 : 0);
      post(flit.usable, {*next, move.output, flit});
    } else {
      arrive(flit);
    }
    if (move.input < links_ * vcs_) {
      const auto from = topology_.upstream(move.node, static_cast<unsigned>(move.input / vcs_));
      post(now_ + kCredit - (rules_.heads_have_a_stage ? 0 : 1), {*from, move.input, std::nullopt});
    } else {
      returning_.push_back(
          {now_ + (rules_.injection_has_credits ? 2 : 1), {move.node, move.input - links_ * vcs_}});
    }
    if (flit.index + 1 < messages_[flit.message].flits) return;
    output.held = false;
    output.free_from = now_ + (rules_.heads_have_a_stage || !is_link ? 1 : 2);
    input.output.reset();
    input.asks_from = now_ + 1;
  }

  void arrive(const Flit& flit) {
    if (now_ >= kWarmUp && now_ < kWarmUp + kMeasured) ++accepted_flits_;
    const Message& message = messages_[flit.message];
    if (flit.index + 1 < message.flits) return;
    const Cycle arrives = now_ + kHop - 1;
    if (workload_.has_replies() && !message.is_reply) {
      const std::uint32_t flits = 1 + workload_.flits - message.flits;
      answers_.push_back({message.destination, message.source, arrives, flits, true, {}});
    }
    if (!measured(message)) return;
    latencies_ += arrives - message.generated;
    ++arrived_;
    --outstanding_;
  }

  void inject(NodeId number) {
    Node& node = nodes_[number];
    for (std::size_t i = 0; i < node.channels.size(); ++i) {
      Channel& channel = node.channels[i];
      const bool replies = rules_.injection_is_shared ? !node.replies.empty() : 2 * i >= vcs_;
      auto& queue = workload_.has_replies() && replies ? node.replies : node.queue;
      if (!channel.message && !queue.empty()) {
        channel = {.message = queue.front(), .next_flit = 0, .vc = i};
        if (rules_.injection_is_shared) channel.vc = node.last_vc = next_vc(node, messages_[queue.front()]);
        queue.pop_front();
      }
      if (!channel.message || node.credits[channel.vc] == 0) continue;
      --node.credits[channel.vc];
      const Cycle usable = now_ + kHop - (rules_.heads_have_a_stage ? 2 : 1);
      post(usable, {number, links_ * vcs_ + channel.vc, Flit{*channel.message, channel.next_flit, usable}});
      if (++channel.next_flit == messages_[*channel.message].flits) channel.message.reset();
    }
  }
  /// The injection VC behind the last one with a slot; the first one behind a message of the other class.
  [[nodiscard]] std::size_t next_vc(const Node& node, const Message& message) const {
    const auto [first, vcs] = class_vcs(message);
    if (node.last_vc < first || node.last_vc >= first + vcs) return first;
    const std::size_t last = node.last_vc - first;
    std::size_t tried = 1;
    while (tried < vcs && node.credits[first + (last + tried) % vcs] == 0) ++tried;
    return first + (last + tried) % vcs;
  }

  const Topology& topology_;
  Rules rules_;
  Workload workload_;
  std::size_t vcs_;
  std::size_t links_;
  std::size_t all_vcs_;                     ///< of a router: of its links, then of the node
  std::vector<std::uint32_t> coordinates_;  ///< of all nodes, by dimension
  std::vector<Router> routers_;
  std::vector<Node> nodes_;
  std::vector<Message> messages_;
  std::array<std::vector<Event>, 8> events_;  ///< by cycle, modulo their number
  std::deque<std::pair<Cycle, std::pair<NodeId, std::size_t>>> returning_;
  std::deque<Message> answers_;  ///< to messages that arrive in the next cycles
  std::mt19937_64 random_{1};
  Cycle now_ = 0;
  std::uint64_t outstanding_ = 0;
  std::uint64_t arrived_ = 0;
  std::uint64_t latencies_ = 0;
  std::uint64_t accepted_flits_ = 0;
};

struct Experiment {
  Topology topology;
  Workload workload;
};

/// What the command line asks for; nothing if it is none.
std::optional<Experiment> asked(std::span<char*> words) {
  if (words.size() != 7 && words.size() != 8) return std::nullopt;
  const std::string network = words[1];
  std::string sides = words[2];
  std::ranges::replace(sides, 'x', ' ');
  std::vector<std::uint32_t> shape;
  std::istringstream all_sides(sides);
  for (std::uint32_t side = 0; all_sides >> side;) shape.push_back(side);
  std::istringstream numbers(fmt::format("{} {} {} {}", words[3], words[4], words[5], words[6]));
  Workload workload;
  if (!(numbers >> workload.vcs >> workload.buffer >> workload.flits >> workload.load)) return std::nullopt;
  if (words.size() == 8) workload.pattern = words[7];
  const bool transpose = workload.pattern == "transpose";
  if (transpose && (shape.size() != 2 || shape[0] != shape[1])) return std::nullopt;
  const std::array patterns{"uniform", "transpose", "bit-complement", "tornado", "read-write"};
  if (std::ranges::find(patterns, workload.pattern) == patterns.end()) return std::nullopt;
  const auto possible_side = [](std::uint32_t side) { return side >= 2 && side <= 32; };
  const bool possible = workload.vcs >= 1 && workload.vcs <= 16 &&
                        workload.vcs % (workload.classes() * (network == "mesh" ? 1 : 2)) == 0 &&
                        workload.buffer >= 1 && workload.buffer <= 1024 && workload.flits >= 1 &&
                        workload.flits <= 1024 && workload.load > 0 && workload.load <= 1 &&
                        (numbers >> std::ws).eof() && all_sides.eof() && !shape.empty() &&
                        shape.size() <= kMaxSides && std::ranges::all_of(shape, possible_side);
  if (!possible || (network != "torus" && network != "mesh")) return std::nullopt;
  return Experiment{Topology(network == "torus" ? TopologyKind::torus : TopologyKind::mesh, shape), workload};
}

int run(std::span<char*> words) {
  const auto experiment = asked(words);
  if (!experiment) {
    std::cerr << "usage: booksim_rules torus|mesh SIDES VCS BUFFER FLITS LOAD [PATTERN]\n";
    return 2;
  }
  const auto print = [&](const std::string& name, const Rules& rules) {
    Model model(experiment->topology, rules, experiment->workload);
    const Model::Result result = model.run();
    std::cout << fmt::format("{:<48} {:8.2f} {:8.4f}\n", name, result.latency, result.accepted) << std::flush;
  };
  print("BookSim2's rules", {});
  for (const auto& [name, rule] : kRules) {
    Rules without;
    without.*rule = false;
    print(fmt::format("  without: {}", name), without);
  }
  Rules ours;
  ours.vcs_are_separable = ours.switch_goes_by_output = false;
  ours.injection_has_credits = false;
  print("the equal machine's rules", ours);
  return 0;
}

}  // namespace
}  // namespace flitscope::bench

int main(int argc, char** argv) {
  return flitscope::bench::run({argv, static_cast<std::size_t>(argc)});
}
