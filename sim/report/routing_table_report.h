// Routing tables for people and programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/link_programs.h"

namespace flitscope {

/// Node by node, link by link, what is sent: "to +1: own 0; then 3 from -0; then all from +0 (21 packets)".
[[nodiscard]] std::string table_text(const LinkPrograms& table);

/// {"flitscope": "routing-table", "version": 1, "algorithm", "topology", "steps", "packets", "chunks",
/// "cycles":
/// [{"name", "nodes"}], "nodes": [{"node", "links": [{"to", "neighbour", "packets", "rules": [{"own": [chunk,
/// ..]} | {"list": [chunk, ..]} | {"relay": port, "skip", "count"}]}]}]}; a count of null is all.
[[nodiscard]] nlohmann::ordered_json table_json(const LinkPrograms& table);

}  // namespace flitscope
