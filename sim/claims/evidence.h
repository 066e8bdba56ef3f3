// From single cases to a finding: what was tried, what failed first, and the verdict that follows.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/claims/claim.h"

namespace flitscope::claims {

/// The cases of a claim, tried from small to large, so that the first to fail is the smallest.
class Cases {
 public:
  /// `size` names the case ("d = 2, n = 7"), `otherwise` says what was seen if the claim does not hold there.
  void add(bool holds, std::string_view size, std::string_view otherwise) {
    ++tried_;
    if (holds) return;
    if (failed_++ == 0) counterexample_ = fmt::format("{}: {}", size, otherwise);
  }

  /// The claim says that `what` is `claimed`; it was measured as `measured`.
  template <typename T>
  void equal(std::string_view size, std::string_view what, const T& claimed, const T& measured) {
    add(claimed == measured, size,
        claimed == measured ? std::string() : fmt::format("{} {}, not {}", measured, what, claimed));
  }
  /// The claim says that `what` is at most `claimed`.
  template <typename T>
  void at_most(std::string_view size, std::string_view what, const T& claimed, const T& measured) {
    add(measured <= claimed, size,
        measured <= claimed ? std::string() : fmt::format("{} {}, more than {}", measured, what, claimed));
  }

  [[nodiscard]] bool hold() const { return failed_ == 0; }
  [[nodiscard]] std::uint64_t tried() const { return tried_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  /// The first case that failed; empty if none did.
  [[nodiscard]] const std::string& counterexample() const { return counterexample_; }

 private:
  std::uint64_t tried_ = 0;
  std::uint64_t failed_ = 0;
  std::string counterexample_;
};

/// Holds if all cases of the claim as printed do; otherwise refuted. Throws std::logic_error if none was
/// tried: no verdict without a case.
[[nodiscard]] Finding judge(const Cases& printed, std::string sizes, std::string measured);

/// Holds if all cases as printed do; holds after repair if they do not, but all those with the repair do;
/// otherwise refuted. The repaired cases' own counterexample, if there is one, joins the finding.
[[nodiscard]] Finding judge(const Cases& printed, const Cases& repaired, std::string repair,
                            std::string sizes, std::string measured);

/// "3..9, 12" or "3, 5, .., 31": ascending numbers, with runs of one distance drawn together.
[[nodiscard]] std::string ranges(std::span<const std::uint64_t> ascending);

}  // namespace flitscope::claims
