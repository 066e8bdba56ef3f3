#include "sim/claims/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/text.h"

namespace flitscope::claims {

namespace {

Entry measured(const Paper& paper, const Claim& claim, Extent extent) {
  try {
    Trial trial{extent};
    claim.measure(trial);
    return {&claim, judge(trial)};
  } catch (const std::exception& error) {
    throw std::runtime_error(
        fmt::format("the claim {} of {} cannot be measured: {}", claim.id, paper.name, error.what()));
  }
}

Table computed(const Paper& paper, const Figure& figure, Extent extent) {
  try {
    return {&figure, figure.rows(extent)};
  } catch (const std::exception& error) {
    throw std::runtime_error(
        fmt::format("the figure {} of {} cannot be computed: {}", figure.id, paper.name, error.what()));
  }
}

}  // namespace

Ledger measure(const Paper& paper, Extent extent, const Claim* only,
               const std::function<void(const Entry&)>& on_entry) {
  Ledger ledger{&paper, {}, {}};
  for (const Claim* const claim : paper.claims()) {
    if (only != nullptr && claim != only) continue;
    ledger.entries.push_back(measured(paper, *claim, extent));
    if (on_entry) on_entry(ledger.entries.back());
  }
  if (only != nullptr) return ledger;
  for (const Figures* const figures : paper.figures) {
    for (const Figure& figure : *figures) ledger.tables.push_back(computed(paper, figure, extent));
  }
  return ledger;
}

namespace {

using Json = nlohmann::ordered_json;

/// A row of a Markdown table. A bar within a cell would end it.
std::string row(const std::vector<std::string>& cells) {
  std::string text;
  for (const std::string& cell : cells) {
    text += "| ";
    for (const char letter : cell) text += letter == '|' ? std::string("\\|") : std::string(1, letter);
    text += ' ';
  }
  return text + "|\n";
}

/// The line between the head of a Markdown table and its rows.
std::string rule(std::size_t columns) {
  return row(std::vector<std::string>(columns, "---"));
}

std::string verdict_cell(const Finding& finding) {
  std::string text = fmt::format("**{}**", name_of(finding.verdict));
  if (!finding.repair.empty()) text += fmt::format(" ({})", finding.repair);
  if (!finding.counterexample.empty()) text += fmt::format(". As printed, {}", finding.counterexample);
  return text;
}

/// "23 claims of the paper: 15 hold, 6 hold after repair, 2 refuted; 1 of ours: 0 hold, 0 hold after repair,
/// 1 refuted"; nothing of a single claim.
std::string totals(std::span<const Entry> entries) {
  if (entries.size() < 2) return "";
  const auto count = [&](Origin origin, const auto& counts) {
    return std::ranges::count_if(entries, [&](const Entry& entry) {
      return entry.claim->origin == origin && counts(entry.finding.verdict);
    });
  };
  const auto verdicts = [&](Origin origin) {
    const auto of = [&](Verdict wanted) { return count(origin, [&](Verdict one) { return one == wanted; }); };
    return fmt::format("{} hold, {} hold after repair, {} refuted", of(Verdict::holds), of(Verdict::repaired),
                       of(Verdict::refuted));
  };
  const auto all = [&](Origin origin) { return count(origin, [](Verdict) { return true; }); };
  std::string text = fmt::format("{} claims of the paper: {}", all(Origin::paper), verdicts(Origin::paper));
  if (const auto own = all(Origin::ours); own > 0) {
    text += fmt::format("; {} of ours: {}", own, verdicts(Origin::ours));
  }
  return text;
}

/// A line for every row, columns one below the other.
std::string text_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (const std::string& column : table.figure->columns) widths.push_back(column.size());
  for (const auto& cells : table.rows) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text = fmt::format("{}: {}\n", table.figure->id, table.figure->caption);
  const auto add = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) text += fmt::format("  {:>{}}", cells[i], widths[i]);
    text += '\n';
  };
  add(table.figure->columns);
  for (const auto& cells : table.rows) add(cells);
  return text;
}

Json to_json(const Entry& entry) {
  const auto& [claim, finding] = entry;
  return {{"id", claim->id},
          {"origin", name_of(claim->origin)},
          {"place", claim->place},
          {"statement", claim->statement},
          {"criterion", claim->criterion},
          {"sizes", finding.sizes},
          {"measured", finding.measured},
          {"verdict", name_of(finding.verdict)},
          {"repair", finding.repair},
          {"counterexample", finding.counterexample}};
}

Json to_json(const Table& table) {
  return {{"id", table.figure->id},
          {"caption", table.figure->caption},
          {"columns", table.figure->columns},
          {"rows", table.rows}};
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  return std::array{"holds", "holds after repair", "refuted"}[static_cast<std::size_t>(verdict)];
}

std::string_view name_of(Origin origin) {
  return origin == Origin::paper ? "paper" : "ours";
}

std::string text_of(const Entry& entry) {
  const auto& [claim, finding] = entry;
  std::string text = fmt::format("{}  ({}; {}): {}\n", claim->id, name_of(claim->origin), claim->place,
                                 name_of(finding.verdict));
  const auto line = [&](const char* what, const std::string& said) {
    if (!said.empty()) text += fmt::format("  {:<11} {}\n", what, said);
  };
  line("says", claim->statement);
  line("criterion", claim->criterion);
  line("tried", finding.sizes);
  line("measured", finding.measured);
  line("repair", finding.repair);
  line("as printed", finding.counterexample);
  return text;
}

std::string text_after_claims(const Ledger& ledger) {
  std::string text = totals(ledger.entries);
  if (!text.empty()) text += '\n';
  for (const Table& table : ledger.tables) text += '\n' + text_of(table);
  return text;
}

std::string markdown(const Ledger& ledger) {
  std::string text =
      row({"Claim", "Origin", "Where", "What it says", "Criterion", "Tried", "Measured", "Verdict"}) +
      rule(8);
  for (const auto& [claim, finding] : ledger.entries) {
    text += row({fmt::format("`{}`", claim->id), std::string(name_of(claim->origin)), claim->place,
                 claim->statement, claim->criterion, finding.sizes, finding.measured, verdict_cell(finding)});
  }
  if (const std::string all = totals(ledger.entries); !all.empty()) text += fmt::format("\n{}.\n", all);
  for (const auto& [figure, rows] : ledger.tables) {
    text += fmt::format("\n{}\n\n", figure->caption) + row(figure->columns) + rule(figure->columns.size());
    for (const auto& each : rows) text += row(each);
  }
  return text;
}

std::string json(std::span<const Ledger> ledgers) {
  Json all = Json::array();
  for (const auto& [paper, entries, tables] : ledgers) {
    Json claims = Json::array();
    for (const Entry& entry : entries) claims.push_back(to_json(entry));
    all.push_back({{"paper", paper->name}, {"citation", paper->citation}, {"claims", std::move(claims)}});
    for (const Table& table : tables) all.back()["figures"].push_back(to_json(table));
  }
  return all.dump(2);
}

}  // namespace flitscope::claims
