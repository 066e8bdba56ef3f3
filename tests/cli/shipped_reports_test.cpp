// Every shipped configuration has a report with its replay, on every network with the names that it declares.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/csv.h"
#include "tests/support/program.h"

namespace flitscope::test::shipped_reports_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Configurations in a folder of configs, by their names there.
std::vector<std::string> configurations(const std::string& folder) {
  const fs::path all = fs::path(shipped_config("quickstart.yaml")).parent_path();
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(all / folder)) {
    if (entry.path().extension() == ".yaml") names.push_back(fs::relative(entry.path(), all).string());
  }
  std::ranges::sort(names);
  return names;
}

/// The data of the page that `flitscope report` makes; null without D3.
Json data_of_report(const fs::path& directory) {
  const Outcome made = run_program({"report", directory.string()});
  if (made.err.find("node-d3") != std::string::npos) return nullptr;
  EXPECT_EQ(made.exit_code, 0) << directory << made.err;
  if (made.exit_code != 0) return nullptr;
  const std::string page = text_of(directory / "report.html");
  const std::string begin = "id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

/// The data of the report on the first cycles of a configuration.
Json first_cycles(const fs::path& run, const std::string& configuration, bool has_links) {
  Arguments words{
      "run", shipped_config(configuration), "--quiet", "--out", run.string(), "--set", "limits.cycles=60"};
  if (has_links) words.insert(words.end(), {"--set", "observe.trace=binary"});
  const int code = run_program(words).exit_code;
  EXPECT_TRUE(code == 0 || code == 3 || code == 5) << configuration << ": " << code;
  return data_of_report(run);
}

TEST(ShippedReports, EveryConfiguration_HasItsReplay) {
  const TemporaryDirectory directory;
  std::vector<std::string> all;
  for (const char* const folder : {"", "networks", "booksim", "protocol", "silicon"}) {
    for (const std::string& name : configurations(folder)) all.push_back(name);
  }
  ASSERT_GE(all.size(), 40U);
  for (const std::string& name : all) {
    const bool has_links = name != "latency-hiding.yaml";
    const fs::path run = directory / fs::path(name).stem().string();
    const Json data = first_cycles(run, name, has_links);
    if (data.is_null()) continue;
    EXPECT_EQ(data.at("result").at("version"), Json::parse(text_of(run / "result.json")).at("version"));
    if (!has_links) continue;
    EXPECT_TRUE(data.at("replay").is_object()) << name;
    EXPECT_EQ(data.at("network").at("links").at("from").size(),
              std::ranges::count(text_of(run / "channels.csv"), '\n') - 1)
        << name;
    fs::remove_all(run);
  }
}

TEST(ShippedReports, EverySweep_IsCompared) {
  const TemporaryDirectory directory;
  for (const std::string& name : configurations("sweeps")) {
    const fs::path sweep = directory / fs::path(name).stem().string();
    const Outcome made = run_program(
        {"sweep", shipped_config(name), "--quiet", "--out", sweep.string(), "--set", "limits.cycles=60"});
    EXPECT_TRUE(made.exit_code == 0 || made.exit_code == 5) << name << made.err;
    const Json data = data_of_report(sweep);
    EXPECT_TRUE(data.is_null() || data.at("kind") == "sweep") << name;
  }
}

/// Of each channel that flits take most, the cycles by cause add up.
TEST(RunWhy, EveryNetwork_ExplainsItsBusiestChannel) {
  const TemporaryDirectory directory;
  std::vector<std::string> all{"quickstart.yaml", "uniform-mesh-8x8.yaml"};
  std::ranges::copy(configurations("networks"), std::back_inserter(all));
  for (const std::string& name : all) {
    const Arguments words{"run", shipped_config(name), "--quiet", "--set", "limits.cycles=60", "--out"};
    const fs::path stem = directory / fs::path(name).stem().string();
    Arguments plain = words;
    plain.push_back(stem.string());
    static_cast<void>(run_program(plain));
    const Table channels = read_csv(stem / "channels.csv");
    const auto busiest =
        std::ranges::max_element(channels.rows, {}, [](const Row& row) { return row.number("flits"); });
    ASSERT_NE(busiest, channels.rows.end()) << name;
    Arguments explained = words;
    explained.insert(explained.end(), {stem.string() + "-why", "--why", busiest->text("channel")});
    const Outcome outcome = run_program(explained);
    EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 3 || outcome.exit_code == 5)
        << name << outcome.err;
    std::istringstream lines(outcome.out);
    std::string line;
    while (line.empty() && std::getline(lines, line)) {
    }
    const std::string begin = "channel " + busiest->text("channel") + " in the ";
    ASSERT_TRUE(line.starts_with(begin)) << name << ": " << outcome.out;
    std::int64_t left = std::stoll(line.substr(begin.size()));
    while (std::getline(lines, line) && line.find('%') != std::string::npos) left -= std::stoll(line);
    EXPECT_EQ(left, 0) << name << ": " << outcome.out;
  }
}

/// Whose links have delays of their own.
TEST(RunWhy, LinksWithDelays_AreExplained) {
  const TemporaryDirectory directory;
  const std::string link = "c0.0.n3.0>c1.0.n0.0";
  const Outcome outcome = run_program({"run", shipped_config("networks/chiplets.yaml"), "--quiet", "--out",
                                       (directory / "run").string(), "--why", link});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("channel " + link + " in the"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace flitscope::test::shipped_reports_test
