#include <algorithm>
#include <cstdlib>
#include <map>

#include "algorithms/chen/multinode.h"

namespace flitscope::chen {

namespace {

/// Whether some offset in the window of h has a digit above 1 at this place.
bool needs_two_steps(int h, int base, unsigned digits, unsigned digit) {
  for (int offset = -((h - 1) / 2); offset <= h / 2; ++offset) {
    if (std::abs(balanced_digits(offset, base, digits)[digit]) > 1) return true;
  }
  return false;
}

}  // namespace

std::vector<int> balanced_digits(int number, int base, unsigned count) {
  const int half = (base - 1) / 2;
  std::vector<int> digits(count);
  for (unsigned place = count; place-- > 0;) {
    digits[place] = mod(number + half, base) - half;
    number = (number - digits[place]) / base;
  }
  return digits;
}

Tuning::Tuning(const Partition& partition, const Options& options, const PrefixSum& ranks, Held& held)
    : partition_(partition),
      base_(options.plane_base),
      digits_(ceil_log(options.plane_base, partition.h())),
      ranks_(ranks),
      held_(held),
      diagonal_(diagonal_nodes(partition)) {}

void Tuning::add_rounds(std::vector<Round>& rounds) {
  rounds.push_back(Round::without_steps([this] { rank(); }));
  for (const unsigned axis : {kY, kZ}) {
    rounds.push_back(Round::without_steps([this, axis] { plan(axis); }));
    int scale = 1;
    for (unsigned digit = 1; digit < digits_; ++digit) scale *= base_;
    for (unsigned digit = 0; digit < digits_; ++digit, scale /= base_) {
      const unsigned steps = needs_two_steps(partition_.h(), base_, digits_, digit) ? 2 : 1;
      rounds.push_back(
          {"tune", steps, [this, axis, digit, scale](Moves& moves) { play(axis, digit, scale, moves); }});
    }
  }
}

void Tuning::rank() {
  std::size_t count = 0;
  for (const NodeId node : diagonal_) count += held_[node].size();
  ddn_.resize(count);
  offset_digits_.resize(count);
  for (const NodeId node : diagonal_) {
    std::ranges::sort(held_[node]);
    std::uint32_t rank = ranks_.first_rank(node);
    for (const ChunkId chunk : held_[node]) {
      ddn_[chunk] = static_cast<int>(rank++ % static_cast<std::uint32_t>(partition_.ddn_count()));
    }
  }
}

void Tuning::plan(unsigned axis) {
  const int h = partition_.h();
  for (const NodeId node : diagonal_) {
    for (const ChunkId chunk : held_[node]) {
      const int target = axis == kY ? ddn_[chunk] % h : ddn_[chunk] / h;  // v, u
      const int offset = in_window(target - partition_.cube().coordinate(node, axis), h);
      offset_digits_[chunk] = balanced_digits(offset, base_, digits_);
    }
  }
}

int Tuning::displacement(int digit, int scale) const {
  const int d = digit * scale;
  return 2 * std::abs(d) > partition_.h() ? in_window(d, partition_.h()) : d;
}

void Tuning::play(unsigned axis, unsigned digit, int scale, Moves& moves) {
  std::vector<std::pair<NodeId, std::vector<ChunkId>>> arrivals;
  for (const NodeId node : diagonal_) {
    std::map<int, std::vector<ChunkId>> by_digit;
    for (const ChunkId chunk : held_[node]) by_digit[offset_digits_[chunk][digit]].push_back(chunk);
    held_[node] = std::move(by_digit[0]);
    by_digit.erase(0);
    for (auto& [value, chunks] : by_digit) {
      const NodeId to = moves.within_plane(node, axis, displacement(value, scale),
                                           static_cast<unsigned>(std::abs(value)), chunks);
      arrivals.emplace_back(to, std::move(chunks));
    }
  }
  for (const auto& [node, chunks] : arrivals) {
    held_[node].insert(held_[node].end(), chunks.begin(), chunks.end());
  }
}

}  // namespace flitscope::chen
