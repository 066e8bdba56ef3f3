#include "sim/run/profile_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>
#include <string>

#include "sim/run/isolated.h"

namespace flitscope {

namespace {

/// Of equal ones the first.
std::vector<NodeId> busiest_node(const RunResult& result) {
  const Topology& topology = result.config.topology;
  std::vector<std::uint64_t> flits(topology.nodes());
  if (const LinkResult* const links = result.links()) {
    for (const ChannelRecord& channel : links->channels) {
      flits[topology.channel_node(channel.channel)] += channel.flits;
    }
  } else {
    for (const CircuitPortRecord& port : result.circuits()->ports) flits[port.node] += port.flits;
  }
  const auto max = std::ranges::max_element(flits);
  if (*max == 0) return {};
  return {static_cast<NodeId>(max - flits.begin())};
}

ProfileRun found_in(const RunResult& result) {
  ProfileRun found;
  found.busiest_node = busiest_node(result);
  const LinkResult* const links = result.links();
  if (links == nullptr) return found;
  if (links->deadlock) {
    for (const DeadlockedWorm& worm : links->deadlock->dependency_cycle) {
      found.dependency_cycle.insert(found.dependency_cycle.end(),
                                    {worm.holds.node, worm.node, worm.wants.node});
    }
  }
  const auto max = std::ranges::max_element(links->channels, {}, &ChannelRecord::flits);
  if (max != links->channels.end() && max->flits > 0) found.busiest_link = {max->channel};
  const auto worst = worst_channels(*links);
  if (!worst.empty()) found.awaited_link = {worst.front().channel};
  return found;
}

/// A line for each list.
std::string text_of(const ProfileRun& found) {
  return fmt::format("{}\n{}\n{}\n{}\n", fmt::join(found.dependency_cycle, " "),
                     fmt::join(found.busiest_node, " "), fmt::join(found.busiest_link, " "),
                     fmt::join(found.awaited_link, " "));
}

template <typename T>
std::vector<T> numbers_in(std::istream& lines) {
  std::string line;
  std::getline(lines, line);
  std::istringstream words(line);
  std::vector<T> numbers;
  for (T number = 0; words >> number;) numbers.push_back(number);
  return numbers;
}

ProfileRun first_run_in(const std::string& text) {
  std::istringstream lines(text);
  ProfileRun found;
  found.dependency_cycle = numbers_in<NodeId>(lines);
  found.busiest_node = numbers_in<NodeId>(lines);
  found.busiest_link = numbers_in<ChannelId>(lines);
  found.awaited_link = numbers_in<ChannelId>(lines);
  return found;
}

}  // namespace

ProfileRun profile_run(const ExperimentConfig& config, const RunFunction& run) {
  try {
    return first_run_in(run_isolated([&] { return text_of(found_in(run(config))); }));
  } catch (const std::runtime_error&) {
    return {};
  }
}

}  // namespace flitscope
