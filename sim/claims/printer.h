// How a ledger is printed: as text, as the tables of a page of the documentation, as JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/claims/ledger.h"

namespace flitscope::claims {

/// "holds", "holds after repair", "refuted".
[[nodiscard]] std::string_view name_of(Verdict verdict);
/// "paper", "ours".
[[nodiscard]] std::string_view name_of(Origin origin);

/// A claim and its finding, a line each for what there is to say.
[[nodiscard]] std::string text_of(const Entry& entry);
/// What follows on the claims: how many there are of each verdict, the paper's apart from ours, and the
/// figures, columns one below the other. Of a single claim nothing.
[[nodiscard]] std::string text_after_claims(const Ledger& ledger);

/// The tables of a paper's page: claims, how many there are of each verdict, figures.
[[nodiscard]] std::string markdown(const Ledger& ledger);

/// [{"paper", "citation", "claims": [{"id", "origin", "place", "statement", "criterion", "sizes", "measured",
/// "verdict", "repair", "counterexample"}, ..], "figures": [{"id", "caption", "columns", "rows"}, ..]}, ..];
/// "figures" only where there are any.
[[nodiscard]] std::string json(std::span<const Ledger> ledgers);

}  // namespace flitscope::claims
