// Every key a configuration can have, in one table: it feeds the reader, its messages, the resolved
// configuration and the documentation. Parts that have keys of their own register them: params/settings.h.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/topology.h"
#include "params/key.h"
#include "params/parameter.h"
#include "sim/config/config.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

/// The longest flit, in bytes.
inline constexpr std::int64_t kMaxFlitBytes = 65'536;
/// The section that is a list of maps.
inline constexpr std::string_view kClasses = "workload.classes";

using ConfigSection = RowSection<ExperimentConfig>;
/// All sections in canonical order, the top level first. `workload` has the parameters of the chosen
/// algorithm besides. The one of kClasses is that of its first item.
[[nodiscard]] const std::vector<ConfigSection>& config_sections();

/// Calls visit(section) for every section as a configuration has it: of a list of maps for that of each item,
/// "workload.classes[1]".
void for_each_section(const ExperimentConfig& config, const std::function<void(const ConfigSection&)>& visit);

[[nodiscard]] bool is_section(std::string_view name);
/// An item of a list has the keys of the list: "workload.classes[1]" those of "workload.classes". Throws
/// std::out_of_range if there is no such section.
[[nodiscard]] const ConfigSection& config_section(std::string_view name);

/// Names of the maps in a section: "waves" in "observe". Of the top level: all that are not in another.
[[nodiscard]] std::vector<std::string> sections_in(std::string_view section);

/// The links that an item of `links` is about, in both directions if it says so, or all of its kind. Throws
/// InputError for what is no link or kind of the network.
[[nodiscard]] std::vector<ChannelId> links_of(const LinkSetting& setting, const Topology& topology);

// Tables of keys in Markdown, for the pages in docs/. `scripts/update_docs.sh` puts them there.

/// The keys that networks of a kind have, as a table in Markdown: a line for each section, then one for each
/// of its keys.
[[nodiscard]] std::string key_table(TopologyKind kind);

/// Parameters of an algorithm, pattern or family, with its name.
struct OwnedParameters {
  std::string owner;
  std::vector<Parameter> parameters;
};

/// These as keys of a section, by name. Parameters that are equal have one line; lines of the same key say
/// whose they are.
[[nodiscard]] std::string parameter_table(const std::string& section,
                                          const std::vector<OwnedParameters>& all);

/// The configuration with the settings of its preset in place of keys of `router` that it does not have;
/// nothing if it names no preset that exists.
[[nodiscard]] std::optional<YamlNode> with_router_preset(const YamlNode& root);

}  // namespace flitscope
