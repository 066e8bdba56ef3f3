#include "sim/formats/energy_table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/error.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

namespace energy_tables {
namespace {

using Kind = YamlNode::Kind;

class TableReader : DiagnosingReader {
 public:
  explicit TableReader(Diagnostics& diagnostics) : DiagnosingReader(diagnostics) {}

  std::optional<EnergyTable> read(const YamlNode& root) {
    known_keys(root, "",
               {"energy_table", "name", "technology", "nanometres", "voltage", "activity", "source", "router",
                "pJ", "leakage_mW"});
    if (number(root, "energy_table", "").value_or(0) != 1) {
      fail(root.place, "an energy table begins with 'energy_table: 1', the version of the format");
    }
    EnergyTable table;
    for (const auto& [key, field] : {std::pair{"name", &EnergyTable::name},
                                     {"technology", &EnergyTable::technology},
                                     {"activity", &EnergyTable::activity},
                                     {"source", &EnergyTable::source}}) {
      table.*field = text(root, key);
    }
    table.nanometres = positive(root, "nanometres", "");
    table.voltage = positive(root, "voltage", "");
    if (const YamlNode* const router = map(root, "router")) {
      known_keys(*router, "router.", {"ports", "vcs", "buffer", "flit_bits"});
      for (const auto& [key, field] : {std::pair{"ports", &EnergyTable::ports},
                                       {"vcs", &EnergyTable::vcs},
                                       {"buffer", &EnergyTable::buffer}}) {
        table.*field = whole(*router, key, "router.", 0);
      }
      table.flit_bits = whole(*router, "flit_bits", "router.", 1);
    }
    if (const YamlNode* const events = map(root, "pJ")) {
      known_keys(*events, "pJ.", {"buffer_write", "buffer_read", "crossbar", "allocation", "hop", "wire_mm"});
      for (const auto& [key, field] : {std::pair{"buffer_write", &EnergyTable::buffer_write},
                                       {"buffer_read", &EnergyTable::buffer_read},
                                       {"crossbar", &EnergyTable::crossbar},
                                       {"allocation", &EnergyTable::allocation},
                                       {"hop", &EnergyTable::hop},
                                       {"wire_mm", &EnergyTable::wire_mm}}) {
        table.*field = number(*events, key, "pJ.").value_or(0);
      }
    }
    table.leakage_mw = number(root, "leakage_mW", "");
    return sound_ ? std::optional(std::move(table)) : std::nullopt;
  }

 private:
  void known_keys(const YamlNode& map, const std::string& path, const std::vector<std::string>& known) {
    for (const YamlNode& item : map.items) {
      if (std::ranges::count(known, item.key) > 0) continue;
      fail(item.key_place, "unknown key {}; possible are {}", in_quotes(path + item.key),
           fmt::join(known, ", "));
    }
  }

  const YamlNode* map(const YamlNode& root, const char* key) {
    const YamlNode* const node = root.find(key);
    if (node != nullptr && node->kind == Kind::map) return node;
    fail(node == nullptr ? root.place : node->place, "{} must be a map", key);
    return nullptr;
  }

  std::string text(const YamlNode& root, const char* key) {
    const YamlNode* const node = root.find(key);
    if (node != nullptr && node->kind == Kind::scalar && !node->text.empty()) return printable(node->text);
    fail(node == nullptr ? root.place : node->place, "{} must be a text", key);
    return "";
  }

  /// Nothing if it is absent.
  std::optional<double> number(const YamlNode& map, const char* key, const std::string& path) {
    const YamlNode* const node = map.find(key);
    if (node == nullptr) return std::nullopt;
    const auto value =
        node->kind == Kind::scalar && !node->quoted ? parse_decimal(node->text) : Parsed<Decimal>();
    constexpr double kMost = 1'000'000;
    if (value.value && value.value->approximate() <= kMost) return value.value->approximate();
    fail(node->place, "{}{} must be a number from 0 to {}", path, key, kMost);
    return std::nullopt;
  }

  /// `least` if it is absent and that is 0.
  unsigned whole(const YamlNode& map, const char* key, const std::string& path, unsigned least) {
    const auto value = number(map, key, path);
    if (!value && least == 0) return 0;
    if (value && *value >= least && *value == std::floor(*value)) return static_cast<unsigned>(*value);
    if (sound_) {
      const YamlNode* const node = map.find(key);
      fail(node == nullptr ? map.place : node->place, "{}{} must be a whole number from {}", path, key,
           least);
    }
    return 1;
  }

  double positive(const YamlNode& map, const char* key, const std::string& path) {
    const auto value = number(map, key, path);
    if (value && *value > 0) return *value;
    const YamlNode* const node = map.find(key);
    if (sound_) fail(node == nullptr ? map.place : node->place, "{}{} must be a number above 0", path, key);
    return 1;
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
      try {
        diagnostics.throw_if_any();
      } catch (const InputError& error) {
        throw std::logic_error(error.what());
      }
      all.push_back(std::move(*table));
    }
    std::ranges::sort(all, {}, &EnergyTable::nanometres);
    return all;
  }();
  return tables;
}

}  // namespace flitscope
