// flitscope-claims: what papers say, what is measured, the verdict. `flitscope claims` starts it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/error.h"
#include "model/text.h"
#include "sim/app/command.h"
#include "sim/claims/claim.h"

namespace flitscope::app {

namespace {

using claims::Claim;
using claims::Entry;
using claims::Extent;
using claims::Ledger;
using claims::Paper;
using claims::PaperRegistry;

/// All papers, or the one that is named.
std::vector<const Paper*> papers(const Arguments& arguments) {
  std::vector<const Paper*> chosen;
  for (const Paper& paper : PaperRegistry::all()) {
    if (!arguments.has("PAPER") || arguments.text("PAPER") == paper.name) chosen.push_back(&paper);
  }
  if (!chosen.empty()) return chosen;
  const std::string name = arguments.text("PAPER");
  const auto names = texts_of(PaperRegistry::all(), &Paper::name);
  throw InputError("flitscope claims: there is no paper {}{}; there are: {}", in_quotes(name),
                   did_you_mean(name, names), fmt::join(names, ", "));
}

/// The claim that is named, or nullptr.
const Claim* named_claim(const Arguments& arguments, const Paper& paper) {
  if (!arguments.has("CLAIM")) return nullptr;
  const std::string id = arguments.text("CLAIM");
  const auto claims = paper.claims();
  const auto claim = std::ranges::find(claims, id, &Claim::id);
  if (claim != claims.end()) return *claim;
  const auto ids = texts_of(claims, &Claim::id);
  throw InputError("flitscope claims: {} has no claim '{}'{}; it has: {}", paper.name, id,
                   did_you_mean(id, ids), fmt::join(ids, ", "));
}

Exit run(const Arguments& arguments) {
  arguments.exclude("json", "markdown");
  const Extent extent = arguments.has("full") ? Extent::full : Extent::quick;
  const bool as_markdown = arguments.has("markdown");
  const bool as_text = !arguments.has("json") && !as_markdown;
  std::vector<Ledger> ledgers;
  for (const Paper* const paper : papers(arguments)) {
    const Claim* const only = named_claim(arguments, *paper);
    if (as_text) print(fmt::format("{}: {}\n\n", paper->name, paper->citation));
    const Ledger& ledger =
        ledgers.emplace_back(claims::measure(*paper, extent, only, [&](const Entry& entry) {
          if (as_text) print(claims::text_of(entry) + "\n");
        }));
    if (as_text) print(claims::text_after_claims(ledger));
    if (as_markdown) print(claims::markdown(ledger));
  }
  if (arguments.has("json")) print(claims::json(ledgers) + "\n");
  return Exit::done;
}

Exit run_words(const Strings& words) {
  return perform(claims_command(run), words);
}

}  // namespace
}  // namespace flitscope::app

int main(int argc, char** argv) {
  return flitscope::app::guarded(flitscope::app::run_words, {argv + 1, argv + argc});
}
