#include "sim/claims/ledger.h"

#include <fmt/format.h>

#include <stdexcept>

namespace flitscope::claims {

namespace {

Entry measured(const Paper& paper, const Claim& claim, Extent extent) {
  try {
    return {&claim, claim.measure(extent)};
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

Ledger measure(const Paper& paper, Extent extent, const std::function<void(const Entry&)>& on_entry) {
  Ledger ledger{&paper, {}, {}};
  for (const Claim& claim : paper.claims) {
    ledger.entries.push_back(measured(paper, claim, extent));
    if (on_entry) on_entry(ledger.entries.back());
  }
  for (const Figure& figure : paper.figures) ledger.tables.push_back(computed(paper, figure, extent));
  return ledger;
}

}  // namespace flitscope::claims
