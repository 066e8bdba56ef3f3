#include "sim/claims/claim.h"

#include <fmt/ranges.h>

#include <stdexcept>

namespace flitscope::claims {

Finding judge(const Trial& trial) {
  if (trial.printed.tried() == 0) throw std::logic_error("a claim was judged without a case");
  Finding finding{Verdict::holds, trial.sizes, trial.measured, "", trial.printed.counterexample()};
  if (trial.printed.hold()) return finding;
  finding.verdict = Verdict::refuted;
  if (trial.repair.empty()) return finding;
  if (trial.repaired.tried() == 0) throw std::logic_error("a repair was judged without a case");
  if (trial.repaired.hold()) {
    finding.verdict = Verdict::repaired;
    finding.repair = trial.repair;
  } else {
    finding.counterexample +=
        fmt::format("; with the repair ({}) {}", trial.repair, trial.repaired.counterexample());
  }
  return finding;
}

std::vector<const Claim*> Paper::claims() const {
  std::vector<const Claim*> all;
  for (const Claims* const part : parts) {
    for (const Claim& claim : *part) all.push_back(&claim);
  }
  return all;
}

std::string with_counts(std::string_view text, const Trial& trial) {
  return fmt::format(
      fmt::runtime(text), fmt::arg("held", trial.printed.share_held()),
      fmt::arg("failed", trial.printed.share_failed()), fmt::arg("tried", trial.printed.tried()),
      fmt::arg("failures", trial.printed.failed()), fmt::arg("repaired", trial.repaired.share_held()),
      fmt::arg("count", trial.count),
      fmt::arg("seen", trial.seen.empty() ? "none" : fmt::format("{}", fmt::join(trial.seen, ", "))));
}

std::string ranges(std::span<const std::uint64_t> ascending) {
  std::string text;
  for (std::size_t first = 0; first < ascending.size();) {
    // The longest run from here with one distance between its numbers, written out if that is shorter.
    std::size_t last = first;
    std::uint64_t stride = 1;
    if (first + 1 < ascending.size()) {
      stride = ascending[first + 1] - ascending[first];
      while (last + 1 < ascending.size() && ascending[last + 1] - ascending[last] == stride) ++last;
    }
    if (last - first < (stride == 1 ? 2U : 3U)) last = first;
    if (!text.empty()) text += ", ";
    text += fmt::format("{}", ascending[first]);
    if (last > first) {
      text += stride == 1 ? ".." : fmt::format(", {}, .., ", ascending[first + 1]);
      text += fmt::format("{}", ascending[last]);
    }
    first = last + 1;
  }
  return text;
}

void append(std::string& text, std::string_view separator, std::string_view more) {
  if (!text.empty()) text += separator;
  text += more;
}

}  // namespace flitscope::claims
