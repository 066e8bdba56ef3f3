// Every key a configuration can have, in one table: it feeds the reader, its messages, the resolved
// configuration and the documentation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/parameter.h"
#include "model/topology.h"

namespace flitscope {

/// The networks a key is for.
enum class KeyScope : std::uint8_t {
  all,
  links,     ///< tori and meshes
  circuits,  ///< complete networks
};

/// A key of the configuration. Two fields of its Parameter say a little more than in an algorithm's:
/// - beside a number, `choices` are words that may stand in its place (`ports: all`);
/// - the fallback "null" means that there is no value unless one is given (`clock`).
struct Key {
  Parameter parameter;
  /// A list of such values: [8, 8].
  bool is_list = false;
  KeyScope scope = KeyScope::all;
};

/// A map of keys; the unnamed one is the top level. "observe.waves" is the map `waves` in the map `observe`.
struct Section {
  std::string name;
  std::string summary;
  std::vector<Key> keys;
};

/// All sections in canonical order, the top level first. `workload` has the parameters of the chosen
/// algorithm besides.
[[nodiscard]] const std::vector<Section>& config_sections();

/// A section of config_sections(). Throws std::out_of_range if there is none of that name.
[[nodiscard]] const Section& config_section(std::string_view name);

/// Names of the maps in a section: "waves" in "observe". Of the top level: all that are not in another.
[[nodiscard]] std::vector<std::string> sections_in(std::string_view section);

/// "router.buffer", or "name" on the top level.
[[nodiscard]] std::string path_of(std::string_view section, std::string_view key);

/// Whether a network of that kind has the key.
[[nodiscard]] bool applies(const Key& key, TopologyKind kind);

/// What a value must be, in words: "a whole number from 1 to 64", "one of 'torus', 'mesh'".
[[nodiscard]] std::string expected(const Key& key);

}  // namespace flitscope
