// The ledger of claims: what a paper says, what is measured, and the verdict. One folder a paper, in papers/.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "params/registry.h"

namespace flitscope::claims {

enum class Verdict : std::uint8_t {
  holds,     ///< as printed, for all sizes tried
  repaired,  ///< not as printed, but with the repair that the finding names
  refuted,   ///< not as printed, and no repair is known
};

/// Origin of a claim.
enum class Origin : std::uint8_t {
  paper,  ///< the paper says it; counts in the paper's totals
  ours,   ///< what one would like to know besides; does not
};

/// Extent of a measurement: a selection of sizes, all of a paper's claims in less than a minute; or the
/// whole ranges, as long as it takes.
enum class Extent : std::uint8_t { quick, full };

/// Result of a measurement: whole phrases, with units.
struct Finding {
  Verdict verdict = Verdict::refuted;
  std::string sizes;           ///< what was tried: "d = 2: n = 3..40"
  std::string measured;        ///< what was seen there
  std::string repair;          ///< what makes the claim true; empty if nothing does, or nothing has to
  std::string counterexample;  ///< the smallest to what is printed; empty if the claim holds
};

struct Claim {
  /// Names the claim within its paper, for good: lower case, with dashes.
  std::string id;
  /// Place in the paper: "Lemma 2", "Section 7, even n".
  std::string place;
  /// Statement of the paper, in our words.
  std::string statement;
  /// Rule of the verdict: "equal", "at most that many steps", "within 5 %". With the numbers that `measure`
  /// uses.
  std::string criterion;
  /// Computes the finding; nothing in it is known beforehand. Throws if the measurement itself fails.
  std::function<Finding(Extent)> measure;
  Origin origin = Origin::paper;
};

/// Data of a figure, recomputed: the data of a curve of the paper, or what ours adds to it.
struct Figure {
  /// Names it within its paper, for good: lower case, with dashes.
  std::string id;
  /// Content, with units.
  std::string caption;
  std::vector<std::string> columns;
  /// Computes the rows; each has a cell for every column. Throws if the measurement itself fails.
  std::function<std::vector<std::vector<std::string>>(Extent)> rows;
};

struct Paper {
  /// As on the command line: "tsay-wang".
  std::string name;
  /// Authors, title, where and when.
  std::string citation;
  /// In the order of the paper.
  std::vector<Claim> claims;
  std::vector<Figure> figures = {};
};

/// A paper's file declares `const PaperRegistry::Entry entry{{.name = ...}};`.
using PaperRegistry = Registry<Paper>;

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
  template <typename T, typename U>
  void equal(std::string_view size, std::string_view what, const T& claimed, const U& measured) {
    const bool holds = order(measured, claimed) == 0;
    add(holds, size, holds ? std::string() : fmt::format("{} {}, not {}", measured, what, claimed));
  }
  /// The claim says that `what` is at most `claimed`.
  template <typename T, typename U>
  void at_most(std::string_view size, std::string_view what, const T& claimed, const U& measured) {
    const bool holds = order(measured, claimed) <= 0;
    add(holds, size, holds ? std::string() : fmt::format("{} {}, more than {}", measured, what, claimed));
  }

  [[nodiscard]] bool hold() const { return failed_ == 0; }
  [[nodiscard]] std::uint64_t tried() const { return tried_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  /// The first case that failed; empty if none did.
  [[nodiscard]] const std::string& counterexample() const { return counterexample_; }

 private:
  /// Below, at or above 0, also for integers of different signs.
  template <typename T, typename U>
  [[nodiscard]] static int order(const T& one, const U& other) {
    if constexpr (std::integral<T> && std::integral<U> && !std::same_as<T, bool>) {
      return std::cmp_less(one, other) ? -1 : std::cmp_greater(one, other) ? 1 : 0;
    } else {
      return one == other ? 0 : one < other ? -1 : 1;
    }
  }

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
