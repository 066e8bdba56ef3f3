// {from: 64, to: 4KiB, times: 2}: values that need not be written out.
#pragma once

#include <vector>

#include "params/diagnostics.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

/// The values of a range: a map with `from`, `to`, and either `step` (added) or `times` (multiplied by, a
/// number above 1). `to` is among them if it is hit. Numbers stay plain, sizes and times keep a unit, so that
/// a key takes what it would take in a list. Sizes are rounded to whole bytes, whole numbers to whole ones.
/// Adds what is wrong to `diagnostics` and returns nothing then.
[[nodiscard]] std::vector<YamlNode> values_of_range(const YamlNode& range, Diagnostics& diagnostics);

}  // namespace flitscope
