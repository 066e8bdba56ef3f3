#include "algorithms/meyer_sibeyn/supply_lists.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace flitscope::meyer_sibeyn {
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
      // The other's arrival is turned round, so that the last comes first.
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
      if (step < availability.at(pu, packet)) availability.set(pu, packet, step);
    }
  }
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    if (offers[side].list().empty()) continue;
    writer.link(side == 0 ? x : y, reverse(suppliers[side].from), {writer.list(offers[side].list())});
  }
}

}  // namespace flitscope::meyer_sibeyn
