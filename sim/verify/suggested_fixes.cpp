#include "sim/verify/deadlock_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <boost/functional/hash.hpp>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "model/error.h"
#include "routers/modules/limits.h"

namespace flitscope {

namespace {

/// A growing graph without dependency cycles, of channels by small numbers.
class Layer {
 public:
  /// Adds the arcs of a path, or none of them if one would close a cycle. Returns whether they are added.
  bool add(const std::vector<std::uint32_t>& path) {
    for (const std::uint32_t channel : path) {
      if (channel < next_.size()) continue;
      next_.resize(channel + 1);
      seen_.resize(channel + 1);
    }
    std::vector<Arc> added;
    for (std::size_t hop = 1; hop < path.size(); ++hop) {
      const Arc arc(path[hop - 1], path[hop]);
      std::vector<std::uint32_t>& next = next_[arc.first];
      if (std::ranges::find(next, arc.second) != next.end()) continue;
      if (!closing_.contains(arc) && !leads_to(path[hop], path[hop - 1])) {
        next.push_back(path[hop]);
        added.push_back(arc);
        continue;
      }
      if (added.empty()) closing_.insert(arc);
      for (const auto& [from, to] : added) next_[from].pop_back();
      return false;
    }
    return true;
  }

  [[nodiscard]] std::vector<Arc> arcs() const {
    std::vector<Arc> result;
    for (std::size_t from = 0; from < next_.size(); ++from) {
      for (const std::uint32_t to : next_[from]) result.emplace_back(from, to);
    }
    return result;
  }

 private:
  [[nodiscard]] bool leads_to(std::uint32_t from, std::uint32_t to) {
    ++search_;
    open_.assign(1, from);
    while (!open_.empty()) {
      const std::uint32_t at = open_.back();
      open_.pop_back();
      if (at == to) return true;
      for (const std::uint32_t next : next_[at]) {
        if (std::exchange(seen_[next], search_) != search_) open_.push_back(next);
      }
    }
    return false;
  }

  std::vector<std::vector<std::uint32_t>> next_;
  std::unordered_set<Arc, boost::hash<Arc>> closing_;  ///< arcs that would close a cycle
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> seen_;  ///< by channel: the search that has found it last
  std::uint32_t search_ = 0;
};

/// Puts every path into the first layer in which it closes no dependency cycle: with as many virtual channels
/// as layers, and each message in that of its layer, there is no deadlock. Nothing if there are too many
/// paths, links of them, or layers. Channels are those of the network of the paths.
std::optional<PathLayers> find_layers(const PathEnumerator& paths, const Flows& flows) {
  constexpr std::uint64_t kMaxPaths = 100'000;
  constexpr std::uint64_t kMaxLinks = 10'000'000;  // of all paths
  constexpr std::size_t kMaxLayers = 16;
  std::uint64_t count = 0;
  flows([&](const Flow&) { return ++count <= kMaxPaths; });
  if (count > kMaxPaths) return std::nullopt;
  std::vector<Layer> layers;
  PathLayers found;
  std::set<std::pair<std::uint64_t, std::vector<ChannelId>>> above;
  std::unordered_map<ChannelId, std::uint32_t> numbers;
  std::uint64_t links = 0;
  bool too_many = false;
  flows([&](const Flow& flow) {
    std::vector<ChannelId> path;
    std::vector<std::uint32_t> numbered;
    for (const std::uint64_t group : paths.path(flow)) {
      path.push_back(paths.groups().channel(group));
      numbered.push_back(numbers.emplace(path.back(), numbers.size()).first->second);
    }
    unsigned layer = 0;
    while (layer < layers.size() && !layers[layer].add(numbered)) ++layer;
    // No layer takes a path that crosses itself.
    const bool added = layer < layers.size() || layers.emplace_back().add(numbered);
    links += path.size();
    too_many = !added || layers.size() > kMaxLayers || links > kMaxLinks;
    if (layer > 0 && above.emplace(flow.message, path).second)
      found.above.push_back({layer, flow, std::move(path)});
    return !too_many;
  });
  if (too_many) return std::nullopt;
  for (const Layer& layer : layers) {
    if (DependencyCycles(layer.arcs()).any()) throw std::logic_error("a layer has a dependency cycle");
  }
  found.count = static_cast<unsigned>(layers.size());
  std::ranges::stable_sort(found.above, {}, &LayeredPath::layer);
  return found;
}

/// The turns of an adaptive routing function, and the network without some of them.
class TurnModel {
 public:
  TurnModel(PathEnumerator& paths, const Flows& flows) : paths_(paths), flows_(flows) {
    std::set<Arc> arcs;
    paths.follow_all(flows, [&](const Head&, std::optional<std::uint64_t> before, auto next) {
      if (!before) return;
      for (const std::uint64_t group : next) arcs.emplace(*before, group);
    });
    arcs_.assign(arcs.begin(), arcs.end());
    for (const auto& [from, to] : arcs_) {
      const Turn turn = turn_of(from, to);
      if (turn.from != turn.into && std::ranges::find(turns_, turn) == turns_.end()) turns_.push_back(turn);
    }
    std::ranges::sort(turns_, {}, [](const Turn& turn) { return std::pair(turn.from, turn.into); });
  }

  /// A smallest set of turns to forbid.
  std::optional<std::vector<Turn>> find() {
    constexpr std::size_t kMaxTurns = 4;
    constexpr std::size_t kMaxArcs = 20'000;
    if (arcs_.size() > kMaxArcs) return std::nullopt;
    unsigned trials = 3000;
    for (std::size_t count = 1; count <= kMaxTurns; ++count) {
      if (auto turns = find(count, trials)) return turns;
    }
    return std::nullopt;
  }

 private:
  /// The first set of `count` turns, in order.
  std::optional<std::vector<Turn>> find(std::size_t count, unsigned& trials) {
    if (count > turns_.size()) return std::nullopt;
    std::vector<bool> is_forbidden(turns_.size());
    std::fill_n(is_forbidden.begin(), count, true);
    for (bool more = true; more && trials > 0; --trials) {
      std::vector<Turn> forbidden;
      for (std::size_t i = 0; i < turns_.size(); ++i) {
        if (is_forbidden[i]) forbidden.push_back(turns_[i]);
      }
      if (is_acyclic_without(forbidden) && is_connected_without(forbidden)) return forbidden;
      more = std::prev_permutation(is_forbidden.begin(), is_forbidden.end());
    }
    return std::nullopt;
  }

  [[nodiscard]] Turn turn_of(std::uint64_t from, std::uint64_t to) const {
    return {paths_.groups().port(from), paths_.groups().port(to)};
  }

  [[nodiscard]] bool is_acyclic_without(const std::vector<Turn>& forbidden) const {
    std::vector<Arc> arcs;
    for (const auto& [from, to] : arcs_) {
      if (std::ranges::find(forbidden, turn_of(from, to)) == forbidden.end()) arcs.emplace_back(from, to);
    }
    return !DependencyCycles(std::move(arcs)).any();
  }

  [[nodiscard]] bool is_connected_without(const std::vector<Turn>& forbidden) const {
    bool all = true;
    flows_([&](const Flow& flow) {
      all = arrives_without(forbidden, flow);
      return all;
    });
    return all;
  }

  [[nodiscard]] bool arrives_without(const std::vector<Turn>& forbidden, const Flow& flow) const {
    const Head head = paths_.head(flow);
    std::set<std::uint64_t> seen;
    std::vector<std::uint64_t> open;
    std::vector<std::uint64_t> next;
    const auto follow_from = [&](std::optional<std::uint64_t> before) {
      paths_.find_next(before, flow.source, head, next);
      for (const std::uint64_t group : next) {
        if (before && std::ranges::find(forbidden, turn_of(*before, group)) != forbidden.end()) continue;
        if (seen.insert(group).second) open.push_back(group);
      }
    };
    follow_from(std::nullopt);
    while (!open.empty()) {
      const std::uint64_t group = open.back();
      open.pop_back();
      if (paths_.end(group) == flow.destination) return true;
      follow_from(group);
    }
    return false;
  }

  PathEnumerator& paths_;
  const Flows& flows_;
  std::vector<Arc> arcs_;
  std::vector<Turn> turns_;
};

/// Adds a setting if the machine with it can be built and frees the experiment, which has it.
void try_setting(const DeadlockCheck& check, const ExperimentConfig& config, std::string setting,
                 SuggestedFixes& fixes) {
  try {
    require_buildable(config.topology, config.machine, std::numeric_limits<std::uint64_t>::max());
  } catch (const Inadmissible&) {
    return;
  }
  if (check_deadlock(config, check.scope).analysis.verdict != DeadlockVerdict::free) return;
  fixes.settings.push_back(std::move(setting));
}

/// Every buffer can take two of the longest message.
bool has_room_for_bubbles(const DeadlockCheck& check, ExperimentConfig config) {
  config.machine.flow = FlowControl::bubble;  // lengths make a difference
  bool room = true;
  try {
    flows_of(check, config)([&](const Flow& flow) {
      room = 2 * flow.flits <= config.machine.buffer;
      return room;
    });
  } catch (const Inadmissible&) {
    return false;  // traffic is refused
  }
  return room;
}

/// The VCs of a link that a class of the check's cycle has.
unsigned vcs_of(const DeadlockCheck& check, const MachineConfig& machine) {
  return machine.classes.empty()
             ? machine.virtual_channels
             : static_cast<unsigned>(std::popcount(machine.classes[check.message_class].vcs));
}

/// "[{name: a, vcs: 2, priority: 1}, {name: b, vcs: 1, network: 1}]"; where classes share VCs all list them.
std::string text_of(const std::vector<MessageClass>& classes) {
  std::set<std::pair<std::uint32_t, std::uint64_t>> different;
  for (const MessageClass& each : classes) different.emplace(each.network, each.vcs);
  const bool are_listed = different.size() < classes.size();
  const auto item = [&](const MessageClass& each) {
    const std::string vcs = are_listed ? fmt::format("[{}]", fmt::join(vcs_in(each.vcs), ", "))
                                       : std::to_string(std::popcount(each.vcs));
    std::string text = fmt::format("{{name: {}, vcs: {}", each.name, vcs);
    if (each.priority != 0) text += fmt::format(", priority: {}", each.priority);
    if (each.network != 0) text += fmt::format(", network: {}", each.network);
    return text + "}";
  };
  return fmt::format("[{}]", fmt::join(texts_of(classes, item), ", "));
}

/// The setting `classes`, and that of all VCs if the configuration has one for another number. Takes the
/// classes over.
std::string set_classes(ExperimentConfig& config, std::vector<MessageClass> classes) {
  std::uint64_t all = 0;
  for (const MessageClass& each : classes) all |= each.vcs;
  const auto count = static_cast<unsigned>(std::popcount(all));
  std::string setting = "classes=" + text_of(classes);
  if (given_at(config, "router.virtual_channels") != nullptr && count != config.machine.virtual_channels)
    setting += fmt::format("\nrouter.virtual_channels={}", count);
  config.machine.classes = std::move(classes);
  config.machine.virtual_channels = count;
  config.virtual_channels = count;
  return setting;
}

/// Every class has as many VCs as the routing function needs.
void try_more_vcs_of_classes(const DeadlockCheck& check, ExperimentConfig config, unsigned needed,
                             SuggestedFixes& fixes) {
  std::vector<MessageClass> classes = config.machine.classes;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> changed;  // by network and VCs before
  std::map<std::uint32_t, unsigned> used;                                    // by network
  for (MessageClass& each : classes) {
    const auto [vcs, is_new] = changed.try_emplace({each.network, each.vcs});
    if (is_new) {
      const unsigned count = std::max(needed, static_cast<unsigned>(std::popcount(each.vcs)));
      unsigned& first = used[each.network];
      if (first + count > kMaxVirtualChannels) return;
      vcs->second = ~std::uint64_t{0} >> (64 - count) << first;
      first += count;
    }
    each.vcs = vcs->second;
  }
  const std::string setting = set_classes(config, std::move(classes));
  try_setting(check, config, setting, fixes);
}

void try_settings(const DeadlockCheck& check, const ExperimentConfig& config, SuggestedFixes& fixes) {
  const auto try_machine = [&](std::string setting, const auto& change) {
    ExperimentConfig changed = config;
    change(changed.machine);
    changed.virtual_channels = changed.machine.virtual_channels;
    try_setting(check, changed, std::move(setting), fixes);
  };
  const auto function = RoutingRegistry::find(config.machine.routing)
                            ->make(config.topology.network(config.machine.network_of(check.message_class)));
  const unsigned vcs = vcs_of(check, config.machine);
  if (vcs < function->classes() && !config.machine.classes.empty()) {
    try_more_vcs_of_classes(check, config, function->classes(), fixes);
  } else if (vcs < function->classes()) {
    try_machine(fmt::format("router.virtual_channels={}", function->classes()),
                [&](MachineConfig& machine) { machine.virtual_channels = function->classes(); });
  }
  if (!function->deterministic() && config.machine.vc_allocation == VcAllocation::non_atomic) {
    try_machine("router.vc_allocation=atomic",
                [](MachineConfig& machine) { machine.vc_allocation = VcAllocation::atomic; });
  }
  if (config.machine.flow == FlowControl::credit && has_room_for_bubbles(check, config)) {
    try_machine("router.flow=bubble", [](MachineConfig& machine) { machine.flow = FlowControl::bubble; });
  }
  for (const Routing& routing : RoutingRegistry::all()) {
    // Of adaptive functions, those that need neither more virtual channels nor another allocation.
    const bool other = routing.name != config.machine.routing && routing.serves(config.topology);
    if (function->deterministic() || !other || check.scope != Scope::all_pairs) continue;
    const auto candidate = routing.make(config.topology);
    if (candidate->deterministic() || candidate->classes() > vcs) continue;
    try_machine("router.routing=" + routing.name,
                [&](MachineConfig& machine) { machine.routing = routing.name; });
  }
}

/// Requests and replies in message classes of their own: half of the VCs each, or as many as the routing
/// function needs.
void try_classes_apart(const DeadlockCheck& check, ExperimentConfig config, SuggestedFixes& fixes) {
  MachineConfig& machine = config.machine;
  ProtocolConfig& protocol = *config.workload.protocol;
  const unsigned needed = RoutingRegistry::find(machine.routing)->make(config.topology)->classes();
  const unsigned before = machine.virtual_channels;
  const unsigned replies = std::max(needed, before / 2);
  const unsigned requests = std::max(needed, before - before / 2);
  if (config.topology.networks() > 1) return;
  const std::string request = protocol.offered[0].message_class.value_or("request");
  std::string reply = protocol.offered[1].message_class.value_or("reply");
  const bool is_one = reply == request;
  if (is_one) reply += "-reply";
  if (requests + replies > kMaxVirtualChannels) return;
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - requests - replies);
  const std::uint64_t of_requests = ~std::uint64_t{0} >> (64 - requests);
  std::string setting =
      set_classes(config, {{request, of_requests, 0, 0}, {reply, all & ~of_requests, 0, 0}});
  if (is_one) setting += "\nworkload.reply_class=" + reply;
  if (machine.node_queues == NodeQueues::shared) setting += "\nnode.queues=separate";
  machine.node_queues = NodeQueues::separate;
  protocol.reply_class = protocol.offered[1].message_class = reply;
  try_setting(check, config, std::move(setting), fixes);
}

/// Queues that hold all requests that can be open at a target, or fewer of these.
void try_sizes(const DeadlockCheck& check, const ExperimentConfig& config, SuggestedFixes& fixes) {
  constexpr std::uint64_t kMaxQueue = 1'000'000;  // of a target; an injection queue may be longer
  if (check.ends->open) {
    const std::uint64_t more = *check.ends->open - check.ends->held;
    if (const std::uint64_t queue = *config.machine.injection_queue + more; queue <= kMaxQueue) {
      ExperimentConfig changed = config;
      changed.machine.injection_queue = static_cast<std::uint32_t>(queue);
      try_setting(check, changed, fmt::format("node.injection_queue={}", queue), fixes);
    }
    if (const std::uint64_t queue = *config.workload.protocol->service.queue + more; queue <= kMaxQueue) {
      ExperimentConfig changed = config;
      changed.workload.protocol->service.queue = static_cast<std::uint32_t>(queue);
      try_setting(check, changed, fmt::format("workload.service.queue={}", queue), fixes);
    }
  }
  if (const std::uint64_t each = check.ends->held / check.ends->sources; each > 0) {
    ExperimentConfig changed = config;
    changed.workload.protocol->outstanding = static_cast<std::uint32_t>(each);
    try_setting(check, changed, fmt::format("workload.outstanding={}", each), fixes);
  }
}

}  // namespace

SuggestedFixes suggest_fixes(const DeadlockCheck& check, const ExperimentConfig& config) {
  constexpr NodeId kMaxForTurns = 1024;
  SuggestedFixes fixes;
  if (check.is_through_ends()) {
    try_classes_apart(check, config, fixes);
    try_sizes(check, config, fixes);
    return fixes;
  }
  try_settings(check, config, fixes);
  const unsigned network = config.machine.network_of(check.message_class);
  PathEnumerator paths(config.topology.network(network), *RoutingRegistry::find(config.machine.routing),
                       vcs_of(check, config.machine));
  const Flows flows = flows_of(check, config);
  if (paths.routing().deterministic()) {
    fixes.layers = find_layers(paths, flows);
    if (!fixes.layers) return fixes;
    for (LayeredPath& path : fixes.layers->above) {
      for (ChannelId& channel : path.channels) channel = config.topology.channel_of(network, channel);
    }
  } else if (config.topology.nodes() <= kMaxForTurns) {
    fixes.turns = TurnModel(paths, flows).find();
  }
  return fixes;
}

}  // namespace flitscope
