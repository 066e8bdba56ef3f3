// The gain of one change of a machine at a time.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "model/error.h"
#include "model/link_kinds.h"
#include "model/route_table.h"
#include "model/text.h"
#include "model/units.h"
#include "routers/routing/routing.h"
#include "sim/config/config_source.h"
#include "sim/config/keys.h"
#include "sim/config/workload_keys.h"
#include "sim/formats/strict_json.h"
#include "sim/formats/yaml_source.h"
#include "sim/report/rates.h"
#include "sim/report/report_parts.h"
#include "sim/run/experiment.h"
#include "sim/run/workload.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace {

/// The changes that a run can be tried with, as records with "key", "from" and "to".
class Trials {
 public:
  explicit Trials(const RunResult& result) : machine_(result.config.machine) {
    const ExperimentConfig& config = result.config;
    if (config.topology.has_links()) {
      add_router_trials();
    } else {
      const unsigned ports = machine_.ports.value_or(1);
      add("node.ports", ports, ports + 1);
      add("circuits.reconfiguration", machine_.reconfiguration, machine_.reconfiguration / 2);
    }
    add("node.startup", machine_.startup, machine_.startup / 2);
    add("node.flit_bytes", machine_.flit_bytes, 2 * machine_.flit_bytes);
    if (config.topology.has_links()) {
      add_link_trials(result);
      add_kind_trials(config);
      add_family_trials(config);
      add_choice_trials(config);
    }
    if (!config.topology.has_links() || config.workload.has_traffic()) return;
    const std::pair<const char*, const char*> barrier{"barrier", "dataflow"};
    if (config.workload.advance == Advance::barrier) add("workload.advance", barrier.first, barrier.second);
    if (config.workload.advance == Advance::dataflow) add("workload.advance", barrier.second, barrier.first);
  }

  [[nodiscard]] Json take() { return std::move(list_); }

 private:
  template <typename From, typename To>
  void add(const char* key, const From& from, const To& to) {
    const std::string before = fmt::format("{}", from);
    const std::string after = fmt::format("{}", to);
    if (before != after) list_.push_back({{"key", key}, {"from", before}, {"to", after}});
  }

  /// A change that no key's value says alone.
  void add_settings(const std::string& key, const std::string& from, const std::string& to,
                    const std::vector<std::string>& settings) {
    list_.push_back({{"key", key}, {"from", from}, {"to", to}, {"settings", settings}});
  }

  /// The busiest links between routers twice as fast, and without each of them; if the routing function does
  /// not route around faults, with one that does. Without its only link an attached node is cut off. Of
  /// several networks, whose links are alike, those of the first one.
  void add_link_trials(const RunResult& result) {
    constexpr std::size_t kLinks = 3;
    const Topology& topology = result.config.topology;
    std::vector<ChannelRecord> channels = result.links()->channels;
    const CoreRouters cores(topology);
    std::erase_if(channels, [&](const ChannelRecord& each) {
      const NodeId from = topology.channel_node(each.channel);
      const unsigned port = topology.channel_port(each.channel);
      const auto to = topology.neighbour(from, port);
      return !to || port != topology.port_alone(port) || cores.is_leaf(from) || cores.is_leaf(*to);
    });
    std::ranges::stable_sort(channels, std::greater(),
                             [&](const ChannelRecord& channel) { return result.utilisation(channel); });
    if (channels.size() > kLinks) channels.resize(kLinks);
    const std::vector<LinkSetting> settings = link_settings(result.config);
    const auto with = [&](const LinkSetting& change) {
      std::vector<LinkSetting> changed = settings;
      std::erase_if(changed, [&](const LinkSetting& each) { return each.at == change.at; });
      changed.push_back(change);
      return "links=" + value_text(ParameterValues::Value(changed));
    };
    const bool routes_around = RoutingRegistry::find(machine_.routing)->any_network;
    for (const ChannelRecord& channel : channels) {
      if (channel.flits == 0) continue;
      const std::string name = topology.channel_name(channel.channel);
      const LinkTime time = machine_.link(topology, channel.channel);
      add_shorter_interval(name, time, {.at = name}, with);
      add_shorter_delay(name, time, {.at = name}, with);
      std::vector<std::string> without{with({.at = name, .missing = true})};
      if (!routes_around) without.emplace_back("router.routing=layered");
      add_settings(name, "there", routes_around ? "missing" : "missing, layered routes", without);
    }
  }

  /// Whether links have the time of a family's key: those of the kind in its name, such as outer in
  /// topology.outer_delay, or all. Those that have their own in `links` do not.
  template <typename Time>
  [[nodiscard]] bool is_read(std::string_view key, std::optional<Time> LinkTimes::Own::*own,
                             const Topology& topology) const {
    const LinkKinds kinds(topology);
    const auto kind = std::ranges::find_if(
        kinds.names(), [&](const std::string& name) { return key.starts_with("topology." + name + "_"); });
    const auto number = static_cast<std::size_t>(kind - kinds.names().begin());
    bool found = false;
    topology.for_each_link([&](NodeId node, unsigned port, NodeId) {
      const ChannelId link = topology.channel(node, port);
      if (kind != kinds.names().end() && kinds.kind_of(link) != number) return;
      const auto setting = machine_.links.single.find(link);
      if (setting == machine_.links.single.end() || !(setting->second.*own)) found = true;
    });
    return found;
  }

  /// All links of a kind twice as fast, where there are several kinds, each of links that are alike, and
  /// their time is that of no key of the family.
  void add_kind_trials(const ExperimentConfig& config) {
    const LinkKinds kinds(config.topology);
    if (kinds.names().size() < 2) return;
    std::vector<std::optional<LinkTime>> times(kinds.names().size());
    std::set<std::size_t> mixed;
    config.topology.for_each_link([&](NodeId node, unsigned port, NodeId) {
      const ChannelId link = config.topology.channel(node, port);
      const std::size_t kind = kinds.kind_of(link);
      const LinkTime time = machine_.link(config.topology, link);
      if (times[kind].value_or(time) != time) mixed.insert(kind);
      times[kind] = time;
    });
    const auto values = resolved_values(config);
    const std::vector<LinkSetting> settings = link_settings(config);
    const auto kind_of = [&](const LinkSetting& setting) -> std::string {
      if (setting.missing || !setting.kind.empty()) return setting.kind;
      return kinds.names()[kinds.kind_of(parse_channel(setting.at, config.topology))];
    };
    std::vector<std::string> kinds_set;  // by the settings; empty of a missing link
    std::ranges::transform(settings, std::back_inserter(kinds_set), kind_of);
    for (std::size_t kind = 0; kind < times.size(); ++kind) {
      if (!times[kind] || mixed.contains(kind)) continue;
      const auto with = [&](const LinkSetting& change) {
        std::vector<LinkSetting> changed;
        for (std::size_t i = 0; i < settings.size(); ++i) {
          if (kinds_set[i] != change.kind) changed.push_back(settings[i]);
        }
        changed.push_back(change);
        return "links=" + value_text(ParameterValues::Value(changed));
      };
      const std::string& name = kinds.names()[kind];
      const auto has_key = [&](const char* what, auto own) {
        const std::string key = "topology." + name + what;
        return values.contains(key) && is_read(key, own, config.topology);
      };
      const std::string row = "links " + name;
      if (!has_key("_cycles_per_flit", &LinkTimes::Own::cycles_per_flit))
        add_shorter_interval(row, *times[kind], {.kind = name}, with);
      if (!has_key("_delay", &LinkTimes::Own::delay))
        add_shorter_delay(row, *times[kind], {.kind = name}, with);
    }
  }

  /// A link, or those of a kind, with half the interval. with(setting): the text of all settings.
  template <typename With>
  void add_shorter_interval(const std::string& name, const LinkTime& time, LinkSetting setting, With with) {
    if (time.cycles_per_flit == 1U) return;
    setting.delay = time.delay;
    setting.cycles_per_flit = Ratio::nearest(std::max(1.0, time.cycles_per_flit.approximate() / 2));
    add_settings(name + " cycles_per_flit", time.cycles_per_flit.text(), setting.cycles_per_flit->text(),
                 {with(setting)});
  }

  /// The same with half the delay.
  template <typename With>
  void add_shorter_delay(const std::string& name, const LinkTime& time, LinkSetting setting, With with) {
    if (time.delay == 1) return;
    setting.delay = time.delay / 2;
    setting.cycles_per_flit = time.cycles_per_flit;
    add_settings(name + " delay", fmt::format("{}", time.delay), fmt::format("{}", time.delay / 2),
                 {with(setting)});
  }

  /// The items of `links`.
  [[nodiscard]] static std::vector<LinkSetting> link_settings(const ExperimentConfig& config) {
    const auto values = resolved_values(config);
    const auto given = values.find("links");
    if (given == values.end()) return {};
    const auto* const list = std::get_if<std::vector<LinkSetting>>(&given->second);
    return list == nullptr ? std::vector<LinkSetting>() : *list;
  }

  /// Delays and intervals of a family's own links, half and twice as long.
  void add_family_trials(const ExperimentConfig& config) {
    for (const auto& [key, value] : resolved_values(config)) {
      if (!key.starts_with("topology.")) continue;
      if (const auto* const delay = std::get_if<std::int64_t>(&value);
          delay != nullptr && key.ends_with("delay") &&
          is_read(key, &LinkTimes::Own::delay, config.topology)) {
        add(key.c_str(), *delay, std::max<std::int64_t>(1, *delay / 2));
        add(key.c_str(), *delay, *delay * 2);
      }
      if (const auto* const interval = std::get_if<Ratio>(&value);
          interval != nullptr && is_read(key, &LinkTimes::Own::cycles_per_flit, config.topology)) {
        const double cycles = interval->approximate();
        add(key.c_str(), interval->text(), Ratio::nearest(std::max(1.0, cycles / 2)).text());
        add(key.c_str(), interval->text(), Ratio::nearest(cycles * 2).text());
      }
    }
  }

  /// The other routing functions that serve the network, and the other choices of what routers are made of;
  /// those that this machine refuses are left out.
  void add_choice_trials(const ExperimentConfig& config) {
    for (const Routing& routing : RoutingRegistry::all()) {
      if (routing.needs_routes || !routing.serves(config.topology)) continue;
      add("router.routing", machine_.routing, routing.name);
      if (machine_.routing != routing.name) list_.back()["optional"] = true;
    }
    const auto values = resolved_values(config);
    for (const Key& key : config_section("router").rows) {
      const auto value = values.find("router." + key.name);
      if (key.type != ParameterType::choice || key.name == "routing" || value == values.end()) continue;
      const std::string from = value_text(value->second);
      for (const std::string& choice : key.choices) {
        if (choice == from || choice == "auto") continue;
        add(("router." + key.name).c_str(), from, choice);
        list_.back()["optional"] = true;
      }
    }
  }

  void add_router_trials() {
    const unsigned vcs = machine_.virtual_channels;
    for (const unsigned other : {vcs + 1, vcs - 1}) {
      if (other == 0) continue;
      add("router.virtual_channels", vcs, other);
      list_.back()["optional"] = !machine_.classes.empty();  // they may have all VCs
    }
    if (machine_.node_vcs < vcs) {
      add("node.vcs", machine_.node_vcs, vcs);
      list_.back()["optional"] = true;  // a router may have too many VCs then
    }
    add("router.buffer", machine_.buffer, 2 * machine_.buffer);
    add("router.buffer", machine_.buffer, std::max(1U, machine_.buffer / 2));
    add("router.delay", machine_.router_delay, std::max(1U, machine_.router_delay / 2));
    add("router.vc_delay", machine_.vc_delay, machine_.vc_delay / 2);
    add("router.credit_delay", machine_.credit_delay, machine_.credit_delay / 2);
    add("link.delay", machine_.link_delay, std::max(1U, machine_.link_delay / 2));
    add("node.injection_interval", machine_.injection_interval,
        std::max(1U, machine_.injection_interval / 2));
    add("node.ejection_interval", machine_.ejection_interval, std::max(1U, machine_.ejection_interval / 2));
    if (machine_.ports) {
      add("node.ports", *machine_.ports, *machine_.ports + 1);
      add("node.ports", *machine_.ports, "all");
    } else {
      add("node.ports", "all", 1);
    }
  }

  const MachineConfig& machine_;
  Json list_ = Json::array();
};

/// The settings by which nodes offer the same messages in flits of another size than `before`: loads are in
/// flits. Empty where they do so anyway.
std::vector<std::string> loads_of_same_messages(const ExperimentConfig& config, const MachineConfig& before) {
  const WorkloadConfig& workload = config.workload;
  std::vector<std::string> settings;
  const auto add = [&](const std::string& section, const TrafficConfig& traffic) {
    const double flits = mean_flits(traffic, config.machine);
    const double flits_before = mean_flits(traffic, before);
    if (flits == flits_before) return;
    const double load = traffic.load.approximate() * flits / flits_before;
    settings.push_back(
        fmt::format("{}.load={}", section, parse_decimal(fmt::format("{:.15f}", load)).value->text()));
  };
  if (workload.background) add("workload.background", *workload.background);
  if (workload.protocol && workload.protocol->closed_loop) return settings;
  const std::size_t loads = workload.protocol ? 1 : workload.offered().size();  // replies follow requests
  for (std::size_t i = 0; i < loads; ++i) add(offered_section(workload, i), workload.offered()[i]);
  return settings;
}

/// "time": cycles of the schedule, or the mean latency of traffic; null if the run did not complete, the
/// traffic is not steady, or no message was measured. "ci95": half the width of its confidence interval, 0 of
/// a schedule; null if there is none. "cycle": seconds; null without a clock.
Json what_if_record(const RunResult& result) {
  const auto& clock = result.config.clock;
  Json record{{"status", name_of(result.status)},
              {"time", nullptr},
              {"ci95", nullptr},
              {"cycle", clock ? Json(clock->seconds(1)) : Json(nullptr)}};
  if (result.status != RunStatus::completed) return record;
  const LinkResult* const links = result.links();
  if (links == nullptr || !links->traffic) {
    record["time"] = static_cast<double>(result.schedule_cycles());
    record["ci95"] = 0.0;
  } else if (links->traffic->status == TrafficStatus::ok) {
    const LatencySummary& latency = links->protocol ? links->protocol->round_trip : links->traffic->latency;
    if (latency.messages > 0) record["time"] = latency.mean;
    record["ci95"] = or_null(links->traffic->ci95);
  } else if (links->traffic->status == TrafficStatus::saturated) {
    record["status"] = "saturated";
  }
  return record;
}

/// The record of a run that did not complete has no time.
Json with_status(Json record) {
  if (!record.contains("error")) return record;
  const std::string error = record.at("error").get<std::string>();
  const bool died = record.contains("died");
  Json failed{{"status", died ? "crashed" : "refused"}, {"time", nullptr}, {"ci95", nullptr}};
  if (!died) failed["error"] = error.substr(0, error.find('\n'));
  return failed;
}

std::optional<double> time_of(const Json& record) {
  return record.at("time").is_null() ? std::nullopt : std::optional(record.at("time").get<double>());
}

/// Counts the time of a change of the clock in cycles of the run as it is.
void count_in_cycles_of(const Json& base, Json& record) {
  const Json own = record.value("cycle", Json(nullptr));
  if (own.is_null() || base.value("cycle", Json(nullptr)).is_null() || own == base.at("cycle")) return;
  for (const char* const key : {"time", "ci95"}) {
    if (!record.at(key).is_null())
      record[key] = record[key].get<double>() * own.get<double>() / base.at("cycle").get<double>();
  }
}

/// Whether two runs that have times differ by more than chance: those of a schedule if they are not equal,
/// those of traffic if their confidence intervals do not overlap; nothing if one has no interval.
std::optional<bool> differ(const Json& one, const Json& other) {
  if (one.at("ci95").is_null() || other.at("ci95").is_null()) return std::nullopt;
  const double chance = one.at("ci95").get<double>() + other.at("ci95").get<double>();
  return std::abs(*time_of(one) - *time_of(other)) > chance;
}

/// A run of traffic that completed without a measured message.
bool measured_nothing(const Json& record) {
  return record.at("status") == name_of(RunStatus::completed) && record.at("time").is_null();
}

std::string time_text(const Json& record) {
  const auto time = time_of(record);
  if (!time && measured_nothing(record)) return "no message";
  if (!time) return record.at("status").get<std::string>();
  const std::string text = fmt::format("{:.{}f}", *time, *time == std::floor(*time) ? 0 : 2);
  const Json& chance = record.at("ci95");
  return chance.is_null() || chance == 0.0 ? text : text + fmt::format(" +- {:.2f}", chance.get<double>());
}

/// One question: the run as it is, its changes and its least buffer.
class WhatIf {
 public:
  WhatIf(const std::filesystem::path& config, std::span<const std::string> settings,
         std::span<const std::string> changes, const StudyRuns& how)
      : config_(config),
        settings_(settings.begin(), settings.end()),
        own_changes_(changes.begin(), changes.end()),
        how_(how),
        as_it_is_(load({})) {
    require_known_changes();
  }

  /// Rows of the table: the run as it is, the changes by time, and the least buffer.
  void run() {
    with_places(as_it_is_, [&] { require_rereadable_schedule(as_it_is_.workload); });
    base_ = records_of({"as it is"}, how_, [&](std::size_t) {
              const RunResult result = run_experiment(as_it_is_);
              Json record = what_if_record(result);
              record["trials"] = own_changes_.empty() ? Trials(result).take() : own_trials(result.config);
              record["buffer"] = result.config.machine.buffer;
              return record;
            }).front();
    if (base_.contains("died")) throw std::runtime_error("the run as it is ended without a result");
    if (base_.contains("error")) throw InputError(base_.at("error").get<std::string>());
    run_changes();
    if (own_changes_.empty() && as_it_is_.topology.has_links() && time_of(base_)) search_buffer();
  }

  [[nodiscard]] std::vector<Json> rows() const {
    std::vector<Json> rows = changes_;
    rows.insert(rows.begin(), base_);
    rows.front().update({{"key", "as it is"}, {"from", ""}, {"to", ""}});
    if (!least_.is_null()) {
      Json& row = rows.emplace_back(least_);
      row.update({{"key", "least router.buffer"},
                  {"from", base_.at("buffer").dump()},
                  {"to", least_.at("buffer").dump()}});
    }
    for (Json& row : rows) {
      const auto time = time_of(row);
      const auto before = time_of(base_);
      if (time && before && *before != 0) row["ratio"] = *time / *before;
      if (time && before) row["differs"] = or_null(differ(row, base_));
      if (!as_it_is_.clock) continue;
      for (const char* const key : {"time", "ci95"}) {
        if (row.at(key).is_number())
          row[fmt::format("{}_ns", key)] = as_it_is_.clock->nanoseconds(row.at(key).get<double>());
      }
    }
    return rows;
  }

  [[nodiscard]] std::vector<StudyColumn> columns() const {
    std::vector<StudyColumn> columns{{"key"}, {"from"}, {"to"}, {"status"}};
    const bool units = as_it_is_.clock.has_value();
    if (as_it_is_.workload.has_traffic()) {
      // As in result.json.
      const std::string mean = as_it_is_.workload.protocol ? "protocol.round_trip.mean" : "latency.mean";
      columns.push_back({mean, "/time"});
      if (units) columns.push_back({mean + "_ns", "/time_ns"});
      columns.push_back({"ci95"});
      if (units) columns.push_back({"ci95_ns"});
    } else {
      columns.push_back({"cycles", "/time"});
      if (units) columns.push_back({"ns", "/time_ns"});
    }
    columns.push_back({"ratio"});
    if (as_it_is_.workload.has_traffic()) columns.push_back({"differs"});
    if (as_it_is_.workload.has_traffic() || as_it_is_.workload.background) columns.push_back({"with"});
    columns.push_back({"error"});
    return columns;
  }

  [[nodiscard]] std::string text() const {
    const bool traffic = as_it_is_.workload.has_traffic();
    const auto gain = [&](const Json& record) {
      if (traffic && is_chance(record)) return std::string("chance");
      return change_text(time_of(record), time_of(base_), "");
    };
    std::string text = fmt::format("{}: {}\n\n", printable(as_it_is_.name), base_text());
    std::size_t width = 0;
    std::size_t from_width = 8;
    std::size_t to_width = 8;
    for (const Json& change : changes_) {
      width = std::max(width, change.at("key").get<std::string>().size());
      from_width = std::max(from_width, change.at("from").get<std::string>().size());
      to_width = std::max(to_width, change.at("to").get<std::string>().size());
    }
    const int time_width = traffic ? 20 : 12;
    for (const Json& change : changes_) {
      text +=
          fmt::format("  {:<{}}  {:>{}} -> {:<{}} {:>{}}  {:>7}", change.at("key").get<std::string>(), width,
                      change.at("from").get<std::string>(), from_width, change.at("to").get<std::string>(),
                      to_width, time_text(change), time_width, gain(change));
      if (lacks_interval(change)) text += "  no interval";
      if (change.contains("with")) text += "  with " + change.at("with").get<std::string>();
      if (change.contains("error")) text += "  " + printable(change.at("error").get<std::string>());
      while (text.ends_with(' ')) text.pop_back();
      text += "\n";
    }
    text += legend();
    if (least_.is_null()) return text;
    const auto buffer = least_.at("buffer").get<std::uint32_t>();
    text += fmt::format("\n  buffers of {} keep the time", counted(buffer, "flit"));
    if (!below_.is_null()) {
      text += fmt::format("; of {}: {}", buffer - 1, time_text(below_));
      if (time_of(below_)) text += fmt::format(" ({})", gain(below_));
    }
    return text + "\n";
  }

 private:
  /// Throws InputError for a change of a key that the configuration cannot have, or without a value.
  void require_known_changes() const {
    for (const std::string& change : own_changes_) {
      const std::string place = "--change " + change;
      const std::size_t equals = change.find('=');
      if (equals == std::string::npos)
        throw InputError("{}: a change must be KEY=VALUE, such as router.buffer=4", printable(place));
      Diagnostics diagnostics;
      ConfigSource source = load_source(config_, settings_, diagnostics);
      // A key that it cannot have cannot be taken away either.
      set_key(source.root, change.substr(0, equals), {place}, YamlNode(), diagnostics);
      diagnostics.throw_if_any();
    }
  }

  /// "KEY=VALUE" of the user, each a change.
  [[nodiscard]] Json own_trials(const ExperimentConfig& config) const {
    const auto values = resolved_values(config);
    Json trials = Json::array();
    for (const std::string& change : own_changes_) {
      const std::string key = change.substr(0, change.find('='));
      const auto value = values.find(key);
      const YamlNode* const given = given_at(config, key);  // "links[0].delay"
      trials.push_back({{"key", key},
                        {"from", value != values.end() ? value_text(value->second)
                                 : given != nullptr    ? flow_yaml(*given, false)
                                                       : "-"},
                        {"to", change.substr(std::min(change.size(), key.size() + 1))},
                        {"settings", {change}}});
    }
    return trials;
  }

  [[nodiscard]] bool has_times(const Json& record) const { return time_of(record) && time_of(base_); }
  [[nodiscard]] bool is_chance(const Json& record) const {
    return has_times(record) && differ(record, base_) == false;
  }
  [[nodiscard]] bool lacks_interval(const Json& record) const {
    return has_times(record) && !differ(record, base_);
  }

  /// The time of the run as it is, or why there is none.
  [[nodiscard]] std::string base_text() const {
    const auto time = time_of(base_);
    if (!time) {
      return measured_nothing(base_) ? "no message was measured; raise 'workload.measure'" : time_text(base_);
    }
    return fmt::format("{} cycles{}{}", time_text(base_),
                       as_it_is_.workload.protocol        ? " mean round trip"
                       : as_it_is_.workload.has_traffic() ? " mean latency"
                                                          : "",
                       time_in_brackets(as_it_is_, *time));
  }

  /// What the words behind the changes mean.
  [[nodiscard]] std::string legend() const {
    std::string text;
    if (std::ranges::any_of(changes_, [](const Json& change) { return change.contains("with"); }))
      text += "\n  with: nodes offer the same messages, whose load is another one in flits of another size\n";
    if (!as_it_is_.workload.has_traffic()) return text;
    if (std::ranges::any_of(changes_, [&](const Json& change) { return is_chance(change); }))
      text += "\n  chance: the 95% confidence intervals of the two runs overlap\n";
    if (std::ranges::any_of(changes_, [&](const Json& change) { return lacks_interval(change); })) {
      const auto& protocol = as_it_is_.workload.protocol;
      text += protocol && protocol->batch
                  ? "\n  no interval: a batch has no 95% confidence interval\n"
                  : "\n  no interval: the measurement is too short for a 95% confidence interval, so the "
                    "difference may be chance; raise 'workload.measure'\n";
    }
    return text;
  }

  [[nodiscard]] ExperimentConfig load(const std::vector<std::string>& change) const {
    std::vector<std::string> all = settings_;
    std::ranges::copy(change, std::back_inserter(all));
    return load_config(config_, all);
  }

  /// Runs a change, of the machine alone: nodes offer what they did.
  [[nodiscard]] Json changed(std::vector<std::string> change) const {
    ExperimentConfig config = load(change);
    const std::vector<std::string> loads = loads_of_same_messages(config, as_it_is_.machine);
    if (!loads.empty()) {
      std::ranges::copy(loads, std::back_inserter(change));
      config = load(change);
    }
    Json record = what_if_record(run_experiment(std::move(config)));
    if (!loads.empty()) record["with"] = fmt::format("{}", fmt::join(loads, ", "));
    return record;
  }

  [[nodiscard]] std::vector<Json> run_settings(const std::vector<std::vector<std::string>>& changes) const {
    const auto names =
        texts_of(changes, [](const auto& change) { return fmt::format("{}", fmt::join(change, ", ")); });
    std::vector<Json> records = records_of(names, how_, [&](std::size_t i) { return changed(changes[i]); });
    for (Json& record : records) record = with_status(std::move(record));
    return records;
  }

  /// The best first; those whose difference is chance as if they did not differ, those without a time behind
  /// all others, in the order of the trials.
  void run_changes() {
    std::vector<std::vector<std::string>> changes;
    for (const Json& trial : base_.at("trials")) {
      const std::vector<std::string> itself{
          fmt::format("{}={}", trial.at("key").get<std::string>(), trial.at("to").get<std::string>())};
      changes.push_back(trial.value("settings", itself));
    }
    changes_ = run_settings(changes);
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      count_in_cycles_of(base_, changes_[i]);
      changes_[i].update(base_.at("trials")[i]);
    }
    std::erase_if(changes_, [](const Json& change) {
      return change.value("optional", false) && change.at("status") == "refused";
    });
    std::ranges::stable_sort(changes_, {}, [&](const Json& change) {
      return time_of(is_chance(change) ? base_ : change).value_or(std::numeric_limits<double>::infinity());
    });
  }

  /// Halves the range between a buffer that keeps the time and one that does not.
  void search_buffer() {
    std::uint32_t keeps = base_.at("buffer").get<std::uint32_t>();
    std::uint32_t fails = 0;
    least_ = base_;
    while (keeps - fails > 1) {
      const std::uint32_t middle = fails + (keeps - fails) / 2;
      const Json record = run_settings({{fmt::format("router.buffer={}", middle)}}).front();
      const bool is_kept = time_of(record) && (*time_of(record) <= *time_of(base_) || is_chance(record));
      (is_kept ? keeps : fails) = middle;
      (is_kept ? least_ : below_) = record;
    }
    least_["buffer"] = keeps;
  }

  std::filesystem::path config_;
  std::vector<std::string> settings_;
  std::vector<std::string> own_changes_;  ///< none: those of Trials
  const StudyRuns& how_;
  ExperimentConfig as_it_is_;
  Json base_;
  std::vector<Json> changes_;
  /// With the least buffer that keeps the time, and with a flit less; null if there is no such run.
  Json least_;
  Json below_;
};

}  // namespace

StudyReport what_if_study(const std::filesystem::path& config, std::span<const std::string> settings,
                          std::span<const std::string> changes, const StudyRuns& how) {
  WhatIf what_if(config, settings, changes, how);
  what_if.run();
  const Table table = table_of(what_if.columns(), what_if.rows());
  return {.text = what_if.text(), .json = to_json_text(table), .csv = to_csv(table)};
}

}  // namespace flitscope
