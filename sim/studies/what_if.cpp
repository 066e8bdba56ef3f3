#include "sim/studies/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/error.h"
#include "model/text.h"
#include "sim/config/config_source.h"
#include "sim/run/experiment.h"
#include "sim/run/isolated.h"
#include "sim/sweep/worker_pool.h"

namespace flitscope::what_ifs {
namespace {

using Json = nlohmann::ordered_json;

/// One key with another value.
struct Trial {
  std::string key;
  std::string from;
  std::string to;

  [[nodiscard]] std::string setting() const { return key + "=" + to; }
};

template <typename Number>
void add(std::vector<Trial>& trials, const char* key, Number from, Number to) {
  if (from != to) trials.push_back({key, fmt::format("{}", from), fmt::format("{}", to)});
}

void add_router_trials(std::vector<Trial>& trials, const MachineConfig& machine) {
  const unsigned vcs = machine.virtual_channels;
  add(trials, "router.virtual_channels", vcs, vcs + 1);
  if (vcs > 1) add(trials, "router.virtual_channels", vcs, vcs - 1);
  add(trials, "router.buffer", machine.buffer, 2 * machine.buffer);
  add(trials, "router.buffer", machine.buffer, std::max(1U, machine.buffer / 2));
  add(trials, "router.delay", machine.router_delay, std::max(1U, machine.router_delay / 2));
  add(trials, "router.vc_delay", machine.vc_delay, machine.vc_delay / 2);
  add(trials, "router.credit_delay", machine.credit_delay, machine.credit_delay / 2);
  add(trials, "link.delay", machine.link_delay, std::max(1U, machine.link_delay / 2));
  add(trials, "node.injection_interval", machine.injection_interval,
      std::max(1U, machine.injection_interval / 2));
  add(trials, "node.ejection_interval", machine.ejection_interval,
      std::max(1U, machine.ejection_interval / 2));
  const char* const ports = "node.ports";
  if (machine.ports) {
    add(trials, ports, *machine.ports, *machine.ports + 1);
    trials.push_back({ports, fmt::format("{}", *machine.ports), "all"});
  } else {
    trials.push_back({ports, "all", "1"});
  }
}

/// What can be changed of a run that is complete: nothing of it is left to be chosen.
std::vector<Trial> trials_of(const ExperimentConfig& config) {
  const MachineConfig& machine = config.machine;
  std::vector<Trial> trials;
  if (config.topology.has_links()) {
    add_router_trials(trials, machine);
  } else {
    const unsigned ports = machine.ports.value_or(1);
    add(trials, "node.ports", ports, ports + 1);
    add(trials, "circuits.reconfiguration", machine.reconfiguration, machine.reconfiguration / 2);
  }
  add(trials, "node.startup", machine.startup, machine.startup / 2);
  add(trials, "node.flit_bytes", machine.flit_bytes, 2 * machine.flit_bytes);
  if (config.topology.has_links() && !config.workload.has_traffic()) {
    const bool has_barriers = config.workload.advance == Advance::barrier;
    if (has_barriers || config.workload.advance == Advance::dataflow) {
      trials.push_back(
          {"workload.advance", has_barriers ? "barrier" : "dataflow", has_barriers ? "dataflow" : "barrier"});
    }
  }
  return trials;
}

std::optional<double> time_of(const RunResult& result) {
  if (result.status != RunStatus::completed) return std::nullopt;
  const LinkResult* const links = result.links();
  if (links == nullptr || !links->traffic) return static_cast<double>(result.cycles);
  const bool is_steady = links->traffic->status == TrafficStatus::ok;
  return is_steady ? std::optional(links->traffic->latency.mean) : std::nullopt;
}

std::string status_of(const RunResult& result) {
  const LinkResult* const links = result.links();
  const bool is_traffic = links != nullptr && links->traffic && result.status == RunStatus::completed;
  return is_traffic && links->traffic->status == TrafficStatus::saturated ? "saturated"
                                                                          : name_of(result.status);
}

Json run_json(const RunResult& result) {
  const auto time = time_of(result);
  return {{"status", status_of(result)}, {"time", time ? Json(*time) : Json(nullptr)}};
}

WhatIfRun run_of(const Json& json) {
  WhatIfRun run{.status = json.at("status"), .time = {}, .error = json.value("error", "")};
  if (json.at("time").is_number()) run.time = json.at("time").get<double>();
  return run;
}

/// The experiments of one question, each in a process of its own.
class Experiments {
 public:
  Experiments(std::filesystem::path config, std::span<const std::string> settings)
      : config_(std::move(config)), settings_(settings.begin(), settings.end()) {}

  [[nodiscard]] ExperimentConfig load(const std::string& setting) const {
    std::vector<std::string> all = settings_;
    if (!setting.empty()) all.push_back(setting);
    return load_config(config_, all);
  }

  /// What a run with one setting more says, as JSON.
  [[nodiscard]] std::string answer(const std::string& setting) const {
    try {
      return run_json(run_experiment(load(setting))).dump();
    } catch (const std::exception& error) {
      const Json json{{"status", "refused"}, {"time", nullptr}, {"error", first_line(error.what())}};
      return json.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
  }

 private:
  static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

  std::filesystem::path config_;
  std::vector<std::string> settings_;
};

/// The best first; those without a time behind all others, in the order of the trials.
void rank(std::vector<WhatIfChange>& changes) {
  std::ranges::stable_sort(changes, {}, [](const WhatIfChange& change) {
    return change.run.time.value_or(std::numeric_limits<double>::infinity());
  });
}

/// Halves the range between a buffer that keeps the time and one that does not.
void search_buffer(WhatIf& answer, const Experiments& experiments, double time,
                   const std::function<void(const std::string&)>& on_run) {
  std::uint32_t keeps = *answer.buffer;
  std::uint32_t fails = 0;
  std::optional<WhatIfRun> below;
  while (keeps - fails > 1) {
    const std::uint32_t middle = fails + (keeps - fails) / 2;
    const std::string setting = fmt::format("router.buffer={}", middle);
    on_run(setting);
    const WhatIfRun run = run_of(Json::parse(run_isolated([&] { return experiments.answer(setting); })));
    if (run.time && *run.time <= time) {
      keeps = middle;
      answer.least_run = run;
    } else {
      fails = middle;
      below = run;
    }
  }
  answer.least_buffer = keeps;
  answer.below_least = below;
}

std::string time_text(const WhatIfRun& run) {
  if (!run.time) return "-";
  return *run.time == std::floor(*run.time) ? fmt::format("{:.0f}", *run.time)
                                            : fmt::format("{:.2f}", *run.time);
}

/// "-12.5%"
std::string gain_text(const WhatIfRun& base, const WhatIfRun& run) {
  if (!base.time || !run.time || *base.time == 0) return "";
  return fmt::format("{:+.1f}%", 100 * (*run.time / *base.time - 1));
}

}  // namespace
}  // namespace flitscope::what_ifs

namespace flitscope {

WhatIf what_if(const std::filesystem::path& config, std::span<const std::string> settings, unsigned workers,
               const std::function<void(const std::string&)>& on_run) {
  using namespace what_ifs;
  const Experiments experiments(config, settings);
  // What is wrong with the configuration itself is said as every command says it.
  const ExperimentConfig as_it_is = experiments.load("");
  on_run("as it is");
  const Json base = Json::parse(run_isolated([&] {
    const RunResult result = run_experiment(as_it_is);
    Json json = run_json(result);
    Json trials = Json::array();
    for (const Trial& trial : trials_of(result.config)) trials.push_back({trial.key, trial.from, trial.to});
    json["trials"] = trials;
    json["buffer"] = result.config.machine.buffer;
    return json.dump();
  }));

  WhatIf answer{.name = as_it_is.name,
                .measure = as_it_is.workload.has_traffic() ? "mean latency" : "cycles",
                .base = run_of(base),
                .changes = {},
                .buffer = {},
                .least_buffer = {},
                .least_run = run_of(base),
                .below_least = {}};
  for (const Json& trial : base.at("trials")) {
    answer.changes.push_back({.key = trial[0], .from = trial[1], .to = trial[2], .run = {}});
  }
  const auto setting_of = [&](std::size_t i) {
    return Trial{answer.changes[i].key, {}, answer.changes[i].to}.setting();
  };
  WorkerPool pool(workers, {});
  pool.run(
      answer.changes.size(), [&](std::size_t i) { return experiments.answer(setting_of(i)); },
      [&](std::size_t i, const JobEnd& end) {
        on_run(setting_of(i));
        answer.changes[i].run = end.how == JobEnd::How::answered
                                    ? run_of(Json::parse(end.answer))
                                    : WhatIfRun{.status = "crashed", .time = {}, .error = {}};
      });
  rank(answer.changes);
  if (as_it_is.topology.has_links() && answer.base.time) {
    answer.buffer = base.at("buffer").get<std::uint32_t>();
    search_buffer(answer, experiments, *answer.base.time, on_run);
  }
  return answer;
}

Table to_table(const WhatIf& answer) {
  Table table{{"key", "from", "to", "status", answer.measure == "cycles" ? "cycles" : "latency.mean", "ratio",
               "error"},
              {}};
  const auto add = [&](const WhatIfChange& change) {
    const auto& [status, time, error] = change.run;
    const bool has_ratio = answer.base.time && time && *answer.base.time != 0;
    table.rows.push_back({change.key, change.from, change.to, status,
                          time ? Table::Cell(*time) : Table::Cell(),
                          has_ratio ? Table::Cell(*time / *answer.base.time) : Table::Cell(),
                          error.empty() ? Table::Cell() : Table::Cell(error)});
  };
  add({.key = "as it is", .from = "", .to = "", .run = answer.base});
  for (const WhatIfChange& change : answer.changes) add(change);
  if (answer.least_buffer) {
    add({.key = "least router.buffer",
         .from = fmt::format("{}", *answer.buffer),
         .to = fmt::format("{}", *answer.least_buffer),
         .run = answer.least_run});
  }
  return table;
}

std::string what_if_text(const WhatIf& answer) {
  using namespace what_ifs;
  std::string text = fmt::format("{}: {} {}\n\n", printable(answer.name),
                                 answer.base.time ? time_text(answer.base) : answer.base.status,
                                 answer.measure == "cycles" ? "cycles" : "cycles mean latency");
  std::size_t width = 0;
  for (const WhatIfChange& change : answer.changes) width = std::max(width, change.key.size());
  for (const WhatIfChange& change : answer.changes) {
    text += fmt::format("  {:<{}}  {:>8} -> {:<8} {:>12}  {:>7}", change.key, width, change.from, change.to,
                        change.run.time ? time_text(change.run) : change.run.status,
                        gain_text(answer.base, change.run));
    if (!change.run.error.empty()) text += fmt::format("  {}", printable(change.run.error));
    while (text.ends_with(' ')) text.pop_back();
    text += "\n";
  }
  if (!answer.least_buffer) return text;
  text += fmt::format("\n  buffers of {} keep the time", counted(*answer.least_buffer, "flit", "flits"));
  if (answer.below_least) {
    const WhatIfRun& below = *answer.below_least;
    text += fmt::format(
        "; of {}: {}", *answer.least_buffer - 1,
        below.time ? fmt::format("{} ({})", time_text(below), gain_text(answer.base, below)) : below.status);
  }
  return text + "\n";
}

}  // namespace flitscope
