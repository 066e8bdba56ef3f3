#include "sim/report/report_parts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/text.h"
#include "sim/report/rates.h"
#include "sim/run/layout.h"

namespace flitscope {

namespace {

using Json = nlohmann::ordered_json;

std::string kinds_text(const NetworkCost& cost) {
  std::string text;
  for (const LinkKind& kind : cost.kinds) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", kind.name, kind.links);
    if (kind.mm && cost.kinds.size() > 1) text += fmt::format(" of {:.6g} mm", *kind.mm);
  }
  return text;
}

}  // namespace

std::string network_text(const ExperimentConfig& config, double max_work) {
  const NetworkCost cost = network_cost(config, max_work);
  std::string text = fmt::format(
      "{}\n  nodes       {}\n  routers     {} of up to {}\n  links       {} ({})\n", config.topology.name(),
      cost.nodes, cost.routers, counted(cost.radix, "port", "ports"), cost.links, kinds_text(cost));
  if (cost.wire_mm) text += fmt::format("  wires       {:.6g} mm\n", *cost.wire_mm);
  const Bisection& bisection = cost.bisection;
  text +=
      fmt::format("  bisection   {}{:.6g} flits/cycle each way{}{}\n", bisection.is_exact ? "" : "at most ",
                  bisection.flits_per_cycle, bandwidth_in_brackets(config, bisection.flits_per_cycle),
                  bisection.is_exact ? "" : fmt::format(" (cut: {})", bisection.found_by));
  text += cost.hops_mean ? fmt::format("  distances   {} links at most, {:.4f} on average\n", *cost.diameter,
                                       *cost.hops_mean)
                         : "  distances   not computed: there are too many nodes\n";
  return text + fmt::format("  buffers     {} bits\n", cost.buffer_bits);
}

Json network_json(const ExperimentConfig& config, double max_work) {
  const NetworkCost cost = network_cost(config, max_work);
  Json kinds = Json::array();
  for (const LinkKind& kind : cost.kinds) {
    kinds.push_back(
        {{"kind", kind.name}, {"links", kind.links}, {"length", kind.length}, {"mm", or_null(kind.mm)}});
  }
  return {{"routers", cost.routers},
          {"radix", cost.radix},
          {"links", cost.links},
          {"link_kinds", kinds},
          {"wire_mm", or_null(cost.wire_mm)},
          {"bisection_flits_per_cycle", cost.bisection.flits_per_cycle},
          {"bisection_is_exact", cost.bisection.is_exact},
          {"bisection_found_by", cost.bisection.found_by},
          {"diameter", or_null(cost.diameter)},
          {"hops_mean", or_null(cost.hops_mean)},
          {"buffer_bits", cost.buffer_bits}};
}

}  // namespace flitscope
