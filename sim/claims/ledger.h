// The claims and figures of papers, measured.
#pragma once

#include <functional>
#include <string>
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
  std::vector<std::vector<std::string>> rows;
};

/// What was measured of a paper.
struct Ledger {
  const Paper* paper = nullptr;
  std::vector<Entry> entries;
  std::vector<Table> tables;
};

/// Measures all claims of a paper in their order, then its figures; calls on_entry, if given, after each
/// claim. The ledger refers to `paper`. Throws std::runtime_error, naming the claim or the figure, if a
/// measurement fails.
[[nodiscard]] Ledger measure(const Paper& paper, Extent extent,
                             const std::function<void(const Entry&)>& on_entry = {});

}  // namespace flitscope::claims
