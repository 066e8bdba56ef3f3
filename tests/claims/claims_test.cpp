// The ledger of claims: how verdicts come about, and that the documentation shows those of the program.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "sim/claims/evidence.h"
#include "sim/claims/measure.h"
#include "sim/claims/printer.h"
#include "tests/support/program.h"

namespace flitscope::test::claims_test {
namespace {

using claims::Cases;
using claims::Claim;
using claims::Extent;
using claims::Finding;
using claims::Paper;
using claims::PaperRegistry;
using claims::Verdict;
using Json = nlohmann::json;

TEST(Cases, KeepTheFirstFailureAndCountAll) {
  Cases cases;
  cases.equal("n = 3", "steps", 2, 2);
  cases.equal("n = 4", "steps", 2, 3);
  cases.at_most("n = 5", "steps", 2, 4);
  EXPECT_FALSE(cases.hold());
  EXPECT_EQ(cases.tried(), 3U);
  EXPECT_EQ(cases.failed(), 2U);
  EXPECT_EQ(cases.counterexample(), "n = 4: 3 steps, not 2");
}

TEST(Judge, HoldsWhatHoldsInAllCases) {
  Cases cases;
  cases.at_most("n = 3", "steps", 2, 2);
  const Finding finding = judge(cases, "n = 3", "2 steps");
  EXPECT_EQ(finding.verdict, Verdict::holds);
  EXPECT_EQ(finding.counterexample, "");
}

TEST(Judge, RefutesWithTheSmallestCounterexample) {
  Cases cases;
  cases.at_most("n = 3", "steps", 2, 3);
  cases.at_most("n = 4", "steps", 2, 4);
  const Finding finding = judge(cases, "n = 3, 4", "");
  EXPECT_EQ(finding.verdict, Verdict::refuted);
  EXPECT_EQ(finding.counterexample, "n = 3: 3 steps, more than 2");
}

TEST(Judge, ARepairThatHoldsSavesAClaim) {
  Cases printed;
  printed.add(false, "n = 3", "a conflict");
  Cases repaired;
  repaired.add(true, "n = 3", "");
  const Finding finding = judge(printed, repaired, "another order", "n = 3", "");
  EXPECT_EQ(finding.verdict, Verdict::repaired);
  EXPECT_EQ(finding.repair, "another order");
  EXPECT_EQ(finding.counterexample, "n = 3: a conflict");
}

TEST(Judge, ARepairThatFailsTooDoesNot) {
  Cases printed;
  printed.add(false, "n = 3", "a conflict");
  Cases repaired;
  repaired.add(false, "n = 5", "two conflicts");
  const Finding finding = judge(printed, repaired, "another order", "", "");
  EXPECT_EQ(finding.verdict, Verdict::refuted);
  EXPECT_EQ(finding.repair, "");
  EXPECT_EQ(finding.counterexample,
            "n = 3: a conflict; with the repair (another order) n = 5: two conflicts");
}

TEST(Judge, NeedsNoRepairForWhatHolds) {
  Cases printed;
  printed.add(true, "n = 3", "");
  const Finding finding = judge(printed, Cases(), "never used", "", "");
  EXPECT_EQ(finding.verdict, Verdict::holds);
  EXPECT_EQ(finding.repair, "");
}

TEST(Judge, GivesNoVerdictWithoutACase) {
  EXPECT_THROW((void)judge(Cases(), "", ""), std::logic_error);
  Cases failed;
  failed.add(false, "n = 3", "a conflict");
  EXPECT_THROW((void)judge(failed, Cases(), "untried", "", ""), std::logic_error);
}

TEST(Ranges, DrawRunsTogether) {
  const auto text = [](std::vector<std::uint64_t> numbers) { return claims::ranges(numbers); };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({7}), "7");
  EXPECT_EQ(text({3, 4}), "3, 4");
  EXPECT_EQ(text({3, 4, 5}), "3..5");
  EXPECT_EQ(text({3, 5, 7, 9}), "3, 5, .., 9");
  EXPECT_EQ(text({3, 4, 5, 6, 9, 25, 125}), "3..6, 9, 25, 125");
  EXPECT_EQ(text({4, 6, 8}), "4, 6, 8");
}

TEST(Measure, NamesTheClaimThatCannotBeMeasured) {
  const Paper paper{"a-paper", "", {{"broken", "", "", [](Extent) -> Finding {
                                       throw std::runtime_error("no such torus");
                                     }}}};
  try {
    (void)claims::measure(paper, Extent::quick);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "the claim broken of a-paper cannot be measured: no such torus");
  }
}

TEST(Measure, RunsOnFlitsAgainAndAgainInOneProcess) {
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

TEST(ClaimsCommand, RefusesAnUnknownPaperAndNamesThoseThereAre) {
  const Outcome outcome = run_program({"claims", "tsay-wong"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("there is no paper 'tsay-wong'; did you mean 'tsay-wang'?"), std::string::npos)
      << outcome.err;
}

TEST(Measure, TellsWhyARunIsNotVerified) {
  const auto config =
      claims::experiment(claims::equal_torus(5, 2), "{algorithm: tsay-wang-direct}", {"limits.cycles=3"});
  EXPECT_NE(claims::run_on_flits(config).objection, "");
  EXPECT_THROW((void)claims::verified_run(config, "a broadcast"), std::runtime_error);
}

TEST(Measure, CountsTheUnitsOfACompleteNetwork) {
  const auto run = claims::run_on_flits(
      claims::experiment("{kind: complete, nodes: 4}", "{algorithm: afsahi-b2, message: 8}",
                         {"node.ports=2", "circuits.reconfiguration=8", "node.startup=7"}));
  EXPECT_EQ(run.unit_cycles, 8U);
  EXPECT_EQ(run.max_latency, 8U);
}

TEST(ClaimsCommand, MeasuresOneClaim) {
  const Outcome outcome = run_program({"claims", "meyer-sibeyn", "table-1-situation-1", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json ledger = Json::parse(outcome.out);
  ASSERT_EQ(ledger.size(), 1U);
  ASSERT_EQ(ledger.at(0).at("claims").size(), 1U);
  EXPECT_EQ(ledger.at(0).at("claims").at(0).at("id"), "table-1-situation-1");
  EXPECT_FALSE(ledger.at(0).contains("figures"));
}

TEST(ClaimsCommand, RefusesAnUnknownClaimAndNamesThoseThereAre) {
  const Outcome outcome = run_program({"claims", "meyer-sibeyn", "theorem-8"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("meyer-sibeyn has no claim 'theorem-8'; did you mean 'theorem-"),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("it has: time-independence, rounds, "), std::string::npos) << outcome.err;
}

TEST(ClaimsCommand, PrintsOneFormat) {
  const Outcome outcome = run_program({"claims", "tsay-wang", "--json", "--markdown"});
  EXPECT_EQ(outcome.exit_code, 2);
}

/// Verdicts by claim, as the table in the documentation has them: first and last cell of a row.
std::map<std::string, std::string> documented(const std::string& paper) {
  static const std::regex row(R"(^\| `([^`]+)` \|.*\| \*\*([^*]+)\*\*[^|]*(?:\\\|[^|]*)*\|$)");
  std::ifstream page(std::string(FLITSCOPE_SOURCE_DIR) + "/docs/papers/" + paper + ".md");
  std::map<std::string, std::string> verdicts;
  std::string line;
  while (std::getline(page, line)) {
    std::smatch match;
    if (std::regex_match(line, match, row)) verdicts[match[1]] = match[2];
  }
  return verdicts;
}

class Ledger : public testing::TestWithParam<std::string> {};

TEST_P(Ledger, HasTheVerdictsOfTheDocumentation) {
  const Outcome outcome = run_program({"claims", GetParam(), "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::map<std::string, std::string> measured;
  const Json ledger = Json::parse(outcome.out);
  for (const Json& claim : ledger.at(0).at("claims")) {
    measured[claim.at("id")] = claim.at("verdict");
    EXPECT_NE(claim.at("sizes"), "") << claim.at("id");
    EXPECT_EQ(claim.at("verdict") == "holds", claim.at("counterexample") == "") << claim.at("id");
    EXPECT_EQ(claim.at("verdict") == "holds after repair", claim.at("repair") != "") << claim.at("id");
  }
  EXPECT_EQ(measured, documented(GetParam()));
}

TEST_P(Ledger, NamesEachClaimOnce) {
  std::vector<std::string> ids;
  for (const Claim& claim : PaperRegistry::find(GetParam())->claims) ids.push_back(claim.id);
  std::ranges::sort(ids);
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

std::vector<std::string> papers() {
  std::vector<std::string> names;
  for (const Paper& paper : PaperRegistry::all()) names.push_back(paper.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Papers, Ledger, testing::ValuesIn(papers()), [](const auto& instance) {
  std::string name = instance.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace flitscope::test::claims_test
