#include "sim/sweep/store.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <csignal>
#include <cstring>
#include <ctime>
#include <new>

#include "model/error.h"
#include "model/version.h"
#include "sim/config/config_source.h"
#include "sim/report/run_report.h"
#include "sim/run/experiment.h"

namespace flitscope {

namespace {

constexpr const char* kNoMemory = "not enough memory: the run needs more than its limit or than is available";

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

Json beginning(const Json& labels, const std::string& status) {
  Json record = labels;
  record["status"] = status;
  return record;
}

void add_origin(Json& record) {
  record["version"] = FLITSCOPE_VERSION;
  record["host.name"] = host_name();
  record["host.finished"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

Json failure(const Json& labels, const std::string& status, const std::string& error) {
  Json record = beginning(labels, status);
  record["error"] = boost::algorithm::replace_all_copy(error, "\n", ";");
  add_origin(record);
  return record;
}

/// "traffic.bulk.accepted": the numbers of each class.
void add_classes(Json& record, const Json& classes) {
  for (const Json& each : classes) {
    const std::string name = "traffic." + each["name"].get<std::string>();
    for (const auto& [key, value] : each.items()) {
      if (key == "name") continue;
      if (!value.is_object()) record[fmt::format("{}.{}", name, key)] = value;
      if (!value.is_object()) continue;
      for (const auto& [inner, cell] : value.items())
        record[fmt::format("{}.{}_{}", name, key, inner)] = cell;
    }
  }
}

/// Objects become keys with dots, "traffic.latency.mean". The deadlock, null in most runs, stays one cell.
void add_result(Json& record, const Json& result, const std::string& prefix = "") {
  for (const auto& [key, value] : result.items()) {
    const std::string column = prefix + key;
    if (column == "traffic.classes") {
      add_classes(record, value);
    } else if (value.is_object() && column != "deadlock") {
      add_result(record, value, column + ".");
    } else if (!record.contains(column)) {  // a label of that name is the same: "name"
      record[column] = value;
    }
  }
}

/// Whether the network took less traffic than was offered. Latencies then grow as long as the run lasts.
bool is_saturated(const RunResult& result) {
  const LinkResult* const links = result.links();
  return result.status == RunStatus::completed && links != nullptr && links->traffic &&
         links->traffic->status == TrafficStatus::saturated;
}

void drop_latencies(Json& result) {
  for (const char* const key : {"latency", "network_latency", "round_trip", "reads", "writes", "queueing"}) {
    if (!result.contains(key)) continue;
    for (const auto& [name, value] : result[key].items()) {
      if (name != "messages") value = nullptr;
    }
  }
  for (const char* const name :
       {"ci95", "until_issued_mean", "request_mean", "queue_mean", "service_mean", "reply_mean"}) {
    for (const char* const unit : {"cycles", "ns"}) {
      const std::string key = fmt::format("{}_{}", name, unit);
      if (result.contains(key)) result[key] = nullptr;
    }
  }
}

void drop_saturated_latencies(Json& result) {
  drop_latencies(result);
  if (result.contains("protocol")) drop_latencies(result["protocol"]);
  Json& traffic = result["traffic"];
  drop_latencies(traffic);
  if (!traffic.contains("classes")) return;
  for (Json& each : traffic["classes"]) drop_latencies(each);
}

bool is_crash(int signal) {
  constexpr std::array<int, 8> crashes{SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGXCPU};
  return std::ranges::count(crashes, signal) > 0;
}

}  // namespace

RunRecord run_to_record(const Json& labels, const ExperimentConfig& config) {
  const auto failed = [&](const char* status, const std::string& error) {
    Json record = failure(labels, status, error);
    record["config"] = resolve(config);
    return record;
  };
  try {
    const RunResult result = run_experiment(config);
    const bool saturated = is_saturated(result);
    Json record = beginning(labels, saturated ? name_of(TrafficStatus::saturated) : name_of(result.status));
    Json json = to_json(result);
    if (saturated) drop_saturated_latencies(json);
    add_result(record, json);
    record["error"] = nullptr;
    add_origin(record);
    record["config"] = resolve(result.config);
    return record;
  } catch (const InputError& error) {
    return failed("refused", error.what());
  } catch (const ScheduleError& error) {
    return failed("illegal", error.what());
  } catch (const std::bad_alloc&) {
    return failed("memory-limit", kNoMemory);
  } catch (const std::exception& error) {
    return failed("crashed", error.what());
  }
}

RunRecord record_of_end(const Json& labels, const JobEnd& end, const RunLimits& limits) {
  switch (end.how) {
    case JobEnd::How::no_memory:
      return failure(labels, "memory-limit", kNoMemory);
    case JobEnd::How::timed_out:
      return failure(labels, "time-limit",
                     fmt::format("took longer than {} s", static_cast<double>(limits.milliseconds) / 1000));
    case JobEnd::How::signalled: {
      const std::string signal = fmt::format("signal {} ({})", end.code, strsignal(end.code));
      return is_crash(end.code) ? failure(labels, "crashed", signal)
                                : failure(labels, "killed",
                                          signal + " from outside: a kill, or the system ran out of memory");
    }
    default:
      return failure(labels, "crashed", fmt::format("ended with exit code {}", end.code));
  }
}

}  // namespace flitscope
