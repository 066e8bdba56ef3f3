#include "sim/claims/claim.h"

#include <stdexcept>
#include <utility>

namespace flitscope::claims {

Finding judge(const Cases& printed, std::string sizes, std::string measured) {
  if (printed.tried() == 0) throw std::logic_error("a claim was judged without a case");
  return {printed.hold() ? Verdict::holds : Verdict::refuted, std::move(sizes), std::move(measured), "",
          printed.counterexample()};
}

Finding judge(const Cases& printed, const Cases& repaired, std::string repair, std::string sizes,
              std::string measured) {
  Finding finding = judge(printed, std::move(sizes), std::move(measured));
  if (finding.verdict == Verdict::holds) return finding;
  if (repaired.tried() == 0) throw std::logic_error("a repair was judged without a case");
  if (repaired.hold()) {
    finding.verdict = Verdict::repaired;
    finding.repair = std::move(repair);
  } else {
    finding.counterexample += fmt::format("; with the repair ({}) {}", repair, repaired.counterexample());
  }
  return finding;
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

}  // namespace flitscope::claims
