#include "sim/analysis/channel_load.h"

#include <fmt/format.h>

#include <utility>

#include "model/error.h"

namespace flitscope {
namespace {

/// The number of counters a topology needs, once it is known that they fit.
std::size_t counters_for(const Topology& topology, std::uint64_t limit_bytes) {
  constexpr std::uint64_t bytes_per_counter = 8;
  if (topology.channel_ids() > limit_bytes / bytes_per_counter) {
    throw Inadmissible("topology.shape",
                       fmt::format("the {} has {} links, too many to count the load of each; at most {} are "
                                   "possible with the memory allowed",
                                   topology.name(), topology.channel_ids(), limit_bytes / bytes_per_counter));
  }
  return topology.channel_ids();
}

}  // namespace

ChannelLoad::ChannelLoad(Paths ways, std::uint64_t limit_bytes)
    : ways_(std::move(ways)), counts_(counters_for(ways_.topology(), limit_bytes)) {}

StepLoad ChannelLoad::count(std::span<const Message> messages) {
  start_step();
  for (const Message& message : messages) add(message);
  return load_;
}

void ChannelLoad::start_step() {
  counts_.clear();
  load_ = {};
}

void ChannelLoad::add(const Message& message) {
  ways_.for_each_channel(message.source, message.destination, message.route, [this](ChannelId channel) {
    const std::uint32_t load = counts_.increment(channel);
    ++load_.hops;
    if (load == 1) ++load_.used_links;
    if (load == 2) ++load_.shared_links;
    if (load > load_.max_load || (load == load_.max_load && channel < load_.busiest.value())) {
      load_.max_load = load;
      load_.busiest = channel;
    }
  });
}

}  // namespace flitscope
