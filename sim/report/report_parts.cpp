#include "sim/report/report_parts.h"

#include <fmt/ranges.h>

#include <array>
#include <boost/algorithm/string/replace.hpp>

#include "sim/report/rates.h"

namespace flitscope {

namespace {

/// "1.234 mJ"
std::string joules_text(double joules) {
  constexpr std::array<std::pair<double, const char*>, 5> kUnits{
      {{1.0, "J"}, {1e-3, "mJ"}, {1e-6, "uJ"}, {1e-9, "nJ"}, {1e-12, "pJ"}}};
  for (const auto& [size, name] : kUnits) {
    if (joules >= size) return fmt::format("{:.4g} {}", joules / size, name);
  }
  return fmt::format("{:.4g} pJ", joules * 1e12);
}

std::string router_text(const EnergyTable& table) {
  std::string text = fmt::format("flits of {} bits", table.flit_bits);
  if (table.ports > 0) text += fmt::format(", {} ports", table.ports);
  if (table.vcs > 0) text += fmt::format(", {}", counted(table.vcs, "VC"));
  if (table.buffer > 0) text += fmt::format(" of {} flits", table.buffer);
  return text;
}

std::string kinds_text(const NetworkCost& cost) {
  std::string text;
  for (const LinkKind& kind : cost.kinds) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", kind.name, kind.links);
    if (kind.mm && cost.kinds.size() > 1) text += fmt::format(" of {:.6g} mm", *kind.mm);
  }
  return text;
}

}  // namespace

std::string size_text(const ExperimentConfig& config, std::uint64_t bytes) {
  return fmt::format("{} ({})", counted(bytes, "byte"),
                     counted(flits_of(bytes, config.machine.flit_bytes), "flit"));
}

std::string escaped(std::string_view text) {
  std::string result(text);
  boost::replace_all(result, "&", "&amp;");
  boost::replace_all(result, "<", "&lt;");
  boost::replace_all(result, ">", "&gt;");
  return result;
}

std::string latency_text(const LatencySummary& latency, const std::string& of_mean) {
  return fmt::format("mean {:.3f}{}, min {}, median {}, 99% {}, 99.9% {}, max {} cycles", latency.mean,
                     of_mean, latency.min, latency.p50, latency.p99, latency.p999, latency.max);
}

Json latency_json(const LatencySummary& latency) {
  const auto or_none = [&](const auto& value) { return latency.messages > 0 ? Json(value) : Json(nullptr); };
  return {{"messages", latency.messages}, {"min", or_none(latency.min)}, {"mean", or_none(latency.mean)},
          {"p50", or_none(latency.p50)},  {"p99", or_none(latency.p99)}, {"p999", or_none(latency.p999)},
          {"max", or_none(latency.max)}};
}

std::string percent_text(double change, int digits) {
  std::string text = fmt::format("{:+.{}f}%", 100 * change, digits);
  if (text.find_first_of("123456789") == std::string::npos) text.front() = '+';
  return text;
}

CyclesByName by_name(CyclesByName first, const StallCounts& counts, const CyclesByName& last) {
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    first.emplace_back(kStallCauseTable[cause].name, counts[cause]);
  }
  first.insert(first.end(), last.begin(), last.end());
  return first;
}

CyclesByName terms_of(const LatencyParts& parts) {
  return by_name({{"startup", parts.startup}, {"queueing", parts.queueing}, {"hops", parts.hops}},
                 parts.head_stalls,
                 {{"hol_blocked", parts.hol_blocked},
                  {"serialization", parts.serialization},
                  {"tail_serialization", parts.tail_serialization}});
}

Json terms_json(const LatencyParts& parts) {
  return {{"startup_cycles", parts.startup},
          {"queueing_cycles", parts.queueing},
          {"hops_cycles", parts.hops},
          {"head_stall_cycles", causes_json(parts.head_stalls)},
          {"hol_blocked_cycles", parts.hol_blocked},
          {"serialization_cycles", parts.serialization},
          {"tail_serialization_cycles", parts.tail_serialization}};
}

std::string parts_text(const CyclesByName& cycles, std::string_view separator) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : cycles) {
    if (count > 0) parts.push_back(fmt::format("{} {}", name, count));
  }
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string causes_text(const StallCounts& counts, std::string_view separator) {
  return parts_text(by_name({}, counts), separator);
}

Json causes_json(const StallCounts& counts) {
  Json json = Json::object();
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    json[kStallCauseTable[cause].name] = counts[cause];
  }
  return json;
}

std::string energy_text(const RunResult& result) {
  const auto energy = energy_of(result);
  if (!energy) return "";
  std::string text =
      fmt::format("  energy      {}, by neighbouring tables {} to {}\n", joules_text(energy->energy.total()),
                  joules_text(energy->low), joules_text(energy->high));
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < Energy::kNames.size(); ++i) {
    const double joules = energy->energy.joules[i];
    if (joules > 0) parts.push_back(fmt::format("{} {}", Energy::kNames[i], joules_text(joules)));
  }
  const auto add_line = [&] {
    if (!parts.empty()) text += fmt::format("              {}\n", fmt::join(parts, ", "));
    parts.clear();
  };
  add_line();
  if (energy->per_byte) parts.push_back(fmt::format("{} a byte delivered", joules_text(*energy->per_byte)));
  if (energy->per_bit_hop)
    parts.push_back(fmt::format("{:.4g} pJ a bit and hop", *energy->per_bit_hop * 1e12));
  if (energy->detours.value_or(0) > 0)
    parts.push_back(fmt::format("detours {}", joules_text(*energy->detours)));
  if (energy->power) parts.push_back(fmt::format("{:.4g} W", *energy->power));
  add_line();
  const EnergyTable& table = energy->table;
  const bool has_buffers = table.vcs != 0 && table.buffer != 0;
  const char* const scaled = has_buffers && table.ports != 0 ? "flits, buffers and ports"
                             : has_buffers                   ? "flits and buffers"
                             : table.ports != 0              ? "flits and ports"
                                                             : "flits";
  return text + fmt::format(
                    "              table {}: {}, {} V, {}; {}\n              of a router with {}; scaled to "
                    "{}; without {}\n",
                    table.name, table.technology, table.voltage, table.activity, table.source,
                    router_text(table), scaled, fmt::join(energy->left_out, ", "));
}

Json events_json(const RunResult& result) {
  const EnergyEvents events = energy_events(result);
  return {{"buffer_writes", events.router_flits},      {"buffer_reads", events.router_flits},
          {"switch_allocations", events.router_flits}, {"crossbar_traversals", events.router_flits},
          {"vc_allocations", events.vc_allocations},   {"link_traversals", events.link_flits},
          {"flit_mm", or_null(events.flit_mm)},        {"ejected_flits", events.ejected_flits}};
}

Json energy_json(const EnergyResult& energy) {
  Json components = Json::object();
  for (std::size_t i = 0; i < Energy::kNames.size(); ++i) {
    components[std::string(Energy::kNames[i]) + "_J"] = energy.energy.joules[i];
  }
  const auto picojoules = [](const std::optional<double>& joules) {
    return joules ? Json(*joules * 1e12) : Json(nullptr);
  };
  return {{"table", energy.table.name},
          {"technology", energy.table.technology},
          {"voltage", energy.table.voltage},
          {"activity", energy.table.activity},
          {"source", energy.table.source},
          {"left_out", energy.left_out},
          {"total_J", energy.energy.total()},
          {"low_J", energy.low},
          {"high_J", energy.high},
          {"components", components},
          {"detours_J", or_null(energy.detours)},
          {"per_byte_pJ", picojoules(energy.per_byte)},
          {"per_bit_hop_pJ", picojoules(energy.per_bit_hop)},
          {"power_W", or_null(energy.power)}};
}

std::string routers_csv(const RunResult& result, const LinkResult& links) {
  std::string text = "router,name,flits,vc_allocations,ejected_flits\n";
  for (const RouterRecord& router : links.routers) {
    text +=
        fmt::format("{},\"{}\",{},{},{}\n", router.router, result.config.topology.node_name(router.router),
                    router.flits, router.messages, router.ejected_flits);
  }
  return text;
}

std::string network_text(const ExperimentConfig& config, double max_work) {
  const NetworkCost cost = network_cost(config, max_work);
  std::string text = fmt::format(
      "{}\n  nodes       {}\n  routers     {} of up to {}\n  links       {} ({})\n", config.topology.name(),
      cost.nodes, cost.routers, counted(cost.radix, "port"), cost.links, kinds_text(cost));
  if (cost.wire_mm) text += fmt::format("  wires       {:.6g} mm\n", *cost.wire_mm);
  const Bisection& bisection = cost.bisection;
  text +=
      fmt::format("  bisection   {}{:.6g} flits/cycle each way{}{}\n", bisection.is_exact ? "" : "at most ",
                  bisection.flits_per_cycle, bandwidth_in_brackets(config, bisection.flits_per_cycle),
                  bisection.is_exact ? "" : fmt::format(" (cut: {})", bisection.found_by));
  text += cost.hops_mean ? fmt::format("  distances   {} at most, {:.4f} on average\n",
                                       counted(*cost.diameter, "link"), *cost.hops_mean)
                         : "  distances   not computed: there are too many nodes\n";
  return text + fmt::format("  buffers     {} bits\n", cost.buffer_bits);
}

Json network_json(const ExperimentConfig& config, double max_work) {
  const NetworkCost cost = network_cost(config, max_work);
  const auto of_kind = [](const LinkKind& kind) -> Json {
    return {{"kind", kind.name}, {"links", kind.links}, {"length", kind.length}, {"mm", or_null(kind.mm)}};
  };
  return {{"routers", cost.routers},
          {"radix", cost.radix},
          {"links", cost.links},
          {"link_kinds", json_list(cost.kinds, of_kind)},
          {"wire_mm", or_null(cost.wire_mm)},
          {"bisection_flits_per_cycle", cost.bisection.flits_per_cycle},
          {"bisection_is_exact", cost.bisection.is_exact},
          {"bisection_found_by", cost.bisection.found_by},
          {"diameter", or_null(cost.diameter)},
          {"hops_mean", or_null(cost.hops_mean)},
          {"buffer_bits", cost.buffer_bits}};
}

}  // namespace flitscope
