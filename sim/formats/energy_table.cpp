#include "sim/formats/energy_table.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/formats/value_reader.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

namespace energy_tables {
namespace {

constexpr std::int64_t kMost = 1'000'000;

Member text(std::string& field, const char* key) {
  Member result = member(field, {Parameter::text(key, "")});
  result.is_required = true;
  return result;
}
Member whole(unsigned& field, const char* key, std::int64_t least = 0) {
  Member result = member(field, {Parameter::integer(key, "", {least, kMost})});
  result.is_required = least > 0;
  return result;
}
template <typename Field>
Member number(Field& field, const char* key) {
  return member(field, {Parameter::number(key, "", {0, kMost})});
}

class TableReader : DiagnosingReader {
 public:
  explicit TableReader(Diagnostics& diagnostics) : DiagnosingReader(diagnostics) {}

  std::optional<EnergyTable> read(const YamlNode& root) {
    EnergyTable table;
    std::int64_t version = 0;
    members(root, "",
            {member(version, {Parameter::integer("energy_table", "", {1, 1})}), text(table.name, "name"),
             text(table.technology, "technology"), number(table.nanometres, "nanometres"),
             number(table.voltage, "voltage"), text(table.activity, "activity"), text(table.source, "source"),
             number(table.leakage_mw, "leakage_mW")},
            {"router", "pJ"});
    members_of(root, "router",
               {whole(table.ports, "ports"), whole(table.vcs, "vcs"), whole(table.buffer, "buffer"),
                whole(table.flit_bits, "flit_bits", 1)});
    members_of(root, "pJ",
               {number(table.buffer_write, "buffer_write"), number(table.buffer_read, "buffer_read"),
                number(table.crossbar, "crossbar"), number(table.allocation, "allocation"),
                number(table.hop, "hop"), number(table.wire_mm, "wire_mm")});
    if (sound_ && version == 0)
      fail(root.place, "an energy table begins with 'energy_table: 1', the version of the format");
    for (const auto& [key, value] : {std::pair{"nanometres", table.nanometres}, {"voltage", table.voltage}}) {
      if (sound_ && value == 0) fail(place(root, key), "{} must be a number above 0", key);
    }
    return sound_ ? std::optional(std::move(table)) : std::nullopt;
  }

 private:
  static const SourceLocation& place(const YamlNode& root, const char* key) {
    const YamlNode* const node = root.find(key);
    return node == nullptr ? root.place : node->place;
  }

  void members(const YamlNode& map, const std::string& path, const std::vector<Member>& list,
               const std::vector<std::string>& others = {}) {
    const auto [fit, known] = read_members(map, path, list, {}, diagnostics_, others);
    sound_ = sound_ && fit && known;
  }

  void members_of(const YamlNode& root, const char* key, const std::vector<Member>& of_map) {
    const YamlNode* const node = root.find(key);
    if (node != nullptr && node->kind == YamlNode::Kind::map) return members(*node, key, of_map);
    fail(place(root, key), "{} must be a map", key);
  }
};

}  // namespace
}  // namespace energy_tables

std::optional<EnergyTable> read_energy_table(std::string_view text, const std::string& name,
                                             Diagnostics& diagnostics) {
  const auto root = parse_yaml_map(
      text, name, "an energy table must be a map; it begins with 'energy_table: 1'", diagnostics);
  return root ? energy_tables::TableReader(diagnostics).read(*root) : std::nullopt;
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
