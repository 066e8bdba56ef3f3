// Which links supply whom where a PU is off more cycles than it has neighbours on them: streams are relayed
// through PUs that are off the cycle themselves.
#include <algorithm>
#include <deque>
#include <stdexcept>
#include <vector>

#include "algorithms/meyer_sibeyn/supply.h"

namespace flitscope::meyer_sibeyn {
namespace {

/// Two streams for every cycle a PU is off. Each has a bound on the distance from the cycle; the link that
/// carries it comes from a PU whose own distance is below that. Bounds start at 1 and are raised where the
/// links do not suffice, until every PU has all its streams.
class SupplyMatching {
 public:
  SupplyMatching(const PaperTorus& torus, std::span<const Ring> cycles, const TableWriter& writer)
      : torus_(torus), cycles_(cycles), streams_(torus.size()), free_(torus.size()) {
    for (Pu pu = 0; pu < torus.size(); ++pu) {
      for (unsigned cycle = 0; cycle < cycles.size(); ++cycle) {
        if (cycles[cycle].passes(pu)) continue;
        for (int i = 0; i < 2; ++i) streams_[pu].push_back({.cycle = cycle});
      }
      for (Direction direction = 0; direction < torus.directions(); ++direction) {
        if (writer.is_free(pu, direction)) free_[pu].push_back(direction);
      }
    }
  }

  [[nodiscard]] std::vector<Supply> supplies() {
    std::deque<Pu> work;
    std::vector<bool> waits(torus_.size(), true);
    for (Pu pu = 0; pu < torus_.size(); ++pu) work.push_back(pu);
    while (!work.empty()) {
      const Pu pu = work.front();
      work.pop_front();
      waits[pu] = false;
      if (!assign(pu)) continue;
      for (const Direction direction : free_[pu]) {
        const Pu neighbour = torus_.neighbour(pu, direction);
        if (waits[neighbour]) continue;
        waits[neighbour] = true;
        work.push_back(neighbour);
      }
    }
    std::vector<Supply> result;
    for (Pu pu = 0; pu < torus_.size(); ++pu) {
      const auto& streams = streams_[pu];
      for (std::size_t i = 0; i < streams.size(); i += 2) {
        result.push_back({pu,
                          streams[i].cycle,
                          {streams[i].from, streams[i + 1].from},
                          {streams[i].bound, streams[i + 1].bound}});
      }
    }
    return result;
  }

 private:
  static constexpr unsigned kMaxLinks = 8;
  static constexpr Direction kNone = ~Direction{0};

  struct Stream {
    unsigned cycle = 0;
    unsigned bound = 1;  ///< D
    Direction from = kNone;
  };

  /// Have: 0 on the cycle, otherwise the larger bound of its two streams.
  [[nodiscard]] unsigned distance(Pu pu, unsigned cycle) const {
    unsigned most = 0;
    for (const Stream& stream : streams_[pu]) {
      if (stream.cycle == cycle) most = std::max(most, stream.bound);
    }
    return most;
  }

  /// Gives every stream of a PU a link; true if bounds had to be raised.
  bool assign(Pu pu) {
    auto& streams = streams_[pu];
    if (streams.size() > free_[pu].size()) {
      throw std::logic_error("more streams than free links at " +
                             torus_.topology().node_name(torus_.node(pu)));
    }
    bool raised = false;
    while (true) {
      match(pu);
      Stream* worst = nullptr;
      unsigned worst_distance = 0;
      for (Stream& stream : streams) {
        if (stream.from != kNone) continue;
        unsigned nearest = kMaxLinks;
        for (const Direction direction : free_[pu]) {
          nearest = std::min(nearest, distance(torus_.neighbour(pu, direction), stream.cycle));
        }
        if (worst == nullptr || nearest > worst_distance) {
          worst = &stream;
          worst_distance = nearest;
        }
      }
      if (worst == nullptr) return raised;
      if (++worst->bound > kMaxLinks) {
        throw std::logic_error("no supply for " + torus_.topology().node_name(torus_.node(pu)));
      }
      raised = true;
    }
  }

  /// A maximum matching of streams and links, by augmenting paths.
  void match(Pu pu) {
    auto& streams = streams_[pu];
    for (Stream& stream : streams) stream.from = kNone;
    std::vector<Stream*> carried(torus_.directions(), nullptr);
    for (Stream& stream : streams) {
      std::vector<bool> tried(torus_.directions(), false);
      (void)augment(pu, stream, carried, tried);
    }
  }

  [[nodiscard]] bool augment(Pu pu, Stream& stream,
                             std::vector<Stream*>& carried,  // NOLINT(misc-no-recursion)
                             std::vector<bool>& tried) {
    for (const Direction direction : free_[pu]) {
      if (tried[direction] || distance(torus_.neighbour(pu, direction), stream.cycle) >= stream.bound)
        continue;
      tried[direction] = true;
      if (carried[direction] != nullptr && !augment(pu, *carried[direction], carried, tried)) continue;
      carried[direction] = &stream;
      stream.from = direction;
      return true;
    }
    return false;
  }

  const PaperTorus& torus_;
  std::span<const Ring> cycles_;
  std::vector<std::vector<Stream>> streams_;
  std::vector<std::vector<Direction>> free_;
};

}  // namespace

std::vector<Supply> matched_supplies(const PaperTorus& torus, std::span<const Ring> cycles,
                                     const TableWriter& writer) {
  return SupplyMatching(torus, cycles, writer).supplies();
}

}  // namespace flitscope::meyer_sibeyn
