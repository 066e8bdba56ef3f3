// rabenseifner: recursive halving and doubling, in D colours that begin in different dimensions.
#include "algorithms/all_reduce/exchange.h"

namespace flitscope::all_reduce::rabenseifner {
namespace {

std::unique_ptr<Spread> make(const Topology& topology, const ParameterValues& /*values*/,
                             const std::string& algorithm) {
  require_powers_of_two(topology, algorithm);
  std::vector<Exchanges> colours;
  for (unsigned k = 0; k < topology.dimensions(); ++k) colours.emplace_back(topology, doubling, k, false);
  return std::make_unique<ExchangeSpread>(topology.nodes(), std::move(colours));
}

const Family family{{
    .name = "rabenseifner",
    .how = "by recursive halving and doubling, in D colours",
    .source = "Rabenseifner (2004), with dimensions taking turns",
    .claim = "log_2 p steps for p nodes; the busiest links of the steps carry together, times V* of an "
             "all-reduce, 2.48 on 8x8, 2.73 on 16x16, 2.25 on 8x8x8",
    .admissible = "torus of any number D of dimensions, all sides powers of two",
    .make = make,
}};

}  // namespace
}  // namespace flitscope::all_reduce::rabenseifner
