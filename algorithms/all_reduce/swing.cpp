// swing: pairs of nodes whose distances swing between + and -, short ones where much is sent.
#include "algorithms/all_reduce/exchange.h"

namespace flitscope::all_reduce::swing {
namespace {

constexpr auto kName = "all-reduce-swing";
constexpr auto kSource = "De Sensi and others, Swing (NSDI 2024)";
constexpr auto kAdmissible = "torus of any number D of dimensions, all sides powers of two";

/// 2D colours: one begins in each dimension, and its mirror image.
std::unique_ptr<Spread> make_spread(const Topology& topology, const ParameterValues& /*values*/,
                                    const std::string& algorithm) {
  require_powers_of_two(topology, algorithm);
  std::vector<Exchanges> colours;
  for (unsigned k = 0; k < topology.dimensions(); ++k) {
    for (const bool mirrored : {false, true}) colours.emplace_back(topology, swinging, k, mirrored);
  }
  return std::make_unique<ExchangeSpread>(topology.nodes(), std::move(colours));
}

const Family halves{{
    .name = "swing",
    .how = "by exchanges at swinging distances, in 2D colours",
    .source = kSource,
    .claim = "log_2 p steps for p nodes",
    .admissible = kAdmissible,
    .make = make_spread,
    .goals = {Goal::reduce_scatter, Goal::all_gather},
}};

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary =
        "all-reduce on a torus by exchanges at swinging distances: of parts, in 2D colours, or of whole "
        "vectors",
    .source = kSource,
    .claim = "bandwidth: 2 log_2 p steps for p nodes; the busiest link carries, times V*, 1.0952 on 8x8, "
             "1.1412 on 16x16, 1.1846 on 64x64, 1.0274 on 8x8x8. latency: log_2 p steps",
    .admissible = kAdmissible,
    .parameters = {{.name = "version",
                    .type = ParameterType::choice,
                    .summary = "what nodes exchange: parts of the vector (bandwidth), or the whole (latency)",
                    .fallback = "bandwidth",
                    .choices = {"bandwidth", "latency"}},
                   vector_parameter()},
    .make =
        [](const Topology& topology, const ParameterValues& values) {
          if (values.text("version") == "bandwidth") {
            return spread_schedule(topology, values, kName, Goal::all_reduce,
                                   make_spread(topology, values, kName));
          }
          require_powers_of_two(topology, kName);
          return exchange_vectors(topology, values, kName, {topology, swinging, 0, false});
        },
    .memory = {.per_pair_of_nodes = 64},
}};

}  // namespace
}  // namespace flitscope::all_reduce::swing
