#include "sim/report/report_parts.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "model/schedule.h"
#include "routers/routing/paths.h"
#include "sim/analysis/channel_load.h"
#include "sim/report/rates.h"

namespace flitscope {

namespace {

double share(Cycle part, Cycle whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

bool has_traffic(const RunResult& result) {
  return result.links() != nullptr && result.links()->traffic.has_value();
}

/// Accepted flits per cycle of a node, over the measurement.
double accepted(const RunResult& result, const NodeRecord& node) {
  const TrafficResult& traffic = *result.links()->traffic;
  return share(node.arrived_flits, traffic.end - traffic.begin);
}

Spread accepted_spread(const RunResult& result) {
  return spread_of(result.links()->nodes, [&](const NodeRecord& node) { return accepted(result, node); });
}

/// What the nodes that send deliver per cycle; nothing if none does.
std::optional<Spread> delivered_spread(const RunResult& result) {
  const TrafficResult& traffic = *result.links()->traffic;
  struct Sender {
    NodeId node = 0;
    double flits = 0;
  };
  std::vector<Sender> senders;
  for (const NodeRecord& node : result.links()->nodes) {
    if (node.sent_messages + node.delivered_messages > 0)
      senders.push_back({node.node, share(node.delivered_flits, traffic.end - traffic.begin)});
  }
  if (senders.empty()) return std::nullopt;
  return spread_of(senders, [](const Sender& sender) { return sender.flits; });
}

std::string rates_text(const RunResult& result, const Spread& spread) {
  const Topology& topology = result.config.topology;
  return fmt::format(
      "{:.5f} ({}) to {:.5f} ({}) flits/cycle{}; fairness {:.4f} (Jain's index)\n", spread.least,
      topology.node_name(spread.least_at), spread.most, topology.node_name(spread.most_at),
      result.config.clock
          ? fmt::format(" ({:.5g} to {:.5g} GB/s)", gigabytes_per_second(result.config, spread.least),
                        gigabytes_per_second(result.config, spread.most))
          : "",
      spread.fairness);
}

Json rates_json(const Topology& topology, const std::string& name, const Spread& spread) {
  return {{name + "_min", spread.least},
          {name + "_min_node", node_json(topology, spread.least_at)},
          {name + "_max", spread.most},
          {name + "_max_node", node_json(topology, spread.most_at)}};
}

/// The parts of the critical path, which add up to its end.
struct PathParts {
  Cycle begin = 0;    ///< before its first message is ready
  Cycle between = 0;  ///< an arrival and the next message: data is combined or rearranged
  LatencyParts messages;
};

PathParts parts_of(const RunResult& result) {
  PathParts parts;
  Cycle last = 0;
  for (const CriticalMessage& message : result.links()->critical_path) {
    (last == 0 ? parts.begin : parts.between) += message.ready - std::min(message.ready, last);
    parts.messages.add(message.parts);
    last = message.arrived;
  }
  // What the last receiver combines.
  parts.between += result.cycles - std::min(result.cycles, last);
  return parts;
}

/// A link of the critical path: messages that it delays, and their cycles.
struct PathLink {
  ChannelId channel = 0;
  std::uint64_t messages = 0;
  Cycle cycles = 0;
};

/// The link for which, or behind which, most of the path's cycles pass: the stalls of a head count for the
/// link that its longest wait leads to, the other cycles of a message for the slowest link of its path, of
/// several for the busiest; but those behind other messages in a buffer, which may have gone elsewhere, for
/// none.
std::optional<PathLink> deciding_link(const RunResult& result) {
  const Topology& topology = result.config.topology;
  const MachineConfig& machine = result.config.machine;
  if (chooses_links(topology, machine)) return std::nullopt;
  const std::vector<Paths> paths = paths_of_networks(topology, machine.routing);
  std::vector<double> busy(topology.channel_ids());
  for (const ChannelRecord& each : result.links()->channels) busy[each.channel] = result.utilisation(each);
  std::map<ChannelId, PathLink> links;
  const auto count = [&](ChannelId channel, std::uint64_t messages, Cycle cycles) {
    PathLink& link = links[channel];
    link = {channel, link.messages + messages, link.cycles + cycles};
  };
  for (const CriticalMessage& message : result.links()->critical_path) {
    std::optional<ChannelId> slowest;
    const auto pace = [&](ChannelId channel) {
      return std::pair(machine.link(topology, channel).cycles_per_flit, busy[channel]);
    };
    paths[message.network].for_each_channel(
        message.source, message.destination, message.route, [&](ChannelId of_network) {
          const ChannelId channel = topology.channel_of(message.network, of_network);
          if (!slowest || pace(channel) > pace(*slowest)) slowest = channel;
        });
    const Cycle stalled = message.longest_wait ? total_of(message.parts.head_stalls) : 0;
    if (slowest) count(*slowest, 1, message.parts.latency - stalled - message.parts.hol_blocked);
    if (stalled == 0) continue;
    const Wait* root = &*message.longest_wait;
    while (root->because) root = root->because.get();
    if (root->port >= topology.link_ports()) continue;  // an ejection channel
    const ChannelId awaited = topology.channel(root->node, root->port);
    count(awaited, awaited == slowest ? 0 : 1, stalled);
  }
  const auto most = std::ranges::max_element(links, {}, [](const auto& each) { return each.second.cycles; });
  return most == links.end() ? std::nullopt : std::optional(most->second);
}

std::string path_text(const PathParts& parts) {
  CyclesByName all{{"before", parts.begin}};
  for (const auto& term : terms_of(parts.messages)) all.push_back(term);
  all.emplace_back("between", parts.between);
  return parts_text(all);
}

/// " (a flit every 4 cycles; busy 98%)"
std::string link_text(const RunResult& result, ChannelId channel) {
  const LinkTime time = result.config.machine.link(result.config.topology, channel);
  const auto& channels = result.links()->channels;
  const auto record = std::ranges::find(channels, channel, &ChannelRecord::channel);
  const std::string busy = record == channels.end() ? ""
                                                    : fmt::format("busy in {:.0f}% of all cycles",
                                                                  100 * result.utilisation(*record));
  return time.cycles_per_flit > 1U
             ? fmt::format(" (a flit every {} cycles, {})", time.cycles_per_flit.text(), busy)
             : fmt::format(" ({})", busy);
}

std::string critical_line(const RunResult& result) {
  const auto& path = result.links()->critical_path;
  std::string text =
      fmt::format("  critical    {} the {}: {}\n",
                  path.size() == 1 ? "1 message decides"
                                   : fmt::format("{} messages one after the other decide", path.size()),
                  cycles_text(result.config, result.cycles), path_text(parts_of(result)));
  if (const auto link = deciding_link(result)) {
    text += fmt::format("              most over or behind link {}{}: {}, {} ({:.0f}%)\n",
                        result.config.topology.channel_name(link->channel), link_text(result, link->channel),
                        counted(link->messages, "message"), cycles_text(result.config, link->cycles),
                        100 * share(link->cycles, result.cycles));
  }
  return text;
}

/// The messages of the critical path, the first and the last ones of a long one.
std::string critical_path_text(const RunResult& result) {
  constexpr std::size_t kShown = 3;  // at each end
  const auto& path = result.links()->critical_path;
  if (path.size() < 2) return "";
  const Topology& topology = result.config.topology;
  std::string text = "  critical path (messages, each released by the arrival of the one before):\n";
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path.size() > 2 * kShown + 1 && i == kShown) {
      const std::size_t left_out = path.size() - 2 * kShown;
      text += fmt::format("    ... {} more (critical-path.csv of --out has them all) ...\n", left_out);
      i += left_out;
    }
    const CriticalMessage& message = path[i];
    text += fmt::format("    {} ({} to {})  cycles {} to {}{}: {}", message_label(message.message),
                        topology.node_name(message.source), topology.node_name(message.destination),
                        message.ready, message.arrived,
                        time_in_brackets(result.config, static_cast<double>(message.arrived - message.ready)),
                        parts_text(terms_of(message.parts)));
    if (message.longest_wait) text += "; " + describe(*message.longest_wait, topology, result.config.clock);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string waits_text(const RunResult& result) {
  const LinkResult* const links = result.links();
  if (links == nullptr || links->nodes.empty() || has_traffic(result)) return "";
  const Topology& topology = result.config.topology;
  const auto& nodes = links->nodes;
  const auto waiting = std::ranges::count_if(nodes, [](const NodeRecord& node) { return node.waiting > 0; });
  const auto longest = std::ranges::max_element(nodes, {}, &NodeRecord::waiting);
  std::string text;
  if (waiting > 0) {
    text += fmt::format("  waits       {} of {} wait for data; {} longest, {} ({:.0f}%)", waiting,
                        counted(nodes.size(), "node"), topology.node_name(longest->node),
                        cycles_text(result.config, longest->waiting),
                        100 * share(longest->waiting, result.schedule_cycles()));
    if (longest->waits_most_for) {
      text += fmt::format(", {} of them for {}", longest->waits_most,
                          topology.node_name(*longest->waits_most_for));
    }
    text += "\n";
  }
  const auto works = std::ranges::max_element(nodes, {}, &NodeRecord::computing);
  if (works->computing > 0) {
    text +=
        fmt::format("  computes    {} of {} between messages; {} longest, {} ({:.0f}%)\n",
                    std::ranges::count_if(nodes, [](const NodeRecord& node) { return node.computing > 0; }),
                    counted(nodes.size(), "node"), topology.node_name(works->node),
                    cycles_text(result.config, works->computing),
                    100 * share(works->computing, result.schedule_cycles()));
  }
  if (!links->critical_path.empty()) text += critical_line(result) + critical_path_text(result);
  return text.empty() ? text : text + "\n";
}

std::string accepted_text(const RunResult& result) {
  const LinkResult* const links = result.links();
  if (links == nullptr || links->nodes.empty() || !has_traffic(result) || !links->traffic->is_measured())
    return "";
  std::string text = "  nodes       accept " + rates_text(result, accepted_spread(result));
  if (const auto delivered = delivered_spread(result))
    text += "              deliver " + rates_text(result, *delivered);
  return text;
}

Json per_node_json(const RunResult& result) {
  const Topology& topology = result.config.topology;
  const auto& nodes = result.links()->nodes;
  if (has_traffic(result)) {
    if (!result.links()->traffic->is_measured()) return nullptr;
    const Spread spread = accepted_spread(result);
    Json json = rates_json(topology, "accepted", spread);
    json["fairness"] = spread.fairness;
    if (const auto delivered = delivered_spread(result)) {
      json.update(rates_json(topology, "delivered", *delivered));
      json["delivered_fairness"] = delivered->fairness;
    }
    return json;
  }
  const auto cycles = [](Cycle NodeRecord::*field) {
    return [field](const NodeRecord& node) { return static_cast<double>(node.*field); };
  };
  const Spread finished = spread_of(nodes, cycles(&NodeRecord::finished));
  const Spread waiting = spread_of(nodes, cycles(&NodeRecord::waiting));
  const Spread computing = spread_of(nodes, cycles(&NodeRecord::computing));
  const auto longest = std::ranges::max_element(nodes, {}, &NodeRecord::waiting);
  return {{"finished_first_cycle", static_cast<Cycle>(finished.least)},
          {"finished_first_node", node_json(topology, finished.least_at)},
          {"finished_last_cycle", static_cast<Cycle>(finished.most)},
          {"finished_last_node", node_json(topology, finished.most_at)},
          {"waiting_min_cycles", static_cast<Cycle>(waiting.least)},
          {"waiting_max_cycles", static_cast<Cycle>(waiting.most)},
          {"waiting_max_node", node_json(topology, waiting.most_at)},
          {"waits_most_for",
           longest->waits_most_for ? node_json(topology, *longest->waits_most_for) : Json(nullptr)},
          {"waits_most_cycles", longest->waits_most},
          {"computing_max_cycles", static_cast<Cycle>(computing.most)},
          {"computing_max_node", node_json(topology, computing.most_at)}};
}

Json critical_path_json(const RunResult& result) {
  const PathParts parts = parts_of(result);
  const auto link = deciding_link(result);
  Json json{{"messages", result.links()->critical_path.size()}, {"before_cycles", parts.begin}};
  json.update(terms_json(parts.messages));
  json["between_cycles"] = parts.between;
  json["channel"] = link ? Json(result.config.topology.channel_name(link->channel)) : Json(nullptr);
  json["channel_messages"] = link ? Json(link->messages) : Json(nullptr);
  json["channel_cycles"] = link ? Json(link->cycles) : Json(nullptr);
  return json;
}

std::string nodes_csv(const RunResult& result) {
  const Topology& topology = result.config.topology;
  const bool traffic = has_traffic(result);
  const Cycle in_schedule = result.schedule_cycles();
  std::string text =
      "node,sent_messages,sent_flits,delivered_messages,delivered_flits,arrived_messages,arrived_flits,";
  text += traffic
              ? "offered,accepted,"
              : "finished_cycle,sending_cycles,waiting_cycles,computing_cycles,idle_cycles,waits_most_for,"
                "waits_most_cycles,";
  text += "queueing_cycles";
  for (const StallCauseInfo& cause : kStallCauseTable) text += fmt::format(",head_{}_cycles", cause.name);
  text += "\n";
  for (const NodeRecord& node : result.links()->nodes) {
    text += fmt::format("\"{}\",{},{},{},{},{},{},", topology.node_name(node.node), node.sent_messages,
                        node.sent_flits, node.delivered_messages, node.delivered_flits, node.arrived_messages,
                        node.arrived_flits);
    if (traffic) {
      const TrafficResult& of = *result.links()->traffic;
      text += !of.is_measured() ? ",,"
                                : fmt::format("{:.6f},{:.6f},", share(node.sent_flits, of.end - of.begin),
                                              accepted(result, node));
    } else {
      text +=
          fmt::format("{},{},{},{},{},\"{}\",{},", node.finished, node.sending, node.waiting, node.computing,
                      in_schedule - std::min(in_schedule, node.sending + node.waiting + node.computing),
                      node.waits_most_for ? topology.node_name(*node.waits_most_for) : "", node.waits_most);
    }
    text += fmt::format("{},{}\n", node.queueing, fmt::join(node.head_stalls, ","));
  }
  return text;
}

std::string critical_path_csv(const RunResult& result) {
  const Topology& topology = result.config.topology;
  std::string text =
      "step,message,source,destination,flits,ready_cycle,head_entered_cycle,head_arrived_cycle,arrival_"
      "cycle," +
      latency_columns() + ",longest_wait\n";
  for (const CriticalMessage& message : result.links()->critical_path) {
    const MessageName name = message_name(message.message);
    text += fmt::format("{},{},\"{}\",\"{}\",{},{},{},{},{},{},\"{}\"\n", name.step, name.place,
                        topology.node_name(message.source), topology.node_name(message.destination),
                        message.flits, message.ready, message.head_entered, message.head_arrived,
                        message.arrived, fmt::join(latency_cells(message.parts), ","),
                        message.longest_wait ? describe(*message.longest_wait, topology) : "");
  }
  return text;
}

}  // namespace flitscope
