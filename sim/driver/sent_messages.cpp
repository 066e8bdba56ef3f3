#include "sim/driver/sent_messages.h"

#include <algorithm>

namespace flitscope {

void SentMessages::grow() {
  constexpr std::size_t kLeast = 4;
  std::vector<Record> larger(std::max(kLeast, 2 * ring_.size()));
  for (std::uint64_t number = first_; number < end_; ++number) {
    larger[number & (larger.size() - 1)] = ring_[number & (ring_.size() - 1)];
  }
  ring_ = std::move(larger);
}

}  // namespace flitscope
