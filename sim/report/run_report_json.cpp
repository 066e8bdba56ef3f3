#include "sim/report/run_report.h"

#include "model/schedule.h"
#include "model/version.h"
#include "sim/observe/flits/latency.h"
#include "sim/report/rates.h"
#include "sim/report/report_parts.h"

namespace flitscope {

namespace {

Json channel_json(const HeldChannel& held, const Topology& topology) {
  return {
      {"channel", channel_name(held, topology)}, {"node", node_json(topology, held.node)}, {"vc", held.vc}};
}

Json deadlock_json(const Deadlock& deadlock, const Topology& topology) {
  Json dependency_cycle = Json::array();
  for (const DeadlockedWorm& worm : deadlock.dependency_cycle) {
    const auto of_held = [&](const HeldChannel& held) { return channel_json(held, topology); };
    dependency_cycle.push_back({{"step", worm.step},
                                {"message", message_name(worm.message).place},
                                {"source", node_json(topology, worm.source)},
                                {"destination", node_json(topology, worm.destination)},
                                {"flits", worm.flits},
                                {"node", node_json(topology, worm.node)},
                                {"holds", json_list(worm.holds, of_held)},
                                {"wants", channel_json(worm.wants, topology)},
                                {"wants_room", worm.wants_room},
                                {"wants_reply", worm.wants_reply},
                                {"held_by", (dependency_cycle.size() + 1) % deadlock.dependency_cycle.size()},
                                {"stalled_since_cycle", worm.stalled_since}});
  }
  return {{"deadlocked_since_cycle", deadlock.standstill},
          {"detected_cycle", deadlock.detected},
          {"blocked_buffers", deadlock.blocked_buffers},
          {"blocked_messages", deadlock.blocked_messages},
          {"dependency_cycle", dependency_cycle}};
}

/// A wait and, in `because`, the one that explains it.
Json wait_json(const Wait& wait, const Topology& topology) {
  const bool link = wait.port < topology.link_ports();
  return {
      {"message", message_label(wait.message)},
      {"from_cycle", wait.from},
      {"cycles", wait.cycles},
      {"node", node_json(topology, wait.node)},
      {"channel", link ? Json(topology.channel_name(topology.channel(wait.node, wait.port))) : Json(nullptr)},
      {"cause", name_of(wait.cause)},
      {"culprit", wait.culprit ? Json(message_label(*wait.culprit)) : Json(nullptr)},
      {"because", wait.because ? wait_json(*wait.because, topology) : Json(nullptr)}};
}

Json worst_channels_json(const RunResult& result, const LinkResult& links) {
  const Topology& topology = result.config.topology;
  Json list = Json::array();
  for (const ChannelRecord& channel : worst_channels(links.channels)) {
    const auto waited = links.longest_waits.find(channel.channel);
    if (waited == links.longest_waits.end()) continue;
    list.push_back({{"channel", topology.channel_name(channel.channel)},
                    {"node", node_json(topology, topology.channel_node(channel.channel))},
                    {"stalled_flit_cycles", total_of(channel.stalls)},
                    {"stalls", causes_json(channel.stalls)},
                    {"utilisation", result.utilisation(channel)},
                    {"longest_wait", wait_json(waited->second, topology)},
                    {"text", describe(waited->second, topology)}});
  }
  return list;
}

Json worst_messages_json(const LinkResult& links, const Topology& topology) {
  return json_list(links.most_delayed, [&](const DelayedMessage& message) -> Json {
    const LatencyParts& parts = message.parts;
    const auto& wait = message.longest_wait;
    Json json{{"message", message_label(message.message)},
              {"source", node_json(topology, message.source)},
              {"destination", node_json(topology, message.destination)},
              {"delay_cycles", parts.delay()},
              {"latency_cycles", parts.latency}};
    json.update(terms_json(parts));
    json["longest_wait"] = wait ? wait_json(*wait, topology) : Json(nullptr);
    json["text"] = wait ? Json(describe(*wait, topology)) : Json(nullptr);
    return json;
  });
}

Json simulated_json(const ExperimentConfig& config) {
  return json_list(simulated_quantities(config), [](const SimulatedQuantity& quantity) -> Json {
    return {{"key", quantity.key},
            {"asked", quantity.asked},
            {"simulated", quantity.simulated},
            {"difference", quantity.difference}};
  });
}

Json message_classes_json(const std::vector<MessageClassRecord>& classes) {
  return json_list(classes, [](const MessageClassRecord& each) -> Json {
    const bool some = each.messages > 0;
    return {{"name", each.name},
            {"network", each.network},
            {"messages", each.messages},
            {"flits", each.flits},
            {"latency_mean", some ? Json(each.latency_mean) : Json(nullptr)},
            {"latency_max", some ? Json(each.latency_max) : Json(nullptr)},
            {"stalls", causes_json(each.stalls)}};
  });
}

Json stages_json(const RunResult& result) {
  return json_list(result.facts.stages, [&](const Stage& stage) -> Json {
    return {{"name", stage.name},
            {"first_step", stage.first_step},
            {"last_step", stage.last_step},
            {"cycles", result.stage_cycles(stage)}};
  });
}

Json circuits_json(const RunResult& result, const CircuitResult& circuits) {
  Json cycles = Json::object();
  for (unsigned state = 0; state < kCircuitPortStates; ++state) {
    std::uint64_t sum = 0;
    for (const CircuitPortRecord& port : circuits.ports) sum += port.cycles[state];
    cycles[name_of(static_cast<CircuitPortState>(state))] = sum;
  }
  return {{"ports", result.config.machine.ports.value()},
          {"reconfiguration_cycles", result.config.machine.reconfiguration},
          {"unit_cycles", circuits.unit_cycles},
          {"units", static_cast<double>(result.cycles) / static_cast<double>(circuits.unit_cycles)},
          {"claimed_units", or_null(circuits.claimed_units)},
          {"lower_bound_units", or_null(circuits.lower_bound_units)},
          {"reconfiguration_units", circuits.reconfiguration_units},
          {"circuits_at_start", circuits.circuits_at_start},
          {"tunings", circuits.tunings},
          {"max_arrivals", circuits.max_arrivals},
          {"port_cycles", cycles}};
}

}  // namespace

Json to_json(const RunResult& result) {
  const Topology& topology = result.config.topology;
  static const LinkResult nothing;  // for circuits, on which nothing waits
  const LinkResult& links = result.links() == nullptr ? nothing : *result.links();
  const double rate = result.seconds > 0 ? static_cast<double>(result.flit_hops) / result.seconds : 0;
  Json json{{"status", name_of(result.status)},
            {"name", result.config.name},
            {"algorithm", result.facts.algorithm},
            {"topology", topology.name()},
            {"nodes", Participants(topology).count()},
            {"steps", result.steps.size()},
            {"claimed_steps", or_null(result.facts.claimed_steps)},
            {"lower_bound_steps", or_null(result.facts.lower_bound_steps)},
            {"cycles", result.cycles},
            {"step_cycles", json_list(result.steps, &StepRecord::cycles)},
            {"messages", result.messages},
            {"flits", result.flits},
            {"flit_hops", result.flit_hops},
            {"max_channel_load", result.max_channel_load},
            {"redundant_deliveries", result.redundant_deliveries},
            {"stalls", causes_json(links.stalls)},
            {"latency", latency_json(result.latency)},
            {"worst_channels", worst_channels_json(result, links)},
            {"worst_messages", worst_messages_json(links, topology)},
            {"verified", result.verified()},
            {"failed_checks", result.failed_checks},
            {"deadlock", links.deadlock ? deadlock_json(*links.deadlock, topology) : Json(nullptr)},
            {"stages", stages_json(result)},
            {"simulated", simulated_json(result.config)},
            {"version", FLITSCOPE_VERSION},
            {"host",
             {{"seconds", result.seconds},
              {"flit_hops_per_second", rate},
              {"skipped_cycles", links.skipped_cycles},
              {"threads", links.threads},
              {"peak_memory_bytes", result.peak_memory_bytes}}}};
  if (result.circuits() != nullptr) json["circuits"] = circuits_json(result, *result.circuits());
  if (links.packets) {
    json["packets"] = {{"count", links.packets->count}, {"head_flits", links.packets->head_flits}};
  }
  if (links.traffic) json["traffic"] = traffic_json(result, *links.traffic);
  if (links.protocol) json["protocol"] = protocol_json(result, *links.protocol);
  if (!links.message_classes.empty()) json["message_classes"] = message_classes_json(links.message_classes);
  if (links.background) json["background"] = background_json(result, *links.background);
  if (result.links() != nullptr) {
    json["network"] = network_json(result.config, kQuickSearch);
    json["events"] = events_json(result);
    if (!links.nodes.empty()) json["per_node"] = per_node_json(result);
    if (!links.critical_path.empty()) json["critical_path"] = critical_path_json(result);
  }
  if (const auto energy = energy_of(result)) json["energy"] = energy_json(*energy);
  if (const auto bandwidth = collective_bandwidth(result)) {
    json["collective"] = {{"kind", name_of(bandwidth->kind)},
                          {"algorithm_GBps", bandwidth->algorithm},
                          {"bus_GBps", bandwidth->bus}};
  }
  add_units(json, result.config);
  return json;
}

}  // namespace flitscope
