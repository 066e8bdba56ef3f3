// Memories that replies and requests come from: the section `memory`.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/text.h"
#include "params/settings.h"
#include "sim/driver/memories.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

/// Nodes that share a memory.
using Group = std::vector<NodeId>;

constexpr std::int64_t kMaxLatency = 1'000'000'000'000;

struct MemorySettings {
  bool is_there = false;
  MemoryPort replies;
  MemoryPort requests;
  MemoryPort shared;
  std::optional<Decimal> flits_per_cycle;
  std::optional<Decimal> shared_flits_per_cycle;
  std::optional<Decimal> self_flits_per_cycle;
  Cycle self_latency = 0;
  bool flit_by_flit = false;
  std::vector<Group> controllers;
  std::optional<std::uint32_t> controller_requests;
};

Group read_group(const std::string& text, const Topology& topology) {
  Group group;
  for (std::size_t begin = 0; begin < text.size();) {
    // Names of nodes have no blanks, coordinates may have them.
    const bool is_list = text[begin] == '[';
    const std::size_t last = text.find(is_list ? ']' : ' ', begin);
    const std::size_t end =
        std::min(last == std::string::npos ? last : last + (is_list ? 1 : 0), text.size());
    group.push_back(parse_node(text.substr(begin, end - begin), topology));
    begin = std::min(text.find_first_not_of(' ', end), text.size());
  }
  if (group.empty()) throw InputError("is empty; expected nodes, such as '[0, 0] [0, 1]'");
  return group;
}

std::string write_group(const Group& group, const Topology& topology) {
  std::string text;
  for (const NodeId node : group) text += (text.empty() ? "" : " ") + topology.node_name(node);
  return text;
}

Row<MemorySettings> of_port(MemoryPort MemorySettings::*port, Row<MemoryPort> row) {
  return of_links(within<MemorySettings>(port, std::move(row)));
}

Row<MemorySettings> latency(MemoryPort MemorySettings::*port, const char* name, const char* summary) {
  return of_port(port, row(&MemoryPort::latency, Parameter::cycles(name, summary, {0, kMaxLatency})));
}

Row<MemorySettings> interval(MemoryPort MemorySettings::*port, const char* name, const char* summary) {
  return of_port(port, row(&MemoryPort::cycles_per_flit, name, summary, {1, kMaxCyclesPerFlit}, "cycles"));
}

Row<MemorySettings> limit(std::optional<Decimal> MemorySettings::*field, const char* name,
                          const char* summary) {
  return of_links(row(field, name, summary, {0, 64}, "flits/cycle"));
}

std::uint64_t millionths(const std::optional<Decimal>& flits_per_cycle) {
  return flits_per_cycle ? static_cast<std::uint64_t>(std::llround(1e6 / flits_per_cycle->approximate())) : 0;
}

void check(const MemorySettings& settings, const Topology& topology) {
  for (const auto& [field, name] :
       {std::pair(&MemorySettings::flits_per_cycle, "memory.flits_per_cycle"),
        std::pair(&MemorySettings::self_flits_per_cycle, "memory.self_flits_per_cycle"),
        std::pair(&MemorySettings::shared_flits_per_cycle, "memory.controller_flits_per_cycle")}) {
    if (settings.*field && (settings.*field)->approximate() < 0.001)
      throw Inadmissible(name, "{} must be 0.001 or more", name);
  }
  std::vector<bool> is_taken(settings.controllers.empty() ? 0 : topology.nodes());
  for (const Group& group : settings.controllers) {
    for (const NodeId node : group) {
      refuse_if(is_taken[node], "memory.controllers", "memory.controllers: {} is in it twice",
                topology.node_name(node));
      is_taken[node] = true;
    }
  }
}

/// A row that notes that there is a memory: one whose values are the defaults serves one message after the
/// other.
Row<MemorySettings> with_presence(Row<MemorySettings> row) {
  row.put = [put = row.put](MemorySettings& settings, const ParameterValues::Value& value,
                            const ReadContext& context) {
    settings.is_there = context.has_section;
    put(settings, value, context);
  };
  return row;
}

const SettingsRegistry::Entry memory_entry{RowSection<MemorySettings>{
    .name = "memory",
    .summary = "what messages of a schedule wait for at their nodes before they are sent; for the message "
               "classes `request` and `reply`, and those whose names begin with `request-` and `reply-`",
    .rows =
        {with_presence(latency(&MemorySettings::replies, "latency",
                               "from when the memory of a node begins to read a reply until it is sent")),
         interval(&MemorySettings::replies, "cycles_per_flit", "it reads a flit of replies so often"),
         latency(&MemorySettings::requests, "request_latency", "as latency, of requests"),
         interval(&MemorySettings::requests, "request_cycles_per_flit", "as cycles_per_flit, of requests"),
         limit(&MemorySettings::flits_per_cycle, "flits_per_cycle",
               "flits of replies that the memory of a node reads in all, for all networks"),
         limit(&MemorySettings::self_flits_per_cycle, "self_flits_per_cycle",
               "flits of requests of a node to itself that its memory reads and writes"),
         of_links(
             row(&MemorySettings::self_latency,
                 Parameter::cycles("self_latency", "added to request_latency, of requests to the node itself",
                                   {0, kMaxLatency}))),
         of_links(row(&MemorySettings::flit_by_flit, "flit_by_flit",
                      "network interfaces read the flits of longer messages one by one at cycles_per_flit, "
                      "so that none follows faster after a wait; not from shared memories")),
         of_links(list_row(&MemorySettings::controllers, read_group, write_group,
                           Parameter::text("controllers",
                                           "memories that several nodes share, for replies: the nodes of "
                                           "each, such as ['[0, 0] [0, 1]', '[2, 0]']")
                               .or_words({"none"}))),
         of_links(row(&MemorySettings::controller_requests, "controller_requests",
                      "as node.requests, of nodes of shared memories; null: as node.requests", {1, 1 << 24},
                      "messages")),
         latency(&MemorySettings::shared, "controller_latency", "as latency, of shared memories"),
         interval(&MemorySettings::shared, "controller_cycles_per_flit",
                  "as cycles_per_flit, of each node of a shared memory"),
         limit(&MemorySettings::shared_flits_per_cycle, "controller_flits_per_cycle",
               "flits that a shared memory reads in all")},
    .check = check,
    .is_there = [](const MemorySettings& settings) { return settings.is_there; }}};

}  // namespace

std::map<NodeId, std::uint32_t> controller_requests(const ExperimentConfig& config) {
  const auto& settings = config.settings.get<MemorySettings>();
  std::map<NodeId, std::uint32_t> requests;
  if (!settings.controller_requests) return requests;
  refuse_if(!config.machine.requests, "memory.controller_requests",
            "memory.controller_requests is for machines with a limit for all nodes: node.requests");
  for (const Group& group : settings.controllers) {
    for (const NodeId node : group) requests[node] = *settings.controller_requests;
  }
  return requests;
}

void set_read_intervals(MachineConfig& machine, const MemoryMap& map) {
  machine.read_intervals.clear();
  machine.read_intervals_at.clear();
  if (!map.flit_by_flit) return;
  refuse_if(
      machine.queues_of_node() == 1, "memory.flit_by_flit",
      "memory.flit_by_flit is for message classes with queues of their own: leave 'node.queues: shared' out");
  for (const std::optional<MemoryClass>& each : map.classes)
    machine.read_intervals.push_back(each ? each->own.cycles_per_flit : Ratio());
  for (const auto& [node, number] : map.shared_by)
    machine.read_intervals_at[node] = std::vector<Ratio>(map.classes.size());
}

std::optional<MemoryMap> memory_map(const ExperimentConfig& config) {
  const auto& settings = config.settings.get<MemorySettings>();
  if (!settings.is_there) return std::nullopt;
  const MachineConfig& machine = config.machine;
  refuse_if(config.workload.has_traffic() || config.workload.protocol || config.workload.background, "memory",
            "memory is for schedules without traffic; a protocol has workload.service");
  refuse_if(machine.injection_queue.has_value(), "memory",
            "memory needs injection queues without limit: leave node.injection_queue out");
  MemoryMap map;
  map.classes.resize(machine.classes.size());
  for (const bool is_reply : {false, true}) {
    const std::string name = is_reply ? "reply" : "request";
    bool is_found = false;
    for (std::size_t number = 0; number < machine.classes.size(); ++number) {
      const MessageClass& each = machine.classes[number];
      if (each.name != name && !each.name.starts_with(name + "-")) continue;
      is_found = true;
      map.classes[number] = MemoryClass{.own = is_reply ? settings.replies : settings.requests,
                                        .shared = is_reply ? settings.shared : settings.requests,
                                        .is_reply = is_reply,
                                        .network = each.network};
    }
    refuse_if(
        !is_found, "memory",
        "memory needs a message class '{}': classes: [{{name: request, vcs: 2}}, {{name: reply, vcs: 2}}]",
        name);
  }
  map.own_millionths = millionths(settings.flits_per_cycle);
  map.self_millionths = millionths(settings.self_flits_per_cycle);
  map.shared_millionths = millionths(settings.shared_flits_per_cycle);
  map.self_latency = settings.self_latency;
  map.flit_by_flit = settings.flit_by_flit;
  for (std::uint32_t number = 0; number < settings.controllers.size(); ++number) {
    for (const NodeId node : settings.controllers[number]) map.shared_by[node] = number;
  }
  return map;
}

}  // namespace flitscope
