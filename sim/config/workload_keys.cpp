#include "sim/config/workload_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string.hpp>
#include <string_view>
#include <utility>

#include "algorithms/algorithm.h"

namespace flitscope {

namespace {

using Value = ParameterValues::Value;

constexpr std::int64_t kMaxLookahead = 1'000'000'000;
constexpr std::int64_t kMaxOutstanding = 1'000'000;
constexpr std::int64_t kMaxMessage = std::int64_t{1} << 40;
constexpr std::int64_t kMaxData = std::int64_t{1} << 50;
constexpr std::int64_t kMaxThink = 1'000'000'000'000;

Row<ExperimentConfig> workload(Row<WorkloadConfig> row) {
  return within<ExperimentConfig>(&ExperimentConfig::workload, std::move(row));
}

Row<WorkloadConfig> of_protocol(Row<ProtocolConfig> row) {
  return of_work(KeyWork::protocol,
                 of_links(within<WorkloadConfig>(
                     [](auto& workload) -> auto& { return *workload.protocol; }, std::move(row))));
}

/// It is not of a protocol, so that it is a key of every workload: it makes one.
Row<WorkloadConfig> protocol() {
  return {
      {Parameter::choice("protocol", "requests and replies: nodes request, targets answer", {kRequestReply})
           .or_else("null")},
      {},
      [](const WorkloadConfig& workload, const Topology&) {
        return workload.protocol ? std::optional<Value>(kRequestReply) : std::nullopt;
      }};
}

std::vector<Row<WorkloadConfig>> protocol_rows() {
  using P = ProtocolConfig;
  const auto bytes = [](std::uint64_t P::*field, const char* name, const char* summary) {
    return of_protocol(row(field, Parameter::bytes(name, summary, {1, kMaxMessage})));
  };
  return {
      of_protocol(
          row(&P::outstanding,
              Parameter::integer("outstanding", "requests of a node that are not answered yet, at most",
                                 {1, kMaxOutstanding}, "requests")
                  .or_words({"unlimited"}))),
      bytes(&P::request, "request", "data of a request to read"),
      bytes(&P::reply, "reply", "data of the reply to it"),
      bytes(&P::write_request, "write_request", "data of a request to write"),
      bytes(&P::write_reply, "write_reply", "data of the reply to it"),
      of_protocol(row(&P::reads, "reads", "share of the requests that read; the others write", {0, 1})),
      of_protocol(
          row(&P::targets, Parameter::of(ParameterType::node_set, "targets",
                                         "nodes that answer; of a list or a drawn set each request goes to "
                                         "one, all equally likely; all: as requests.traffic has it"))),
      of_protocol(row(&P::sources, Parameter::of(ParameterType::node_set, "sources", "nodes that request"))),
      of_protocol(row(
          &P::think,
          Parameter::cycles("think", "time from a reply to the next request in its place", {0, kMaxThink}))),
      of_protocol(row(&P::batch, Parameter::integer("batch",
                                                    "requests of each node, in a run that ends when all are "
                                                    "answered; none: warm-up and measurement, as of traffic",
                                                    {1, kMaxThink}, "requests")
                                     .or_words({"none"}))),
      of_protocol(
          row(&P::reply_class, Parameter::text("reply_class",
                                               "message class of the replies; auto: `reply` if there is one, "
                                               "else the first; that of requests is in workload.requests")
                                   .or_words({"auto"})))};
}

/// The seeds of classes follow one another, if nothing else is said: equal ones would draw equal numbers.
Row<ExperimentConfig> class_seed(std::size_t item) {
  return {
      {Parameter::integer(
           "seed",
           "draws all random numbers of the class; auto: workload.seed, and one more for each class before",
           {0, kMaxSeed})
           .or_words({"auto"})
           .or_else("auto")},
      [item](ExperimentConfig& config, const Value& value, const ReadContext&) {
        const auto* const given = std::get_if<std::int64_t>(&value);
        config.workload.classes[item].seed =
            given == nullptr ? config.workload.traffic.seed + item : static_cast<std::uint64_t>(*given);
      },
      [item](const ExperimentConfig& config, const Topology&) {
        return std::optional<Value>(static_cast<std::int64_t>(config.workload.classes[item].seed));
      }};
}

Row<ExperimentConfig> class_name(std::size_t item) {
  return {{Parameter::text("name",
                           "what results call the class: letters, digits, - and _; auto: class1, class2, ..")
               .or_words({"auto"})
               .or_else("auto")},
          [item](ExperimentConfig& config, const Value& value, const ReadContext&) {
            const auto& name = std::get<std::string>(value);
            config.workload.classes[item].name = name == "auto" ? fmt::format("class{}", item + 1) : name;
          },
          [item](const ExperimentConfig& config, const Topology&) {
            return std::optional<Value>(config.workload.classes[item].name);
          }};
}

/// Names of objects in the results of traffic, beside the classes of which theirs would be.
constexpr std::array<std::string_view, 3> kResultNames{"latency", "network_latency", "bounds"};

/// Names are columns of tables, in which case makes no difference, and seeds make classes independent of one
/// another.
void require_own_name_and_seed(const WorkloadConfig& workload, std::size_t item) {
  const TrafficConfig& own = workload.classes[item];
  const std::string section = class_section_name(item);
  if (!is_class_name(own.name)) {
    throw Inadmissible(section + ".name", "{}.name must be a word of letters, digits, - and _, not {}",
                       section, in_quotes(own.name));
  }
  if (std::ranges::count(kResultNames, boost::algorithm::to_lower_copy(own.name)) > 0) {
    throw Inadmissible(section + ".name", "{}.name must differ from {}, which name results of all traffic",
                       section, fmt::join(kResultNames, ", "));
  }
  for (std::size_t before = 0; before < item; ++before) {
    const TrafficConfig& other = workload.classes[before];
    if (boost::algorithm::iequals(other.name, own.name)) {
      throw Inadmissible(section + ".name",
                         "{} is called '{}' already; give each class a name that differs in more than case",
                         class_section_name(before), other.name);
    }
    if (other.seed == own.seed) {
      throw Inadmissible(section + ".seed",
                         "{} has the seed {} already, and would draw the same numbers; leave the seeds out, "
                         "or give each class its own",
                         class_section_name(before), own.seed);
    }
  }
}

/// A key that says how traffic is measured, and not what its default says; nullptr if none does.
const char* key_of_measurement(const TrafficConfig& traffic) {
  const TrafficConfig usual;
  if (traffic.warmup) return "workload.warmup";
  if (traffic.window != usual.window) return "workload.window";
  if (traffic.measure != usual.measure) return "workload.measure";
  return traffic.precision ? "workload.precision" : nullptr;
}

/// What keys of a protocol cannot say alone.
void require_consistent(const ProtocolConfig& protocol, const TrafficConfig& requests) {
  if (protocol.closed_loop && !protocol.outstanding) {
    throw Inadmissible("workload.outstanding",
                       "workload.outstanding must be a number in a closed loop, which requests as soon as it "
                       "may; give one, or requests.load");
  }
  if (protocol.closed_loop && requests.process != Injection::bernoulli) {
    throw Inadmissible("workload.requests.process",
                       "workload.requests.process: {} goes with requests.load; without a load nodes request "
                       "as soon as they may",
                       name_of(requests.process));
  }
  if (const char* const key = key_of_measurement(requests); protocol.batch && key != nullptr) {
    throw Inadmissible(key, "{} goes with a measurement; a batch is measured as a whole, leave it out", key);
  }
  if (protocol.service.rate == Decimal(0)) {
    throw Inadmissible(
        "workload.service.rate",
        "workload.service.rate must be above 0: a target that begins no service answers nothing");
  }
}

/// Adds rows of the traffic that `traffic_of` finds in a workload.
template <typename TrafficOf>
void add(RowSection<ExperimentConfig>& section, std::vector<Row<TrafficConfig>> rows, TrafficOf traffic_of) {
  for (Row<TrafficConfig>& row : rows) {
    section.rows.push_back(of_links(workload(within<WorkloadConfig>(traffic_of, std::move(row)))));
  }
}

Row<ExperimentConfig> load_of_requests() {
  return {{Parameter::number("load",
                             "requests that a node offers, at least 10^-9; none: it requests as soon as "
                             "`outstanding` and `think` allow",
                             {0, 2 * std::int64_t{kMaxDimensions}}, "flits/cycle")
               .or_else("null")},
          [](ExperimentConfig& config, const Value& value, const ReadContext&) {
            config.workload.traffic.load = std::get<Decimal>(value);
            config.workload.protocol->closed_loop = false;
          },
          [](const ExperimentConfig& config, const Topology&) {
            return config.workload.protocol->closed_loop ? std::nullopt
                                                         : std::optional<Value>(config.workload.traffic.load);
          }};
}

Row<ExperimentConfig> of_schedules(Row<ExperimentConfig> row) {
  return of_work(KeyWork::schedules, std::move(row));
}

}  // namespace

bool is_class_name(const std::string& name) {
  return is_word_of(name, "-_");
}

RowSection<ExperimentConfig> workload_section() {
  RowSection<ExperimentConfig> section{
      .name = "workload",
      .summary =
          "what the network has to do: an algorithm with its parameters, a schedule from a file, synthetic "
          "traffic with its pattern's parameters, or a protocol",
      .rows =
          {workload(entry_row(&WorkloadConfig::algorithm, "algorithm", "algorithm that makes the schedule")),
           workload(file_row(
               &WorkloadConfig::schedule_file,
               Parameter::text("schedule",
                               "file that holds the schedule, as seen from the configuration's directory"))),
           of_links(workload(protocol())),
           of_schedules(workload(
               row(&WorkloadConfig::schedule_digest, "schedule_digest",
                   "sha256: and the digits of that file's SHA-256; a file that differs is refused"))),
           of_schedules(of_links(
               workload(row(&WorkloadConfig::data,
                            Parameter::bytes("data",
                                             "bytes of all chunks of that file together, to which they are "
                                             "scaled; null: as they are",
                                             {1, kMaxData}))))),
           of_schedules(of_links(workload(
               choice_row(&WorkloadConfig::advance, "advance",
                          "when a step starts: barrier, all of the last has arrived; dataflow, a node has "
                          "the data; table: no steps, links send by the algorithm's routing table")))),
           of_schedules(of_links(
               workload(row(&WorkloadConfig::lookahead, "lookahead", "messages a dataflow driver reads ahead",
                            {1, kMaxLookahead}, "messages"))))},
      .check = [](const ExperimentConfig& config, const Topology& topology) {
        require_possible(config.workload, config.machine, topology);
      }};
  add(section, traffic_rows(), &WorkloadConfig::traffic);
  // The pattern of a protocol is in its requests.
  auto& take = std::ranges::find(section.rows, "traffic", &Row<ExperimentConfig>::name)->take;
  take = [inner = take](const ExperimentConfig& config, const Topology& topology) {
    return config.workload.protocol ? std::nullopt : inner(config, topology);
  };
  for (Row<WorkloadConfig>& row : protocol_rows()) section.rows.push_back(workload(std::move(row)));
  return section;
}

RowSection<ExperimentConfig> requests_section() {
  RowSection<ExperimentConfig> section{
      .name = "workload.requests",
      .summary = "when a protocol's nodes request, and of whom, with the pattern's parameters",
      .rows = {of_work(KeyWork::protocol, of_links(load_of_requests()))},
      .check =
          [](const ExperimentConfig& config, const Topology&) {
            if (config.workload.protocol)
              require_consistent(*config.workload.protocol, config.workload.traffic);
          },
      .is_there = [](const ExperimentConfig& config) { return config.workload.protocol.has_value(); }};
  add(section, request_rows(), &WorkloadConfig::traffic);
  return section;
}

RowSection<ExperimentConfig> service_section() {
  using S = ServiceConfig;
  const auto of_service = [](Row<S> row) {
    return workload(of_protocol(within<ProtocolConfig>(&ProtocolConfig::service, std::move(row))));
  };
  return {.name = "workload.service",
          .summary = "how the targets of a protocol answer",
          .rows = {of_service(row(&S::latency,
                                  Parameter::cycles("latency", "from the beginning of a service to its reply",
                                                    {0, kMaxThink}))),
                   of_service(row(&S::rate,
                                  Parameter::number("rate", "services that a target begins, at most, above 0",
                                                    {0, 16}, "requests/cycle")
                                      .or_words({"unlimited"}))),
                   of_service(row(&S::queue,
                                  Parameter::integer("queue",
                                                     "requests that wait for their service at a target, at "
                                                     "most; further ones wait in its network interface",
                                                     {1, kMaxOutstanding}, "requests")
                                      .or_words({"unlimited"}))),
                   of_service(row(
                       &S::shared, "shared",
                       "reads and writes have one queue and one service; otherwise each kind has its own"))},
          .is_there = [](const ExperimentConfig& config) { return config.workload.protocol.has_value(); }};
}

RowSection<ExperimentConfig> background_section() {
  RowSection<ExperimentConfig> section{
      .name = "workload.background",
      .summary = "traffic beside an algorithm or a schedule, with its pattern's parameters",
      .rows = {},
      .check =
          [](const ExperimentConfig& config, const Topology& topology) {
            const auto& traffic = config.workload.background;
            if (traffic) require_possible(*traffic, config.machine, topology, "workload.background");
          },
      .is_there = [](const ExperimentConfig& config) { return config.workload.background.has_value(); }};
  add(
      section, background_rows(), [](auto& workload) -> auto& { return *workload.background; });
  return section;
}

RowSection<ExperimentConfig> class_section(std::size_t item) {
  RowSection<ExperimentConfig> section{
      .name = class_section_name(item),
      .summary = "a class of traffic among several, with its pattern's parameters; a list has a map for each",
      .rows = {of_work(KeyWork::traffic, of_links(class_name(item)))},
      .check = [item](const ExperimentConfig& config,
                      const Topology&) { require_own_name_and_seed(config.workload, item); },
      .is_there = [item](const ExperimentConfig& config) { return item < config.workload.classes.size(); }};
  add(
      section, class_rows(), [item](auto& workload) -> auto& { return workload.classes[item]; });
  section.rows.push_back(of_work(KeyWork::traffic, of_links(class_seed(item))));
  return section;
}

}  // namespace flitscope
