#include "sim/report/report_parts.h"

#include <fmt/ranges.h>

#include <map>

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

/// The parts of the critical path, which add up to its end.
struct PathParts {
  Cycle begin = 0;    ///< before its first message is ready
  Cycle between = 0;  ///< an arrival and the next message: data is combined or rearranged
  Cycle startup = 0;
  Cycle queueing = 0;
  std::array<Cycle, kStallCauses> head_stalls{};
  Cycle head = 0;  ///< on the way, and behind other messages in a buffer
  Cycle tail = 0;  ///< flits behind the head
};

PathParts parts_of(const RunResult& result) {
  PathParts parts;
  Cycle last = 0;
  for (const CriticalMessage& message : result.links()->critical_path) {
    const Cycle startup = result.config.machine.startup;
    (last == 0 ? parts.begin : parts.between) += message.ready - std::min(message.ready, last);
    parts.startup += startup;
    parts.queueing += message.head_entered - message.ready - startup;
    add_causes(message.head_stalls, parts.head_stalls);
    parts.head += message.head_arrived - message.head_entered - total_of(message.head_stalls);
    parts.tail += message.arrived - message.head_arrived;
    last = message.arrived;
  }
  // What the last receiver combines.
  parts.between += result.cycles - std::min(result.cycles, last);
  return parts;
}

/// A link of the critical path: the messages of which it is the slowest link, and their cycles.
struct PathLink {
  ChannelId channel = 0;
  std::uint64_t messages = 0;
  Cycle cycles = 0;
};

/// The link that most of the path's cycles are spent over, of the slowest links of its messages.
std::optional<PathLink> slowest_link(const RunResult& result) {
  const Topology& topology = result.config.topology;
  const MachineConfig& machine = result.config.machine;
  if (chooses_links(topology, machine)) return std::nullopt;
  const std::vector<Paths> paths = paths_of_networks(topology, machine.routing);
  std::map<ChannelId, PathLink> links;
  for (const CriticalMessage& message : result.links()->critical_path) {
    std::vector<ChannelId> slowest;
    Ratio interval(1);
    const auto visit = [&](ChannelId of_network) {
      const ChannelId channel = topology.channel_of(message.network, of_network);
      const Ratio own = machine.link(topology, channel).cycles_per_flit;
      if (slowest.empty() || own > interval) {
        slowest.clear();
        interval = own;
      }
      if (own == interval) slowest.push_back(channel);
    };
    paths[message.network].for_each_channel(message.source, message.destination, message.route, visit);
    for (const ChannelId channel : slowest) {
      PathLink& link = links[channel];
      link.channel = channel;
      ++link.messages;
      link.cycles += message.arrived - message.ready;
    }
  }
  const auto most = std::ranges::max_element(links, {}, [](const auto& each) { return each.second.cycles; });
  return most == links.end() ? std::nullopt : std::optional(most->second);
}

std::string path_text(const PathParts& parts) {
  return parts_text(by_name({{"before", parts.begin},
                             {"startup", parts.startup},
                             {"queueing", parts.queueing},
                             {"head", parts.head}},
                            parts.head_stalls, {{"tail", parts.tail}, {"between", parts.between}}));
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
  if (const auto link = slowest_link(result)) {
    text += fmt::format("              most over link {}{}: {}, {} ({:.0f}%)\n",
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
    text +=
        fmt::format("    {} ({} to {})  cycles {} to {}{}", message_label(message.message),
                    topology.node_name(message.source), topology.node_name(message.destination),
                    message.ready, message.arrived,
                    time_in_brackets(result.config, static_cast<double>(message.arrived - message.ready)));
    const Cycle queueing = message.head_entered - message.ready - result.config.machine.startup;
    if (queueing > 0) text += fmt::format("; queueing {}", queueing);
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
                        100 * share(longest->waiting, result.cycles));
    if (longest->waits_most_for) {
      text += fmt::format(", {} of them for {}", longest->waits_most,
                          topology.node_name(*longest->waits_most_for));
    }
    text += "\n";
  }
  const auto works = std::ranges::max_element(nodes, {}, &NodeRecord::computing);
  if (works->computing > 0) {
    text += fmt::format(
        "  computes    {} of {} between messages; {} longest, {} ({:.0f}%)\n",
        std::ranges::count_if(nodes, [](const NodeRecord& node) { return node.computing > 0; }),
        counted(nodes.size(), "node"), topology.node_name(works->node),
        cycles_text(result.config, works->computing), 100 * share(works->computing, result.cycles));
  }
  if (!links->critical_path.empty()) text += critical_line(result) + critical_path_text(result);
  return text.empty() ? text : text + "\n";
}

std::string accepted_text(const RunResult& result) {
  const LinkResult* const links = result.links();
  if (links == nullptr || links->nodes.empty() || !has_traffic(result) || !links->traffic->is_measured())
    return "";
  const Spread spread = accepted_spread(result);
  const Topology& topology = result.config.topology;
  return fmt::format(
      "  nodes       accept {:.5f} ({}) to {:.5f} ({}) flits/cycle{}; fairness {:.4f} (Jain's index)\n",
      spread.least, topology.node_name(spread.least_at), spread.most, topology.node_name(spread.most_at),
      result.config.clock
          ? fmt::format(" ({:.5g} to {:.5g} GB/s)", gigabytes_per_second(result.config, spread.least),
                        gigabytes_per_second(result.config, spread.most))
          : "",
      spread.fairness);
}

Json per_node_json(const RunResult& result) {
  const Topology& topology = result.config.topology;
  const auto& nodes = result.links()->nodes;
  if (has_traffic(result)) {
    if (!result.links()->traffic->is_measured()) return nullptr;
    const Spread spread = accepted_spread(result);
    return {{"accepted_min", spread.least},
            {"accepted_min_node", node_json(topology, spread.least_at)},
            {"accepted_max", spread.most},
            {"accepted_max_node", node_json(topology, spread.most_at)},
            {"fairness", spread.fairness}};
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
  const auto link = slowest_link(result);
  return {{"messages", result.links()->critical_path.size()},
          {"before_cycles", parts.begin},
          {"startup_cycles", parts.startup},
          {"queueing_cycles", parts.queueing},
          {"head_cycles", parts.head},
          {"head_stall_cycles", causes_json(parts.head_stalls)},
          {"tail_cycles", parts.tail},
          {"between_cycles", parts.between},
          {"channel", link ? Json(result.config.topology.channel_name(link->channel)) : Json(nullptr)},
          {"channel_messages", link ? Json(link->messages) : Json(nullptr)},
          {"channel_cycles", link ? Json(link->cycles) : Json(nullptr)}};
}

std::string nodes_csv(const RunResult& result) {
  const Topology& topology = result.config.topology;
  const bool traffic = has_traffic(result);
  std::string text = "node,sent_messages,sent_flits,arrived_messages,arrived_flits,";
  text += traffic
              ? "offered,accepted,"
              : "finished_cycle,sending_cycles,waiting_cycles,computing_cycles,idle_cycles,waits_most_for,"
                "waits_most_cycles,";
  text += "queueing_cycles";
  for (const StallCauseInfo& cause : kStallCauseTable) text += fmt::format(",head_{}_cycles", cause.name);
  text += "\n";
  for (const NodeRecord& node : result.links()->nodes) {
    text += fmt::format("\"{}\",{},{},{},{},", topology.node_name(node.node), node.sent_messages,
                        node.sent_flits, node.arrived_messages, node.arrived_flits);
    if (traffic) {
      const TrafficResult& of = *result.links()->traffic;
      text += !of.is_measured() ? ",,"
                                : fmt::format("{:.6f},{:.6f},", share(node.sent_flits, of.end - of.begin),
                                              accepted(result, node));
    } else {
      text +=
          fmt::format("{},{},{},{},{},\"{}\",{},", node.finished, node.sending, node.waiting, node.computing,
                      result.cycles - std::min(result.cycles, node.sending + node.waiting + node.computing),
                      node.waits_most_for ? topology.node_name(*node.waits_most_for) : "", node.waits_most);
    }
    text += fmt::format("{},{}\n", node.queueing, fmt::join(node.head_stalls, ","));
  }
  return text;
}

std::string critical_path_csv(const RunResult& result) {
  const Topology& topology = result.config.topology;
  std::string text =
      "step,message,source,destination,flits,ready_cycle,head_entered_cycle,head_arrived_cycle,arrival_cycle,"
      "queueing_cycles";
  for (const StallCauseInfo& cause : kStallCauseTable) text += fmt::format(",head_{}_cycles", cause.name);
  text += ",longest_wait\n";
  for (const CriticalMessage& message : result.links()->critical_path) {
    const MessageName name = message_name(message.message);
    text += fmt::format("{},{},\"{}\",\"{}\",{},{},{},{},{},{},{},\"{}\"\n", name.step, name.place,
                        topology.node_name(message.source), topology.node_name(message.destination),
                        message.flits, message.ready, message.head_entered, message.head_arrived,
                        message.arrived, message.head_entered - message.ready - result.config.machine.startup,
                        fmt::join(message.head_stalls, ","),
                        message.longest_wait ? describe(*message.longest_wait, topology) : "");
  }
  return text;
}

}  // namespace flitscope
