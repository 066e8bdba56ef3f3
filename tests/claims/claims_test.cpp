// The ledger of claims: how verdicts come about, and that the documentation shows those of the program.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <span>
#include <sstream>

#include "sim/claims/claim.h"
#include "sim/claims/measure.h"
#include "tests/support/program.h"

namespace flitscope::test::claims_test {
namespace {

using claims::Cases;
using claims::Claim;
using claims::Extent;
using claims::Finding;
using claims::Ledger;
using claims::Origin;
using claims::Paper;
using claims::PaperRegistry;
using claims::Trial;
using claims::Verdict;
using Json = nlohmann::json;

TEST(Cases, SeveralCases_KeepTheFirstFailureAndCountAll) {
  Cases cases;
  cases.equal("n = 3", "steps", 2, 2);
  cases.equal("n = 4", "steps", 2, 3);
  cases.at_most("n = 5", "steps", 2, 4);
  EXPECT_FALSE(cases.hold());
  EXPECT_EQ(cases.tried(), 3U);
  EXPECT_EQ(cases.failed(), 2U);
  EXPECT_EQ(cases.counterexample(), "n = 4: 3 steps, not 2");
}

TEST(Judge, AllCasesHold_Holds) {
  Trial trial;
  trial.printed.at_most("n = 3", "steps", 2, 2);
  trial.sizes = "n = 3";
  trial.measured = "2 steps";
  const Finding finding = judge(trial);
  EXPECT_EQ(finding.verdict, Verdict::holds);
  EXPECT_EQ(finding.sizes, "n = 3");
  EXPECT_EQ(finding.measured, "2 steps");
  EXPECT_EQ(finding.counterexample, "");
}

TEST(Judge, FailedCase_RefutesWithTheSmallestCounterexample) {
  Trial trial;
  trial.printed.at_most("n = 3", "steps", 2, 3);
  trial.printed.at_most("n = 4", "steps", 2, 4);
  const Finding finding = judge(trial);
  EXPECT_EQ(finding.verdict, Verdict::refuted);
  EXPECT_EQ(finding.counterexample, "n = 3: 3 steps, more than 2");
}

TEST(Judge, RepairedCasesHold_HoldsAfterRepair) {
  Trial trial;
  trial.printed.add(false, "n = 3", "a conflict");
  trial.repaired.add(true, "n = 3", "");
  trial.repair = "another order";
  const Finding finding = judge(trial);
  EXPECT_EQ(finding.verdict, Verdict::repaired);
  EXPECT_EQ(finding.repair, "another order");
  EXPECT_EQ(finding.counterexample, "n = 3: a conflict");
}

TEST(Judge, RepairedCaseFails_Refutes) {
  Trial trial;
  trial.printed.add(false, "n = 3", "a conflict");
  trial.repaired.add(false, "n = 5", "two conflicts");
  trial.repair = "another order";
  const Finding finding = judge(trial);
  EXPECT_EQ(finding.verdict, Verdict::refuted);
  EXPECT_EQ(finding.repair, "");
  EXPECT_EQ(finding.counterexample,
            "n = 3: a conflict; with the repair (another order) n = 5: two conflicts");
}

TEST(Judge, PrintedCasesHold_RepairIsNotUsed) {
  Trial trial;
  trial.printed.add(true, "n = 3", "");
  trial.repair = "never used";
  const Finding finding = judge(trial);
  EXPECT_EQ(finding.verdict, Verdict::holds);
  EXPECT_EQ(finding.repair, "");
}

TEST(Judge, NoCase_Throws) {
  EXPECT_THROW((void)judge(Trial()), std::logic_error);
  Trial failed;
  failed.printed.add(false, "n = 3", "a conflict");
  failed.repair = "untried";
  EXPECT_THROW((void)judge(failed), std::logic_error);
}

TEST(Trial, Sizes_AreNamedAndGoneThrough) {
  Trial trial;
  std::vector<int> seen;
  for (const int n : trial.over(claims::Sizes<int>{{3, 4}, "n = 3, 4"}, "; all h")) seen.push_back(n);
  EXPECT_EQ(seen, (std::vector{3, 4}));
  EXPECT_EQ(trial.sizes, "n = 3, 4; all h");
}

TEST(Trial, CasesOfBothKinds_AreCountedApart) {
  Trial trial;
  trial.equal("n = 3", "steps", 4, 5, 5);
  trial.at_most("n = 3", "steps", 4, 5, 5);
  trial.add(false, "n = 4", "a conflict", false);
  trial.add(true, "n = 5", "", true);
  EXPECT_EQ(trial.printed.share_held(), "1 of 4");
  EXPECT_EQ(trial.repaired.share_held(), "3 of 3");
  EXPECT_EQ(trial.printed.counterexample(), "n = 3: 5 steps, not 4");
}

TEST(Trial, NotesAndCount_ArePartOfTheText) {
  Trial trial;
  EXPECT_EQ(claims::with_counts("{seen}", trial), "none");
  trial.note("{} at {}", 3, "n = 3");
  trial.note("{} at {}", 4, "n = 4");
  ++trial.count;
  EXPECT_EQ(claims::with_counts("{seen}; {count} of {tried}", trial), "3 at n = 3, 4 at n = 4; 1 of 0");
}

TEST(Ranges, Runs_AreJoined) {
  const auto text = [](std::vector<std::uint64_t> numbers) { return claims::ranges(numbers); };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({7}), "7");
  EXPECT_EQ(text({3, 4}), "3, 4");
  EXPECT_EQ(text({3, 4, 5}), "3..5");
  EXPECT_EQ(text({3, 5, 7, 9}), "3, 5, .., 9");
  EXPECT_EQ(text({3, 4, 5, 6, 9, 25, 125}), "3..6, 9, 25, 125");
  EXPECT_EQ(text({4, 6, 8}), "4, 6, 8");
}

TEST(Measure, FailedMeasurement_IsReportedWithItsClaim) {
  const claims::Claims claims{
      {"broken", "", "", "", [](Trial&) { throw std::runtime_error("no such torus"); }}};
  const Paper paper{"a-paper", "", {&claims}};
  try {
    (void)claims::measure(paper, Extent::quick);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "the claim broken of a-paper cannot be measured: no such torus");
  }
}

TEST(Measure, TwoRunsInOneProcess_AreEqual) {
  const auto config =
      claims::experiment(claims::equal_torus(5, 2), "{algorithm: tsay-wang-direct, message: 80}");
  const auto first = claims::run_on_flits(config);
  const auto again = claims::run_on_flits(config);
  EXPECT_EQ(first.objection, "");
  EXPECT_GT(first.cycles, 0U);
  EXPECT_EQ(first.cycles, again.cycles);
  EXPECT_EQ(first.step_cycles, again.step_cycles);
  EXPECT_EQ(first.total_stalls(), 0U);
}

TEST(ClaimsCommand, UnknownPaper_IsRefusedWithTheKnownOnes) {
  const Outcome outcome = run_program({"claims", "tsay-wong"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("there is no paper 'tsay-wong'; did you mean 'tsay-wang'?"), std::string::npos)
      << outcome.err;
}

TEST(Measure, UnverifiedRun_HasItsReason) {
  const auto config =
      claims::experiment(claims::equal_torus(5, 2), "{algorithm: tsay-wang-direct}", {"limits.cycles=3"});
  EXPECT_NE(claims::run_on_flits(config).objection, "");
  EXPECT_THROW((void)claims::verified_run(config, "a broadcast"), std::runtime_error);
}

TEST(Measure, CompleteNetwork_CountsUnits) {
  const auto run = claims::run_on_flits(
      claims::experiment("{kind: complete, nodes: 4}", "{algorithm: afsahi-b2, message: 8}",
                         {"node.ports=2", "circuits.reconfiguration=8", "node.startup=7"}));
  EXPECT_EQ(run.unit_cycles, 8U);
  EXPECT_EQ(run.max_latency, 8U);
}

TEST(ClaimsCommand, OneClaim_IsMeasuredAlone) {
  const Outcome outcome = run_program({"claims", "meyer-sibeyn", "table-1-situation-1", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json ledger = Json::parse(outcome.out);
  ASSERT_EQ(ledger.size(), 1U);
  ASSERT_EQ(ledger.at(0).at("claims").size(), 1U);
  EXPECT_EQ(ledger.at(0).at("claims").at(0).at("id"), "table-1-situation-1");
  EXPECT_FALSE(ledger.at(0).contains("figures"));
}

TEST(ClaimsCommand, UnknownClaim_IsRefusedWithTheKnownOnes) {
  const Outcome outcome = run_program({"claims", "meyer-sibeyn", "theorem-8"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("meyer-sibeyn has no claim 'theorem-8'; did you mean 'theorem-"),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("it has: time-independence, rounds, "), std::string::npos) << outcome.err;
}

/// A copy of flitscope that is not beside the flitscope-claims of the build, run with these words.
Outcome run_copy(const TemporaryDirectory& directory, const std::string& words) {
  const auto copy = directory / "bin/flitscope";
  std::filesystem::create_directories(copy.parent_path());
  std::filesystem::copy_file(FLITSCOPE_PROGRAM, copy);
  const std::string command = copy.string() + " " + words + " >" + (directory / "out").string() + " 2>" +
                              (directory / "err").string();
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), 0, text_of(directory / "out"), text_of(directory / "err")};
}

TEST(ClaimsCommand, ClaimsProgramMissing_IsRefusedWithTheCommandThatBuildsIt) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_copy(directory, "claims tsay-wang");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("cmake --build build/release --target flitscope-claims"), std::string::npos)
      << outcome.err;
}

TEST(ClaimsCommand, InstalledClaimsProgram_IsStartedWithTheSameWordsAndItsExitCodeReturned) {
  const TemporaryDirectory directory;
  const auto libexec = directory / "libexec/flitscope";
  std::filesystem::create_directories(libexec);
  std::ofstream(libexec / "flitscope-claims") << "#!/bin/sh\necho \"$@\"\nexit 6\n";
  std::filesystem::permissions(libexec / "flitscope-claims", std::filesystem::perms::owner_all);
  const Outcome outcome = run_copy(directory, "claims seidel --json");
  EXPECT_EQ(outcome.exit_code, 6) << outcome.err;
  EXPECT_EQ(outcome.out, "seidel --json\n");
}

TEST(ClaimsCommand, TwoFormats_AreRefused) {
  const Outcome outcome = run_program({"claims", "tsay-wang", "--json", "--markdown"});
  EXPECT_EQ(outcome.exit_code, 2);
}

/// A ledger of two claims, one of them ours, and a figure.
struct Example {
  claims::Claims claims{{"bound", "Lemma 1", "At most n steps.", "at most", {}},
                        {"odd", "not in the paper", "Also a | b.", "equal", {}, Origin::ours}};
  claims::Figures figures{{"times", "Cycles by n", {"n", "cycles"}, {}}};
  Paper paper{"a-paper", "A. Author: On Tori", {&claims}, {&figures}};
  Ledger ledger{&paper,
                {{&claims[0], {Verdict::holds, "n = 3", "2 steps", "", ""}},
                 {&claims[1], {Verdict::refuted, "n = 4", "a|b", "", "n = 4: 5, not 4"}}},
                {{&figures[0], {{"3", "17"}}}}};
};

TEST(Printer, Text_HasCriterionAndOrigin) {
  const Example example;
  EXPECT_EQ(claims::text_of(example.ledger.entries[1]),
            "odd  (ours; not in the paper): refuted\n"
            "  says        Also a | b.\n"
            "  criterion   equal\n"
            "  tried       n = 4\n"
            "  measured    a|b\n"
            "  as printed  n = 4: 5, not 4\n");
}

TEST(Printer, OwnClaims_AreCountedApart) {
  const Example example;
  EXPECT_EQ(claims::text_after_claims(example.ledger),
            "1 claims of the paper: 1 hold, 0 hold after repair, 0 refuted; 1 of ours: 0 hold, 0 hold after "
            "repair, 1 refuted\n"
            "\ntimes: Cycles by n\n  n  cycles\n  3      17\n");
}

TEST(Printer, Markdown_HasTheTablesOfAPage) {
  const Example example;
  EXPECT_EQ(
      claims::markdown(example.ledger),
      "| Claim | Origin | Where | What it says | Criterion | Tried | Measured | Verdict |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n"
      "| `bound` | paper | Lemma 1 | At most n steps. | at most | n = 3 | 2 steps | **holds** |\n"
      "| `odd` | ours | not in the paper | Also a \\| b. | equal | n = 4 | a\\|b | **refuted**. As printed, "
      "n = 4: 5, not 4 |\n"
      "\n1 claims of the paper: 1 hold, 0 hold after repair, 0 refuted; 1 of ours: 0 hold, 0 hold after "
      "repair, 1 refuted.\n"
      "\nCycles by n\n\n| n | cycles |\n| --- | --- |\n| 3 | 17 |\n");
}

TEST(Printer, Json_HasClaimsAndFigures) {
  const Example example;
  const Json json = Json::parse(claims::json(std::span(&example.ledger, 1)));
  const Json& odd = json.at(0).at("claims").at(1);
  EXPECT_EQ(odd.at("origin"), "ours");
  EXPECT_EQ(odd.at("criterion"), "equal");
  EXPECT_EQ(odd.at("counterexample"), "n = 4: 5, not 4");
  EXPECT_EQ(json.at(0).at("figures").at(0).at("rows").at(0).at(1), "17");
}

/// What the program measures of the selection of sizes, as it is on record.
Json record_of(const std::string& paper) {
  std::ifstream file(std::string(FLITSCOPE_SOURCE_DIR) + "/tests/claims/quick/" + paper + ".json");
  return Json::parse(file).at(0);
}

/// The lines of text on claims: rows of the table, split into cells, and the line with the totals.
struct Documented {
  std::vector<std::vector<std::string>> rows;
  std::string totals;
};

Documented documented(std::istream& text) {
  static const std::regex bar(R"( \| )");  // one that is escaped has no blank before it
  static const std::regex totals(R"(^\d+ claims of the paper: .*\.$)");
  Documented documented;
  bool among_claims = false;  // pages have other tables, too
  for (std::string line; std::getline(text, line);) {
    if (std::regex_match(line, totals)) documented.totals = line;
    among_claims = line.starts_with("| Claim |") || (among_claims && line.starts_with("|"));
    if (!among_claims || !line.starts_with("| `")) continue;
    const std::string inner = line.substr(2, line.size() - 4);
    documented.rows.emplace_back(std::sregex_token_iterator(inner.begin(), inner.end(), bar, -1),
                                 std::sregex_token_iterator());
  }
  return documented;
}

/// The record as the program would print it for a page.
Documented printed(const std::string& name) {
  const Paper& paper = *PaperRegistry::find(name);
  Ledger ledger{&paper, {}, {}};
  const Json record = record_of(name);
  const auto claims = paper.claims();
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Json& claim = record.at("claims").at(i);
    const auto text = [&](const char* key) { return claim.at(key).get<std::string>(); };
    Finding finding{Verdict::holds, text("sizes"), text("measured"), text("repair"), text("counterexample")};
    for (const Verdict verdict : {Verdict::repaired, Verdict::refuted}) {
      if (text("verdict") == name_of(verdict)) finding.verdict = verdict;
    }
    ledger.entries.push_back({claims[i], std::move(finding)});
  }
  std::istringstream markdown(flitscope::claims::markdown(ledger));
  return documented(markdown);
}

class LedgerOf : public testing::TestWithParam<std::string> {};

/// The selection of sizes gives what it gave: every word and every number of every claim and figure.
TEST_P(LedgerOf, QuickSizes_AreOnRecord) {
  const Outcome outcome = run_program({"claims", GetParam(), "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json ledger = Json::parse(outcome.out).at(0);
  const Json record = record_of(GetParam());
  const std::string renewal =
      "if it is right, renew the record: scripts/update_claims.sh --quick " + GetParam();
  ASSERT_EQ(ledger.at("claims").size(), record.at("claims").size()) << renewal;
  for (std::size_t i = 0; i < record.at("claims").size(); ++i) {
    EXPECT_EQ(ledger.at("claims").at(i), record.at("claims").at(i)) << renewal;
  }
  EXPECT_EQ(ledger.value("figures", Json()), record.value("figures", Json())) << renewal;
  for (const Json& claim : ledger.at("claims")) {
    EXPECT_NE(claim.at("sizes"), "") << claim.at("id");
    EXPECT_NE(claim.at("criterion"), "") << claim.at("id");
    EXPECT_EQ(claim.at("verdict") == "holds", claim.at("counterexample") == "") << claim.at("id");
    EXPECT_EQ(claim.at("verdict") == "holds after repair", claim.at("repair") != "") << claim.at("id");
  }
}

/// The page shows the same claims by the same criteria, with the same verdicts; and the same measurements
/// wherever it says that the same sizes were tried. What it has of the whole ranges only they can confirm:
/// scripts/update_claims.sh --check.
TEST_P(LedgerOf, Documentation_HasTheSameVerdicts) {
  enum Column : std::uint8_t { id, origin, place, statement, criterion, sizes, measured, verdict, columns };
  std::ifstream file(std::string(FLITSCOPE_SOURCE_DIR) + "/docs/papers/" + GetParam() + ".md");
  const Documented page = documented(file);
  const Documented ours = printed(GetParam());
  ASSERT_EQ(page.rows.size(), ours.rows.size());
  for (std::size_t i = 0; i < page.rows.size(); ++i) {
    ASSERT_EQ(page.rows[i].size(), columns) << page.rows[i][id];
    for (const Column column : {id, origin, place, statement, criterion}) {
      EXPECT_EQ(page.rows[i][column], ours.rows[i][column]) << page.rows[i][id];
    }
    const auto name = [](const std::string& cell) { return cell.substr(0, cell.find("**", 2)); };
    EXPECT_EQ(name(page.rows[i][verdict]), name(ours.rows[i][verdict])) << page.rows[i][id];
    if (page.rows[i][sizes] != ours.rows[i][sizes]) continue;
    EXPECT_EQ(page.rows[i][measured], ours.rows[i][measured]) << page.rows[i][id];
    EXPECT_EQ(page.rows[i][verdict], ours.rows[i][verdict]) << page.rows[i][id];
  }
  EXPECT_EQ(page.totals, ours.totals);
}

TEST_P(LedgerOf, ClaimIds_AreUnique) {
  std::vector<std::string> ids;
  for (const Claim* const claim : PaperRegistry::find(GetParam())->claims()) ids.push_back(claim->id);
  std::ranges::sort(ids);
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

std::vector<std::string> papers() {
  std::vector<std::string> names;
  for (const Paper& paper : PaperRegistry::all()) names.push_back(paper.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Papers, LedgerOf, testing::ValuesIn(papers()), [](const auto& instance) {
  std::string name = instance.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace flitscope::test::claims_test
