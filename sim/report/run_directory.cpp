#include "sim/report/run_directory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/algorithm/string/replace.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "model/error.h"
#include "model/graph.h"
#include "model/schedule.h"
#include "model/text.h"
#include "params/units_of_names.h"
#include "sim/config/config_source.h"
#include "sim/formats/graph_file.h"
#include "sim/formats/schedule_lines.h"
#include "sim/formats/strict_json.h"
#include "sim/observe/flits/latency.h"
#include "sim/report/rates.h"
#include "sim/report/report_parts.h"
#include "sim/report/run_report.h"
#include "sim/run/energy.h"

namespace flitscope {

namespace fs = std::filesystem;

namespace {

constexpr const char* kScheduleCopy = "schedule.jsonl";
constexpr const char* kRoutesCopy = "routes.txt";
constexpr const char* kEnergyTableCopy = "energy-table.yaml";

/// One that has been read once already, and is copied now.
void require_plain(const fs::path& source) {
  if (fs::is_regular_file(source)) return;
  throw InputError("{}: is no plain file, and the run directory has a copy of it; write it into a file first",
                   source.string());
}

void copy_into(const fs::path& source, const fs::path& copy) {
  require_plain(source);
  std::error_code error;
  fs::copy_file(source, copy, error);
  if (error) throw OutputError("{}: cannot be copied: {}", source.string(), error.message());
}

/// Throws OutputError if not all of a file was written.
void finish(std::ofstream& out, const fs::path& file) {
  out.close();
  if (!out) throw OutputError(file.string() + ": could not be written");
}

/// Copies a file of the traffic. An unreadable one is refused when it is used; one that can be read
/// once only, such as a pipe, is read from the copy from now on.
void take_in(ParameterValues& values, const std::string& key, const fs::path& copy) {
  const fs::path source = values.text(key);
  std::ifstream in(source, std::ios::binary);
  if (!in || fs::is_directory(source)) return;
  std::ofstream out(copy, std::ios::binary);
  if (in.peek() != std::ifstream::traits_type::eof()) out << in.rdbuf();
  finish(out, copy);
  if (!fs::is_regular_file(source)) values.set(key, copy.string());
}

/// Name of the copy of a graph's file, with its extension, which says what is in it.
std::string graph_copy_of(const ExperimentConfig& config) {
  return "network" + config.graph_file.extension().string();
}

/// Into a directory that has no name yet.
void put(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  finish(out, file);
}

/// The copy of a graph's file keeps the name of the network, also where that is the file's.
void copy_graph(const fs::path& source, const fs::path& copy, const Graph& graph) {
  if (graph.name() != graph_name_of_file(source, graph.nodes())) return copy_into(source, copy);
  require_plain(source);
  const std::string text = file_text(source);
  put(copy, graph_name_comment(graph.name()) + std::string(without_byte_order_mark(text)));
}

std::string message_classes_csv(const std::vector<MessageClassRecord>& classes) {
  std::string text = "class,network,messages,flits,latency_mean_cycles,latency_max_cycles";
  for (const auto& cause : kStallCauseTable) text += fmt::format(",{}_flit_cycles", cause.name);
  text += "\n";
  for (const MessageClassRecord& each : classes) {
    text += fmt::format("{},{},{},{},", each.name, each.network, each.messages, each.flits);
    text += each.messages > 0 ? fmt::format("{:.4f},{}", each.latency_mean, each.latency_max) : ",";
    text += fmt::format(",{}\n", fmt::join(each.stalls, ","));
  }
  return text;
}

std::string steps_csv(const RunResult& result) {
  std::string text =
      "step,messages,arrived,flits,begin_cycle,end_cycle,cycles,busiest_channel,busiest_channel_messages,"
      "shared_channels\n";
  const StepLoad none;
  for (std::uint64_t index = 0; index < result.steps.size(); ++index) {
    const StepRecord& step = result.steps[index];
    const StepLoad& load = result.links() == nullptr ? none : result.links()->loads[index];
    const Cycle begin = step.messages == 0 ? step.end : step.begin;
    text += fmt::format("{},{},{},{},{},{},{},\"{}\",{},{}\n", index + 1, step.messages, step.arrived,
                        step.flits, begin, step.end, step.cycles(),
                        load.busiest ? result.config.topology.channel_name(*load.busiest) : "", load.max_load,
                        load.shared_links);
  }
  return text;
}

/// The share is that of the messages that took no longer.
std::string latencies_csv(const RunResult& result) {
  std::string text = "from_cycles,to_cycles,messages,share\n";
  std::uint64_t sum = 0;
  for (const LatencyBin& bin : result.latency_distribution) {
    sum += bin.messages;
    text += fmt::format("{},{},{},{:.6f}\n", bin.from, bin.to, bin.messages,
                        static_cast<double>(sum) / static_cast<double>(result.latency.messages));
  }
  return text;
}

std::string channels_csv(const RunResult& result, const LinkResult& links) {
  const bool has_rates = result.config.clock && result.cycles > 0;
  std::string text = "channel,node,messages,flits,utilisation,";
  if (has_rates) text += "GBps,";
  for (const StallCauseInfo& cause : kStallCauseTable) {
    if (cause.of_links) text += fmt::format("{}_flit_cycles,", cause.name);
  }
  text += "longest_wait_cycles,longest_wait_message,longest_wait_culprit,stalled_flit_cycles\n";
  const Topology& topology = result.config.topology;
  const Wait none;
  for (const ChannelRecord& record : links.channels) {
    const auto found = links.longest_waits.find(record.channel);
    const Wait& longest = found == links.longest_waits.end() ? none : found->second;
    text += fmt::format("\"{}\",\"{}\",{},{},{:.6f},", topology.channel_name(record.channel),
                        topology.node_name(topology.channel_node(record.channel)), record.messages,
                        record.flits, result.utilisation(record));
    if (has_rates) {
      const double flits_per_cycle =
          static_cast<double>(record.flits) / static_cast<double>(result.counted_cycles());
      text += fmt::format("{:.6f},", gigabytes_per_second(result.config, flits_per_cycle));
    }
    for (unsigned cause = 0; cause < kStallCauses; ++cause) {
      if (kStallCauseTable[cause].of_links) text += fmt::format("{},", record.stalls[cause]);
    }
    text +=
        fmt::format("{},{},{},{}\n", longest.cycles, longest.cycles > 0 ? message_label(longest.message) : "",
                    longest.culprit ? message_label(*longest.culprit) : "", total_of(record.stalls));
  }
  return text;
}

std::string ports_csv(const CircuitResult& circuits) {
  std::string text = "node,port,messages,flits,tunings";
  for (unsigned state = 0; state < kCircuitPortStates; ++state) {
    text += fmt::format(",{}_cycles", name_of(static_cast<CircuitPortState>(state)));
  }
  text += "\n";
  for (const CircuitPortRecord& port : circuits.ports) {
    text += fmt::format("{},{},{},{},{},{}\n", port.node, port.port, port.messages, port.flits, port.tunings,
                        fmt::join(port.cycles, ","));
  }
  return text;
}

std::string receptions_csv(const CircuitResult& circuits) {
  std::string text = "node,messages,flits,receiving_cycles,max_arrivals\n";
  for (const ReceptionRecord& node : circuits.receptions) {
    text += fmt::format("{},{},{},{},{}\n", node.node, node.messages, node.flits, node.receiving,
                        node.max_arrivals);
  }
  return text;
}

fs::path absolute_path(const fs::path& directory) {
  std::error_code error;
  const fs::path path = fs::absolute(directory, error);
  if (error) throw OutputError("{}: cannot be made: {}", directory.string(), error.message());
  return path.lexically_normal();
}

/// An empty directory is replaced by the finished one. One that cannot be, such as a mount point, is refused
/// now and not after the run.
void require_replaceable(const fs::path& empty, fs::perms permissions) {
  std::error_code error;
  fs::remove(empty, error);
  if (error) {
    throw OutputError(
        "{}: this directory cannot be replaced by the finished one: {}; name a new directory inside it",
        empty.string(), error.message());
  }
  fs::create_directory(empty, error);
  fs::permissions(empty, permissions, error);
}

}  // namespace

RunDirectory::RunDirectory(const fs::path& directory) : final_(absolute_path(directory)) {
  if (final_.filename().empty()) final_ = final_.parent_path();  // "runs/a/" is "runs/a"
  std::error_code error;
  const fs::file_status status = fs::symlink_status(final_, error);
  if (fs::exists(status) && !(fs::is_directory(status) && fs::is_empty(final_, error))) {
    throw OutputError(final_.string() + ": exists already; name a new directory, or remove this one");
  }
  if (fs::exists(status)) require_replaceable(final_, status.permissions());
  try {
    directory_.emplace(final_, PartialOutput::Kind::directory);
  } catch (const std::system_error& failure) {
    throw OutputError("{}: cannot be made: {}", final_.string(), failure.code().message());
  }
  // No others write into it before it is complete.
  permissions_ = fs::status(path(), error).permissions();
  fs::permissions(path(), fs::perms::owner_all, error);
}

void RunDirectory::with_names(const std::function<void()>& work) const {
  const auto named = [this](const std::exception& error) {
    return boost::algorithm::replace_all_copy(std::string(error.what()), path().string(), final_.string());
  };
  try {
    work();
  } catch (const OutputError& error) {
    throw OutputError(named(error));
  } catch (const InputError& error) {
    throw InputError(named(error));
  }
}

void RunDirectory::copy_inputs(ExperimentConfig& config) const {
  WorkloadConfig& workload = config.workload;
  if (!config.graph_file.empty()) {
    const Topology whole = config.topology.whole();
    copy_graph(config.graph_file, file(graph_copy_of(config)), *whole.graph());
    config.graph_digest = whole.graph()->digest();
  }
  if (!config.routes_file.empty()) copy_into(config.routes_file, file(kRoutesCopy));
  if (const auto table = energy_table_file(config)) copy_into(*table, file(kEnergyTableCopy));
  for_each_traffic_file(workload, [&](ParameterValues& values, const std::string& key,
                                      const std::string& copy) { take_in(values, key, file(copy)); });
  if (workload.schedule_file.empty()) return;
  const auto source = open_file(workload.schedule_file);
  std::error_code error;
  const bool is_plain = fs::is_regular_file(workload.schedule_file, error);
  std::string digest;
  if (is_plain && fs::file_size(workload.schedule_file, error) > kMaxCopied) {
    digest = schedule_digest(*source);
  } else {
    workload.schedule_copy = file(kScheduleCopy);
    std::ofstream copy(workload.schedule_copy, std::ios::binary);
    digest = schedule_digest(*source, &copy);
    finish(copy, workload.schedule_copy);
  }
  // One that is given must be the file's; that is looked at when it is read.
  if (!workload.schedule_digest) workload.schedule_digest = digest;
}

void RunDirectory::write(const RunResult& result) const {
  ExperimentConfig config = result.config;
  if (!config.workload.schedule_copy.empty()) config.workload.schedule_file = kScheduleCopy;
  if (!config.graph_file.empty()) config.graph_file = graph_copy_of(config);
  if (!config.routes_file.empty()) config.routes_file = kRoutesCopy;
  if (energy_table_file(config)) set_energy_table_file(config, kEnergyTableCopy);
  for_each_traffic_file(config.workload, [](ParameterValues& values, const std::string& key,
                                            const std::string& copy) { values.set(key, copy); });
  put(file("config.yaml"), resolve(config));
  put(file("result.json"), to_json(result).dump(2) + "\n");
  const auto put_table = [&](const char* name, const std::string& csv) {
    const auto& clock = result.config.clock;
    put(file(name), clock ? csv_in_units(csv, ClockUnits(*clock, result.config.machine.flit_bytes)) : csv);
  };
  put_table("steps.csv", steps_csv(result));
  put_table("latencies.csv", latencies_csv(result));
  if (const CircuitResult* const circuits = result.circuits()) {
    put_table("ports.csv", ports_csv(*circuits));
    put_table("receptions.csv", receptions_csv(*circuits));
    return;
  }
  const LinkResult& links = *result.links();
  put_table("channels.csv", channels_csv(result, links));
  put_table("routers.csv", routers_csv(result, links));
  if (!links.nodes.empty()) put_table("nodes.csv", nodes_csv(result));
  if (!links.critical_path.empty()) put_table("critical-path.csv", critical_path_csv(result));
  if (links.traffic && !links.traffic->classes.empty()) {
    put_table("classes.csv", classes_csv(result, *links.traffic));
  }
  if (!links.message_classes.empty())
    put_table("message-classes.csv", message_classes_csv(links.message_classes));
  if (!links.barriers.empty()) put_table("barriers.csv", barriers_csv(links.barriers));
  if (links.protocol) {
    put_table("protocol-nodes.csv", protocol_nodes_csv(result, *links.protocol));
    put_table("protocol-course.csv", protocol_course_csv(*links.protocol));
    put_table("round-trips.csv", round_trips_csv(*links.protocol));
  }
}

void RunDirectory::commit() {
  directory_->finish([this](const fs::path& temporary) {
    std::error_code error;
    fs::permissions(path(), permissions_, error);
    // The name says that all of it is there, also after the power has failed.
    if (!fsync_tree(path())) {
      throw OutputError("{}: could not be written completely: {}", final_.string(), std::strerror(errno));
    }
    if (!directory_->is_called(temporary)) {
      throw OutputError("{}: something else has taken the place of {}", final_.string(),
                        temporary.filename().string());
    }
    fs::rename(temporary, final_, error);
    if (error == std::errc::directory_not_empty || error == std::errc::file_exists) {
      throw OutputError(final_.string() +
                        ": another run has written it meanwhile; name a directory for each");
    }
    if (error) throw OutputError("{}: cannot be given its name: {}", final_.string(), error.message());
  });
}

}  // namespace flitscope
