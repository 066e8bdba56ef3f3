// The fastest algorithm for a collective on a machine, for each length.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <new>
#include <numeric>
#include <ranges>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "algorithms/collective_bounds.h"
#include "model/error.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/config/config_source.h"
#include "sim/formats/strict_json.h"
#include "sim/formats/yaml_source.h"
#include "sim/report/output_file.h"
#include "sim/report/page/page.h"
#include "sim/report/rates.h"
#include "sim/report/report_parts.h"
#include "sim/run/energy.h"
#include "sim/run/experiment.h"
#include "sim/run/workload.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace {

/// An algorithm with a choice for each of its parameters that has some, or a schedule from a file, and a
/// length.
struct Contender {
  const Algorithm* algorithm = nullptr;  ///< nullptr: the file
  std::vector<std::pair<std::string, std::string>> choices = {};
  std::uint64_t message = 0;
  std::string schedule = {};
  std::uint64_t data = 0;  ///< bytes of all its chunks together; 0: as they are

  [[nodiscard]] bool is_on_links() const { return algorithm == nullptr || algorithm->make; }
  [[nodiscard]] std::string name() const {
    std::string text = algorithm == nullptr ? printable(schedule) : algorithm->name;
    for (const auto& [parameter, choice] : choices) text += fmt::format(", {} {}", parameter, choice);
    return text;
  }
  [[nodiscard]] std::string run() const { return fmt::format("{}, {}", name(), bytes_text(message)); }
  /// On circuits there is no `advance`: the schedule has the times. `sources`: of broadcasts from several
  /// nodes, if they are not all.
  [[nodiscard]] std::string workload(const char* advance, std::uint64_t bytes,
                                     const std::string& sources = "") const {
    if (algorithm == nullptr) {
      const std::string file = std::filesystem::absolute(schedule).string();
      return fmt::format("workload={{schedule: {}, advance: {}{}}}", quoted_for_yaml(file), advance,
                         data == 0 ? "" : fmt::format(", data: {}", data));
    }
    std::string text = fmt::format("workload={{algorithm: {}, message: {}", algorithm->name, bytes);
    if (!sources.empty()) text += fmt::format(", sources: {}", sources);
    if (algorithm->make) text += fmt::format(", advance: {}", advance);
    for (const auto& [parameter, choice] : choices) text += fmt::format(", {}: {}", parameter, choice);
    return text + "}";
  }
};

constexpr std::array kCompared{CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
                               CollectiveKind::all_gather, CollectiveKind::gossip,
                               CollectiveKind::all_to_all, CollectiveKind::reduce,
                               CollectiveKind::gather,     CollectiveKind::scatter,
                               CollectiveKind::broadcast,  CollectiveKind::multinode_broadcast};

/// The parameter of multinode broadcasts.
constexpr const char* kSources = "sources";

/// The configuration of a run.
using LoadWorkload = std::function<ExperimentConfig(const Contender&, const char* advance)>;

/// A gossip is an all-gather whose length is that of one node's part.
bool is_collective(const Algorithm& algorithm, CollectiveKind goal) {
  const CollectiveKind kind = algorithm.collective.kind;
  return kind == goal || (goal == CollectiveKind::gossip && kind == CollectiveKind::all_gather);
}

/// The divisors of the first side of the torus; 1 alone if that is refused, as each run says then.
std::vector<std::string> divisors_of_side(const Algorithm& algorithm, const LoadWorkload& load) {
  std::vector<std::string> divisors{"1"};
  try {
    const Topology topology =
        load({&algorithm, {{std::string(algorithm.collective.divisor), "1"}}, 1}, "barrier").topology;
    if (topology.kind() == TopologyKind::graph) return divisors;
    const std::uint32_t side = topology.side(0);
    for (std::uint32_t divisor = 2; divisor <= side; ++divisor) {
      if (side % divisor == 0) divisors.push_back(std::to_string(divisor));
    }
  } catch (const InputError&) {
    return divisors;
  }
  return divisors;
}

/// An algorithm with each of its choices.
std::vector<Contender> contenders_of(const Algorithm& algorithm, const LoadWorkload& load) {
  const DeclaredCollective& collective = algorithm.collective;
  std::vector<Contender> variants;
  if (const std::string divisor(collective.divisor); !divisor.empty()) {
    for (const std::string& value : divisors_of_side(algorithm, load))
      variants.push_back({&algorithm, {{divisor, value}}});
  } else {
    variants.push_back({&algorithm, {}});
  }
  const bool is_broadcast =
      collective.kind == CollectiveKind::broadcast || collective.kind == CollectiveKind::multinode_broadcast;
  for (const Parameter& parameter : algorithm.parameters) {
    for (const std::string& choice : parameter.choices) {
      // Choices of broadcasts are readings of papers.
      if (!is_broadcast && choice != parameter.fallback)
        variants.push_back({&algorithm, {{parameter.name, choice}}});
    }
  }
  if (const std::string segments(collective.segments); !segments.empty())
    variants.push_back({&algorithm, {{segments, "1KiB"}}});
  return variants;
}

/// `on_circuits`: on a complete network.
std::vector<Contender> contenders(CollectiveKind goal, bool on_circuits, const LoadWorkload& load,
                                  std::span<const std::uint64_t> messages,
                                  std::span<const std::string> only) {
  const auto serves = [&](const Algorithm& algorithm) {
    return is_collective(algorithm, goal) &&
           (on_circuits ? algorithm.make_circuits != nullptr : algorithm.make != nullptr);
  };
  for (const std::string& name : only) {
    const Algorithm* const found = AlgorithmRegistry::find(name);
    if (found == nullptr || !serves(*found)) {
      throw InputError("no algorithm for {}{} is called {}", name_of(goal), on_circuits ? " on circuits" : "",
                       in_quotes(name));
    }
  }
  std::vector<Contender> list;
  for (const Algorithm& algorithm : AlgorithmRegistry::all()) {
    if (!serves(algorithm)) continue;
    if (!only.empty() && std::ranges::find(only, algorithm.name) == only.end()) continue;
    for (Contender& variant : contenders_of(algorithm, load)) {
      for (const std::uint64_t message : messages) {
        variant.message = message;
        list.push_back(variant);
      }
    }
  }
  // Those in segments have the most steps, and take longest to read.
  std::ranges::stable_partition(list, [](const Contender& each) {
    return each.choices.empty() || each.choices.front().first != each.algorithm->collective.segments;
  });
  return list;
}

/// The schedule of a file, for each length. Throws InputError if its data is that of another collective.
std::vector<Contender> contenders_of(const std::string& file, CollectiveKind goal, const LoadWorkload& load,
                                     std::span<const std::uint64_t> messages) {
  using enum CollectiveKind;
  if (goal == multinode_broadcast)
    throw InputError("--schedule {}: a multinode-broadcast is compared among algorithms only",
                     printable(file));
  const ExperimentConfig config = load({.schedule = file}, "barrier");
  const auto schedule = with_places(config, [&] { return make_schedule(config); });
  const ScheduleFacts& facts = schedule->facts();
  const OperationData operation = operation_of(facts.collective, facts.topology);
  if (operation.kind != (goal == gossip ? all_gather : goal)) {
    throw InputError("--schedule {}: its data is {}, not that of the collective {}", printable(file),
                     operation.kind == other
                         ? std::string("that of no collective among all nodes")
                         : fmt::format("that of the collective {}", name_of(operation.kind)),
                     name_of(goal));
  }
  if (operation.bytes == 0) throw InputError("--schedule {}: its chunks have no bytes", printable(file));
  const auto& chunks = facts.collective.chunk_bytes;
  const auto all = static_cast<double>(std::accumulate(chunks.begin(), chunks.end(), std::uint64_t{0}));
  std::vector<Contender> variants;
  for (const std::uint64_t message : messages) {
    const std::uint64_t size = goal == gossip ? gossip_bytes(message, facts.topology) : message;
    const auto data =
        static_cast<std::uint64_t>(std::llround(static_cast<double>(size) * (all / operation.bytes)));
    variants.push_back({.message = message, .schedule = file, .data = data});
  }
  return variants;
}

/// What a record has of the network.
constexpr std::array kNetworkKeys{"links", "wire_mm",    "bisection_flits_per_cycle", "diameter", "hops_mean",
                                  "radix", "buffer_bits"};

constexpr std::array kAdvances{"barrier", "dataflow"};

/// Adds the cycles and stalls of a run to a record; null: there was none.
void add_run(Json& record, const char* advance, const Json& run) {
  for (const char* const key : {"cycles", "bus_GBps", "energy_J"})
    record[fmt::format("{}_{}", advance, key)] = run.is_null() ? Json() : run.at(key);
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    record[fmt::format("{}_stalls_{}", advance, kStallCauseTable[cause].name)] =
        run.is_null() || run.at("stalls").is_null() ? Json() : run.at("stalls")[cause];
  }
}

Json run_once(const ExperimentConfig& config) {
  return Json::parse(run_isolated([&] {
    const RunResult result = run_experiment(config, {.explains_waits = false});
    if (!result.verified()) {
      throw ScheduleError("{}: {}", name_of(result.status), result.objection());
    }
    const auto bandwidth = collective_bandwidth(result);
    const auto energy = energy_of(result);
    return Json{{"cycles", result.cycles},
                {"stalls", result.links() == nullptr ? Json() : Json(result.links()->stalls)},
                {"bus_GBps", bandwidth ? Json(bandwidth->bus) : Json()},
                {"energy_J", energy ? Json(energy->energy.total()) : Json()}}
        .dump();
  }));
}

/// Cycles that a link needs at least for its flits, from the first to the last: the most of all links.
Cycle least_cycles(const ExperimentConfig& config, const LinkVolume& volume) {
  const unsigned network = config.machine.network_of(0);  // of all messages
  Cycle least = 0;
  for (ChannelId channel = 0; channel < volume.of_links.size(); ++channel) {
    const std::uint64_t bytes = volume.of_links[channel];
    if (bytes == 0) continue;
    const Ratio interval =
        config.machine.link(config.topology, config.topology.channel_of(network, channel)).cycles_per_flit;
    const std::uint64_t behind = flits_of(bytes, config.machine.flit_bytes) - 1;
    least = std::max(least, behind * interval.numerator() / interval.denominator() + 1);
  }
  return least;
}

/// Steps, bounds and closed form of an algorithm on circuits.
Json estimate_on_circuits(const Contender& contender, const LoadWorkload& load) {
  const ExperimentConfig config = load(contender, "");
  const auto schedule = make_circuit_schedule(config);
  const CircuitFacts& facts = schedule->facts();
  const Cycle unit = unit_cycles(config.machine, facts.collective.chunk_bytes.front());
  return {{"steps", facts.steps},
          {"lower_bound_steps", or_null(facts.lower_bound_steps)},
          {"least_cycles", facts.lower_bound_units.value_or(0) * unit},
          {"closed_form_cycles", facts.claimed_units ? Json(*facts.claimed_units * unit) : Json()}};
}

/// The same on links, with the bytes on them and the network.
Json estimate_on_links(CollectiveKind goal, const Contender& contender, const LoadWorkload& load) {
  ExperimentConfig config = load(contender, "barrier");
  auto schedule = make_schedule(config);
  const ScheduleFacts& facts = schedule->facts();
  resolve_auto_settings(config, facts);
  const auto form = closed_form(*schedule, config);
  const LinkVolume volume =
      link_volume(*make_schedule(config), Paths(facts.topology, config.machine.routing));
  const ParameterValues& parameters = config.workload.parameters;
  const std::size_t sources =
      parameters.has(kSources) ? node_set_parameter(config.topology, parameters, kSources).size() : 1;
  Json record{{"steps", facts.steps},
              {"lower_bound_steps", or_null(facts.lower_bound_steps)},
              {"link_bytes", volume.busiest_link},
              {"step_bytes", volume.busiest_of_steps},
              {"least_link_bytes", least_link_bytes(goal, config.topology, contender.message, sources)},
              {"least_cycles", least_cycles(config, volume)},
              {"closed_form_cycles", or_null(form)}};
  const Json network = network_json(config, kQuickSearch);
  for (const char* const key : kNetworkKeys) record[fmt::format("network_{}", key)] = network.at(key);
  return record;
}

/// What is known without a run.
Json estimate_of(CollectiveKind goal, const Contender& contender, const LoadWorkload& load) {
  Json record{{"goal", name_of(goal)},
              {"algorithm", contender.name()},
              {"message_bytes", contender.message},
              {"status", "not run"}};
  for (const char* const key : {"link_bytes", "step_bytes", "least_link_bytes"}) record[key] = nullptr;
  for (const char* const key : kNetworkKeys) record[fmt::format("network_{}", key)] = nullptr;
  for (const char* const advance : kAdvances) add_run(record, advance, nullptr);
  record.update(contender.is_on_links() ? estimate_on_links(goal, contender, load)
                                        : estimate_on_circuits(contender, load));
  return record;
}

/// The record of an estimate with its runs: with dataflow, and with barriers if `all`.
Json record_with_runs(Json estimate, const Contender& contender, const LoadWorkload& load, bool all) {
  for (const char* const advance : kAdvances) {
    if ((all && contender.is_on_links()) || advance == std::string("dataflow"))
      add_run(estimate, advance, run_once(load(contender, advance)));
  }
  estimate["status"] = "completed";
  return estimate;
}

std::uint64_t count_in(const Json& record, const std::string& key) {
  return record.at(key).get<std::uint64_t>();
}

std::string name_in(const Json& record) {
  return record.at("algorithm").get<std::string>();
}

bool is_completed(const Json& row) {
  return row.at("status") == "completed";
}

std::string cycles_text(Cycle cycles) {
  return counted(cycles, "cycle");
}

/// What a record promises before it runs: its closed form, or else what no run falls below.
std::uint64_t estimated_cycles(const Json& record) {
  return record.at("closed_form_cycles").is_null() ? count_in(record, "least_cycles")
                                                   : count_in(record, "closed_form_cycles");
}

/// What the runs of a collective came to.
struct Comparison {
  CollectiveKind goal{};
  /// Records by length: those that have run by cycles with dataflow, then the others by what is estimated.
  std::map<std::uint64_t, std::vector<Json>> lengths = {};
  /// What does not fit the machine: the name, and why.
  std::vector<std::pair<std::string, std::string>> left_out = {};
  /// Names and lengths of the runs that an interrupt ended.
  std::vector<std::string> unfinished = {};
};

/// The candidates of a comparison, from estimates to results.
class Candidates {
 public:
  Candidates(CollectiveKind goal, std::vector<Contender> contenders, LoadWorkload load,
             const ComparisonPlan& plan, const StudyRuns& how)
      : goal_(goal), contenders_(std::move(contenders)), load_(std::move(load)), plan_(plan), how_(how) {}

  Comparison compare() {
    estimate();
    run();
    return judge();
  }

 private:
  template <typename... Args>
  void tell(fmt::format_string<Args...> line, Args&&... args) const {
    if (how_.on_news) how_.on_news(fmt::format(line, std::forward<Args>(args)...));
  }

  /// Closed forms and bounds, and the ranking that they give.
  void estimate() {
    // A schedule of very many messages takes longer to read than another one to run.
    constexpr RunLimits kLimits{.milliseconds = 20'000};
    tell("{} candidates and lengths: closed forms and bounds first, then runs in their order{}",
         contenders_.size(), plan_.all ? "" : ", without those that a bound excludes; --all runs all");
    const auto names =
        texts_of(contenders_, [](const Contender& each) { return each.run() + " (estimate)"; });
    records_ = records_of(
        names, how_,
        [&](std::size_t i) {
          try {
            return estimate_of(goal_, contenders_[i], load_);
          } catch (const std::bad_alloc&) {
            throw std::runtime_error(bytes_text(contenders_[i].message) + " takes more memory than there is");
          }
        },
        [&](std::size_t i, const Json& record) {
          if (record.contains("error")) return;
          const bool has_form = !record.at("closed_form_cycles").is_null();
          tell("{}: {} {}", contenders_[i].run(), has_form ? "closed form" : "at least",
               cycles_text(estimated_cycles(record)));
        },
        plan_.all ? RunLimits{} : kLimits);
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
      if (is_runnable(i)) order_.push_back(i);
    }
    std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return estimated_cycles(records_[i]); });
  }

  [[nodiscard]] bool is_runnable(std::size_t i) const {
    return !records_[i].is_null() && !records_[i].contains("error");
  }

  void run() {
    const auto names = texts_of(order_, [&](std::size_t i) { return contenders_[i].run(); });
    std::map<std::uint64_t, std::uint64_t> best;  // by length
    const auto results = records_of(
        names, how_,
        [&](std::size_t at) {
          const std::size_t i = order_[at];
          Json record = records_[i];
          const auto fastest = best.find(contenders_[i].message);
          if (!plan_.all && fastest != best.end() && count_in(record, "least_cycles") > fastest->second) {
            record["status"] = "excluded";
            return record;
          }
          return record_with_runs(std::move(record), contenders_[i], load_, plan_.all);
        },
        [&](std::size_t at, const Json& record) {
          const std::size_t i = order_[at];
          if (record.contains("error")) return;
          if (!is_completed(record)) {
            return tell("{}: excluded, needs at least {}", contenders_[i].run(),
                        cycles_text(count_in(record, "least_cycles")));
          }
          const std::uint64_t cycles = count_in(record, "dataflow_cycles");
          const auto [fastest, is_first] = best.try_emplace(contenders_[i].message, cycles);
          const bool is_best = is_first || cycles < fastest->second;
          if (is_best) fastest->second = cycles;
          tell("{}: {}{}", contenders_[i].run(), cycles_text(cycles), is_best ? ", the fastest so far" : "");
        });
    for (std::size_t at = 0; at < order_.size(); ++at) {
      if (!results[at].is_null()) {
        records_[order_[at]] = results[at];
      } else {
        unfinished_.push_back(order_[at]);
      }
    }
  }

  /// A contender that fails with one length is left out with all further ones.
  Comparison judge() {
    Comparison comparison{.goal = goal_};
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
      const std::string name = contenders_[i].name();
      if (!comparison.left_out.empty() && comparison.left_out.back().first == name) continue;
      if (records_[i].is_null() || std::ranges::count(unfinished_, i) > 0) {
        comparison.unfinished.push_back(contenders_[i].run());
        if (records_[i].is_null()) continue;
      }
      if (records_[i].contains("error")) {
        comparison.left_out.emplace_back(name, records_[i].at("error").get<std::string>());
      } else {
        add_units(records_[i], load_(contenders_[i], "dataflow"));
        comparison.lengths[contenders_[i].message].push_back(std::move(records_[i]));
      }
    }
    for (auto& [message, rows] : comparison.lengths) {
      std::ranges::stable_sort(rows, {}, [](const Json& row) {
        const bool ran = is_completed(row);
        return std::tuple(!ran, ran ? count_in(row, "dataflow_cycles") : estimated_cycles(row),
                          ran && !row.at("barrier_cycles").is_null() ? count_in(row, "barrier_cycles") : 0,
                          name_in(row));
      });
    }
    return comparison;
  }

  CollectiveKind goal_;
  std::vector<Contender> contenders_;
  LoadWorkload load_;
  const ComparisonPlan& plan_;
  const StudyRuns& how_;
  std::vector<Json> records_;
  std::vector<std::size_t> order_;  ///< of the runs: the most promising first
  std::vector<std::size_t> unfinished_;
};

/// The records have this: bandwidths only with a clock, energy only with a table.
bool have(const std::vector<Json>& rows, const char* key) {
  return !rows.empty() && !rows.front().at(key).is_null();
}

Table shown(const std::vector<Json>& rows) {
  std::vector<Json> records = rows;
  for (Json& record : records) {
    record["of_least"] = nullptr;
    record["stalls"] = nullptr;
    record["mostly"] = record.at("status");
    if (record.at("link_bytes").is_null()) continue;
    const double least = record.at("least_link_bytes").get<double>();
    if (least > 0) record["of_least"] = fmt::format("{:.2f}", record.at("link_bytes").get<double>() / least);
    if (!is_completed(record)) continue;
    const auto stalls_of = [&](const StallCauseInfo& cause) {
      return count_in(record, fmt::format("dataflow_stalls_{}", cause.name));
    };
    std::uint64_t all = 0;
    for (const StallCauseInfo& cause : kStallCauseTable) all += stalls_of(cause);
    record["stalls"] = all;
    record["mostly"] = all == 0 ? "" : std::ranges::max_element(kStallCauseTable, {}, stalls_of)->name;
  }
  std::vector<StudyColumn> columns{{"algorithm"}, {"steps"}, {"bound", "/lower_bound_steps"}};
  const bool on_links = have(rows, "link_bytes");
  if (on_links) columns.insert(columns.end(), {{"link bytes", "/link_bytes"}, {"of least", "/of_least"}});
  columns.insert(columns.end(), {{"at least", "/least_cycles"}, {"closed form", "/closed_form_cycles"}});
  if (on_links) columns.push_back({"barrier", "/barrier_cycles"});
  columns.push_back({on_links ? "dataflow" : "cycles", "/dataflow_cycles"});
  std::size_t units = columns.size();  // the place of columns in units
  if (on_links) columns.push_back({"stalls"});
  columns.push_back({on_links ? "mostly" : "status", "/mostly"});
  for (const auto& [header, key] : {std::pair{"bus GB/s", "dataflow_bus_GBps"}, {"J", "dataflow_energy_J"}}) {
    if (!have(rows, key)) continue;
    columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(units++), {header, std::string("/") + key});
  }
  return table_of(columns, records);
}

std::string winner_text(const std::vector<Json>& rows) {
  if (!is_completed(rows.front()))
    return fmt::format("{} is the most promising; none has run to its end", name_in(rows.front()));
  const std::uint64_t cycles = count_in(rows.front(), "dataflow_cycles");
  std::string text = fmt::format("{} wins with {}", name_in(rows.front()), cycles_text(cycles));
  if (rows.size() > 1 && is_completed(rows[1])) {
    const std::uint64_t next = count_in(rows[1], "dataflow_cycles");
    const double ahead = static_cast<double>(next) / static_cast<double>(cycles) - 1;
    text += next == cycles ? fmt::format(", as does {}", name_in(rows[1]))
                           : fmt::format(", {:.1f}% ahead of {}", 100 * ahead, name_in(rows[1]));
  }
  auto with_barriers =
      rows | std::views::filter([](const Json& row) { return !row.at("barrier_cycles").is_null(); });
  const auto cycles_of = [](const Json& row) { return count_in(row, "barrier_cycles"); };
  if (const auto best = std::ranges::min_element(with_barriers, {}, cycles_of); best != with_barriers.end())
    text += fmt::format("; with barriers {} in {}", name_in(*best), cycles_of(*best));
  const auto excluded =
      std::ranges::count_if(rows, [](const Json& row) { return row.at("status") == "excluded"; });
  if (excluded > 0)
    text += fmt::format("; {} excluded by {}", excluded, excluded == 1 ? "its bound" : "their bounds");
  return text;
}

/// How closed forms compare with what barriers measure.
std::string forms_text(const std::vector<Json>& rows) {
  std::size_t forms = 0;
  double largest = 0;
  std::string differing;
  for (const Json& row : rows) {
    if (row.at("closed_form_cycles").is_null() || row.at("barrier_cycles").is_null()) continue;
    ++forms;
    const double difference =
        row.at("barrier_cycles").get<double>() / row.at("closed_form_cycles").get<double>() - 1;
    if (std::abs(difference) <= std::abs(largest)) continue;
    largest = difference;
    differing = name_in(row);
  }
  if (forms == 0) return "";
  std::string text =
      fmt::format("{} of {} {} a closed form, ", forms, rows.size(), forms == 1 ? "has" : "have");
  if (differing.empty()) return text + "which is exactly what barriers measure.";
  return text +
         fmt::format("from which barriers differ by {} at most ({}).", percent_text(largest, 2), differing);
}

/// The lengths between which the winner changes.
std::vector<std::string> crossovers(const Comparison& comparison) {
  std::vector<std::string> lines;
  const Json* before = nullptr;
  for (const auto& [message, rows] : comparison.lengths) {
    if (before != nullptr && name_in(*before) != name_in(rows.front())) {
      lines.push_back(fmt::format("between {} and {}: from {} to {}",
                                  bytes_text(count_in(*before, "message_bytes")), bytes_text(message),
                                  name_in(*before), name_in(rows.front())));
    }
    before = &rows.front();
  }
  if (lines.empty() && before != nullptr) lines.emplace_back("the same algorithm wins with every length");
  return lines;
}

/// The contenders that did not take part, or not with every length, and why.
std::vector<std::string> left_out(const Comparison& comparison) {
  std::vector<std::string> lines;
  std::set<std::string> seen;
  for (const auto& [name, reason] : comparison.left_out) {
    // What does not fit does not fit with any of its choices.
    if (!seen.insert(name.substr(0, name.find(',')) + reason).second) continue;
    std::istringstream text(fmt::format("{}: {}", name, reason));
    for (std::string line; std::getline(text, line);) {
      if (!line.empty()) lines.push_back(line);
    }
  }
  return lines;
}

/// For people, or in Markdown.
std::string comparison_text(const Comparison& comparison, bool in_markdown) {
  std::string text;
  for (const auto& [message, rows] : comparison.lengths) {
    const std::string title = fmt::format("{} of {}\n", name_of(comparison.goal), bytes_text(message));
    const std::string forms = forms_text(rows);
    text += in_markdown ? fmt::format("### {}\n{}\n{}.{}{}\n\n", title, to_markdown(shown(rows)),
                                      winner_text(rows), forms.empty() ? "" : " ", forms)
                        : fmt::format("{}{}{}\n{}{}\n", title, to_text(shown(rows)), winner_text(rows), forms,
                                      forms.empty() ? "" : "\n");
  }
  const auto add = [&](const char* heading, const char* mark, const std::vector<std::string>& lines) {
    if (in_markdown && !lines.empty()) text += heading;
    for (const std::string& line : lines) text += (in_markdown ? "* " : mark) + line + "\n";
  };
  if (in_markdown) text += "Where the winner changes:\n\n";
  add("", "", crossovers(comparison));
  add("\nLeft out:\n\n", "left out: ", left_out(comparison));
  add("\nNot finished:\n\n", "not finished: ", comparison.unfinished);
  return text;
}

/// All numbers: a row an algorithm and length.
Table comparison_table(const Comparison& comparison) {
  std::vector<StudyColumn> columns{
      {"goal"},       {"algorithm"},      {"message_bytes"},    {"steps"},        {"lower_bound_steps"},
      {"link_bytes"}, {"step_bytes"},     {"least_link_bytes"}, {"least_cycles"}, {"closed_form_cycles"},
      {"status"},     {"barrier_cycles"}, {"dataflow_cycles"}};
  for (const char* const advance : kAdvances) {
    for (const auto& cause : kStallCauseTable)
      columns.push_back({fmt::format("{}_stalls_{}", advance, cause.name)});
  }
  for (const char* const key : kNetworkKeys) columns.push_back({fmt::format("network_{}", key)});
  std::vector<Json> records;
  for (const auto& [message, rows] : comparison.lengths) std::ranges::copy(rows, std::back_inserter(records));
  if (have(records, "dataflow_bus_GBps")) columns = with_units(columns);
  for (const char* const key :
       {"barrier_bus_GBps", "dataflow_bus_GBps", "barrier_energy_J", "dataflow_energy_J"}) {
    if (have(records, key)) columns.push_back({key});
  }
  return table_of(columns, records);
}

/// Why no algorithm ran to its end. A mistake of the machine is the same for all of them.
std::string reasons_of(const std::vector<std::pair<std::string, std::string>>& left_out) {
  if (left_out.empty()) return " there is none";
  const auto is_first = [&](const auto& each) { return each.second == left_out.front().second; };
  if (left_out.size() > 1 && std::ranges::all_of(left_out, is_first))
    return "\n  each of them: " + left_out.front().second;
  std::string text;
  for (const auto& [name, reason] : left_out) text += fmt::format("\n  {}: {}", name, reason);
  return text;
}

/// A value as the configuration has it, whose workload need not be complete; null if it has none.
YamlNode written(const YamlNode& root, const char* section, const char* key) {
  const YamlNode* const map = root.find(section);
  const YamlNode* const value = map == nullptr ? nullptr : map->find(key);
  return value == nullptr ? YamlNode() : *value;
}

/// Algorithms have a workload of their own, with the sources of a multinode broadcast.
void refuse_workload(std::span<const std::string> settings, CollectiveKind goal) {
  for (const std::string& setting : settings) {
    const std::string key = setting.substr(0, setting.find('='));
    const bool has_sources =
        goal == CollectiveKind::multinode_broadcast &&
        (setting == "workload=null" || key.starts_with(fmt::format("workload.{}", kSources)));
    if ((key != "workload" && !key.starts_with("workload.")) || has_sources) continue;
    throw InputError(
        "--set {}: compare gives each algorithm its own workload, for messages from --from to --to; leave it "
        "out",
        printable(setting));
  }
}

}  // namespace

const std::vector<std::string>& compared_collectives() {
  static const auto names = texts_of(kCompared, [](CollectiveKind kind) { return name_of(kind); });
  return names;
}

StudyReport comparison_study(const std::string& collective, const std::filesystem::path& config,
                             std::span<const std::string> settings, const ComparisonPlan& plan,
                             const StudyRuns& how) {
  const auto goal =
      *std::ranges::find(kCompared, collective, [](CollectiveKind kind) { return name_of(kind); });
  Diagnostics diagnostics;
  const ConfigSource source = load_source(config, settings, diagnostics);
  diagnostics.throw_if_any();
  refuse_workload(settings, goal);
  const YamlNode given = written(source.root, "workload", kSources);
  const bool has_sources = goal == CollectiveKind::multinode_broadcast && given.kind != YamlNode::Kind::null;
  const std::string sources = has_sources ? flow_yaml(given, true) : "";
  const LoadWorkload load = [&](const Contender& contender, const char* advance) {
    std::vector<std::string> all(settings.begin(), settings.end());
    all.push_back(contender.workload(advance, contender.message, sources));
    ExperimentConfig result = load_config(config, all);
    if (goal != CollectiveKind::gossip || contender.algorithm == nullptr ||
        contender.algorithm->collective.kind == goal)
      return result;
    all.back() = contender.workload(advance, gossip_bytes(contender.message, result.topology));
    return load_config(config, all);
  };
  const bool on_circuits = written(source.root, "topology", "kind").text == "complete";
  std::vector<Contender> candidates = contenders(goal, on_circuits, load, plan.messages, plan.only);
  for (const std::string& file : plan.schedules) {
    if (on_circuits) throw InputError("--schedule {}: compared on networks with links only", printable(file));
    std::ranges::move(contenders_of(file, goal, load, plan.messages), std::back_inserter(candidates));
  }
  const Comparison comparison = Candidates(goal, candidates, load, plan, how).compare();
  if (comparison.lengths.empty() && comparison.unfinished.empty()) {
    throw InputError("{}: no algorithm for {} ran to its end:{}", config.string(), collective,
                     reasons_of(comparison.left_out));
  }
  std::string best;
  if (!comparison.lengths.empty()) {
    const auto& [message, rows] = *comparison.lengths.begin();
    const auto is_best = [&](const Contender& each) {
      return each.message == message && each.name() == name_in(rows.front());
    };
    best = resolve(load(*std::ranges::find_if(candidates, is_best), "dataflow"));
  }
  const Table table = comparison_table(comparison);
  return {.text = comparison_text(comparison, false),
          .json = to_json_text(table),
          .csv = to_csv(table),
          .markdown = comparison_text(comparison, true),
          .config = std::move(best),
          .left_out = left_out(comparison)};
}

Json comparison_page_data(const std::filesystem::path& directory) {
  const auto rows = parse_json(file_text(directory / "compare.json"));
  if (!rows || !rows->is_array()) {
    throw InputError(printable((directory / "compare.json").string()) + ": is no list of rows");
  }
  const std::filesystem::path config = directory / "config.yaml";
  return {{"kind", "compare"},
          {"config", file_text(config)},
          {"machine", machine_json(load_config(config))},
          {"rows", *rows}};
}

}  // namespace flitscope
