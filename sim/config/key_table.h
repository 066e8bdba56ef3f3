// The table of all keys for the pages in docs/.
#pragma once

#include <string>

#include "model/topology.h"

namespace flitscope {

/// The keys that networks of a kind have, as a table in Markdown: a line for each section, then one for each
/// of its keys.
[[nodiscard]] std::string key_table(TopologyKind kind);

}  // namespace flitscope
