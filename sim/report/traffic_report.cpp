#include "sim/report/report_parts.h"

#include <fmt/ranges.h>

#include "sim/report/rates.h"

namespace flitscope {

namespace {

Json channel_json(const RunResult& result, const TrafficResult& traffic, const ChannelRecord& channel) {
  const Topology& topology = result.config.topology;
  return {{"channel", topology.channel_name(channel.channel)},
          {"node", node_json(topology, topology.channel_node(channel.channel))},
          {"utilisation", result.utilisation(traffic, channel)},
          {"stalled_flit_cycles", total_of(channel.stalls)},
          {"stalls", causes_json(channel.stalls)}};
}

std::string sizes_text(const ExperimentConfig& config, const TrafficConfig& traffic) {
  std::vector<std::string> parts;
  const auto& sizes = traffic.message.sizes;
  for (const auto& [bytes, weight] : sizes) {
    parts.push_back(size_text(config, bytes));
    if (sizes.size() > 1) parts.back() += fmt::format(" with weight {}", weight.text());
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// "  traffic     bulk, uniform: .." and what its messages are.
std::string offered_text(const ExperimentConfig& config, const TrafficConfig& traffic) {
  std::string when;
  if (traffic.start > 0) when += fmt::format(", from cycle {}", traffic.start);
  if (traffic.end) when += fmt::format(", before cycle {}", *traffic.end);
  return fmt::format("  traffic     {}{}: {}\n", traffic.name.empty() ? "" : traffic.name + ", ",
                     traffic.pattern->name, traffic.pattern->summary) +
         fmt::format("  messages    {}; {}, {} flits/node/cycle, seed {}{}\n", sizes_text(config, traffic),
                     name_of(traffic.process), traffic.load.text(), traffic.seed, when);
}

/// " +- 0.123 (95%)", or nothing.
std::string interval_text(const std::optional<double>& ci95) {
  return ci95 ? fmt::format(" +- {:.3f} (95%)", *ci95) : "";
}

/// What one of several classes did.
std::string class_text(const ExperimentConfig& config, const TrafficConfig& traffic,
                       const TrafficClassResult& result) {
  std::string text = fmt::format("    {}  offered {:.5f}, accepted {:.5f} flits/node/cycle; ", traffic.name,
                                 result.offered, result.accepted);
  if (result.latency.messages == 0) return text + "no message has arrived\n";
  text += fmt::format("latency mean {:.3f}{}{}, 99% {}; in network {:.3f}", result.latency.mean,
                      interval_text(result.ci95), time_in_brackets(config, result.latency.mean),
                      cycles_text(config, result.latency.p99), result.network_latency.mean);
  if (result.undelivered > 0) {
    text += fmt::format("; {} had not arrived", counted(result.undelivered, "message"));
  }
  return text + "\n";
}

/// A closed loop issues requests when it may, and has no load.
bool has_load(const WorkloadConfig& workload) {
  return !workload.protocol || !workload.protocol->closed_loop;
}

Json class_json(const TrafficConfig& traffic, bool is_offered, const TrafficClassResult& result,
                const TrafficBounds::Class& bounds) {
  return {{"name", traffic.name},
          {"pattern", traffic.pattern->name},
          {"load", is_offered ? Json(traffic.load.approximate()) : Json(nullptr)},
          {"start_cycle", traffic.start},
          {"end_cycle", or_null(traffic.end)},
          {"offered", result.offered},
          {"accepted", result.accepted},
          {"messages", result.messages},
          {"flits", result.flits},
          {"latency", latency_json(result.latency)},
          {"network_latency", latency_json(result.network_latency)},
          {"ci95_cycles", or_null(result.ci95)},
          {"undelivered", result.undelivered},
          {"messages_in_flight_mean", result.messages_in_flight_mean},
          {"hops_mean", bounds.load ? Json(bounds.load->hops_mean) : Json(nullptr)},
          {"zero_load_latency_cycles", or_null(bounds.zero_load_latency)}};
}

/// "links", "injection at [0, 0]": what is always busy first.
std::string limit_name(const ExperimentConfig& config, const TrafficLoad& load) {
  const TrafficLoad::Limit& limit = load.limit;
  if (limit.of == TrafficLoad::Limit::Of::links) return "links";
  return fmt::format("{} at {}", limit.of == TrafficLoad::Limit::Of::injection ? "injection" : "ejection",
                     config.topology.node_name(limit.node));
}

/// Nothing if the links are the limit.
std::string limit_text(const ExperimentConfig& config, const TrafficLoad& load) {
  const std::string name = limit_name(config, load);
  return name == "links" ? "" : ", by " + name;
}

}  // namespace

std::string traffic_bounds_text(const ExperimentConfig& config, const TrafficBounds& bounds) {
  const std::optional<TrafficLoad>& load = bounds.all.load;
  if (!load) return "  bounds      not computed: there are too many pairs of nodes\n";
  std::string text = fmt::format("  hops        {:.4f} a message\n", load->hops_mean);
  const char* offered = config.workload.protocol ? "flit of requests" : "flit";
  if (load->busiest) {
    text += fmt::format("  busiest     {}: {:.4f} flits a cycle for each {} that a node offers\n",
                        config.topology.channel_name(*load->busiest), load->max_channel_load, offered);
  } else if (load->max_channel_load > 0) {
    text += fmt::format(
        "  busiest     at least {:.4f} flits a cycle on some link for each {} that a node offers\n",
        load->max_channel_load, offered);
  }
  const auto saturation = bounds.ideal_saturation(config);
  const auto latency = bounds.all.zero_load_latency;
  if (saturation)
    text += fmt::format("  saturation  {:.4g} {} at best{}{}\n", *saturation, load_unit(config.workload),
                        bandwidth_in_brackets(config, *saturation), limit_text(config, *load));
  text += latency ? fmt::format("  latency     {:.4g} cycles in an empty network, on average{}\n", *latency,
                                time_in_brackets(config, *latency))
                  : "  latency     not known\n";
  return text;
}

Json traffic_bounds_json(const ExperimentConfig& config, const TrafficBounds& bounds) {
  const std::optional<TrafficLoad>& load = bounds.all.load;
  const bool has_busiest = load && load->busiest;
  const auto saturation = bounds.ideal_saturation(config);
  return {
      {"hops_mean", load ? Json(load->hops_mean) : Json(nullptr)},
      {"sent_flits_per_offered_flit", load ? Json(load->sent) : Json(nullptr)},
      {"max_channel_load", load ? Json(load->max_channel_load) : Json(nullptr)},
      {"busiest_channel", has_busiest ? Json(config.topology.channel_name(*load->busiest)) : Json(nullptr)},
      {"ideal_saturation_flits_per_node_cycle", or_null(saturation)},
      {"limited_by", saturation && load->sent > 0 ? Json(limit_name(config, *load)) : Json(nullptr)},
      {"zero_load_latency_cycles", or_null(bounds.all.zero_load_latency)}};
}

std::string traffic_text(const RunResult& result, const TrafficResult& traffic) {
  const auto offered = result.config.workload.offered();
  std::string text;
  if (result.config.workload.protocol) {
    text += protocol_config_text(result.config);
  } else {
    for (const TrafficConfig& each : offered) text += offered_text(result.config, each);
  }
  text += traffic_bounds_text(result.config, traffic.bounds);
  text += "\n";
  if (!traffic.is_measured()) return text + "  nothing was measured\n";
  text += fmt::format("  status      {}{}\n", name_of(traffic.status),
                      traffic.halted ? ": the network takes less than is offered"
                      : traffic.status == TrafficStatus::saturated
                          ? ": the load is beyond the bound, so latencies grow with the measurement"
                          : "");
  text += fmt::format("  measured    cycles {} to {}{}\n", traffic.begin, traffic.end,
                      traffic.steady ? "" : "; latencies were not steady before");
  if (traffic.precise == false) {
    text += fmt::format(
        "  WARNING     less precise than asked for (precision: {}), though the measurement was prolonged as "
        "often as may be\n",
        result.config.workload.traffic.precision->text());
  }
  if (const auto& protocol = result.links()->protocol) text += protocol_text(result, *protocol);
  const auto rate_text = [&](double flits) { return bandwidth_in_brackets(result.config, flits); };
  text +=
      fmt::format("  offered     {:.5f} flits/node/cycle{}\n", traffic.offered, rate_text(traffic.offered));
  text +=
      fmt::format("  accepted    {:.5f} flits/node/cycle{}\n", traffic.accepted, rate_text(traffic.accepted));
  const LatencySummary& latency = traffic.latency;
  if (latency.messages > 0) {
    text += fmt::format(
        "  latency     {}{}{}\n",
        latency_text(latency, result.config.workload.protocol ? " of messages" : interval_text(traffic.ci95)),
        result.config.clock ? "; mean " + readable_time(result.config.clock->seconds(latency.mean)) : "",
        traffic.undelivered > 0 ? fmt::format("; {} had not arrived", counted(traffic.undelivered, "message"))
                                : "");
    text += fmt::format("  in network  mean {:.3f}{}, 99% {} from the entry of the head{}\n",
                        traffic.network_latency.mean,
                        time_in_brackets(result.config, traffic.network_latency.mean),
                        cycles_text(result.config, traffic.network_latency.p99),
                        traffic.hops_mean ? fmt::format("; {:.3f} hops", *traffic.hops_mean) : "");
  }
  if (!traffic.classes.empty()) text += "  classes\n";
  for (std::size_t i = 0; i < traffic.classes.size(); ++i) {
    text += class_text(result.config, offered[i], traffic.classes[i]);
  }
  text +=
      fmt::format("  in flight   {:.2f} {} on average; {:+} flits over the measurement\n",
                  traffic.messages_in_flight_mean,
                  result.config.workload.protocol ? "round trips" : "messages", traffic.waiting_flits_growth);
  const std::string stalls = causes_text(traffic.stalls);
  text += fmt::format("  stalls      {} (flit-cycles)\n", stalls.empty() ? "none" : stalls);
  const Topology& topology = result.config.topology;
  if (traffic.busiest) {
    text += fmt::format("  busiest     {}, {:.1f}% of the cycles\n",
                        topology.channel_name(traffic.busiest->channel),
                        100 * result.utilisation(traffic, *traffic.busiest));
  }
  for (const ChannelRecord& channel : traffic.worst) {
    text += fmt::format("    {}  {}: {}; busy in {:.1f}%\n", topology.channel_name(channel.channel),
                        counted(total_of(channel.stalls), "flit-cycle"), causes_text(channel.stalls),
                        100 * result.utilisation(traffic, channel));
  }
  return text;
}

std::string background_text(const RunResult& result, const BackgroundResult& background) {
  const TrafficConfig& config = *result.config.workload.background;
  const LatencySummary& latency = background.latency;
  return fmt::format("  background  {}, {} flits/node/cycle{}: {}; accepted {:.5f}{}\n", config.pattern->name,
                     config.load.text(),
                     background.schedule_begin == 0
                         ? ""
                         : fmt::format(", the schedule behind {} cycles of it", background.schedule_begin),
                     counted(background.messages, "message"), background.accepted,
                     latency.messages == 0 ? ""
                                           : fmt::format(", latency mean {:.1f}{}, 99% {}", latency.mean,
                                                         time_in_brackets(result.config, latency.mean),
                                                         cycles_text(result.config, latency.p99)));
}

Json background_json(const RunResult& result, const BackgroundResult& background) {
  const TrafficConfig& config = *result.config.workload.background;
  return {{"pattern", config.pattern->name},
          {"load", config.load.approximate()},
          {"schedule_begin_cycle", background.schedule_begin},
          {"offered", background.offered},
          {"accepted", background.accepted},
          {"messages", background.messages},
          {"flits", background.flits},
          {"arrived_messages", background.arrived_messages},
          {"arrived_flits", background.arrived_flits},
          {"latency", latency_json(background.latency)},
          {"network_latency", latency_json(background.network_latency)}};
}

Json traffic_json(const RunResult& result, const TrafficResult& traffic) {
  const auto of_channel = [&](const ChannelRecord& channel) {
    return channel_json(result, traffic, channel);
  };
  const WorkloadConfig& workload = result.config.workload;
  Json json{
      {"pattern", pattern_names(workload)},
      {"load", has_load(workload) ? Json(offered_load(workload)) : Json(nullptr)},
      {"status", name_of(traffic.status)},
      {"beyond_bound", traffic.beyond_bound},
      {"steady", traffic.steady},
      {"begin_cycle", traffic.begin},
      {"end_cycle", traffic.end},
      {"offered", measured(traffic, traffic.offered)},
      {"accepted", measured(traffic, traffic.accepted)},
      {"latency", latency_json(traffic.latency)},
      {"network_latency", latency_json(traffic.network_latency)},
      {"ci95_cycles", or_null(traffic.ci95)},
      {"undelivered", traffic.undelivered},
      {"hops_mean", or_null(traffic.hops_mean)},
      {"messages_in_flight_mean", measured(traffic, traffic.messages_in_flight_mean)},
      {"waiting_flits_growth", measured(traffic, traffic.waiting_flits_growth)},
      {"stalls", causes_json(traffic.stalls)},
      {"worst_channels", json_list(traffic.worst, of_channel)},
      {"busiest_channel", traffic.busiest ? channel_json(result, traffic, *traffic.busiest) : Json(nullptr)},
      {"bounds", traffic_bounds_json(result.config, traffic.bounds)}};
  if (traffic.precise) json["precise"] = *traffic.precise;
  if (traffic.classes.empty()) return json;
  Json& classes = json["classes"] = Json::array();
  for (std::size_t i = 0; i < traffic.classes.size(); ++i) {
    const auto& bounds = traffic.bounds.classes;
    classes.push_back(class_json(workload.offered()[i], has_load(workload), traffic.classes[i],
                                 bounds.empty() ? TrafficBounds::Class() : bounds[i]));
  }
  return json;
}

std::string classes_csv(const RunResult& result, const TrafficResult& traffic) {
  std::string text =
      "class,pattern,load,start_cycle,end_cycle,offered,accepted,messages,flits,latency_mean_cycles,latency_"
      "p99_cycles,latency_max_cycles,network_latency_mean_cycles,ci95_cycles,undelivered\n";
  for (std::size_t i = 0; i < traffic.classes.size(); ++i) {
    const TrafficConfig& config = result.config.workload.offered()[i];
    const TrafficClassResult& own = traffic.classes[i];
    text += fmt::format("{},{},{},{},{},{:.6f},{:.6f},{},{},", config.name, config.pattern->name,
                        has_load(result.config.workload) ? config.load.text() : "", config.start,
                        config.end ? fmt::format("{}", *config.end) : "", own.offered, own.accepted,
                        own.messages, own.flits);
    text += own.latency.messages == 0
                ? ",,,,"
                : fmt::format("{:.4f},{},{},{:.4f},{}", own.latency.mean, own.latency.p99, own.latency.max,
                              own.network_latency.mean, own.ci95 ? fmt::format("{:.4f}", *own.ci95) : "");
    text += fmt::format(",{}\n", own.undelivered);
  }
  return text;
}

}  // namespace flitscope
