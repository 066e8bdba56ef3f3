// Foreign or damaged files in a sweep's directory: an error, never changed, never trusted.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "model/version.h"
#include "tests/support/csv.h"
#include "tests/support/sweeps.h"

namespace flitscope::test::damage_test {
namespace {

namespace fs = std::filesystem;

/// A sweep of two runs that was run, with a name that looks like something else.
class Damage : public testing::Test {
 protected:
  void SetUp() override {
    file_ = directory_.write("sweep.yaml", sweep_text("  workload.message: [8, 16]\n"));
    ASSERT_EQ(run_program({"sweep", file_, "--out", out(), "--set", "name='true'"}).exit_code, 0);
  }
  std::string out() const { return directory_ / "out"; }
  std::string in_out(const std::string& name) const { return (fs::path(out()) / name).string(); }
  void change_store(const std::string& sql) const {
    SQLite::Database(in_out("results.sqlite"), SQLite::OPEN_READWRITE).exec(sql);
  }
  static void expect_refused(const Outcome& outcome, const std::string& text) {
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
  }

  TemporaryDirectory directory_;
  std::string file_;
};

TEST_F(Damage, TextLikeAnotherValue_StaysText) {
  for (const auto& row : rows_of(out())) {
    EXPECT_EQ(row.at("name"), "true");
    EXPECT_EQ(row.at("verified"), true);
  }
}

TEST_F(Damage, TextWithABracket_IsStoredAsItIs) {
  const std::string channel = rows_of(out()).at(0).at("critical_path.channel");
  ASSERT_TRUE(channel.starts_with('[')) << channel;
  const SQLite::Database store(in_out("results.sqlite"));
  SQLite::Statement stored(store, "SELECT \"critical_path.channel\" FROM runs WHERE number = 1");
  ASSERT_TRUE(stored.executeStep());
  EXPECT_EQ(stored.getColumn(0).getString(), channel);
}

TEST_F(Damage, TextInQuotesOfAnEarlierVersion_IsReadAndFound) {
  const auto before = rows_of(out());
  change_store("UPDATE runs SET \"critical_path.channel\" = json_quote(\"critical_path.channel\")");
  const std::string channel = before.at(0).at("critical_path.channel");
  EXPECT_EQ(rows_of(out()), before);
  EXPECT_EQ(rows_of(out(), {"--where", "critical_path.channel=" + channel}).at(0), before.at(0));
}

TEST_F(Damage, UnreadableAxes_AreAnError) {
  change_store("UPDATE sweep SET value = '{\"no'");
  expect_refused(run_program({"results", out()}),
                 "results.sqlite: is damaged: what was swept cannot be read");
}

TEST_F(Damage, CellWithBadUtf8OrDeepNesting_IsPrinted) {
  change_store("UPDATE runs SET name = CAST(x'ff41' AS TEXT) WHERE number = 1");
  change_store("UPDATE runs SET name = '" + std::string(100'000, '[') + "' WHERE number = 2");
  for (const char* const format : {"table", "csv", "json"}) {
    const Outcome outcome = run_program({"results", out(), "--columns", "name", "--format", format});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find('A'), std::string::npos);
  }
}

TEST_F(Damage, DatabaseOfAnotherProgram_IsUnchanged) {
  fs::remove(in_out("results.sqlite"));
  SQLite::Database(in_out("results.sqlite"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE recipes (name TEXT)");
  const std::string text = "results.sqlite: is no database of this flitscope";
  expect_refused(run_program({"results", out()}), text);
  expect_refused(run_program({"sweep", file_, "--out", out(), "--resume"}), text);
  SQLite::Database after(in_out("results.sqlite"));
  EXPECT_EQ(after.execAndGet("SELECT group_concat(name) FROM sqlite_master").getString(), "recipes");
}

TEST_F(Damage, DamagedDatabase_IsRefused) {
  const std::string whole = text_of(in_out("results.sqlite"));
  std::string other_word = whole;
  other_word.replace(other_word.find("CREATE TABLE"), 6, "CREAXE");
  std::string no_pages = whole;
  std::fill(no_pages.begin() + 4096, no_pages.end(), '\xa5');
  for (const std::string& text : {other_word, no_pages}) {
    std::ofstream(in_out("results.sqlite"), std::ios::binary) << text;
    for (const Arguments& words : {Arguments{"results", out()}, Arguments{"report", out()},
                                   Arguments{"sweep", file_, "--out", out(), "--resume"}}) {
      expect_refused(run_program(words), "results.sqlite: is damaged: ");
    }
  }
}

TEST_F(Damage, PartialFilesOfAKilledSweep_AreRemovedWhenItContinues) {
  // No process has so high a number.
  std::ofstream(in_out("results.csv.partial-999999999")) << "half";
  EXPECT_EQ(run_program({"sweep", file_, "--out", out(), "--resume", "--set", "name='true'"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(in_out("results.csv.partial-999999999")));
}

/// A process that was killed while it wrote leaves a journal. The next writer plays it back; a reader has to
/// see the table as it was before, and to change nothing.
TEST_F(Damage, KilledWriter_LeavesReadableRows) {
  const std::string before = run_program({"results", out(), "--format", "csv"}).out;
  const std::string left = directory_ / "left";
  fs::create_directories(left);
  {
    SQLite::Database writer(in_out("results.sqlite"), SQLite::OPEN_READWRITE);
    writer.exec("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN IMMEDIATE");
    writer.exec("UPDATE runs SET name = 'half', config = hex(zeroblob(100000))");
    for (const auto& entry : fs::directory_iterator(out())) {
      fs::copy_file(entry.path(), fs::path(left) / entry.path().filename());
    }
    writer.exec("ROLLBACK");
  }
  ASSERT_TRUE(fs::exists(fs::path(left) / "results.sqlite-journal"));
  EXPECT_EQ(run_program({"results", left, "--format", "csv"}).out, before);
  EXPECT_TRUE(fs::exists(fs::path(left) / "results.sqlite-journal"));
}

TEST_F(Damage, SweepWithoutRuns_IsAnError) {
  std::ofstream(in_out("results.sqlite"), std::ios::trunc).flush();
  expect_refused(run_program({"results", out()}), "results.sqlite: holds no runs yet");
}

TEST_F(Damage, IncomingFileWithoutResult_IsRefusedOnce) {
  fs::create_directories(in_out("incoming"));
  const std::vector<std::string> texts{"5",
                                       "[]",
                                       "{}",
                                       "{\"id\": 7}",
                                       "{\"id\": \"../../x\", \"status\": \"completed\"}",
                                       R"({"id": "0123456789ab", "status": "completed", "cyc\u0000les": 1})",
                                       R"({"id": "0123456789ab", "status": "completed", "": 1})",
                                       "not json",
                                       std::string(100'000, '[')};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::ofstream(in_out("incoming/" + std::to_string(i) + ".json")) << texts[i];
  }
  const std::string before = run_program({"results", out(), "--format", "csv"}).out;
  const Outcome outcome = run_program({"sweep", file_, "--out", out(), "--resume", "--set", "name='true'"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string name = "incoming/" + std::to_string(i) + ".json.refused: holds no result of a run";
    EXPECT_NE(outcome.err.find(name), std::string::npos) << outcome.err;
    const std::string file = in_out("incoming/" + std::to_string(i) + ".json.refused");
    EXPECT_EQ(fs::file_size(file), texts[i].size());  // also when the sweep is complete
  }
  EXPECT_EQ(run_program({"results", out(), "--format", "csv"}).out, before);
}

/// A job as write_job() makes it, for `flitscope work`.
class DamagedJob : public testing::Test {
 protected:
  std::string write(const std::string& job, const std::string& runs) const {
    fs::create_directories(directory_ / "jobs/1");
    (void)directory_.write("jobs/1/runs.jsonl", runs);
    (void)directory_.write("jobs/1/job.json", job);
    return directory_ / "jobs/1";
  }
  static std::string job(const std::string& runs_per_task) {
    return "{\"version\": \"" FLITSCOPE_VERSION "\", \"name\": \"x\", \"runs\": 1, \"runs_per_task\": " +
           runs_per_task + ", \"run_milliseconds\": 0, \"run_memory_bytes\": 0}";
  }
  void expect_refused(const std::string& job, const std::string& runs, const std::string& text) const {
    const Outcome outcome = run_program({"work", write(job, runs), "--task", "0"});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
  }

  TemporaryDirectory directory_;
};

TEST_F(DamagedJob, AnyDamage_IsRefused) {
  expect_refused(job("0"), "", "job.json: is no job: \"runs\" and \"runs_per_task\" must be at least 1");
  expect_refused("{", "", "job.json: is no job");
  expect_refused(job("1"), "{\n", "runs.jsonl:1: is no run of a job: not a JSON object");
  expect_refused(
      job("1"), R"({"labels": {"id": "../../x"}, "config": "", "schedule": ""})",
      "runs.jsonl:1: is no run of a job: \"labels\" must have an \"id\" of twelve hexadecimal digits");
  expect_refused(
      job("1"), R"({"labels": {"id": "0123456789ab-2"}, "config": "", "schedule": "../x"})",
      "runs.jsonl:1: is no run of a job: \"schedule\" must be the name of a file in its directory");
}

}  // namespace
}  // namespace flitscope::test::damage_test
