#include "sim/formats/routes_file.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "model/error.h"
#include "model/route.h"
#include "model/text.h"
#include "routers/routing/routing.h"
#include "sim/formats/text_lines.h"

namespace flitscope {

namespace {

/// A name without blanks.
std::string plain(std::string name) {
  std::erase(name, ' ');
  return name;
}

constexpr unsigned kMaxLayer = 62;

class RoutesReader : DiagnosingReader {
 public:
  RoutesReader(std::string_view text, const std::string& name, const Topology& topology,
               Diagnostics& diagnostics)
      : DiagnosingReader(diagnostics), text_(text), name_(name), topology_(topology), table_(topology) {
    for (NodeId router = 0; router < topology.routers(); ++router) {
      if (router < topology.nodes()) nodes_.emplace(plain(topology.node_name(router)), router);
      for (unsigned port = 0; port < topology.link_ports(); ++port) {
        const ChannelId channel = topology.channel(router, port);
        if (topology.has_link(router, port))
          channels_.emplace(plain(topology.channel_name(channel)), channel);
      }
    }
  }

  std::shared_ptr<const RouteTable> read() {
    for_each_line(text_, name_, [this](std::vector<Word> words) {
      words_ = std::move(words);
      read_line();
    });
    if (sound_) check_layers();
    if (sound_) check_paths();
    if (!sound_) return nullptr;
    return std::make_shared<const RouteTable>(std::move(table_));
  }

 private:
  std::optional<NodeId> node(std::size_t word) {
    if (word >= words_.size())
      return refuse(words_.back().place, "the line ends after '{}'; a node must follow", words_.back().text);
    const auto found = nodes_.find(std::string(words_[word].text));
    if (found != nodes_.end()) return found->second;
    return refuse(words_[word].place, "{} is no node of the {}", in_quotes(words_[word].text),
                  topology_.name());
  }

  void read_line() {
    if (words_.front().text == "to") return read_links();
    if (words_.front().text == "layer") return read_layer();
    fail(words_.front().place, "a line begins with 'to', 'layer' or '#', not with {}",
         in_quotes(words_.front().text));
  }

  /// "to n3 r0>r1 r1>n3"
  void read_links() {
    const auto to = node(1);
    if (!to) return;
    for (std::size_t word = 2; word < words_.size(); ++word) {
      const auto found = channels_.find(std::string(words_[word].text));
      if (found == channels_.end()) {
        fail(words_[word].place, "{} is no link of the {}", in_quotes(words_[word].text), topology_.name());
        return;
      }
      add(*to, found->second, words_[word]);
    }
  }

  void add(NodeId to, ChannelId channel, const Word& word) {
    const NodeId from = topology_.channel_node(channel);
    const unsigned port = topology_.channel_port(channel);
    if (from == to)
      return fail(word.place, "'{}' starts at the destination, where the route ends", word.text);
    const bool at_its_core = table_.core_of(from) == table_.core_of(to);
    if (table_.is_leaf(from) || at_its_core) {
      if (table_.next(from, to) == port) return;
      return fail(word.place, "'{}' is not the link to {}", word.text, topology_.node_name(to));
    }
    const std::uint8_t before = table_.port(table_.core_of(from), table_.core_of(to));
    if (before != RouteTable::kNoPort && before != port) {
      return fail(word.place,
                  "from {} messages to {}, or to a node attached to the same router, go by {} already; a "
                  "route has one next link",
                  topology_.node_name(from), topology_.node_name(to),
                  plain(topology_.channel_name(topology_.channel(from, before))));
    }
    table_.set_port(table_.core_of(from), table_.core_of(to), port);
  }

  /// "layer 2 to n3 from n0 n5"
  void read_layer() {
    const auto number = whole_number(words_.size() > 1 ? words_[1].text : std::string_view(), 0U, kMaxLayer);
    if (!number) {
      return fail(words_.back().place, "a layer is a number from 0 to {}: 'layer 1 to NODE from NODE ...'",
                  kMaxLayer);
    }
    if (words_.size() < 6 || words_[2].text != "to" || words_[4].text != "from") {
      return fail(words_.front().place, "a line about a layer has the form 'layer 1 to NODE from NODE ...'");
    }
    const unsigned layer = *number;
    const auto to = node(3);
    for (std::size_t word = 5; to && word < words_.size(); ++word) {
      const auto from = node(word);
      if (!from) return;
      const std::uint32_t source = table_.core_of(*from);
      const std::uint32_t destination = table_.core_of(*to);
      if (source == destination && layer > 0) {
        return fail(words_[word].place,
                    "messages from {} to {}, which are attached to one router, travel in layer 0",
                    topology_.node_name(*from), topology_.node_name(*to));
      }
      Layer& named =
          layers_.try_emplace({source, destination}, Layer{layer, words_[word].place, {}}).first->second;
      if (named.layer != layer) {
        return fail(words_[word].place,
                    "messages from {} to {}, or between nodes attached to the same routers, travel in layer "
                    "{} already",
                    topology_.node_name(*from), topology_.node_name(*to), named.layer);
      }
      named.pairs.emplace(*from, *to);
      if (source != destination) table_.set_layer(source, destination, layer);
    }
  }

  /// All pairs of nodes of two routers share a layer, which lines of the file must say.
  void check_layers() {
    for (const auto& [cores, named] : layers_) {
      const auto& [source, destination] = cores;
      const std::size_t pairs = std::size_t{table_.nodes_at(source)} * table_.nodes_at(destination);
      if (named.layer == 0 || named.pairs.size() == pairs) continue;
      for (NodeId from = 0; from < topology_.nodes(); ++from) {
        for (NodeId to = 0; table_.core_of(from) == source && to < topology_.nodes(); ++to) {
          if (table_.core_of(to) != destination || named.pairs.contains({from, to})) continue;
          return fail(named.place,
                      "the nodes of a router share their layers: layer {} must also be that of messages from "
                      "{} to {}",
                      named.layer, topology_.node_name(from), topology_.node_name(to));
        }
      }
    }
  }

  /// From every core router with nodes to every other.
  void check_paths() {
    const SourceLocation whole{name_};
    for (std::uint32_t to = 0; to < table_.cores(); ++to) {
      if (table_.nodes_at(to) == 0) continue;
      std::vector<std::uint8_t> arrives(table_.cores());
      arrives[to] = 1;
      for (std::uint32_t from = 0; from < table_.cores(); ++from) {
        if (table_.nodes_at(from) == 0 || arrives[from] != 0) continue;
        path_.clear();
        std::uint32_t at = from;
        while (arrives[at] == 0 && path_.size() <= table_.cores()) {
          path_.push_back(at);
          const std::uint8_t port = table_.port(at, to);
          if (port == RouteTable::kNoPort) {
            return fail(whole, "the route from {} to {} reaches a dead end at {}",
                        topology_.node_name(table_.router(from)), topology_.node_name(table_.router(to)),
                        topology_.node_name(table_.router(at)));
          }
          at = table_.core_of(*topology_.neighbour(table_.router(at), port));
        }
        if (arrives[at] == 0) {
          return fail(whole, "the route from {} to {} loops through {}",
                      topology_.node_name(table_.router(from)), topology_.node_name(table_.router(to)),
                      topology_.node_name(table_.router(at)));
        }
        for (const std::uint32_t passed : path_) arrives[passed] = 1;
      }
    }
  }

  std::string_view text_;
  const std::string& name_;
  const Topology& topology_;
  RouteTable table_;
  std::unordered_map<std::string, NodeId> nodes_;
  std::unordered_map<std::string, ChannelId> channels_;
  /// The layer of messages between the nodes of two core routers, and the pairs of nodes that lines name.
  struct Layer {
    unsigned layer = 0;
    SourceLocation place;
    std::set<std::pair<NodeId, NodeId>> pairs;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Layer> layers_;
  std::vector<Word> words_;
  std::vector<std::uint32_t> path_;
};

/// The routes to a node as a table.
struct RoutesTo {
  NodeId to = 0;
  /// By router; RouteTable::kNoPort where no route passes.
  std::vector<std::uint8_t> ports;
  /// By source.
  std::vector<std::uint8_t> layers;
};

/// Throws Inadmissible("router.routing") if they depend on more than the destination, or messages change
/// their class.
RoutesTo routes_to(NodeId to, const Topology& topology, const RoutingFunction& function,
                   const std::string& routing) {
  RoutesTo routes{to, std::vector<std::uint8_t>(topology.routers(), RouteTable::kNoPort),
                  std::vector<std::uint8_t>(topology.nodes())};
  for (NodeId from = 0; from < topology.nodes(); ++from) {
    if (from == to || topology.is_missing(from)) continue;
    Head head;
    head.destination = to;
    if (function.follows_routes()) head.route = shortest_route(topology, from, to);
    function.prepare(head, from);
    Arrival arrival{static_cast<std::uint8_t>(topology.link_ports()), 0};
    std::optional<unsigned> layer;
    for (NodeId at = from; at != to;) {
      const Candidate next = function.first_candidate(at, arrival, head);
      std::uint8_t& port = routes.ports[at];
      if (layer.value_or(next.channel_class) != next.channel_class) {
        throw Inadmissible(
            "router.routing",
            "the routes of {} are no table: at {} messages to {} change their class of virtual "
            "channels, and a message of a table has one layer on all of its links",
            routing, topology.node_name(at), topology.node_name(to));
      }
      if (port != RouteTable::kNoPort && port != next.port) {
        throw Inadmissible(
            "router.routing",
            "the routes of {} are no table: at {} they depend on more than the destination, {}", routing,
            topology.node_name(at), topology.node_name(to));
      }
      layer = next.channel_class;
      port = static_cast<std::uint8_t>(next.port);
      arrival = {port, static_cast<std::uint8_t>(next.channel_class)};
      at = *topology.neighbour(at, next.port);
    }
    routes.layers[from] = static_cast<std::uint8_t>(*layer);
  }
  return routes;
}

/// Messages of one pair of nodes can begin in different dimensions, or those of different networks do.
bool chooses_first_dimension(const Topology& topology, const RoutingFunction& function) {
  const NodeId farthest = topology.nodes() - 1;
  const Route own = shortest_route(topology, 0, farthest);
  for (unsigned first = 0; first < topology.dimensions(); ++first) {
    Route other = own;
    other.first_dimension = static_cast<std::uint8_t>(first);
    if (first != own.first_dimension && !function.objection(0, farthest, other)) return true;
  }
  for (unsigned network = 1; network < topology.networks(); ++network) {
    if (topology.network(network).first_dimension() != topology.network(0).first_dimension()) return true;
  }
  return false;
}

void write_routes_to(const RoutesTo& routes, const Topology& topology, std::ostream& out) {
  const std::string to = plain(topology.node_name(routes.to));
  out << "to " << to;
  for (NodeId at = 0; at < topology.routers(); ++at) {
    if (routes.ports[at] != RouteTable::kNoPort)
      out << ' ' << plain(topology.channel_name(topology.channel(at, routes.ports[at])));
  }
  out << '\n';
  std::map<unsigned, std::string> layers;
  for (NodeId from = 0; from < topology.nodes(); ++from) {
    if (routes.layers[from] > 0) layers[routes.layers[from]] += " " + plain(topology.node_name(from));
  }
  for (const auto& [layer, sources] : layers)
    out << "layer " << layer << " to " << to << " from" << sources << '\n';
}

}  // namespace

std::shared_ptr<const RouteTable> read_routes(std::string_view text, const std::string& name,
                                              const Topology& topology, Diagnostics& diagnostics) {
  return RoutesReader(text, name, topology, diagnostics).read();
}

std::shared_ptr<const RouteTable> read_routes(const std::filesystem::path& file, const Topology& topology,
                                              Diagnostics& diagnostics) {
  const auto text = text_of_file(file, diagnostics);
  return text ? read_routes(*text, file.string(), topology, diagnostics) : nullptr;
}

void write_routes(const Topology& topology, const std::string& routing, std::ostream& out) {
  const Routing* const entry = RoutingRegistry::find(routing);
  if (entry == nullptr || !entry->serves(topology)) {
    throw Inadmissible("router.routing", "{} does not serve this network ({})", routing, topology.name());
  }
  const auto function = entry->make(topology);
  if (!function->deterministic())
    throw Inadmissible("router.routing", "the routes of {} are no table: they are chosen in the run",
                       routing);
  if (function->follows_routes() && chooses_first_dimension(topology, *function)) {
    throw Inadmissible("router.routing",
                       "the routes of {} are no table: each message has a first dimension of its own",
                       routing);
  }
  function->build_tables();
  // Nothing of routes that are refused on the way.
  std::vector<RoutesTo> routes;
  for (NodeId to = 0; to < topology.nodes(); ++to) {
    if (!topology.is_missing(to)) routes.push_back(routes_to(to, topology, *function, routing));
  }
  out << "# routes of " << routing << " on the " << topology.name() << '\n';
  for (const RoutesTo& each : routes) write_routes_to(each, topology, out);
}

}  // namespace flitscope
