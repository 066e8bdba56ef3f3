// A paper's claims measured, and how the outcome is printed.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/claims/claim.h"

namespace flitscope::claims {

/// One line of the ledger.
struct Entry {
  const Claim* claim = nullptr;
  Finding finding;
};

/// Measures all claims of a paper, in their order; calls on_entry, if given, after each.
/// Throws std::runtime_error, naming the claim, if a measurement fails.
[[nodiscard]] std::vector<Entry> measure(const Paper& paper, Extent extent,
                                         const std::function<void(const Entry&)>& on_entry = {});

/// A claim and its finding, a line each for what there is to say.
[[nodiscard]] std::string text_of(const Entry& entry);
/// "23 claims: 15 hold, 6 hold after repair, 2 refuted"
[[nodiscard]] std::string summary(const std::vector<Entry>& entries);
/// {"paper", "citation", "claims": [{"id", "place", "statement", "sizes", "measured", "verdict", "repair",
/// "counterexample"}, ...]}
[[nodiscard]] nlohmann::ordered_json to_json(const Paper& paper, const std::vector<Entry>& entries);
/// The table of the paper's page in the documentation.
[[nodiscard]] std::string markdown(const std::vector<Entry>& entries);

/// A figure with its rows.
struct Table {
  const Figure* figure = nullptr;
  std::vector<std::vector<std::string>> rows;
};

/// Computes all figures of a paper. Throws std::runtime_error, naming the figure, if one cannot be.
[[nodiscard]] std::vector<Table> measure_figures(const Paper& paper, Extent extent);
/// A line of text for every row, columns one below the other.
[[nodiscard]] std::string text_of(const Table& table);
[[nodiscard]] std::string markdown(const Table& table);
/// {"id", "caption", "columns", "rows"}
[[nodiscard]] nlohmann::ordered_json to_json(const Table& table);

}  // namespace flitscope::claims
