// kill -9 of a sweep, or of any of its workers, at any event: at most the runs in flight are lost, nothing
// is corrupt, and --resume ends with the table of a sweep that nobody disturbed.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

TEST(KilledSweep, EndsWithTheSameTableWhenResumed) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sweep.yaml", kSweep);
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(run_program({"sweep", file, "--out", directory / "calm"}).exit_code, 0);
  const auto length = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - start);
  const Json calm = table_of(directory / "calm");
  ASSERT_EQ(calm.size(), 38U);

  const auto seed = std::random_device()();
  std::mt19937 random(seed);
  int unfinished = 0;
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
    const std::string out = directory / ("round-" + std::to_string(round));
    // Up to three kills one after the other, each of the sweep or of one of its workers.
    const auto kills = 1 + random() % 3;
    for (unsigned kill_number = 0; kill_number < kills; ++kill_number) {
      RunningProgram program({"sweep", file, "--out", out, "--resume"});
      std::this_thread::sleep_for(microseconds(random() % static_cast<unsigned>(length.count())));
      const auto workers = children_of(program.pid());
      if (random() % 3 > 0 || workers.empty()) {
        program.kill();
      } else {
        kill(workers[random() % workers.size()], SIGKILL);
      }
      static_cast<void>(program.wait());
      expect_whole(out);
      unfinished += fs::exists(out + "/results.csv") ? 0 : 1;
    }
    const Outcome last = run_program({"sweep", file, "--out", out, "--resume"});
    EXPECT_EQ(last.exit_code, 0) << last.err;
    EXPECT_EQ(table_of(out), calm);
    fs::remove_all(out);
  }
  // How many kills came before the end is a matter of chance, and of what else the machine does.
  RecordProperty("kills_before_the_end", unfinished);
}

TEST(KilledSweep, LosesNothingThatHasComeInFromElsewhere) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sweep.yaml", kSweep);
  ASSERT_EQ(run_program({"sweep", file, "--out", directory / "calm"}).exit_code, 0);
  const Json calm = table_of(directory / "calm");
  const std::string out = directory / "out";
  ASSERT_EQ(run_program({"sweep", file, "--out", out, "--launcher", "commands", "--quiet"}).exit_code, 0);

  std::mt19937 random(std::random_device{}());
  for (int round = 0; round < rounds(); ++round) {
    // Tasks that are killed while they work, and a sweep that is killed while it collects.
    RunningProgram task({"work", directory / "out/jobs/1", "--task", std::to_string(random() % calm.size())});
    std::this_thread::sleep_for(microseconds(random() % 20'000));
    task.kill();
    static_cast<void>(task.wait());
    RunningProgram collecting({"sweep", file, "--out", out, "--resume", "--launcher", "commands"});
    std::this_thread::sleep_for(microseconds(random() % 40'000));
    collecting.kill();
    static_cast<void>(collecting.wait());
    expect_whole(out);
  }
  ASSERT_EQ(run_program({"sweep", file, "--out", out, "--resume"}).exit_code, 0);
  EXPECT_EQ(table_of(out), calm);
}

}  // namespace
}  // namespace flitscope::test::sweep_kill_test
