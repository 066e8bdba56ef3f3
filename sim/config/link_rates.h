// Bandwidths of links as what the network simulates: bytes of a flit, and cycles a flit.
#pragma once

#include "params/parameter.h"
#include "sim/config/config.h"

namespace flitscope {

/// Sets the machine's flit_bytes and intervals by the bandwidths of `link`, `links` and `node`, as
/// far as they are not given: a flit takes the whole number of cycles that is within 0.1%, if there is one,
/// or else the nearest fraction. The values are those of the sections `""`, `link` and `node`. Throws
/// Inadmissible with the bandwidth and what is possible.
void take_bandwidths(ExperimentConfig& config, const ParameterValues& top_level, const ParameterValues& link,
                     const ParameterValues& node);

}  // namespace flitscope
