// recursive-doubling: pairs of nodes exchange whole vectors, at distances that double.
#include "algorithms/all_reduce/exchange.h"

namespace flitscope::all_reduce::recursive_doubling {
namespace {

constexpr auto kName = "all-reduce-recursive-doubling";

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary = "all-reduce on a torus by pairs that exchange whole vectors, at distances that double",
    .source = "recursive doubling, common knowledge",
    .claim = "log_2 p steps for p nodes",
    .admissible = "torus of any number of dimensions, all sides powers of two",
    .parameters = {vector_parameter()},
    .make =
        [](const Topology& topology, const ParameterValues& values) {
          require_powers_of_two(topology, kName);
          return exchange_vectors(topology, values, kName, {topology, doubling, 0, false});
        },
}};

}  // namespace
}  // namespace flitscope::all_reduce::recursive_doubling
