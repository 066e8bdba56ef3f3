#include "sim/claims/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "model/text.h"

namespace flitscope::claims {

namespace {

/// A cell of a Markdown table: a bar would end it.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '|') escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

std::string verdict_cell(const Finding& finding) {
  std::string text = fmt::format("**{}**", name_of(finding.verdict));
  if (!finding.repair.empty()) text += fmt::format(" ({})", finding.repair);
  if (!finding.counterexample.empty()) text += fmt::format(". As printed, {}", finding.counterexample);
  return text;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::repaired:
      return "holds after repair";
    case Verdict::refuted:
      return "refuted";
  }
  throw std::logic_error("no such verdict");
}

std::vector<Entry> measure(const Paper& paper, Extent extent,
                           const std::function<void(const Entry&)>& on_entry) {
  std::vector<Entry> entries;
  for (const Claim& claim : paper.claims) {
    try {
      entries.push_back({&claim, claim.measure(extent)});
    } catch (const std::exception& error) {
      throw std::runtime_error(
          fmt::format("the claim {} of {} cannot be measured: {}", claim.id, paper.name, error.what()));
    }
    if (on_entry) on_entry(entries.back());
  }
  return entries;
}

std::string text_of(const Entry& entry) {
  const Finding& finding = entry.finding;
  std::string text =
      fmt::format("{}  ({}): {}\n", entry.claim->id, entry.claim->place, name_of(finding.verdict));
  const auto line = [&](const char* what, const std::string& said) {
    if (!said.empty()) text += fmt::format("  {:<11} {}\n", what, said);
  };
  line("says", entry.claim->statement);
  line("tried", finding.sizes);
  line("measured", finding.measured);
  line("repair", finding.repair);
  line("as printed", finding.counterexample);
  return text;
}

std::string summary(const std::vector<Entry>& entries) {
  const auto count = [&](Verdict verdict) {
    return std::ranges::count(entries, verdict, [](const Entry& entry) { return entry.finding.verdict; });
  };
  return fmt::format("{} claims: {} hold, {} hold after repair, {} refuted", entries.size(),
                     count(Verdict::holds), count(Verdict::repaired), count(Verdict::refuted));
}

nlohmann::ordered_json to_json(const Paper& paper, const std::vector<Entry>& entries) {
  auto claims = nlohmann::ordered_json::array();
  for (const auto& [claim, finding] : entries) {
    claims.push_back({{"id", claim->id},
                      {"place", claim->place},
                      {"statement", claim->statement},
                      {"sizes", finding.sizes},
                      {"measured", finding.measured},
                      {"verdict", name_of(finding.verdict)},
                      {"repair", finding.repair},
                      {"counterexample", finding.counterexample}});
  }
  return {{"paper", paper.name}, {"citation", paper.citation}, {"claims", claims}};
}

std::string markdown(const std::vector<Entry>& entries) {
  std::string text =
      "| Claim | Where | What it says | Tried | Measured | Verdict |\n| --- | --- | --- | --- | --- | --- "
      "|\n";
  for (const auto& [claim, finding] : entries) {
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", claim->id, cell(claim->place),
                        cell(claim->statement), cell(finding.sizes), cell(finding.measured),
                        cell(verdict_cell(finding)));
  }
  return text + fmt::format("\n{}.\n", summary(entries));
}

}  // namespace flitscope::claims
