// flitscope claims: what papers say, what we measure, the verdict.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/error.h"
#include "model/text.h"
#include "sim/app/command.h"
#include "sim/claims/ledger.h"

namespace flitscope::app::claims_command {

namespace options = boost::program_options;

namespace {

using claims::Entry;
using claims::Paper;
using claims::PaperRegistry;

/// The papers asked for: the one of that name, or all if none is named.
std::vector<const Paper*> papers(const std::string& name) {
  std::vector<const Paper*> chosen;
  std::vector<std::string> names;
  for (const Paper& paper : PaperRegistry::all()) {
    if (name.empty() || paper.name == name) chosen.push_back(&paper);
    names.push_back(paper.name);
  }
  if (!chosen.empty()) return chosen;
  throw InputError(fmt::format("flitscope claims: there is no paper '{}'{}; there are: {}", name,
                               did_you_mean(name, names), fmt::join(names, ", ")));
}

Exit run(const Words& words) {
  options::options_description own;
  own.add_options()("full", "go through the whole ranges of sizes, not a selection (hours for some papers)");
  own.add_options()("json", "print the result as JSON");
  own.add_options()("markdown", "print the table of the paper's page in the documentation");
  const Arguments arguments("claims", own, "PAPER", words);
  if (arguments.helped()) return Exit::done;
  if (arguments.has("json") && arguments.has("markdown")) {
    throw InputError("flitscope claims: --json and --markdown exclude each other");
  }

  const auto extent = arguments.has("full") ? claims::Extent::full : claims::Extent::quick;
  const bool as_text = !arguments.has("json") && !arguments.has("markdown");
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Paper* paper : papers(arguments.text("PAPER"))) {
    if (as_text) print(fmt::format("{}: {}\n\n", paper->name, paper->citation));
    const std::vector<Entry> entries = claims::measure(*paper, extent, [&](const Entry& entry) {
      if (as_text) print(claims::text_of(entry) + "\n");
    });
    if (as_text) print(claims::summary(entries) + "\n");
    if (arguments.has("markdown")) print(claims::markdown(entries));
    all.push_back(claims::to_json(*paper, entries));
    auto figures = nlohmann::ordered_json::array();
    for (const claims::Table& table : claims::measure_figures(*paper, extent)) {
      if (as_text) print("\n" + claims::text_of(table));
      if (arguments.has("markdown")) print("\n" + claims::markdown(table));
      figures.push_back(claims::to_json(table));
    }
    if (!figures.empty()) all.back()["figures"] = std::move(figures);
  }
  if (arguments.has("json")) print(all.dump(2) + "\n");
  return Exit::done;
}

const CommandRegistry::Entry entry{{
    .name = "claims",
    .arguments = "[PAPER]",
    .summary = "Measures what a paper claims and prints the verdicts.",
    .place = 40,
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::claims_command
