#include "routers/engine/selector.h"

#include <utility>

namespace flitscope {

/// Compares two open offers. A tie goes to the first.
bool Selector::is_better(std::size_t row, const Offer& one, const Offer& other) const {
  if (one.escape != other.escape) return other.escape;
  switch (rule_) {
    case Selection::first_free:
      return false;
    case Selection::most_credits:
      return one.credits > other.credits;
    case Selection::round_robin: {
      const auto turn = [pointer = next_port_[row]](unsigned port) {
        return std::pair(port < pointer, port);
      };
      return turn(one.candidate.port) < turn(other.candidate.port);
    }
  }
  return false;
}

std::optional<std::size_t> Selector::select(std::size_t row, std::span<const Offer> offers) const {
  std::optional<std::size_t> best;
  for (std::size_t place = 0; place < offers.size(); ++place) {
    if (!offers[place].open) continue;
    if (!best || is_better(row, offers[place], offers[*best])) best = place;
  }
  return best;
}

}  // namespace flitscope
