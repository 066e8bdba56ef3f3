#include "algorithms/meyer_sibeyn/gossip.h"

#include <stdexcept>
#include <utility>

#include "algorithms/common/schedule.h"
#include "model/possession.h"

namespace flitscope::meyer_sibeyn {

Parameter message_parameter(std::uint32_t packets_per_pu) {
  return bytes_parameter("message", "data of one node", "64", packets_per_pu);
}

ScheduleFacts gossip_facts(const Topology& topology, const ParameterValues& values, std::string algorithm,
                           std::uint32_t packets_per_pu) {
  const std::uint64_t nodes = topology.nodes();
  refuse_if(nodes * nodes > 8 * Possession::kMemoryLimit / packets_per_pu, "topology.shape",
            "gossiping keeps a bit for each node and packet, which for the {} is more than the "
            "limit of {} GiB; it takes a smaller torus",
            topology.name(), Possession::kMemoryLimit >> 30);
  const std::uint64_t bytes = values.bytes("message");
  refuse_if(bytes < packets_per_pu, "workload.message",
            "{} splits the data of a node into {} packets here, so that it needs at least {} bytes, not {}",
            algorithm, packets_per_pu, packets_per_pu, bytes);
  ScheduleFacts facts = common::facts_of(topology, std::move(algorithm), topology.link_ports());
  facts.claimed_channel_load = 1;
  facts.lower_bound_steps =
      ((nodes - 1) * packets_per_pu + topology.link_ports() - 1) / topology.link_ports();
  facts.collective.initial = common::own_chunks(Participants(topology), packets_per_pu);
  const std::vector<std::uint64_t> packets = common::split(bytes, packets_per_pu);
  for (NodeId node = 0; node < nodes; ++node) {
    facts.collective.chunk_bytes.insert(facts.collective.chunk_bytes.end(), packets.begin(), packets.end());
  }
  return facts;
}

LinkRule TableWriter::own(Pu pu, const std::vector<std::uint32_t>& packets) const {
  LinkRule rule{.kind = LinkRule::Kind::own};
  for (const std::uint32_t number : packets) rule.packets.push_back(chunk(pu, number));
  return rule;
}

void TableWriter::link(Pu pu, Direction to, std::vector<LinkRule> rules) {
  LinkProgram& program = table_.links[torus_.link(pu, to)];
  if (!program.rules.empty()) {
    throw std::logic_error("link " + torus_.topology().channel_name(torus_.link(pu, to)) +
                           " is claimed twice");
  }
  program.rules = std::move(rules);
}

void TableWriter::draw(const Ring& ring, std::uint32_t number) {
  TableCycle cycle{"cycle " + std::to_string(number), {}};
  for (const Pu pu : ring.pus()) cycle.nodes.push_back(torus_.node(pu));
  table_.cycles.push_back(std::move(cycle));
}

Algorithm by_table(Algorithm declared) {
  declared.collective = {CollectiveKind::gossip};
  declared.memory = {.per_pair_of_nodes = 4};
  declared.make = [table = declared.table](const Topology& topology, const ParameterValues& values) {
    return unroll(table(topology, values));
  };
  return declared;
}

namespace {

/// zigzag(d, j): moves along x_1, x_1, x_2, .., x_j, x_1, .., d of them, with one along x_d between any two.
/// (For d = 2 that is x_1, x_2, x_1.)
void add_zigzag(unsigned d, unsigned j, std::vector<unsigned>& axes) {
  for (unsigned move = 1; move <= d; ++move) {
    if (move > 1) axes.push_back(d - 1);
    axes.push_back(move >= 3 && move - 1 <= j ? move - 2 : 0);
  }
}

}  // namespace

std::vector<unsigned> moves_of_laps(std::span<const std::uint32_t> sides) {
  const auto d = static_cast<unsigned>(sides.size());
  std::uint64_t laps = sides[0] / d;
  for (unsigned axis = 1; axis + 1 < d; ++axis) laps *= sides[axis];
  std::vector<unsigned> axes;
  for (std::uint64_t lap = 1; lap <= laps; ++lap) {
    // Type j: when the subspace of x_1 .. x_{j-1} and x_d is full, the lap leads on along x_j.
    unsigned type = 1;
    std::uint64_t full = sides[0] / d;
    for (unsigned j = 2; j < d; ++j) {
      if (lap % full == 0) type = j;
      full *= sides[j - 1];
    }
    add_zigzag(d, type, axes);
    axes.insert(axes.end(), sides[d - 1] - d + 1, d - 1);
  }
  return axes;
}

std::vector<Ring> partial_cycles(const PaperTorus& torus) {
  std::vector<std::uint32_t> sides;
  for (unsigned axis = 0; axis < torus.axes(); ++axis) sides.push_back(torus.side(axis));
  std::vector<Direction> moves;
  for (const unsigned axis : moves_of_laps(sides)) moves.push_back(plus(axis));
  std::vector<Ring> cycles;
  std::vector<std::uint32_t> start(torus.axes());
  for (unsigned j = 0; j < torus.axes(); ++j) {
    start[0] = j;
    cycles.emplace_back(torus, torus.at(start), moves);
  }
  return cycles;
}

}  // namespace flitscope::meyer_sibeyn
