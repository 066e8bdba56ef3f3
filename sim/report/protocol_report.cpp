#include "sim/report/report_parts.h"

#include <iterator>

#include "sim/report/rates.h"

namespace flitscope {

namespace {

/// "8 of 64 nodes", or "all nodes".
std::string nodes_text(const NodeSet& set, const Topology& topology, const std::string& key) {
  if (set.kind == NodeSet::Kind::all) return "all nodes";
  return fmt::format("{} of {} nodes", nodes_of(set, topology, key).size(), topology.nodes());
}

std::string limit_text(const auto& limit, const char* unit) {
  return limit ? fmt::format("{} {}", *limit, unit) : fmt::format("unlimited {}", unit);
}

/// What nodes do in a cycle; nothing if none does anything, or nothing was measured.
std::optional<Spread> spread(const RunResult& result, const ProtocolResult& protocol,
                             bool ProtocolNode::*does, std::uint64_t ProtocolNode::*count) {
  const TrafficResult& traffic = *result.links()->traffic;
  const auto cycles = static_cast<double>(traffic.end - traffic.begin);
  std::vector<ProtocolNode> nodes;
  std::ranges::copy_if(protocol.nodes, std::back_inserter(nodes), does);
  if (nodes.empty() || !traffic.is_measured()) return std::nullopt;
  return spread_of(nodes,
                   [&](const ProtocolNode& node) { return static_cast<double>(node.*count) / cycles; });
}

std::optional<Spread> request_spread(const RunResult& result, const ProtocolResult& protocol) {
  return spread(result, protocol, &ProtocolNode::requests, &ProtocolNode::round_trips);
}

std::optional<Spread> answer_spread(const RunResult& result, const ProtocolResult& protocol) {
  return spread(result, protocol, &ProtocolNode::answers, &ProtocolNode::served);
}

/// "least 0.010 [0, 0], most 0.020 [1, 1]" per cycle.
std::string spread_text(const std::optional<Spread>& of, const Topology& topology) {
  if (!of) return "none";
  return fmt::format("least {:.5f} {}, most {:.5f} {}", of->least, topology.node_name(of->least_at), of->most,
                     topology.node_name(of->most_at));
}

Json spread_json(const std::optional<Spread>& of, const Topology& topology) {
  if (!of) return {{"least", nullptr}, {"most", nullptr}};
  return {{"least", {{"node", node_json(topology, of->least_at)}, {"per_cycle", of->least}}},
          {"most", {{"node", node_json(topology, of->most_at)}, {"per_cycle", of->most}}}};
}

}  // namespace

std::string protocol_config_text(const ExperimentConfig& config) {
  const WorkloadConfig& workload = config.workload;
  const ProtocolConfig& protocol = *workload.protocol;
  const ServiceConfig& service = protocol.service;
  std::string text = fmt::format(
      "  protocol    {}: {}, {}{}{}, seed {}\n", kRequestReply,
      protocol.closed_loop ? "closed loop"
                           : fmt::format("{} requests, {} {}", name_of(workload.traffic.process),
                                         workload.traffic.load.text(), load_unit(workload)),
      limit_text(protocol.outstanding, "outstanding a node"),
      protocol.think == 0 ? "" : ", think " + counted(protocol.think, "cycle"),
      protocol.batch ? fmt::format(", batch of {} a node", *protocol.batch) : "", workload.traffic.seed);
  const bool reads = protocol.reads > Decimal(0);
  const bool writes = protocol.reads < Decimal(1);
  if (reads) {
    text += fmt::format("  reads       {} to request, {} to reply{}\n", size_text(config, protocol.request),
                        size_text(config, protocol.reply),
                        writes ? fmt::format("; {} of the requests", protocol.reads.text()) : "");
  }
  if (writes) {
    text += fmt::format("  writes      {} to request, {} to reply\n",
                        size_text(config, protocol.write_request), size_text(config, protocol.write_reply));
  }
  text +=
      fmt::format("  requests    {}: from {}, to {}\n",
                  protocol.targets.kind == NodeSet::Kind::all ? workload.traffic.pattern->name : "targets",
                  nodes_text(protocol.sources, config.topology, "workload.sources"),
                  nodes_text(protocol.targets, config.topology, "workload.targets"));
  return text +
         fmt::format("  service     latency {}, {}, queue of {}{}\n", cycles_text(config, service.latency),
                     service.rate ? service.rate->text() + " requests/cycle" : "unlimited rate",
                     limit_text(service.queue, "requests"), service.shared ? "" : ", reads and writes apart");
}

std::string protocol_text(const RunResult& result, const ProtocolResult& protocol) {
  const LatencySummary& trip = protocol.round_trip;
  if (trip.messages == 0 && protocol.round_trips_per_cycle == 0) return "  round trips none was measured\n";
  const std::optional<double>& ci95 = result.links()->traffic->ci95;
  std::string text = fmt::format("  round trip  {}{}{}\n", latency_text(trip),
                                 ci95 ? fmt::format("; mean +- {:.3f} (95%)", *ci95) : "",
                                 time_in_brackets(result.config, trip.mean));
  if (protocol.reads.messages > 0 && protocol.writes.messages > 0) {
    text += fmt::format("    reads     {}{}\n    writes    {}{}\n", latency_text(protocol.reads),
                        time_in_brackets(result.config, protocol.reads.mean), latency_text(protocol.writes),
                        time_in_brackets(result.config, protocol.writes.mean));
  }
  text += fmt::format(
      "    of which  until issued {:.3f}, request {:.3f}, queue {:.3f}, service {:.3f}, reply {:.3f}\n",
      protocol.issue_mean, protocol.request_mean, protocol.queueing.mean, protocol.service_mean,
      protocol.reply_mean);
  text += fmt::format(
      "  throughput  {:.5f} requests/cycle, {:.4f} bytes/cycle{}\n", protocol.round_trips_per_cycle,
      protocol.bytes_per_cycle,
      bandwidth_in_brackets(result.config, protocol.bytes_per_cycle / result.config.machine.flit_bytes));
  const Topology& topology = result.config.topology;
  text += fmt::format("    requests  {} per cycle\n    answers   {} per cycle\n",
                      spread_text(request_spread(result, protocol), topology),
                      spread_text(answer_spread(result, protocol), topology));
  std::vector<ProtocolNode> targets;
  std::ranges::copy_if(protocol.nodes, std::back_inserter(targets), &ProtocolNode::answers);
  const auto most = [&](auto member) { return std::ranges::max_element(targets, {}, member); };
  if (targets.empty()) return text;
  const auto queue = most(&ProtocolNode::queue_mean);
  text += fmt::format(
      "  queues      wait mean {:.3f}{}, 99% {}, max {} cycles; on average {:.3f} at {}, at most {}\n",
      protocol.queueing.mean, time_in_brackets(result.config, protocol.queueing.mean), protocol.queueing.p99,
      protocol.queueing.max, queue->queue_mean, topology.node_name(queue->node),
      most(&ProtocolNode::queue_longest)->queue_longest);
  return text + fmt::format("  outstanding {:.2f} on average\n", protocol.outstanding_mean);
}

Json protocol_json(const RunResult& result, const ProtocolResult& protocol) {
  const ProtocolConfig& config = *result.config.workload.protocol;
  double longest = 0;
  double mean = 0;
  for (const ProtocolNode& node : protocol.nodes) {
    longest = std::max(longest, static_cast<double>(node.queue_longest));
    mean = std::max(mean, node.queue_mean);
  }
  const auto mean_of_trips = [&](double cycles) {
    return protocol.round_trip.messages > 0 ? Json(cycles) : Json(nullptr);
  };
  return {{"name", kRequestReply},
          {"closed_loop", config.closed_loop},
          {"outstanding", config.outstanding ? Json(*config.outstanding) : Json("unlimited")},
          {"round_trip", latency_json(protocol.round_trip)},
          {"reads", latency_json(protocol.reads)},
          {"writes", latency_json(protocol.writes)},
          {"ci95_cycles", or_null(result.links()->traffic->ci95)},
          {"until_issued_mean_cycles", mean_of_trips(protocol.issue_mean)},
          {"request_mean_cycles", mean_of_trips(protocol.request_mean)},
          {"queue_mean_cycles", mean_of_trips(protocol.queueing.mean)},
          {"service_mean_cycles", mean_of_trips(protocol.service_mean)},
          {"reply_mean_cycles", mean_of_trips(protocol.reply_mean)},
          {"queueing", latency_json(protocol.queueing)},
          {"queue_length_mean_max", mean},
          {"queue_length_max", static_cast<std::uint64_t>(longest)},
          {"round_trips_per_cycle", protocol.round_trips_per_cycle},
          {"bytes_per_cycle", protocol.bytes_per_cycle},
          {"outstanding_mean", protocol.outstanding_mean},
          {"requests_by_node", spread_json(request_spread(result, protocol), result.config.topology)},
          {"answers_by_node", spread_json(answer_spread(result, protocol), result.config.topology)}};
}

std::string protocol_nodes_csv(const RunResult& result, const ProtocolResult& protocol) {
  std::string text =
      "node,name,round_trips,round_trip_mean_cycles,outstanding_mean,served,queue_mean,queue_max\n";
  for (const ProtocolNode& node : protocol.nodes) {
    text += fmt::format("{},\"{}\",{},{},{:.4f},{},{:.4f},{}\n", node.node,
                        result.config.topology.node_name(node.node), node.round_trips,
                        node.round_trip_mean ? fmt::format("{:.4f}", *node.round_trip_mean) : "",
                        node.outstanding_mean, node.served, node.queue_mean, node.queue_longest);
  }
  return text;
}

std::string protocol_course_csv(const ProtocolResult& protocol) {
  std::string text = "begin_cycle,outstanding_mean,round_trips_per_cycle\n";
  for (const ProtocolPart& part : protocol.parts) {
    text += fmt::format("{},{:.4f},{:.6f}\n", part.begin, part.outstanding_mean, part.round_trips);
  }
  return text;
}

std::string round_trips_csv(const ProtocolResult& protocol) {
  std::string text = "cycles,round_trips,share_up_to\n";
  std::uint64_t seen = 0;
  for (const auto& [cycles, count] : protocol.distribution) {
    seen += count;
    text += fmt::format("{},{},{:.6f}\n", cycles, count,
                        static_cast<double>(seen) / static_cast<double>(protocol.round_trip.messages));
  }
  return text;
}

}  // namespace flitscope
