// bucket: rings of one dimension after the other, in 2D colours that begin in different dimensions and
// directions.
#include "algorithms/common/spread.h"

namespace flitscope::all_reduce::bucket {
namespace {

/// Colour 2 d + s gathers last along dimension d, before that along d-1, and so on, in direction s.
class Bucket final : public Spread {
 public:
  explicit Bucket(const Topology& torus) : torus_(torus) {}

  [[nodiscard]] unsigned colours() const override { return torus_.link_ports(); }
  [[nodiscard]] std::uint64_t steps() const override {
    std::uint64_t sum = 0;
    for (const std::uint32_t side : torus_.sides()) sum += side - 1;
    return sum;
  }
  [[nodiscard]] std::uint64_t messages() const override { return steps() * torus_.nodes() * colours(); }
  [[nodiscard]] unsigned ports() const override { return colours(); }
  /// Colours that begin in different dimensions of unequal sides come to use the same one.
  [[nodiscard]] std::uint32_t channel_load() const override {
    for (const std::uint32_t side : torus_.sides()) {
      if (side != torus_.side(0)) return 0;
    }
    return 1;
  }

  void produce(std::uint64_t number, const Send& send) const override {
    for (unsigned colour = 0; colour < colours(); ++colour) produce(number, colour, send);
  }

 private:
  /// The dimension that a colour gathers along in its phase `phase`, from 0.
  [[nodiscard]] unsigned dimension_of(unsigned colour, unsigned phase) const {
    const unsigned dimensions = torus_.dimensions();
    return (colour / 2 + dimensions - 1 - phase) % dimensions;
  }

  void produce(std::uint64_t number, unsigned colour, const Send& send) const {
    unsigned phase = 0;
    std::uint64_t place = number;  // of the step in its phase, from 1
    while (place > torus_.side(dimension_of(colour, phase)) - 1) {
      place -= torus_.side(dimension_of(colour, phase)) - 1;
      ++phase;
    }
    const unsigned dimension = dimension_of(colour, phase);
    const auto sign = static_cast<Sign>(colour % 2);
    std::vector<ChunkId> chunks;
    for (NodeId node = 0; node < torus_.nodes(); ++node) {
      chunks.assign(1, torus_.moved(node, dimension, opposite(sign), static_cast<std::uint32_t>(place - 1)));
      for (unsigned earlier = 0; earlier < phase; ++earlier) fan_out(chunks, dimension_of(colour, earlier));
      for (ChunkId& chunk : chunks) chunk = chunk * colours() + colour;
      send(node, torus_.moved(node, dimension, sign, 1), one_hop(port_of(dimension, sign)), chunks);
    }
  }

  /// Every node becomes all nodes of its ring of `dimension`.
  void fan_out(std::vector<NodeId>& nodes, unsigned dimension) const {
    const std::size_t before = nodes.size();
    for (std::uint32_t hops = 1; hops < torus_.side(dimension); ++hops) {
      for (std::size_t i = 0; i < before; ++i) {
        nodes.push_back(torus_.moved(nodes[i], dimension, Sign::plus, hops));
      }
    }
  }

  Topology torus_;
};

std::unique_ptr<Spread> make(const Topology& topology, const ParameterValues& /*values*/,
                             const std::string& algorithm) {
  require_torus(topology, algorithm);
  return std::make_unique<Bucket>(topology);
}

const Family family{{
    .name = "bucket",
    .how = "along the rings of one dimension after the other, in 2D colours",
    .source = "the multi-dimensional ring (bucket) algorithm, with the colours of Sack and Gropp (2012)",
    .claim = "the sum of k-1 steps over all sides k; between neighbours; on equal sides one message per link "
             "and step and (p-1)/2Dp of the vector on every link, the least possible, on unequal ones more",
    .admissible = "torus of any sides and any number D of dimensions",
    .make = make,
}};

}  // namespace
}  // namespace flitscope::all_reduce::bucket
