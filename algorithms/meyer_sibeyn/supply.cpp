#include "algorithms/meyer_sibeyn/supply.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace flitscope::meyer_sibeyn {

namespace {

/// The two suppliers of a PU in the order of the cycle: U upstream, D downstream, by the shorter path from
/// one to the other. On a tie U is the first.
struct Suppliers {
  Direction from_up = 0;
  Direction from_down = 0;
  std::uint64_t gap = 0;  ///< g, the forward distance from U to D
};

Suppliers in_ring_order(const PaperTorus& torus, const Ring& cycle, const Supply& supply) {
  const auto [first, second] = supply.from;
  const std::uint32_t ahead =
      cycle.forward(torus.neighbour(supply.pu, first), torus.neighbour(supply.pu, second));
  if (2 * ahead <= cycle.length()) return {first, second, ahead};
  return {second, first, cycle.length() - ahead};
}

/// Whether both suppliers are on the cycle.
bool is_adjacent(const PaperTorus& torus, const Ring& cycle, const Supply& supply) {
  return std::ranges::all_of(
      supply.from, [&](Direction direction) { return cycle.passes(torus.neighbour(supply.pu, direction)); });
}

/// Suppliers of a PU with x_3 >= 3, which is on one cycle j only: over +x_2 and +x_1 for cycle j+1, over -x_1
/// and -x_2 for cycle j-1.
void add_rod_supplies(Pu pu, unsigned j, std::vector<Supply>& supplies) {
  supplies.push_back({pu, (j + 1) % 3, {plus(1), plus(0)}});
  supplies.push_back({pu, (j + 2) % 3, {minus(0), minus(1)}});
}

}  // namespace

std::vector<Supply> adjacent_supplies(const PaperTorus& torus, std::span<const Ring> cycles,
                                      const TableWriter& writer) {
  std::vector<Supply> supplies;
  for (Pu pu = 0; pu < torus.size(); ++pu) {
    std::vector<unsigned> off;
    for (unsigned j = 0; j < cycles.size(); ++j) {
      if (!cycles[j].passes(pu)) off.push_back(j);
    }
    if (off.empty()) continue;
    if (torus.axes() == 2) {
      supplies.push_back({pu, off[0], {minus(0), plus(0)}});
    } else if (off.size() == 2) {
      add_rod_supplies(pu, 3 - off[0] - off[1], supplies);
    } else {
      // Two cycles leave exactly two links free, and both lead to the third.
      std::vector<Direction> free;
      for (Direction direction = 0; direction < torus.directions(); ++direction) {
        if (writer.is_free(pu, direction)) free.push_back(direction);
      }
      supplies.push_back({pu, off[0], {free.at(0), free.at(1)}});
    }
  }
  return supplies;
}

void write_supplies(const PaperTorus& torus, std::span<const Ring> cycles, std::span<const Supply> supplies,
                    const std::string& rule, TableWriter& writer) {
  // By which supplier a PU gets the backward packets of a cycle, and by which the forward ones: where it
  // makes no difference, in the order of its suppliers.
  const bool repaired = rule == "repaired";
  std::vector<std::array<Direction, 2>> sources(torus.size() * cycles.size());
  for (const Supply& supply : supplies) {
    std::array<Direction, 2>& source = sources[supply.pu * cycles.size() + supply.cycle];
    source = supply.from;
    if (!is_adjacent(torus, cycles[supply.cycle], supply)) continue;
    const Suppliers ordered = in_ring_order(torus, cycles[supply.cycle], supply);
    source = {ordered.from_up, ordered.from_down};
    if (rule == "fixed-flipped") std::swap(source[0], source[1]);
  }
  for (const Supply& supply : supplies) {
    const Ring& cycle = cycles[supply.cycle];
    const auto& source = sources[supply.pu * cycles.size() + supply.cycle];
    const std::uint64_t gap = repaired ? in_ring_order(torus, cycle, supply).gap : 0;
    for (const bool forward : {false, true}) {
      const Direction from = source[forward ? 1 : 0];
      const Pu supplier = torus.neighbour(supply.pu, from);
      if (!cycle.passes(supplier)) {
        writer.link(supplier, reverse(from),
                    {writer.relay(sources[supplier * cycles.size() + supply.cycle][forward ? 1 : 0])});
        continue;
      }
      std::vector<LinkRule> rules{writer.own(supplier)};
      const Direction ahead = cycle.entry(supplier);
      const Direction back = cycle.exit(supplier);
      if (repaired) {
        // U first sends the backward packets, D the forward ones: those that lie between them.
        rules.push_back(forward ? writer.relay(ahead, (gap - 1) / 2) : writer.relay(back, gap / 2));
        rules.push_back(writer.relay(forward ? back : ahead));
      } else {
        rules.push_back(writer.relay(forward ? ahead : back));
      }
      writer.link(supplier, reverse(from), std::move(rules));
    }
  }
}

namespace {

/// The side of one supplier: what it has to offer, and what it has sent.
class Offer {
 public:
  Offer(Pu supplier, Pu other, const std::vector<Pu>& packets, const Availability& availability)
      : supplier_(supplier), other_(other), availability_(availability) {
    for (const Pu packet : packets) coming_.push_back({availability.at(supplier, packet), packet});
    std::ranges::sort(coming_);
  }

  /// The packet it should send in this step, or nothing.
  [[nodiscard]] const Pu* best(std::uint32_t step) {
    for (; received_ < coming_.size() && coming_[received_].first < step; ++received_) {
      const Pu packet = coming_[received_].second;
      if (gone_.contains(packet)) continue;
      // The other arrival order is reversed: the last packet first.
      held_.insert(
          {Availability::kNever - availability_.at(other_, packet), coming_[received_].first, packet});
    }
    return held_.empty() ? nullptr : &std::get<2>(*held_.begin());
  }

  void send(Pu packet) {
    list_.push_back(packet);
    drop(packet);
  }
  /// The packet has been sent, by this supplier or the other.
  void drop(Pu packet) {
    gone_.insert(packet);
    held_.erase({Availability::kNever - availability_.at(other_, packet), availability_.at(supplier_, packet),
                 packet});
  }
  [[nodiscard]] const std::vector<Pu>& list() const { return list_; }

 private:
  Pu supplier_;
  Pu other_;
  const Availability& availability_;
  std::vector<std::pair<std::uint32_t, Pu>> coming_;  ///< by arrival
  std::size_t received_ = 0;
  std::set<std::tuple<std::uint32_t, std::uint32_t, Pu>> held_;
  std::set<Pu> gone_;  ///< sent, by one or the other
  std::vector<Pu> list_;
};

}  // namespace

void write_lists(const PaperTorus& torus, Pu pu, const std::vector<Pu>& packets,
                 const std::array<ListSupplier, 2>& suppliers, Availability& availability,
                 TableWriter& writer) {
  const Pu x = torus.neighbour(pu, suppliers[0].from);
  const Pu y = torus.neighbour(pu, suppliers[1].from);
  std::array offers{Offer(x, y, packets, availability), Offer(y, x, packets, availability)};
  std::size_t left = packets.size();
  const std::uint32_t most_steps = 4 * torus.size();
  for (std::uint32_t step = 1; left > 0; ++step) {
    if (step == most_steps) throw std::logic_error("the suppliers of a PU never have all it needs");
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const Pu supplier = side == 0 ? x : y;
      const bool must = step == 1 && suppliers[side].own_first;
      const Pu* const best = offers[side].best(step);
      if (!must && best == nullptr) continue;
      const Pu packet = must ? supplier : *best;
      offers[side].send(packet);
      offers[1 - side].drop(packet);
      if (!must || std::ranges::binary_search(packets, packet)) --left;
      availability.arrive(pu, packet, step);
    }
  }
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    if (offers[side].list().empty()) continue;
    writer.link(side == 0 ? x : y, reverse(suppliers[side].from), {writer.list(offers[side].list())});
  }
}

namespace {

/// A stream of a PU with a bound on its distance from the cycle: the link that carries it comes from a PU
/// whose own distance is below that.
struct Stream {
  unsigned cycle = 0;
  unsigned bound = 1;  ///< D
  std::optional<Direction> from = {};
};
using Streams = std::vector<Stream>;

/// Have: 0 on the cycle, otherwise the larger bound of its two streams.
unsigned distance(const Streams& streams, unsigned cycle) {
  unsigned most = 0;
  for (const Stream& stream : streams) {
    if (stream.cycle == cycle) most = std::max(most, stream.bound);
  }
  return most;
}

/// Finds a link for a stream, by an augmenting path. `have(direction, cycle)` is what the PU there has.
template <typename Have>
bool augment(Stream& stream, const std::vector<Direction>& free, const Have& have,
             std::map<Direction, Stream*>& carried,
             std::set<Direction>& tried) {  // NOLINT(misc-no-recursion)
  for (const Direction direction : free) {
    if (tried.contains(direction) || have(direction, stream.cycle) >= stream.bound) continue;
    tried.insert(direction);
    Stream*& before = carried[direction];
    if (before != nullptr && !augment(*before, free, have, carried, tried)) continue;
    before = &stream;
    stream.from = direction;
    return true;
  }
  return false;
}

/// Gives every stream of a PU one of its free links; true if bounds had to be raised.
template <typename Have>
bool assign(Streams& streams, const std::vector<Direction>& free, const Have& have) {
  constexpr unsigned kMaxLinks = 8;
  for (bool raised = false;; raised = true) {
    for (Stream& stream : streams) stream.from.reset();
    std::map<Direction, Stream*> carried;
    for (Stream& stream : streams) {
      std::set<Direction> tried;
      (void)augment(stream, free, have, carried, tried);
    }
    Stream* worst = nullptr;
    unsigned worst_distance = 0;
    for (Stream& stream : streams) {
      if (stream.from) continue;
      unsigned nearest = kMaxLinks;
      for (const Direction direction : free) nearest = std::min(nearest, have(direction, stream.cycle));
      if (worst != nullptr && nearest <= worst_distance) continue;
      worst = &stream;
      worst_distance = nearest;
    }
    if (worst == nullptr) return raised;
    if (++worst->bound > kMaxLinks) throw std::logic_error("a PU off a cycle has no supply");
  }
}

}  // namespace

/// Two streams for every cycle a PU is off. Bounds start at 1 and are raised where the links do not suffice,
/// until every PU has all its streams.
std::vector<Supply> matched_supplies(const PaperTorus& torus, std::span<const Ring> cycles,
                                     const TableWriter& writer) {
  std::vector<Streams> streams(torus.size());
  std::vector<std::vector<Direction>> free(torus.size());
  std::deque<Pu> work;
  for (Pu pu = 0; pu < torus.size(); ++pu) {
    work.push_back(pu);
    for (unsigned cycle = 0; cycle < cycles.size(); ++cycle) {
      if (!cycles[cycle].passes(pu)) streams[pu].insert(streams[pu].end(), 2, {.cycle = cycle});
    }
    for (Direction direction = 0; direction < torus.directions(); ++direction) {
      if (writer.is_free(pu, direction)) free[pu].push_back(direction);
    }
  }
  std::vector<bool> waits(torus.size(), true);
  while (!work.empty()) {
    const Pu pu = work.front();
    work.pop_front();
    waits[pu] = false;
    const auto have = [&](Direction direction, unsigned cycle) {
      return distance(streams[torus.neighbour(pu, direction)], cycle);
    };
    if (!assign(streams[pu], free[pu], have)) continue;
    for (const Direction direction : free[pu]) {
      const Pu neighbour = torus.neighbour(pu, direction);
      if (waits[neighbour]) continue;
      waits[neighbour] = true;
      work.push_back(neighbour);
    }
  }
  std::vector<Supply> supplies;
  for (Pu pu = 0; pu < torus.size(); ++pu) {
    for (std::size_t i = 0; i < streams[pu].size(); i += 2) {
      const Stream& one = streams[pu][i];
      const Stream& other = streams[pu][i + 1];
      supplies.push_back({pu, one.cycle, {*one.from, *other.from}, {one.bound, other.bound}});
    }
  }
  return supplies;
}

}  // namespace flitscope::meyer_sibeyn
