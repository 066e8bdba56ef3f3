// Tables of routes as text: what the routing function `table` follows. docs/networks.md describes the format.
#pragma once

#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "model/route_table.h"
#include "model/topology.h"
#include "params/diagnostics.h"

namespace flitscope {

/// Reads the routes of a network. Every mistake, such as a pair of nodes without a route or with one that
/// loops, is added with its place to `diagnostics`; then returns nothing.
[[nodiscard]] std::shared_ptr<const RouteTable> read_routes(const std::filesystem::path& file,
                                                            const Topology& topology,
                                                            Diagnostics& diagnostics);
/// The same from text, which messages call `name`.
[[nodiscard]] std::shared_ptr<const RouteTable> read_routes(std::string_view text, const std::string& name,
                                                            const Topology& topology,
                                                            Diagnostics& diagnostics);

/// The routes that a routing function takes, as read_routes reads them. Throws Inadmissible("router.routing")
/// for a function whose next link depends on more than the place and the destination, or whose class of
/// virtual channels on more than source and destination.
void write_routes(const Topology& topology, const std::string& routing, std::ostream& out);

}  // namespace flitscope
