#include <algorithm>
#include <span>

#include "model/error.h"
#include "model/link_programs.h"

namespace flitscope {

namespace {

/// Packets that a rule sends before the next one's turn.
std::uint64_t length(const LinkRule& rule) {
  return rule.kind == LinkRule::Kind::relay ? rule.count : rule.packets.size();
}

}  // namespace

TablePlayer::TablePlayer(const LinkPrograms& table)
    : table_(table),
      ports_(table.facts.topology.link_ports()),
      states_(table.links.size()),
      inputs_(table.links.size()) {
  for (ChannelId link = 0; link < table.links.size(); ++link) {
    const auto& rules = table.links[link].rules;
    if (rules.empty()) continue;
    links_.push_back(link);
    State& state = states_[link];
    state.node = static_cast<NodeId>(link / ports_);
    while (state.rule < rules.size() && length(rules[state.rule]) == 0) ++state.rule;
  }
}

std::optional<ChunkId> TablePlayer::next(ChannelId link, const Possession& possession) const {
  const LinkProgram& program = table_.links[link];
  const State& state = states_[link];
  if (state.sent == program.packets || state.rule == program.rules.size()) return std::nullopt;
  const LinkRule& rule = program.rules[state.rule];
  if (rule.kind == LinkRule::Kind::own) return rule.packets[state.done];
  if (rule.kind == LinkRule::Kind::list) {
    const ChunkId chunk = rule.packets[state.done];
    return possession.holds(state.node, chunk) ? std::optional(chunk) : std::nullopt;
  }
  const Input& from = input(state.node, rule.port);
  const std::uint64_t place = rule.skip + state.done - from.forgotten;
  return place < from.packets.size() ? std::optional(from.packets[place]) : std::nullopt;
}

void TablePlayer::advance(ChannelId link) {
  State& state = states_[link];
  const auto& rules = table_.links[link].rules;
  ++state.sent;
  ++state.done;
  while (state.rule < rules.size() && state.done == length(rules[state.rule])) {
    ++state.rule;
    state.done = 0;
  }
}

void TablePlayer::arrive(NodeId node, unsigned port, ChunkId chunk) {
  Input& at = input(node, port);
  if (at.packets.size() == at.packets.capacity()) make_room(node, port);
  at.packets.push_back(chunk);
}

std::uint64_t TablePlayer::first_needed(NodeId node, unsigned port) const {
  std::uint64_t first = LinkRule::kAll;
  for (ChannelId link = ChannelId{node} * ports_; link < ChannelId{node + 1} * ports_; ++link) {
    const LinkProgram& program = table_.links[link];
    const State& state = states_[link];
    if (state.sent == program.packets) continue;
    for (std::size_t index = state.rule; index < program.rules.size(); ++index) {
      const LinkRule& rule = program.rules[index];
      if (rule.kind != LinkRule::Kind::relay || rule.port != port) continue;
      first = std::min(first, rule.skip + (index == state.rule ? state.done : 0));
    }
  }
  return first;
}

void TablePlayer::make_room(NodeId node, unsigned port) {
  Input& at = input(node, port);
  const std::uint64_t needed = first_needed(node, port);
  const std::uint64_t arrived = at.forgotten + at.packets.size();
  const std::uint64_t forget = std::min(needed, arrived) - at.forgotten;
  at.packets.erase(at.packets.begin(), at.packets.begin() + static_cast<std::ptrdiff_t>(forget));
  at.forgotten += forget;
  // Forgetting less than half of them each time would move the rest too often.
  const std::size_t capacity = at.packets.capacity();
  if (at.packets.size() >= capacity / 2) at.packets.reserve(std::max<std::size_t>(4, 2 * capacity));
}

std::uint64_t TablePlayer::kept(NodeId node) const {
  std::uint64_t count = 0;
  for (unsigned port = 0; port < ports_; ++port) {
    const Input& at = input(node, port);
    const std::uint64_t arrived = at.forgotten + at.packets.size();
    count += arrived - std::min(arrived, first_needed(node, port));
  }
  return count;
}

namespace {

class UnrolledTable final : public Schedule {
 public:
  explicit UnrolledTable(LinkPrograms table) : table_(std::move(table)), steps_(table_) {}

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
  LinkPrograms table_;
  SteppedTable steps_;
  std::uint64_t made_ = 0;
};

}  // namespace

void complete_table(LinkPrograms& table, std::uint64_t most_steps) {
  for (LinkProgram& link : table.links) link.packets = LinkRule::kAll;
  SteppedTable play(table);
  const Possession& possession = play.possession();
  const std::uint64_t all = std::uint64_t{possession.nodes()} * possession.chunks();
  table.facts.steps = 0;
  table.facts.messages = 0;
  while (possession.held() < all) {
    if (table.facts.steps == most_steps) {
      const auto missing = possession.first_missing(table.facts.collective).value();
      throw Formatted<std::logic_error>(
          "the table of {} on the {} does not reach its goal in {} steps: {} lacks chunk {}",
          table.facts.algorithm, table.facts.topology.name(), most_steps,
          table.facts.topology.node_name(missing.node), missing.chunk);
    }
    play.step([&](ChannelId, ChunkId) { ++table.facts.messages; });
    ++table.facts.steps;
  }
  for (const ChannelId link : play.player().links()) table.links[link].packets = play.player().sent(link);
}

std::uint64_t most_kept(const LinkPrograms& table) {
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

std::unique_ptr<Schedule> unroll(LinkPrograms table) {
  return std::make_unique<UnrolledTable>(std::move(table));
}

}  // namespace flitscope
