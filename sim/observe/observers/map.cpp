// map: the network as a picture, links wide with traffic and red with waiting.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <vector>

#include "model/error.h"
#include "model/placement.h"
#include "sim/network/network.h"
#include "sim/observe/observer.h"

namespace flitscope::map_observer {
namespace {

struct Keys {
  bool map = false;
};

constexpr auto kFile = "channels.svg";

// --- The picture -------------------------------------------------------------------------------------------

/// What a link did, as far as the picture shows it.
struct ChannelUse {
  ChannelId channel = 0;
  double utilisation = 0;     ///< flits a cycle, 0 to 1
  std::uint64_t stalled = 0;  ///< flit-cycles that flits waited for it
};

constexpr double kSpacing = 84;
constexpr double kMargin = 70;
constexpr double kNode = 17;  ///< half the side of a node
constexpr double kLane = 6;   ///< of the two directions of a link
constexpr double kFont = 9;
constexpr double kLine = 65;  ///< font size times letters of what fits into a node
constexpr NodeId kMaxDrawn = 1024;

Point on_paper(Point place) {
  return {kMargin + kSpacing * place.x, kMargin + kSpacing * place.y};
}

/// The direction in which a link leaves its router, and how long it is drawn.
struct Arrow {
  Point along;
  double end = 0;
};

Arrow arrow_of(const Topology& topology, unsigned port, Point from, Point to) {
  if (!topology.is_grid()) {
    const double length = std::max(1.0, std::hypot(to.x - from.x, to.y - from.y));
    return {{(to.x - from.x) / length, (to.y - from.y) / length}, length - kNode};
  }
  const double sign = sign_of_port(port) == Sign::plus ? 1 : -1;
  const Point along = dimension_of_port(port) == 0 ? Point{sign, 0} : Point{0, sign};
  const bool round = std::abs(to.x - from.x) + std::abs(to.y - from.y) > 1.5 * kSpacing ||
                     (to.x - from.x) * along.x + (to.y - from.y) * along.y < 0;
  return {along, round ? kNode + 22 : kSpacing - kNode};
}

/// From light grey over orange to red.
std::string colour_of(double share) {
  if (share <= 0) return "#c8c8c8";
  const auto green = static_cast<int>(std::lround(170 * (1 - share)));
  return fmt::format("#d9{:02x}20", green);
}

/// Networks of one or two dimensions with at most 1024 nodes.
bool can_be_drawn(const Topology& topology) {
  return topology.dimensions() <= 2 && topology.routers() <= kMaxDrawn;
}

/// A map as SVG: every link as an arrow that is wider the more flits it moved, and redder the longer flits
/// waited for it. Links round a torus are short arrows at its border. Every arrow has its numbers as a title.
std::string draw_channels(const std::vector<ChannelUse>& channels, const Topology& topology) {
  fmt::memory_buffer text;
  const auto add = [&](fmt::string_view format, const auto&... values) {
    fmt::vformat_to(std::back_inserter(text), format, fmt::make_format_args(values...));
  };
  std::vector<Point> places = places_of(topology);
  for (Point& place : places) place = on_paper(place);
  const double width = kMargin + std::ranges::max(places, {}, &Point::x).x;
  const double height = kMargin + std::ranges::max(places, {}, &Point::y).y;
  add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n"
      "<defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"6\" refY=\"4\" markerWidth=\"7\" "
      "markerHeight=\"7\" "
      "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" "
      "fill=\"#555555\"/></marker></defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      std::max(width, 520.0), height);
  std::uint64_t most = 0;
  for (const ChannelUse& channel : channels) most = std::max(most, channel.stalled);
  for (const ChannelUse& channel : channels) {
    const NodeId node = topology.channel_node(channel.channel);
    const unsigned port = topology.channel_port(channel.channel);
    const Point from = places[node];
    const auto [along, end] = arrow_of(topology, port, from, places[*topology.neighbour(node, port)]);
    const double share = most == 0 ? 0 : static_cast<double>(channel.stalled) / static_cast<double>(most);
    add("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{:.1f}\" "
        "marker-end=\"url(#end)\"><title>{}: busy in {:.1f}% of all cycles, {} flit-cycles "
        "waited</title></line>\n",
        from.x + along.x * kNode - along.y * kLane, from.y + along.y * kNode + along.x * kLane,
        from.x + along.x * end - along.y * kLane, from.y + along.y * end + along.x * kLane, colour_of(share),
        1 + 7 * channel.utilisation, topology.channel_name(channel.channel), 100 * channel.utilisation,
        channel.stalled);
  }
  for (NodeId node = 0; node < topology.routers(); ++node) {
    const Point at = places[node];
    const std::string name = topology.node_name(node);
    add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"#f4f4f4\" "
        "stroke=\"#777777\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-size=\"{:.3g}\">{}</text>\n",
        at.x - kNode, at.y - kNode, 2 * kNode, 2 * kNode, at.x, at.y + 3,
        std::min(kFont, kLine / static_cast<double>(name.size())), name);
  }
  add("<text x=\"16\" y=\"22\">wider: more flits; redder: flits waited longer for it (red: {} "
      "flit-cycles)</text>\n"
      "</svg>\n",
      most);
  return fmt::to_string(text);
}

// --- The observer ------------------------------------------------------------------------------------------

/// Reads the counters of the routers when the run is over.
class Map final : public Observer {
 public:
  explicit Map(const LinkRun& run) : run_(run) {}

  void close(const RunEnd& end) override {
    const Topology& topology = run_.topology;
    const RouterPool& routers = run_.network().clock().routers();
    std::vector<ChannelUse> channels;
    for (NodeId node = 0; node < topology.routers(); ++node) {
      for (unsigned number = 0; number < topology.link_ports(); ++number) {
        if (!topology.has_link(node, number)) continue;
        const PortCounts port = routers.counts(node, number);
        const double share =
            end.cycles == 0 ? 0 : static_cast<double>(port.flits) / static_cast<double>(end.cycles);
        channels.push_back({topology.channel(node, number), share, port.stalled});
      }
    }
    std::ofstream out(run_.file(kFile), std::ios::binary);
    out << draw_channels(channels, topology);
    out.close();
    if (!out) throw OutputError(run_.file(kFile).string() + ": could not be written");
  }

 private:
  const LinkRun& run_;
};

void check(const Keys& keys, const Topology& topology) {
  if (!keys.map || can_be_drawn(topology)) return;
  throw Inadmissible("observe.map",
                     "observe.map draws networks of one or two dimensions with at most 1024 nodes, not a " +
                         topology.name());
}

const ObserverEntry<Keys> entry{
    {.name = "map",
     .summary = "the network as a picture, links wide with traffic and red with waiting",
     .files = {kFile},
     .keys = {.name = "observe",
              .rows = {of_links(row(
                  &Keys::map, {.name = "map",
                               .type = ParameterType::boolean,
                               .summary = "channels.svg: a map of a network of one or two dimensions with "
                                          "at most 1024 nodes, where flits waited"}))},
              .check = check},
     .order = -3,
     .wanted = [](const Keys& keys) { return keys.map; },
     .on_links = [](const Keys&, LinkRun& run) { return std::make_unique<Map>(run); }}};

}  // namespace
}  // namespace flitscope::map_observer
