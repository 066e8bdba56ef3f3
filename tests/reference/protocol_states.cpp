#include "tests/reference/protocol_states.h"

#include <string>
#include <unordered_set>
#include <utility>

namespace flitscope::reference {

namespace {

/// A request or its reply in a queue.
struct Entry {
  bool is_reply = false;
  bool is_taken = false;  ///< by its node, but not read from the buffer yet
  NodeId source = 0;      ///< of the request
  NodeId target = 0;
};

using Queue = std::vector<Entry>;
using State = std::vector<Queue>;

class LoopExplorer {
 public:
  explicit LoopExplorer(const ProtocolLoop& loop) : loop_(loop) {}

  Reached explore(std::size_t max_states) {
    State start(kOfNode * loop_.topology.nodes() + 2 * loop_.topology.channel_ids());
    std::unordered_set<std::string> seen{key(start)};
    std::vector<State> open{std::move(start)};
    while (!open.empty()) {
      const State state = std::move(open.back());
      open.pop_back();
      next_.clear();
      find_next(state);
      if (next_.empty()) return Reached::deadlock;
      // What fills the network is looked at first: it deadlocks soonest.
      for (auto each = next_.rbegin(); each != next_.rend(); ++each) {
        if (seen.insert(key(*each)).second) open.push_back(std::move(*each));
      }
      if (seen.size() > max_states) return Reached::unknown;
    }
    return Reached::none;
  }

 private:
  // Queues of a node, those with two for requests and replies; behind all nodes those of links.
  static constexpr std::size_t kWaiting = 0;
  static constexpr std::size_t kInjector = 2;
  static constexpr std::size_t kInjected = 4;
  static constexpr std::size_t kEjected = 6;
  static constexpr std::size_t kService = 8;
  static constexpr std::size_t kServed = 9;
  static constexpr std::size_t kOfNode = 10;

  [[nodiscard]] std::size_t at_node(NodeId node, std::size_t part, bool is_reply) const {
    return kOfNode * node + part + (is_reply && !loop_.same_queues ? 1 : 0);
  }

  [[nodiscard]] static std::string key(const State& state) {
    std::string text;
    for (const Queue& queue : state) {
      for (const Entry& entry : queue) {
        text += static_cast<char>(1 + (entry.is_reply ? 1 : 0) + (entry.is_taken ? 2 : 0));
        text += static_cast<char>(entry.source);
        text += static_cast<char>(entry.target);
      }
      text += '\0';
    }
    return text;
  }

  [[nodiscard]] static std::size_t open_of(const State& state, NodeId source) {
    std::size_t open = 0;
    for (const Queue& queue : state) {
      for (const Entry& entry : queue) open += !entry.is_taken && entry.source == source ? 1 : 0;
    }
    return open;
  }

  void add(const State& state, std::size_t queue, const Entry& entry) {
    next_.push_back(state);
    next_.back()[queue].push_back(entry);
  }

  /// The first message of a queue goes to another one, if that has room.
  void move(const State& state, std::size_t from, std::size_t to, std::size_t room) {
    if (state[from].empty() || state[to].size() >= room) return;
    add(state, to, state[from].front());
    Queue& left = next_.back()[from];
    left.erase(left.begin());
    read(next_.back());
  }

  /// Nodes read what they have taken.
  void read(State& state) const {
    for (NodeId node = 0; node < loop_.topology.nodes(); ++node) {
      for (const bool is_reply : {false, true}) {
        Queue& buffer = state[at_node(node, kEjected, is_reply)];
        for (Entry& entry : buffer) entry.is_taken |= entry.is_reply;
        while (!buffer.empty() && buffer.front().is_taken) buffer.erase(buffer.begin());
      }
    }
  }

  /// From a router's queue on.
  void route(const State& state, NodeId node, std::size_t queue) {
    if (state[queue].empty()) return;
    const Entry& entry = state[queue].front();
    const NodeId to = entry.is_reply ? entry.source : entry.target;
    if (to == node) return move(state, queue, at_node(node, kEjected, entry.is_reply), loop_.ejection_buffer);
    const Topology& mesh = loop_.topology;
    unsigned dimension = 0;
    while (mesh.coordinate(node, dimension) == mesh.coordinate(to, dimension)) ++dimension;
    const bool rises = mesh.coordinate(node, dimension) < mesh.coordinate(to, dimension);
    const ChannelId link = mesh.channel(node, 2 * dimension + (rises ? 0 : 1));
    move(state, queue, of_link(link, entry.is_reply), loop_.buffer);
  }
  [[nodiscard]] std::size_t of_link(ChannelId link, bool is_reply) const {
    return kOfNode * loop_.topology.nodes() + 2 * link + (is_reply && !loop_.same_vcs ? 1 : 0);
  }

  void find_next(const State& state) {
    const Topology& mesh = loop_.topology;
    for (const NodeId source : loop_.sources) {
      const std::size_t queue = at_node(source, kWaiting, false);
      if (open_of(state, source) >= loop_.outstanding || state[queue].size() >= loop_.injection_queue)
        continue;
      for (const NodeId target : loop_.targets) {
        if (target != source) add(state, queue, {false, false, source, target});
      }
    }
    for (NodeId node = 0; node < mesh.nodes(); ++node) {
      for (const bool is_reply : {false, true}) {
        if (is_reply && loop_.same_queues) continue;
        move(state, at_node(node, kWaiting, is_reply), at_node(node, kInjector, is_reply), 1);
        move(state, at_node(node, kInjector, is_reply), at_node(node, kInjected, is_reply), loop_.buffer);
        route(state, node, at_node(node, kInjected, is_reply));
      }
      const std::size_t first = kOfNode * node;
      move(state, at_node(node, kEjected, false), first + kService, loop_.service_queue);
      move(state, first + kService, first + kServed, 1);
      if (const Queue& served = state[first + kServed]; !served.empty()) {
        State answered = state;
        answered[first + kServed].front().is_reply = true;
        move(answered, first + kServed, at_node(node, kWaiting, true), loop_.injection_queue);
      }
    }
    for (ChannelId link = 0; link < mesh.channel_ids(); ++link) {
      const auto to = mesh.neighbour(mesh.channel_node(link), mesh.channel_port(link));
      if (!to) continue;
      route(state, *to, of_link(link, false));
      if (!loop_.same_vcs) route(state, *to, of_link(link, true));
    }
  }

  const ProtocolLoop& loop_;
  std::vector<State> next_;
};

}  // namespace

Reached explore(const ProtocolLoop& loop, std::size_t max_states) {
  return LoopExplorer(loop).explore(max_states);
}

}  // namespace flitscope::reference
