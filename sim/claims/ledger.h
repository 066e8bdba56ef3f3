// The claims and figures of papers, measured and printed: as text, as the tables of a page of the
// documentation, as JSON.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/claims/claim.h"

namespace flitscope::claims {

/// One line of the ledger.
struct Entry {
  const Claim* claim = nullptr;
  Finding finding;
};

/// A figure with its rows.
struct Table {
  const Figure* figure = nullptr;
  Rows rows;
};

/// Measurements of a paper.
struct Ledger {
  const Paper* paper = nullptr;
  std::vector<Entry> entries;
  std::vector<Table> tables;
};

/// Measures all claims of a paper in their order, then its figures; or only the claim `only`, if it is given.
/// Calls on_entry, if given, after each claim. The ledger refers to `paper`. Throws std::runtime_error,
/// naming the claim or the figure, if a measurement fails.
[[nodiscard]] Ledger measure(const Paper& paper, Extent extent, const Claim* only = nullptr,
                             const std::function<void(const Entry&)>& on_entry = {});

/// "holds", "holds after repair", "refuted".
[[nodiscard]] std::string_view name_of(Verdict verdict);
/// "paper", "ours".
[[nodiscard]] std::string_view name_of(Origin origin);

/// A claim and its finding, a line each for what there is to say.
[[nodiscard]] std::string text_of(const Entry& entry);
/// Text behind the claims: counts of each verdict, the paper's apart from ours, and the
/// figures, columns one below the other. Of a single claim nothing.
[[nodiscard]] std::string text_after_claims(const Ledger& ledger);

/// The tables of a paper's page: claims, how many there are of each verdict, figures.
[[nodiscard]] std::string markdown(const Ledger& ledger);

/// [{"paper", "citation", "claims": [{"id", "origin", "place", "statement", "criterion", "sizes", "measured",
/// "verdict", "repair", "counterexample"}, ..], "figures": [{"id", "caption", "columns", "rows"}, ..]}, ..];
/// "figures" only where there are any.
[[nodiscard]] std::string json(std::span<const Ledger> ledgers);

}  // namespace flitscope::claims
