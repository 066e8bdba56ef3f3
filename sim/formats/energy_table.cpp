#include "sim/formats/energy_table.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/formats/value_reader.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

namespace {

constexpr std::int64_t kMost = 1'000'000;

Member text(std::string& field, const char* key) {
  return member(field, {Parameter::text(key, "")}, true);
}
Member whole(unsigned& field, const char* key, std::int64_t least = 0) {
  return member(field, {Parameter::integer(key, "", {least, kMost})}, least > 0);
}
template <typename Field>
Member number(Field& field, const char* key) {
  return member(field, {Parameter::number(key, "", {0, kMost})});
}

}  // namespace

std::optional<EnergyTable> read_energy_table(std::string_view yaml, const std::string& name,
                                             Diagnostics& diagnostics) {
  const auto root = parse_yaml_map(
      yaml, name, "an energy table must be a map; it begins with 'energy_table: 1'", diagnostics);
  if (!root) return std::nullopt;
  bool sound = true;
  const auto place = [&](const char* key) -> const SourceLocation& {
    const YamlNode* const node = root->find(key);
    return node == nullptr ? root->place : node->place;
  };
  const auto members = [&](const YamlNode& map, const std::string& path, const std::vector<Member>& list,
                           const std::vector<std::string>& others = {}) {
    const auto [fit, known] = read_members(map, path, list, {}, diagnostics, others);
    sound = sound && fit && known;
  };
  const auto members_of = [&](const char* key, const std::vector<Member>& list) {
    const YamlNode* const map = root->find(key);
    if (map != nullptr && map->kind == YamlNode::Kind::map) return members(*map, key, list);
    diagnostics.add(place(key), "{} must be a map", key);
    sound = false;
  };
  EnergyTable table;
  std::int64_t version = 0;
  members(*root, "",
          {member(version, {Parameter::integer("energy_table", "", {1, 1})}), text(table.name, "name"),
           text(table.technology, "technology"), number(table.nanometres, "nanometres"),
           number(table.voltage, "voltage"), text(table.activity, "activity"), text(table.source, "source"),
           number(table.leakage_mw, "leakage_mW")},
          {"router", "pJ"});
  members_of("router", {whole(table.ports, "ports"), whole(table.vcs, "vcs"), whole(table.buffer, "buffer"),
                        whole(table.flit_bits, "flit_bits", 1)});
  members_of("pJ", {number(table.buffer_write, "buffer_write"), number(table.buffer_read, "buffer_read"),
                    number(table.crossbar, "crossbar"), number(table.allocation, "allocation"),
                    number(table.hop, "hop"), number(table.wire_mm, "wire_mm")});
  if (!sound) return std::nullopt;
  if (version == 0)
    return diagnostics.add(root->place,
                           "an energy table begins with 'energy_table: 1', the version of the format");
  for (const auto& [key, value] : {std::pair{"nanometres", table.nanometres}, {"voltage", table.voltage}}) {
    if (value == 0) return diagnostics.add(place(key), "{} must be a number above 0", key);
  }
  return table;
}

const std::vector<EnergyTable>& shipped_energy_tables() {
  static const std::vector<EnergyTable> tables = [] {
    std::vector<EnergyTable> all;
    for (const auto& [name, text] : energy_tables::files()) {
      Diagnostics diagnostics;
      auto table = read_energy_table(text, std::string(name), diagnostics);
      if (!diagnostics.none()) throw std::logic_error(diagnostics.text());
      all.push_back(std::move(*table));
    }
    std::ranges::sort(all, {}, &EnergyTable::nanometres);
    return all;
  }();
  return tables;
}

}  // namespace flitscope
