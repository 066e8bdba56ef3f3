#include "model/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "model/bit_rows.h"
#include "model/error.h"
#include "model/numbers.h"

namespace flitscope {

namespace {

constexpr std::uint32_t kNoArc = std::numeric_limits<std::uint32_t>::max();

/// Arcs that leave, or enter, the vertices of one side, by colour.
class Side {
 public:
  Side(std::uint32_t vertices, unsigned colours)
      : colours_(colours), arcs_(std::size_t{vertices} * colours, kNoArc), free_(vertices, colours) {
    for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
      for (unsigned colour = 0; colour < colours; ++colour) free_.add(vertex, colour);
    }
  }

  /// The lowest colour that is free at a vertex of this side, and at one of the other side.
  [[nodiscard]] std::optional<unsigned> free(std::uint32_t vertex, const Side& other,
                                             std::uint32_t its) const {
    return free_.first_of_both(vertex, other.free_, its);
  }
  /// The lowest colour that is free at a vertex.
  [[nodiscard]] unsigned free(std::uint32_t vertex) const { return free(vertex, *this, vertex).value(); }
  [[nodiscard]] std::uint32_t arc(std::uint32_t vertex, unsigned colour) const {
    return arcs_[std::size_t{vertex} * colours_ + colour];
  }
  void set(std::uint32_t vertex, unsigned colour, std::uint32_t arc) {
    arcs_[std::size_t{vertex} * colours_ + colour] = arc;
    arc == kNoArc ? free_.add(vertex, colour) : free_.remove(vertex, colour);
  }

 private:
  unsigned colours_;
  std::vector<std::uint32_t> arcs_;
  BitRows free_;  ///< by vertex: colours
};

unsigned largest_degree(std::uint32_t vertices, std::span<const ColouredArc> arcs) {
  std::vector<unsigned> leaving(vertices);
  std::vector<unsigned> entering(vertices);
  unsigned largest = 0;
  for (const ColouredArc& arc : arcs) largest = std::max({largest, ++leaving[arc.from], ++entering[arc.to]});
  return largest;
}

}  // namespace

std::vector<unsigned> edge_colours(std::uint32_t vertices, std::span<const ColouredArc> arcs) {
  const unsigned colours = largest_degree(vertices, arcs);
  Side leaving(vertices, colours);
  Side entering(vertices, colours);
  std::vector<unsigned> colour_of(arcs.size());
  std::vector<std::uint32_t> path;
  for (std::uint32_t number = 0; number < arcs.size(); ++number) {
    const auto [from, to] = arcs[number];
    std::optional<unsigned> colour = leaving.free(from, entering, to);
    if (!colour) {
      // `at_from` is free where the arc begins, `at_to` where it ends. Along the path of arcs of these two
      // colours that enters `to` the colours are exchanged; since the graph is bipartite it does not reach
      // `from`.
      const unsigned at_from = leaving.free(from);
      const unsigned at_to = entering.free(to);
      path.clear();
      std::uint32_t next = entering.arc(to, at_from);
      for (bool backwards = true; next != kNoArc; backwards = !backwards) {
        path.push_back(next);
        next = backwards ? leaving.arc(arcs[next].from, at_to) : entering.arc(arcs[next].to, at_from);
      }
      for (const std::uint32_t arc : path) {
        leaving.set(arcs[arc].from, colour_of[arc], kNoArc);
        entering.set(arcs[arc].to, colour_of[arc], kNoArc);
      }
      for (const std::uint32_t arc : path) {
        colour_of[arc] = colour_of[arc] == at_from ? at_to : at_from;
        leaving.set(arcs[arc].from, colour_of[arc], arc);
        entering.set(arcs[arc].to, colour_of[arc], arc);
      }
      colour = leaving.free(from, entering, to);
    }
    colour_of[number] = colour.value();
    leaving.set(from, colour_of[number], number);
    entering.set(to, colour_of[number], number);
  }
  return colour_of;
}

namespace {

/// Routers that can be reached from one, along links or against them.
std::vector<bool> reached_from(const GraphPlan& plan, std::uint32_t start, bool against) {
  std::vector<std::vector<std::uint32_t>> neighbours(plan.routers.size());
  for (const auto& link : plan.links) {
    neighbours[against ? link.to : link.from].push_back(against ? link.from : link.to);
  }
  std::vector<bool> seen(plan.routers.size());
  std::vector<std::uint32_t> open{start};
  seen[start] = true;
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const std::uint32_t next : neighbours[at]) {
      if (seen[next]) continue;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return seen;
}

std::optional<PlanFault> fault_of_links(const GraphPlan& plan) {
  const auto fault = [](std::uint32_t link, std::string message) {
    return PlanFault{PlanFault::Part::link, link, std::move(message)};
  };
  const auto name = [&](std::uint32_t router) -> const std::string& { return plan.routers[router].name; };
  std::vector<unsigned> leaving(plan.routers.size());
  std::vector<unsigned> entering(plan.routers.size());
  std::set<std::pair<std::uint32_t, std::string_view>> ports;
  for (std::uint32_t i = 0; i < plan.links.size(); ++i) {
    const auto& link = plan.links[i];
    if (link.from == link.to) {
      return fault(
          i, fmt::format("a link leads from '{}' to itself; it must join two routers", name(link.from)));
    }
    if (!link.port.empty() && !ports.emplace(link.from, link.port).second) {
      return fault(i, fmt::format("port '{}' of '{}' has a link already; a port has one link", link.port,
                                  name(link.from)));
    }
    const bool out = ++leaving[link.from] > Graph::kMaxPorts;
    if (!out && ++entering[link.to] <= Graph::kMaxPorts) continue;
    return fault(i, fmt::format("more than {} links {} '{}'; a router can have {} at most, which leaves room "
                                "for one virtual channel a link and one node",
                                Graph::kMaxPorts, out ? "leave" : "enter", name(out ? link.from : link.to),
                                Graph::kMaxPorts));
  }
  return std::nullopt;
}

/// `lonely` routers are no nodes and have no links, as those that are missing.
std::optional<PlanFault> fault_of_reach(const GraphPlan& plan, bool lonely) {
  const auto first = std::ranges::find_if(plan.routers, &GraphPlan::Router::node);
  const auto nodes = std::ranges::count_if(plan.routers, &GraphPlan::Router::node);
  if (nodes < 2) {
    return PlanFault{PlanFault::Part::whole, 0,
                     fmt::format("the network has {}; it needs at least 2 nodes",
                                 nodes == 0 ? "no node" : "one node only")};
  }
  const auto start = static_cast<std::uint32_t>(first - plan.routers.begin());
  const auto to = reached_from(plan, start, false);
  const auto back = reached_from(plan, start, true);
  for (std::uint32_t i = 0; i < plan.routers.size(); ++i) {
    const auto& router = plan.routers[i];
    if (to[i] && back[i]) continue;
    if (!router.node && (lonely || to[i] || back[i])) continue;  // no message goes there
    return PlanFault{
        PlanFault::Part::router, i,
        fmt::format("no path leads from '{}' to '{}'; every node must be able to reach every other",
                    to[i] ? router.name : first->name, to[i] ? first->name : router.name)};
  }
  return std::nullopt;
}

}  // namespace

struct Graph::RouteStore {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const void>> made;
};

std::uint32_t GraphPlan::add_router(Router router) {
  routers.push_back(std::move(router));
  return static_cast<std::uint32_t>(routers.size() - 1);
}

std::uint32_t GraphPlan::add_node(std::uint32_t router, Router node) {
  const std::uint32_t place = add_router(std::move(node));
  join(router, place, {.kind = "node"});
  return place;
}

void GraphPlan::join(std::uint32_t one, std::uint32_t other, Link link) {
  link.from = one;
  link.to = other;
  links.push_back(link);
  std::swap(link.from, link.to);
  links.push_back(std::move(link));
}

std::optional<PlanFault> fault_of_names(const GraphPlan& plan) {
  std::unordered_map<std::string_view, std::uint32_t> seen;
  for (std::uint32_t i = 0; i < plan.routers.size(); ++i) {
    if (!seen.emplace(plan.routers[i].name, i).second) {
      return PlanFault{PlanFault::Part::router, i,
                       fmt::format("there is a router '{}' already; every router needs a name of its own",
                                   plan.routers[i].name)};
    }
  }
  return std::nullopt;
}

std::optional<PlanFault> fault_of(const GraphPlan& plan) {
  if (plan.routers.size() > kMaxNodes) {
    return PlanFault{PlanFault::Part::whole, 0, fmt::format("more than {} routers", kMaxNodes)};
  }
  if (auto fault = fault_of_names(plan)) return fault;
  if (auto fault = fault_of_links(plan)) return fault;
  return fault_of_reach(plan, false);
}

Graph::Graph(GraphPlan plan) : plan_(std::move(plan)), store_(std::make_shared<RouteStore>()) {
  if (const auto fault = fault_of(plan_)) throw Inadmissible("topology", fault->message);
  places_ = numbers_below<std::uint32_t>(plan_.routers.size());
  const auto has_node = [this](std::uint32_t place) { return plan_.routers[place].node; };
  const auto others = std::ranges::stable_partition(places_, has_node);
  nodes_ = static_cast<NodeId>(others.begin() - places_.begin());
  std::vector<NodeId> number_of(places_.size());
  for (NodeId number = 0; number < places_.size(); ++number) number_of[places_[number]] = number;
  by_name_ = numbers_below<NodeId>(places_.size());
  std::ranges::sort(by_name_, {}, [this](NodeId router) { return std::string_view(router_name(router)); });

  std::vector<ColouredArc> arcs;
  for (const GraphPlan::Link& link : plan_.links) arcs.push_back({number_of[link.from], number_of[link.to]});
  const auto colours = edge_colours(routers(), arcs);
  for (const unsigned colour : colours) ports_ = std::max(ports_, colour + 1);
  to_.assign(std::size_t{routers()} * ports_, kNoNode);
  from_ = to_;
  link_.assign(to_.size(), kNoLink);
  for (std::uint32_t i = 0; i < arcs.size(); ++i) {
    to_[at(arcs[i].from, colours[i])] = arcs[i].to;
    from_[at(arcs[i].to, colours[i])] = arcs[i].from;
    link_[at(arcs[i].from, colours[i])] = i;
  }
  digest_ = digest_of();
}

Graph::Graph(const std::shared_ptr<const Graph>& whole, const Faults& faults) : Graph(*whole) {
  faults_ = faults;
  whole_ = whole;
  std::vector<std::uint32_t> place_of(plan_.links.size());
  for (const ChannelId channel : faults.links) {
    if (to_[channel] == kNoNode) continue;
    place_of[link_[channel]] = kNoLink;
    from_[at(to_[channel], static_cast<unsigned>(channel % ports_))] = kNoNode;
    to_[channel] = kNoNode;
  }
  plan_.links.clear();
  plan_.routing = "layered";
  for (std::uint32_t i = 0; i < place_of.size(); ++i) {
    if (place_of[i] == kNoLink) continue;
    place_of[i] = static_cast<std::uint32_t>(plan_.links.size());
    plan_.links.push_back(whole->plan_.links[i]);
  }
  for (std::uint32_t& link : link_) link = link == kNoLink ? kNoLink : place_of[link];
  complete_with_faults();
}

void Graph::complete_with_faults() {
  store_ = std::make_shared<RouteStore>();
  if (const auto fault = fault_of_reach(plan_, true))
    throw Inadmissible(faults_.links.empty() ? "topology.missing_nodes" : "links", fault->message);
  digest_ = digest_of();
}

std::optional<NodeId> Graph::router_named(std::string_view name) const {
  const auto found = std::ranges::lower_bound(
      by_name_, name, {}, [this](NodeId router) { return std::string_view(router_name(router)); });
  return found != by_name_.end() && router_name(*found) == name ? std::optional(*found) : std::nullopt;
}

std::string Graph::channel_name(NodeId router, unsigned port) const {
  if (whole_ != nullptr) return whole_->channel_name(router, port);
  const NodeId to = to_[at(router, port)];
  if (to == kNoNode) return fmt::format("{}:{}", router_name(router), port);
  const GraphPlan::Link& described = link(router, port);
  if (!described.port.empty()) return fmt::format("{}:{}", router_name(router), described.port);
  unsigned place = 1;
  for (unsigned other = 0; other < ports_; ++other) {
    if (to_[at(router, other)] == to && link_[at(router, other)] < link_[at(router, port)]) ++place;
  }
  const std::string name = fmt::format("{}>{}", router_name(router), router_name(to));
  return place == 1 ? name : fmt::format("{}#{}", name, place);
}

std::string Graph::digest_of() const {
  std::uint64_t state = 0xCBF29CE484222325;  // FNV-1a, 64 bits
  const auto add_byte = [&](char byte) {
    state = (state ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  };
  const auto add_text = [&](std::string_view text) {
    std::ranges::for_each(text, add_byte);
    add_byte(0);
  };
  const auto add = [&](std::uint64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8) add_byte(static_cast<char>(number >> shift));
  };
  add(nodes_);
  for (const std::uint32_t place : places_) add_text(plan_.routers[place].name);
  for (std::size_t i = 0; i < to_.size(); ++i) {
    add(to_[i]);
    if (to_[i] == kNoNode) continue;
    const GraphPlan::Link& link = plan_.links[link_[i]];
    add_text(link.port);
    // A time is the same with any clock.
    add(link.delay && !link.delay_time ? std::uint64_t{1} + *link.delay : 0);
    if (link.delay_time) add(*link.delay_time);
    const Ratio interval = link.cycles_per_flit.value_or(0);
    add(link.cycles_per_flit ? std::uint64_t{1} + interval.numerator() : 0);
    if (!interval.is_whole()) add(interval.denominator());
    if (link.bandwidth) add(*link.bandwidth);
  }
  return fmt::format("{:016x}", state);
}

std::shared_ptr<const void> Graph::stored(const std::string& name,
                                          const std::function<std::shared_ptr<const void>()>& make) const {
  const std::lock_guard lock(store_->mutex);
  auto& made = store_->made[name];
  if (made == nullptr) made = make();
  return made;
}

}  // namespace flitscope
