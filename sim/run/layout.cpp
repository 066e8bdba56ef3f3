#include "sim/run/layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "model/error.h"
#include "params/settings.h"

namespace flitscope {

namespace layout {
namespace {

using Value = ParameterValues::Value;

struct LayoutSettings {
  std::vector<Decimal> mm;
};

constexpr std::int64_t kMaxMillimetres = 10'000'000;

Row<LayoutSettings> mm_row() {
  return of_links(Row<LayoutSettings>{
      {.parameter = Parameter::number(
                        "mm",
                        "length of a link on the layout, for the network's cost and energy; a list has a "
                        "number for each kind of link: dimensions, or the kinds that `flitscope cost` "
                        "names",
                        {0, kMaxMillimetres}, "mm")
                        .or_else("null"),
       .or_list = true},
      [](LayoutSettings& layout, const Value& value, const ReadContext& context) {
        const auto* const list = std::get_if<std::vector<Decimal>>(&value);
        layout.mm = list == nullptr ? std::vector{std::get<Decimal>(value)} : *list;
        const auto kinds = LinkKinds(context.topology).names();
        if (layout.mm.size() == 1 || layout.mm.size() == kinds.size()) return;
        throw InputError("a {} needs {} numbers, of the kinds {}, or a single one; here are {}",
                         context.topology.name(), kinds.size(), fmt::join(kinds, ", "), layout.mm.size());
      },
      [](const LayoutSettings& layout, const Topology&) -> std::optional<Value> {
        if (layout.mm.empty()) return std::nullopt;
        return layout.mm.size() == 1 ? Value(layout.mm.front()) : Value(layout.mm);
      }});
}

const SettingsRegistry::Entry entry{RowSection<LayoutSettings>{.name = "link", .rows = {mm_row()}}};

}  // namespace
}  // namespace layout

const std::vector<Decimal>& link_mm(const ExperimentConfig& config) {
  return config.settings.get<layout::LayoutSettings>().mm;
}

NetworkCost network_cost(const ExperimentConfig& config, double max_work) {
  return network_cost(config.topology, config.machine, link_mm(config), max_work);
}

}  // namespace flitscope
