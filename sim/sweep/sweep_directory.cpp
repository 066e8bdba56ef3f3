#include "sim/sweep/sweep_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>

#include "model/error.h"
#include "model/numbers.h"
#include "model/text.h"
#include "model/version.h"
#include "sim/config/config_source.h"
#include "sim/formats/schedule_lines.h"
#include "sim/host/processes.h"
#include "sim/report/output_file.h"

namespace flitscope {

namespace fs = std::filesystem;

SweepDirectory::SweepDirectory(const fs::path& directory)
    : path_(fs::absolute(directory).lexically_normal()) {
  if (path_.filename().empty()) path_ = path_.parent_path();
  make_directories(path_);
  const fs::path file = path_ / kLock;
  lock_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) throw OutputError("{}: {}", file.string(), std::strerror(errno));
  // A lock of this kind belongs to the process: it ends with it, and workers do not inherit it.
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (fcntl(lock_, F_SETLK, &whole) == 0) {
    remove_abandoned(path_);
    return;
  }
  close(lock_);
  throw OutputError("{}: another process works on this sweep", path_.string());
}

SweepDirectory::~SweepDirectory() {
  close(lock_);
}

void make_directories(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    throw OutputError("{}: cannot be made: {}", printable(directory.string()), error.message());
  }
}

namespace {

constexpr const char* kJobFile = "job.json";
constexpr const char* kRunsFile = "runs.jsonl";
constexpr std::size_t kRecordsAtOnce = 1000;

/// A line of runs.jsonl: a run of a job.
struct JobRun {
  std::size_t line = 0;
  Json labels;
  std::string config;
  /// The job's copy of the schedule file; empty if there is none.
  fs::path schedule;

  [[nodiscard]] std::string id() const { return labels.at("id").get<std::string>(); }
};

std::uint64_t number_of(const fs::path& job) {
  return number_in<std::uint64_t>(job.filename().string()).value_or(0);
}

std::vector<fs::path> job_directories(const SweepDirectory& directory) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory.jobs(), none)) {
    if (fs::exists(entry.path() / kJobFile)) found.push_back(entry.path());
  }
  std::ranges::sort(found, {}, number_of);
  return found;
}

/// True for an id of SweepRun, which is also the name of a file.
bool is_run_id(std::string text) {
  const std::size_t dash = text.find('-');
  if (dash != std::string::npos && is_whole_number(text.substr(dash + 1))) text.resize(dash);
  return text.size() == kRunIdDigits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// The text of a key, if it has one.
std::string text_at(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

/// Reads a line of write_job(): a labelled run with the name of its copy of a schedule. Throws InputError.
JobRun read_run(const std::string& text, const fs::path& file, std::size_t line, const fs::path& directory) {
  const auto json = parse_json(text);
  const auto refuse = [&](const char* what) {
    throw InputError("{}:{}: is no run of a job: {}", printable(file.string()), line, what);
  };
  if (!json || !json->is_object()) refuse("not a JSON object");
  const auto labels = json->find("labels");
  if (labels == json->end() || !labels->is_object() || !is_run_id(text_at(*labels, "id"))) {
    refuse("\"labels\" must have an \"id\" of twelve hexadecimal digits");
  }
  const std::string copy = text_at(*json, "schedule");
  if (fs::path(copy).filename() != copy) refuse("\"schedule\" must be the name of a file in its directory");
  return {line, *labels, text_at(*json, "config"), copy.empty() ? fs::path() : directory / copy};
}

std::vector<JobRun> read_runs(const Job& job, std::uint64_t first, std::uint64_t count) {
  const fs::path file = job.directory / kRunsFile;
  std::ifstream stream(file);
  if (!stream) throw InputError("{}: cannot be opened", printable(file.string()));
  std::vector<JobRun> runs;
  std::string line;
  for (std::uint64_t index = 0; runs.size() < count && std::getline(stream, line); ++index) {
    if (index < first) continue;
    runs.push_back(read_run(line, file, index + 1, job.directory));
  }
  return runs;
}

/// The results of a job, two directories above it.
fs::path incoming_of(const Job& job) {
  return job.directory.parent_path().parent_path() / "incoming";
}

RunRecord do_run(const Job& job, const JobRun& run) {
  const std::string file = (job.directory / kRunsFile).string();
  ExperimentConfig config = parse_config(run.config, fmt::format("{}:{}", file, run.line), job.directory);
  config.workload.schedule_copy = run.schedule;
  return run_to_record(run.labels, config);
}

/// The name of the copy of a schedule file. `copies` has those that are there already.
std::string copy_schedule(const fs::path& file, const fs::path& directory,
                          std::map<fs::path, std::string>& copies) {
  if (file.empty()) return {};
  const auto [at, is_new] = copies.try_emplace(file, fmt::format("{}.jsonl", copies.size() + 1));
  std::error_code error;
  if (is_new) fs::copy_file(file, directory / at->second, error);
  if (error) throw OutputError("{}: cannot be copied: {}", printable(file.string()), error.message());
  return at->second;
}

/// True for the row of a run, whose keys become columns.
bool is_record(const Json& json) {
  if (!json.is_object() || !is_run_id(text_at(json, "id")) || text_at(json, "status").empty()) return false;
  return std::ranges::all_of(json.items(), [](const auto& entry) {
    return !entry.key().empty() && printable(entry.key()) == entry.key();
  });
}

}  // namespace

Job write_job(const SweepDirectory& directory, const Sweep& sweep, const std::vector<std::size_t>& runs,
              std::uint64_t runs_per_task) {
  const auto others = job_directories(directory);
  const std::uint64_t number = others.empty() ? 1 : number_of(others.back()) + 1;
  const std::string unique = to_string(boost::uuids::random_generator()());
  Job job{directory.jobs() / std::to_string(number), "flitscope-" + unique, runs.size(), runs_per_task,
          sweep.settings().run};
  // A killed process may have left one that it had not completed.
  std::error_code ignored;
  fs::remove_all(job.directory, ignored);
  make_directories(job.directory);
  make_directories(directory.incoming());
  std::string lines;
  std::map<fs::path, std::string> copies;
  for (const std::size_t run : runs) {
    const ExperimentConfig config = sweep.config(sweep.runs()[run]);
    lines += dumped_line({{"labels", sweep.labels(run)},
                          {"config", resolve(config)},
                          {"schedule", copy_schedule(config.workload.schedule_file, job.directory, copies)}});
  }
  write_file(job.directory / kRunsFile, lines, Existing::replace);
  // Written last: a directory with this file is a job.
  write_file(job.directory / kJobFile,
             dumped_line({{"version", FLITSCOPE_VERSION},
                          {"name", job.name},
                          {"runs", job.runs},
                          {"runs_per_task", job.runs_per_task},
                          {"run_milliseconds", job.limits.milliseconds},
                          {"run_memory_bytes", job.limits.memory_bytes}}),
             Existing::replace);
  return job;
}

Job read_job(const fs::path& directory) {
  const fs::path file = directory / kJobFile;
  try {
    const Json json = parse_json(file_text(file)).value_or(Json());
    if (const auto version = json.at("version").get<std::string>(); version != FLITSCOPE_VERSION) {
      throw InputError("{}: was written by flitscope {}, and this is {}", printable(file.string()), version,
                       FLITSCOPE_VERSION);
    }
    const Job job{
        fs::absolute(directory).lexically_normal(),
        json.at("name").get<std::string>(),
        json.at("runs").get<std::uint64_t>(),
        json.at("runs_per_task").get<std::uint64_t>(),
        {json.at("run_milliseconds").get<std::uint64_t>(), json.at("run_memory_bytes").get<std::uint64_t>()}};
    if (job.runs > 0 && job.runs_per_task > 0) return job;
    throw InputError("{}: is no job: \"runs\" and \"runs_per_task\" must be at least 1",
                     printable(file.string()));
  } catch (const Json::exception& error) {
    throw InputError("{}: is no job: {}", printable(file.string()), error.what());
  }
}

std::vector<Job> jobs_of(const SweepDirectory& directory) {
  std::vector<Job> jobs;
  for (const fs::path& each : job_directories(directory)) jobs.push_back(read_job(each));
  return jobs;
}

void work_on(const Job& job, std::uint64_t first, std::uint64_t count, unsigned workers) {
  if (first >= job.runs) {
    throw InputError("{}: has runs 0 to {}, and no run {}", printable(job.directory.string()), job.runs - 1,
                     first);
  }
  const fs::path incoming = incoming_of(job);
  std::vector<JobRun> runs = read_runs(job, first, count);
  std::erase_if(runs, [&](const JobRun& run) { return fs::exists(incoming / (run.id() + ".json")); });
  WorkerPool pool(workers, job.limits);
  pool.run(
      runs.size(), [&](std::size_t i) { return dumped_line(do_run(job, runs[i])); },
      [&](std::size_t i, const JobEnd& end) {
        const std::string record = end.how == JobEnd::How::answered
                                       ? end.answer
                                       : dumped_line(record_of_end(runs[i].labels, end, job.limits));
        write_file(incoming / (runs[i].id() + ".json"), record, Existing::replace);
      });
}

Collected collect(const SweepDirectory& directory, Store& store) {
  Collected all;
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory.incoming(), none)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (std::size_t begin = 0; begin < files.size(); begin += kRecordsAtOnce) {
    const std::size_t end = std::min(files.size(), begin + kRecordsAtOnce);
    std::vector<RunRecord> records;
    for (std::size_t i = begin; i < end; ++i) {
      auto record = parse_json(file_text(files[i]));
      if (record && is_record(*record)) {
        records.push_back(std::move(*record));
      } else {
        const fs::path refused = files[i].string() + ".refused";
        fs::rename(files[i], refused, none);
        all.refused.push_back(
            fmt::format("{}: holds no result of a run, and is not taken", printable(refused.string())));
      }
    }
    store.put_all(records);
    // Only what is in the store is removed. If this process ends before, the next one puts the same rows
    // again.
    for (std::size_t i = begin; i < end; ++i) fs::remove(files[i], none);
    std::ranges::move(records, std::back_inserter(all.records));
  }
  return all;
}

void remove_jobs(const SweepDirectory& directory) {
  std::error_code ignored;
  fs::remove_all(directory.jobs(), ignored);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory.incoming(), ignored)) {
    if (entry.path().extension() != ".refused") files.push_back(entry.path());
  }
  for (const fs::path& file : files) fs::remove_all(file, ignored);
  fs::remove(directory.incoming(), ignored);  // unless refused files are there
}

Json sweep_page_data(const std::filesystem::path& directory) {
  const std::filesystem::path file = SweepDirectory::store_in(directory);
  if (!std::filesystem::exists(file)) {
    throw InputError(printable(directory.string()) + ": the sweep has no results yet");
  }
  const Store store(file, Store::Access::read);
  const SweptAxes swept = store.swept();
  const Table table = store.select(store.columns());

  // Columns without values, or of lists that are not swept, are left out.
  std::vector<std::size_t> shown;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const std::string& name = table.columns[column];
    const auto has_name = [&](const auto& axis) { return std::ranges::count(axis, name) > 0; };
    const bool is_swept = std::ranges::any_of(swept, has_name);
    const auto is_plain = [&](const auto& row) {
      return row[column].is_number() || row[column].is_boolean() ||
             (row[column].is_string() && !row[column].template get_ref<const std::string&>().empty());
    };
    if (is_swept || std::ranges::any_of(table.rows, is_plain)) shown.push_back(column);
  }
  const auto name_of = [&](std::size_t column) { return table.columns[column]; };
  const auto cells_of = [&](const auto& row) {
    return json_list(shown, [&](std::size_t column) {
      const Json& cell = row[column];
      return cell.is_structured() ? Json(cell.dump()) : cell;
    });
  };
  const Table first = store.query("SELECT config FROM runs WHERE number IS NOT NULL ORDER BY number LIMIT 1");
  const bool has_config = !first.rows.empty() && first.rows.front().front().is_string();
  return {{"kind", "sweep"},
          {"swept", swept},
          {"columns", json_list(shown, name_of)},
          {"rows", json_list(table.rows, cells_of)},
          {"config", has_config ? first.rows.front().front() : Json("")}};
}

}  // namespace flitscope
