// Single links that a configuration speaks of: the items of `links`.
#pragma once

#include <vector>

#include "model/graph.h"
#include "model/topology.h"
#include "params/link_setting.h"

namespace flitscope {

/// The links that an item of `links` is about, in both directions if it says so. Throws InputError for what
/// is no link of the network.
[[nodiscard]] std::vector<ChannelId> links_of(const LinkSetting& setting, const Topology& topology);

/// Links that are missing of a torus or mesh, as items of `links`.
[[nodiscard]] std::vector<LinkSetting> missing_links(const Topology& topology);

}  // namespace flitscope
