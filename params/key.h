// A key of the configuration, as it is declared: what it is called and what it may be. What it is bound to:
// key_row.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/topology.h"
#include "params/parameter.h"

namespace flitscope {

/// The networks a key is for.
enum class KeyScope : std::uint8_t {
  all,
  links,     ///< all but complete networks
  grids,     ///< tori and meshes
  graphs,    ///< graphs from files
  circuits,  ///< complete networks
};

/// The workloads a key is for.
enum class KeyWork : std::uint8_t {
  all,
  schedules,  ///< of an algorithm or a file
  traffic,    ///< synthetic traffic, of one class or several
  one_class,  ///< synthetic traffic of a single class
};

/// A key of the configuration. Two fields of its Parameter say a little more than in an algorithm's:
/// - beside a number or a list, `choices` are words that may replace it (`ports: all`);
/// - the fallback "null" means that there is no value unless one is given (`clock`).
struct Key {
  Parameter parameter;
  /// A list of such values: [8, 8].
  bool is_list = false;
  /// One such number, or a list of them: 4 or [4, 8].
  bool or_list = false;
  KeyScope scope = KeyScope::all;
  KeyWork work = KeyWork::all;
};

/// A map of keys; the unnamed one is the top level. "observe.waves" is the map `waves` in the map `observe`.
/// A key may be declared twice in it, once for links and once for circuits.
struct Section {
  std::string name;
  std::string summary;
  std::vector<Key> keys;
};

/// Whether a network of that kind has the key.
[[nodiscard]] bool applies(const Key& key, TopologyKind kind);
/// Whether a workload of that kind (not `all`) has the key.
[[nodiscard]] bool applies(const Key& key, KeyWork work);

/// "router.buffer", or "name" on the top level.
[[nodiscard]] std::string path_of(std::string_view section, std::string_view key);

/// The names of keys, each once.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<Key>& keys);

/// What a value must be, in words: "a whole number from 1 to 64", "one of 'torus', 'mesh'".
[[nodiscard]] std::string expected(const Key& key);

}  // namespace flitscope
