// Tables of keys in Markdown, for the pages in docs/. `scripts/update_docs.sh` puts them there.
#pragma once

#include <string>
#include <vector>

#include "model/topology.h"
#include "params/parameter.h"

namespace flitscope {

/// The keys that networks of a kind have, as a table in Markdown: a line for each section, then one for each
/// of its keys.
[[nodiscard]] std::string key_table(TopologyKind kind);

/// The parameters of algorithms, patterns or families as keys of a section, by name. Parameters that are
/// equal have one line.
[[nodiscard]] std::string parameter_table(const std::string& section,
                                          const std::vector<Parameter>& parameters);

}  // namespace flitscope
