// kill -9 of a sweep, or of any of its workers, at any event: at most the runs in flight are lost, nothing
// is corrupt, and --resume ends with the table of an undisturbed sweep.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "tests/support/csv.h"
#include "tests/support/sweeps.h"

namespace flitscope::test::sweep_kill_test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;
using std::chrono::microseconds;

const std::string kSweep = sweep_text(
    "  workload.algorithm: [two-port-torus, binomial-torus]\n"
    "  workload.message: {from: 64, to: 32KiB, times: 2}\n"
    "  node.ports: [all, 1]\n"
    "  exclude: [{workload.algorithm: binomial-torus, node.ports: all, workload.message: {above: 8KiB}}]\n");

int rounds() {
  const char* const wanted = std::getenv("FLITSCOPE_KILL_ROUNDS");
  return wanted == nullptr ? 5 : std::atoi(wanted);
}

std::vector<pid_t> children_of(pid_t pid) {
  std::ifstream stream("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; stream >> child;) children.push_back(child);
  return children;
}

/// The process has not ended.
bool is_running(pid_t pid) {
  std::ifstream stream("/proc/" + std::to_string(pid) + "/stat");
  std::string number;
  std::string name;
  char state = 'Z';
  stream >> number >> name >> state;
  return state != 'Z';
}

/// Rows in the table of a sweep that may be at work.
int rows_in(const std::string& directory) {
  const fs::path file = directory + "/results.sqlite";
  if (!fs::exists(file)) return 0;
  try {
    SQLite::Database database(file.string(), SQLite::OPEN_READONLY, 10'000);
    return database.tableExists("runs") ? database.execAndGet("SELECT count(*) FROM runs").getInt() : 0;
  } catch (const SQLite::Exception&) {
    return 0;  // it is just being made
  }
}

std::size_t files_in(const fs::path& directory) {
  std::error_code none;
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory, none), {}));
}

/// Waits until `progress` is seen or the program has ended.
template <typename Progress>
void wait_for(const Progress& progress, const RunningProgram& program) {
  while (!progress() && is_running(program.pid())) std::this_thread::sleep_for(microseconds(500));
}

/// Another one each time, unless FLITSCOPE_KILL_SEED says which.
unsigned seed() {
  const char* const wanted = std::getenv("FLITSCOPE_KILL_SEED");
  return wanted == nullptr ? std::random_device()()
                           : static_cast<unsigned>(std::strtoul(wanted, nullptr, 10));
}

void expect_whole(const std::string& directory) {
  const fs::path file = directory + "/results.sqlite";
  if (!fs::exists(file)) return;
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE, 10'000);
  EXPECT_EQ(database.execAndGet("PRAGMA integrity_check").getString(), "ok");
  if (!database.tableExists("runs")) return;
  // A row is there with all it has or not at all.
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM runs WHERE status IS NULL OR version IS NULL").getInt(),
            0);
}

/// The table without what the machine and the day have to do with.
Json table_of(const std::string& directory) {
  Json rows = measured_rows_of(directory);
  EXPECT_EQ(read_csv(directory + "/results.csv").rows.size(), rows.size());
  return rows;
}

TEST(KilledSweep, ResumeAfterKill_EndsWithTheSameTable) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sweep.yaml", kSweep);
  ASSERT_EQ(run_program({"sweep", file, "--out", directory / "calm"}).exit_code, 0);
  const Json calm = table_of(directory / "calm");
  ASSERT_EQ(calm.size(), 38U);

  const unsigned chosen = seed();
  std::mt19937 random(chosen);
  int landed = 0;
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE("FLITSCOPE_KILL_SEED=" + std::to_string(chosen) + ", round " + std::to_string(round));
    const std::string out = directory / ("round-" + std::to_string(round));
    // Up to three kills one after the other, each of the sweep or of one of its workers, when some more rows
    // are there. The last rows are left, so that there is something to kill.
    const auto kills = 1 + random() % 3;
    for (unsigned kill_number = 0; kill_number < kills; ++kill_number) {
      const int enough = rows_in(out) + static_cast<int>(random() % 10);
      if (enough > 30) break;
      RunningProgram program({"sweep", file, "--out", out, "--resume"});
      wait_for([&] { return rows_in(out) >= enough && fs::exists(out + "/results.sqlite"); }, program);
      const auto workers = children_of(program.pid());
      const bool one_worker = random() % 3 == 0 && !workers.empty();
      const bool hit_worker = one_worker && kill(workers[random() % workers.size()], SIGKILL) == 0;
      if (!one_worker) program.kill();
      const bool hit_sweep = program.wait().signal == SIGKILL;
      expect_whole(out);
      landed += hit_worker || hit_sweep ? 1 : 0;
    }
    const Outcome last = run_program({"sweep", file, "--out", out, "--resume"});
    EXPECT_EQ(last.exit_code, 0) << last.err;
    EXPECT_EQ(table_of(out), calm);
    fs::remove_all(out);
  }
  EXPECT_GE(landed, rounds()) << "kills came too late to disturb anything; FLITSCOPE_KILL_SEED=" << chosen;
}

TEST(KilledSweep, ResumeAfterKill_LosesNoIncomingResult) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sweep.yaml", kSweep);
  ASSERT_EQ(run_program({"sweep", file, "--out", directory / "calm"}).exit_code, 0);
  const Json calm = table_of(directory / "calm");
  const std::string out = directory / "out";
  ASSERT_EQ(run_program({"sweep", file, "--out", out, "--launcher", "commands", "--quiet"}).exit_code, 0);

  const unsigned chosen = seed();
  std::mt19937 random(chosen);
  const auto work = [&](std::size_t task) {
    return Arguments{"work", directory / "out/jobs/1", "--task", std::to_string(task)};
  };
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE("FLITSCOPE_KILL_SEED=" + std::to_string(chosen) + ", round " + std::to_string(round));
    // Something comes in, a task is killed while it works, and a sweep while it collects.
    ASSERT_EQ(run_program(work(static_cast<std::size_t>(round) % calm.size())).exit_code, 0);
    RunningProgram task(work((static_cast<std::size_t>(rounds()) + random() % 10) % calm.size()));
    wait_for([&] { return !children_of(task.pid()).empty(); }, task);
    task.kill();
    static_cast<void>(task.wait());
    const std::size_t there = files_in(directory / "out/incoming");
    EXPECT_GE(there, 1U);
    RunningProgram collecting({"sweep", file, "--out", out, "--resume", "--launcher", "commands"});
    wait_for([&] { return files_in(directory / "out/incoming") < there; }, collecting);
    collecting.kill();
    static_cast<void>(collecting.wait());
    EXPECT_GE(rows_in(out), 1);
    expect_whole(out);
  }
  ASSERT_EQ(run_program({"sweep", file, "--out", out, "--resume"}).exit_code, 0);
  EXPECT_EQ(table_of(out), calm);
}

}  // namespace
}  // namespace flitscope::test::sweep_kill_test
