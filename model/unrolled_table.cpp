#include "model/unrolled_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>

#include "model/table_player.h"

namespace flitscope {
namespace {

class UnrolledTable final : public Schedule {
 public:
  explicit UnrolledTable(RoutingTable table) : table_(std::move(table)), steps_(table_) {}

  [[nodiscard]] const ScheduleFacts& facts() const override { return table_.facts; }

  [[nodiscard]] bool next(Step& step) override {
    if (made_ == table_.facts.steps) return false;
    ++made_;
    step.clear();
    const Topology& topology = table_.facts.topology;
    steps_.step([&](ChannelId link, ChunkId chunk) {
      const unsigned port = topology.channel_port(link);
      const NodeId from = topology.channel_node(link);
      step.add(from, *topology.neighbour(from, port), one_hop(port), std::span(&chunk, 1));
    });
    return true;
  }

 private:
  RoutingTable table_;
  SteppedTable steps_;
  std::uint64_t made_ = 0;
};

}  // namespace

void complete_table(RoutingTable& table, std::uint64_t most_steps) {
  for (LinkProgram& link : table.links) link.packets = LinkRule::kAll;
  SteppedTable play(table);
  const Possession& possession = play.possession();
  const std::uint64_t all = std::uint64_t{possession.nodes()} * possession.chunks();
  table.facts.steps = 0;
  table.facts.messages = 0;
  while (possession.held() < all) {
    if (table.facts.steps == most_steps) {
      const auto missing = possession.first_missing(table.facts.collective).value();
      throw std::logic_error(
          fmt::format("the table of {} on the {} does not reach its goal in {} steps: {} lacks chunk {}",
                      table.facts.algorithm, table.facts.topology.name(), most_steps,
                      table.facts.topology.node_name(missing.node), missing.chunk));
    }
    play.step([&](ChannelId, ChunkId) { ++table.facts.messages; });
    ++table.facts.steps;
  }
  for (const ChannelId link : play.player().links()) table.links[link].packets = play.player().sent(link);
}

std::uint64_t most_kept(const RoutingTable& table) {
  SteppedTable play(table);
  std::uint64_t most = 0;
  for (std::uint64_t step = 0; step < table.facts.steps; ++step) {
    play.step([](ChannelId, ChunkId) {});
    for (NodeId node = 0; node < table.facts.topology.nodes(); ++node) {
      most = std::max(most, play.player().kept(node));
    }
  }
  return most;
}

std::unique_ptr<Schedule> unroll(RoutingTable table) {
  return std::make_unique<UnrolledTable>(std::move(table));
}

}  // namespace flitscope
