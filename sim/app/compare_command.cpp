// flitscope compare: every algorithm for a goal on one machine.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "model/error.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/app/command.h"
#include "sim/studies/comparison.h"

namespace flitscope::app::compare_command {

namespace {

std::uint64_t length_of(const Arguments& arguments, const std::string& option, std::uint64_t otherwise) {
  if (!arguments.has(option)) return otherwise;
  const auto bytes = parse_bytes(arguments.text(option));
  if (bytes.value && *bytes.value > 0) return *bytes.value;
  throw InputError(
      fmt::format("flitscope compare: --{} must be a size of at least 1 byte, such as 4KiB, not {}", option,
                  in_quotes(arguments.text(option))));
}

/// Powers of two times `first`, up to `last`.
std::vector<std::uint64_t> lengths(std::uint64_t first, std::uint64_t last, std::uint64_t factor) {
  if (last < first) {
    throw InputError(fmt::format("flitscope compare: --to must be at least --from, {}, not {}", first, last));
  }
  std::vector<std::uint64_t> list;
  for (std::uint64_t bytes = first; bytes <= last; bytes *= factor) {
    list.push_back(bytes);
    if (bytes > last / factor) break;
  }
  return list;
}

Exit run(const Arguments& arguments) {
  const std::string goal = arguments.required("GOAL");
  if (std::ranges::find(compared_goals(), goal) == compared_goals().end()) {
    throw InputError(fmt::format("flitscope compare: GOAL must be one of {}, not {}{}",
                                 fmt::join(compared_goals(), ", "), in_quotes(goal),
                                 did_you_mean(goal, compared_goals())));
  }
  const std::string config = arguments.path("on");
  if (config.empty()) throw InputError("flitscope compare: --on CONFIG must name the machine");
  const unsigned factor = arguments.count("factor", 2);
  if (factor < 2) throw InputError("flitscope compare: --factor must be at least 2");
  const auto messages =
      lengths(length_of(arguments, "from", 1024), length_of(arguments, "to", 65536), factor);

  const bool on_terminal = isatty(STDERR_FILENO) != 0;
  const Strings only = arguments.has("only") ? split(arguments.text("only")) : Strings{};
  const Comparison comparison =
      compare(goal, config, arguments.texts("set"), messages, only, [&](const std::string& name) {
        if (on_terminal) std::cerr << fmt::format("\r\x1b[K{}", name) << std::flush;
      });
  if (on_terminal) std::cerr << "\r\x1b[K";
  print(arguments.has("json")       ? to_json_text(to_table(comparison))
        : arguments.has("csv")      ? to_csv(to_table(comparison))
        : arguments.has("markdown") ? comparison_markdown(comparison)
                                    : comparison_text(comparison));
  return Exit::done;
}

const CommandRegistry::Entry entry{{
    .name = "compare",
    .arguments = "GOAL",
    .summary = "Runs every algorithm for a collective on a machine, and says which is the fastest.",
    .place = 35,
    .options = {kSetOption,
                {"on", "CONFIG", "the configuration of the machine; its workload does not count"},
                {"from", "BYTES", "the first length (default: 1KiB)"},
                {"to", "BYTES", "the last length (default: 64KiB)"},
                {"factor", "N", "from one length to the next (default: 2)"},
                {"only", "A,B", "these algorithms, with all their choices"},
                {"json", "", "print a list of objects, with all numbers"},
                {"csv", "", "print a table for spreadsheets, likewise"},
                {"markdown", "", "print the tables for a page"}},
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::compare_command
