#include "sim/run/result.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace flitscope {

Cycle RunResult::counted_cycles() const {
  const LinkResult* const on_links = links();
  const bool drops_messages =
      on_links != nullptr && (on_links->background || (on_links->traffic && on_links->traffic->halted));
  return status == RunStatus::completed && !drops_messages ? cycles : cycles + 1;
}

double RunResult::utilisation(const ChannelRecord& channel) const {
  return config.machine.utilisation(config.topology, channel.channel, channel.flits, counted_cycles());
}

double RunResult::utilisation(const TrafficResult& traffic, const ChannelRecord& channel) const {
  return config.machine.utilisation(config.topology, channel.channel, channel.flits,
                                    traffic.end - traffic.begin);
}

Cycle RunResult::schedule_cycles() const {
  const Cycle begin = links() != nullptr && links()->background ? links()->background->schedule_begin : 0;
  return cycles - std::min(cycles, begin);
}

Cycle RunResult::stage_cycles(const Stage& stage) const {
  Cycle begin = kNever;
  Cycle end = 0;
  for (std::uint64_t step = stage.first_step; step <= stage.last_step && step <= steps.size(); ++step) {
    begin = std::min(begin, steps[step - 1].begin);
    end = std::max(end, steps[step - 1].end);
  }
  return begin < end ? end - begin : 0;
}

double fairness(const std::vector<double>& values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  return squares == 0 ? 1 : sum * sum / (static_cast<double>(values.size()) * squares);
}

std::vector<ChannelRecord> worst_channels(const std::vector<ChannelRecord>& channels) {
  const auto stalled = [](const ChannelRecord& channel) { return total_of(channel.stalls); };
  std::vector<ChannelRecord> worst;
  std::ranges::copy_if(channels, std::back_inserter(worst),
                       [&](const auto& each) { return stalled(each) > 0; });
  std::ranges::stable_sort(worst, std::greater(), stalled);
  if (worst.size() > kWorstShown) worst.resize(kWorstShown);
  return worst;
}

}  // namespace flitscope
