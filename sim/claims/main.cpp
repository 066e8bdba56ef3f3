// flitscope-claims: what papers say, what is measured, the verdict. `flitscope claims` starts it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "model/error.h"
#include "model/text.h"
#include "sim/app/claims_command.h"
#include "sim/app/guarded.h"
#include "sim/claims/ledger.h"

namespace flitscope::app {

namespace {

using claims::Claim;
using claims::Entry;
using claims::Extent;
using claims::Ledger;
using claims::Paper;
using claims::PaperRegistry;

/// Names of the members of a list.
template <typename List, typename Name>
std::vector<std::string> names_of(const List& list, Name name) {
  std::vector<std::string> names;
  for (const auto& each : list) names.push_back(std::invoke(name, each));
  return names;
}

/// All papers, or the one that is named, with the one claim that is named.
std::vector<Paper> papers(const Arguments& arguments) {
  if (!arguments.has("PAPER")) return {PaperRegistry::all().begin(), PaperRegistry::all().end()};
  const std::string name = arguments.text("PAPER");
  const Paper* const found = PaperRegistry::find(name);
  if (found == nullptr) {
    const auto names = names_of(PaperRegistry::all(), &Paper::name);
    throw InputError(fmt::format("flitscope claims: there is no paper {}{}; there are: {}", in_quotes(name),
                                 did_you_mean(name, names), fmt::join(names, ", ")));
  }
  Paper paper = *found;
  if (arguments.has("CLAIM")) {
    const std::string id = arguments.text("CLAIM");
    const auto claim = std::ranges::find(paper.claims, id, &Claim::id);
    if (claim == paper.claims.end()) {
      const auto ids = names_of(paper.claims, &Claim::id);
      throw InputError(fmt::format("flitscope claims: {} has no claim '{}'{}; it has: {}", name, id,
                                   did_you_mean(id, ids), fmt::join(ids, ", ")));
    }
    paper.claims = {*claim};
    paper.figures.clear();
  }
  return {std::move(paper)};
}

Exit run(const Arguments& arguments) {
  arguments.exclude("json", "markdown");
  const Extent extent = arguments.has("full") ? Extent::full : Extent::quick;
  const bool as_markdown = arguments.has("markdown");
  const bool as_text = !arguments.has("json") && !as_markdown;
  const std::vector<Paper> chosen = papers(arguments);
  std::vector<Ledger> ledgers;
  for (const Paper& paper : chosen) {
    if (as_text) print(fmt::format("{}: {}\n\n", paper.name, paper.citation));
    const Ledger& ledger = ledgers.emplace_back(claims::measure(paper, extent, [&](const Entry& entry) {
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
