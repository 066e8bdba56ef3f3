#include "model/edge_colouring.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace flitscope {

namespace {

constexpr std::uint32_t kNoArc = std::numeric_limits<std::uint32_t>::max();

/// What leaves, or enters, the vertices of one side, by colour.
class Side {
 public:
  Side(std::uint32_t vertices, unsigned colours)
      : colours_(colours),
        arcs_(std::size_t{vertices} * colours, kNoArc),
        free_(vertices, colours == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << colours) - 1) {}

  [[nodiscard]] std::uint64_t free(std::uint32_t vertex) const { return free_[vertex]; }
  [[nodiscard]] std::uint32_t arc(std::uint32_t vertex, unsigned colour) const {
    return arcs_[std::size_t{vertex} * colours_ + colour];
  }
  void set(std::uint32_t vertex, unsigned colour, std::uint32_t arc) {
    arcs_[std::size_t{vertex} * colours_ + colour] = arc;
    const std::uint64_t bit = std::uint64_t{1} << colour;
    free_[vertex] = arc == kNoArc ? free_[vertex] | bit : free_[vertex] & ~bit;
  }

 private:
  unsigned colours_;
  std::vector<std::uint32_t> arcs_;
  std::vector<std::uint64_t> free_;
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
    const std::uint64_t common = leaving.free(from) & entering.free(to);
    if (common == 0) {
      // `at_from` is free where the arc begins, `at_to` where it ends. Along the path of arcs of these two
      // colours that enters `to` the colours change places; since the graph is bipartite it does not come to
      // `from`.
      const auto at_from = static_cast<unsigned>(std::countr_zero(leaving.free(from)));
      const auto at_to = static_cast<unsigned>(std::countr_zero(entering.free(to)));
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
    }
    colour_of[number] = static_cast<unsigned>(std::countr_zero(leaving.free(from) & entering.free(to)));
    leaving.set(from, colour_of[number], number);
    entering.set(to, colour_of[number], number);
  }
  return colour_of;
}

}  // namespace flitscope
