// A deadlock as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "model/placement.h"
#include "model/schedule.h"
#include "sim/observe/deadlock/deadlock.h"

namespace flitscope {

namespace deadlock_drawing {
namespace {

constexpr double kSpacing = 130;
constexpr double kMargin = 90;
constexpr double kNode = 18;  ///< half the side of a node
constexpr double kLane = 8;   ///< how far the two directions of a link lie from its middle
constexpr double kLegendLine = 18;
constexpr double kLegendMargin = 20;
/// No letter that the legend is likely to have is wider on average, in parts of the size of its font.
constexpr double kLetter = 0.62;
constexpr int kTitleSize = 12;
constexpr int kLegendSize = 10;
constexpr std::array kColours{"#c0392b", "#2471a3", "#1e8449", "#b9770e",
                              "#7d3c98", "#117864", "#a04000", "#5d6d7e"};

using Text = fmt::memory_buffer;

template <typename... Args>
void add(Text& text, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

class Drawing {
 public:
  Drawing(const Deadlock& deadlock, const Topology& topology) : deadlock_(deadlock), topology_(topology) {
    for (const DeadlockedWorm& worm : deadlock.dependency_cycle) {
      for (const HeldChannel& channel : {worm.holds, worm.wants}) {
        touch(channel.node);
        if (const auto end = topology.neighbour(channel.node, channel.port)) touch(*end);
      }
    }
    if (!topology.is_grid()) {
      place_as_drawn();
    } else if (!place_on_grid()) {
      place_on_cycle();
    }
    title_ = fmt::format("deadlocked since cycle {}; solid: held, dashed: waited for", deadlock.standstill);
    legend_ = describe(deadlock, topology);
    make_room_for_legend();
  }

  std::string text() {
    add(text_,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n",
        width_, height_ + 30.0 + kLegendLine * static_cast<double>(legend_.size()));
    add_arrow_heads();
    add(text_, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    for (const auto& [node, at] : places_) add_links(node);
    for (std::size_t worm = 0; worm < deadlock_.dependency_cycle.size(); ++worm) add_worm(worm);
    for (const auto& [node, at] : places_) add_node(node, at);
    add_legend();
    add(text_, "</svg>\n");
    return fmt::to_string(text_);
  }

 private:
  void touch(NodeId node) {
    if (std::ranges::count(touched_, node) == 0) touched_.push_back(node);
  }

  /// Dimensions in which the nodes differ.
  std::vector<unsigned> spread() const {
    std::vector<unsigned> dimensions;
    for (unsigned dimension = 0; dimension < topology_.dimensions(); ++dimension) {
      const auto coordinate = [&](NodeId node) { return topology_.coordinate(node, dimension); };
      const auto other = [&](NodeId node) { return coordinate(node) != coordinate(touched_.front()); };
      if (std::ranges::any_of(touched_, other)) dimensions.push_back(dimension);
    }
    return dimensions;
  }

  /// All nodes of the smallest box round those touched; false if it has more than two dimensions.
  bool place_on_grid() {
    std::vector<unsigned> dimensions = spread();
    if (dimensions.size() > 2) return false;
    std::array<std::uint32_t, 2> low{};
    std::array<std::uint32_t, 2> high{};
    for (std::size_t axis = 0; axis < dimensions.size(); ++axis) {
      low[axis] = high[axis] = topology_.coordinate(touched_.front(), dimensions[axis]);
      for (const NodeId node : touched_) {
        low[axis] = std::min(low[axis], topology_.coordinate(node, dimensions[axis]));
        high[axis] = std::max(high[axis], topology_.coordinate(node, dimensions[axis]));
      }
    }
    auto coordinates = topology_.coordinates(touched_.front());
    for (std::uint32_t x = low[0]; x <= high[0]; ++x) {
      for (std::uint32_t y = low[1]; y <= high[1]; ++y) {
        if (!dimensions.empty()) coordinates[dimensions[0]] = x;
        if (dimensions.size() == 2) coordinates[dimensions[1]] = y;
        places_[topology_.node(coordinates)] = {kMargin + kSpacing * (x - low[0]),
                                                kMargin + kSpacing * (y - low[1])};
      }
    }
    width_ = 2 * kMargin + kSpacing * (high[0] - low[0]);
    height_ = 2 * kMargin + kSpacing * (high[1] - low[1]);
    return true;
  }

  /// Where a graph says, the nodes touched alone.
  void place_as_drawn() {
    const std::vector<Point> all = places_of(topology_);
    Point low = all[touched_.front()];
    Point high = low;
    for (const NodeId node : touched_) {
      low = {std::min(low.x, all[node].x), std::min(low.y, all[node].y)};
      high = {std::max(high.x, all[node].x), std::max(high.y, all[node].y)};
    }
    for (const NodeId node : touched_) {
      places_[node] = {kMargin + kSpacing * (all[node].x - low.x),
                       kMargin + kSpacing * (all[node].y - low.y)};
    }
    width_ = 2 * kMargin + kSpacing * (high.x - low.x);
    height_ = 2 * kMargin + kSpacing * (high.y - low.y);
  }

  void place_on_cycle() {
    const auto count = static_cast<double>(touched_.size());
    const double radius = std::max(kSpacing, kSpacing * count / (2 * std::numbers::pi));
    for (std::size_t i = 0; i < touched_.size(); ++i) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(i) / count;
      places_[touched_[i]] = {kMargin + radius * (1 + std::cos(angle)),
                              kMargin + radius * (1 + std::sin(angle))};
    }
    width_ = 2 * (kMargin + radius);
    height_ = 2 * (kMargin + radius);
  }

  void make_room_for_legend() {
    const auto reach = [](const std::string& line, int size) {
      return 2 * kLegendMargin + kLetter * size * static_cast<double>(line.size());
    };
    width_ = std::max(width_, reach(title_, kTitleSize));
    for (const std::string& line : legend_) width_ = std::max(width_, reach(line, kLegendSize));
  }

  void add_arrow_heads() {
    add(text_, "<defs>\n");
    const auto head = [&](const std::string& name, const char* colour) {
      add(text_,
          "<marker id=\"{}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" "
          "markerHeight=\"9\" "
          "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" "
          "fill=\"{}\"/></marker>\n",
          name, colour);
    };
    head("link", "#cccccc");
    for (std::size_t colour = 0; colour < kColours.size(); ++colour) {
      head(fmt::format("worm{}", colour), kColours[colour]);
    }
    add(text_, "</defs>\n");
  }

  /// The path of a link in the picture: straight between neighbours, an arc otherwise; nothing if an end is
  /// not shown. `lane` moves it to its side.
  std::optional<std::string> path_of(HeldChannel channel, double lane) const {
    const auto end = topology_.neighbour(channel.node, channel.port);
    if (!end || !places_.contains(channel.node) || !places_.contains(*end)) return std::nullopt;
    const Point from = places_.at(channel.node);
    const Point to = places_.at(*end);
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    if (length == 0) return std::nullopt;
    const Point along{(to.x - from.x) / length, (to.y - from.y) / length};
    const Point side{-along.y, along.x};
    const Point start{from.x + along.x * kNode + side.x * lane, from.y + along.y * kNode + side.y * lane};
    const Point stop{to.x - along.x * kNode + side.x * lane, to.y - along.y * kNode + side.y * lane};
    if (length < 1.5 * kSpacing) {
      return fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", start.x, start.y, stop.x, stop.y);
    }
    const double bulge = 0.06 * length + 40 + lane;
    return fmt::format("M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}", start.x, start.y,
                       (start.x + stop.x) / 2 + side.x * bulge, (start.y + stop.y) / 2 + side.y * bulge,
                       stop.x, stop.y);
  }

  void add_links(NodeId node) {
    for (unsigned port = 0; port < topology_.link_ports(); ++port) {
      const auto line = path_of({node, port, 0}, kLane);
      if (!line) continue;
      add(text_, "<path d=\"{}\" fill=\"none\" stroke=\"#cccccc\" marker-end=\"url(#link)\"/>\n", *line);
    }
  }

  void add_worm(std::size_t index) {
    const DeadlockedWorm& worm = deadlock_.dependency_cycle[index];
    const std::size_t colour = index % kColours.size();
    const std::string label = message_label(worm.message);
    const auto arrow = [&](HeldChannel channel, double lane, const char* style, const char* what) {
      const auto line = path_of(channel, lane);
      if (!line) return;
      const std::string name = topology_.channel_name(topology_.channel(channel.node, channel.port));
      add(text_,
          "<path d=\"{}\" fill=\"none\" stroke=\"{}\" {} marker-end=\"url(#worm{})\"><title>worm {} {} {} VC "
          "{}</title></path>\n",
          *line, kColours[colour], style, colour, label, what, name, channel.vc);
    };
    const double held = kLane + 6.0 * worm.holds.vc;
    const double wanted = kLane + 6.0 * worm.wants.vc + 5;
    arrow(worm.holds, held, "stroke-width=\"4\"", "holds");
    arrow(worm.wants, wanted, "stroke-width=\"2\" stroke-dasharray=\"6 4\"", "waits for");
  }

  void add_node(NodeId node, Point at) {
    add(text_,
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"#f4f4f4\" "
        "stroke=\"#555555\"/>\n<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
        "font-size=\"10\">{}</text>\n",
        at.x - kNode, at.y - kNode, 2 * kNode, 2 * kNode, at.x, at.y + 4, topology_.node_name(node));
  }

  void add_legend() {
    double y = height_;
    add(text_, "<text x=\"{}\" y=\"{:.0f}\" font-size=\"{}\">{}</text>\n", kLegendMargin, y, kTitleSize,
        title_);
    std::size_t colour = 0;
    for (const std::string& line : legend_) {
      y += kLegendLine;
      add(text_, "<text x=\"{}\" y=\"{:.0f}\" font-size=\"{}\" fill=\"{}\">{}</text>\n", kLegendMargin, y,
          kLegendSize, kColours[colour++ % kColours.size()], line);
    }
  }

  const Deadlock& deadlock_;
  const Topology& topology_;
  std::string title_;
  std::vector<std::string> legend_;
  std::vector<NodeId> touched_;
  std::map<NodeId, Point> places_;
  double width_ = 0;
  double height_ = 0;
  Text text_;
};

}  // namespace
}  // namespace deadlock_drawing

std::string draw(const Deadlock& deadlock, const Topology& topology) {
  return deadlock_drawing::Drawing(deadlock, topology).text();
}

}  // namespace flitscope
