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

/// The cases of a claim, tried from small to large, so that the first to fail is the smallest. A size is
/// text, or has a function `name_of` beside its type.
class Cases {
 public:
  /// `otherwise` says what was seen if the claim does not hold at this size.
  template <typename Size>
  void add(bool holds, const Size& size, std::string_view otherwise) {
    ++tried_;
    if (holds) return;
    if (failed_++ == 0) counterexample_ = fmt::format("{}: {}", text_of(size), otherwise);
  }
  /// The same with fmt::format(otherwise, first, rest...).
  template <typename Size, typename First, typename... Rest>
  void add(bool holds, const Size& size, fmt::format_string<First, Rest...> otherwise, First&& first,
           Rest&&... rest) {
    add(holds, size, fmt::format(otherwise, std::forward<First>(first), std::forward<Rest>(rest)...));
  }
  /// The claim holds unless there is a fault.
  template <typename Size>
  void faultless(const Size& size, std::string_view fault) {
    add(fault.empty(), size, fault);
  }
  /// The claim says that `what` is `claimed`; it was measured as `measured`.
  template <typename Size, typename T, typename U>
  void equal(const Size& size, std::string_view what, const T& claimed, const U& measured) {
    const bool holds = order(measured, claimed) == 0;
    add(holds, size, holds ? std::string() : fmt::format("{} {}, not {}", measured, what, claimed));
  }
  /// The claim says that `what` is at most `claimed`.
  template <typename Size, typename T, typename U>
  void at_most(const Size& size, std::string_view what, const T& claimed, const U& measured) {
    const bool holds = order(measured, claimed) <= 0;
    add(holds, size, holds ? std::string() : fmt::format("{} {}, more than {}", measured, what, claimed));
  }

  [[nodiscard]] bool hold() const { return failed_ == 0; }
  [[nodiscard]] std::uint64_t tried() const { return tried_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  /// "17 of 20": how many hold, how many fail, of all.
  [[nodiscard]] std::string share_held() const { return fmt::format("{} of {}", tried_ - failed_, tried_); }
  [[nodiscard]] std::string share_failed() const { return fmt::format("{} of {}", failed_, tried_); }
  /// The first case that failed; empty if none did.
  [[nodiscard]] const std::string& counterexample() const { return counterexample_; }

 private:
  template <typename Size>
  [[nodiscard]] static std::string text_of(const Size& size) {
    if constexpr (std::convertible_to<Size, std::string_view>) {
      return std::string(std::string_view(size));
    } else {
      return name_of(size);
    }
  }
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

/// Sizes at which a claim is tried, and how the ledger names them.
template <typename Size>
struct Sizes {
  std::vector<Size> list;
  std::string text;

  [[nodiscard]] auto begin() const { return list.begin(); }
  [[nodiscard]] auto end() const { return list.end(); }
};

/// A claim on trial: what was tried, what was seen, and the cases that decide.
struct Trial {
  Extent extent = Extent::quick;
  Cases printed = {};   ///< what the paper says
  Cases repaired = {};  ///< what it says with the repair
  std::string repair = {};
  std::string sizes = {};
  std::string measured = {};
  /// What was seen beside the cases, for with_counts: items of a list, and how often something was so.
  std::vector<std::string> seen = {};
  std::uint64_t count = 0;

  /// Cases of both kinds that differ in what is claimed: `claimed` as printed, `corrected` with the repair.
  template <typename Size, typename T, typename R, typename U>
  void equal(const Size& size, std::string_view what, const T& claimed, const R& corrected, const U& value) {
    printed.equal(size, what, claimed, value);
    repaired.equal(size, what, corrected, value);
  }
  template <typename Size, typename T, typename R, typename U>
  void at_most(const Size& size, std::string_view what, const T& claimed, const R& corrected,
               const U& value) {
    printed.at_most(size, what, claimed, value);
    repaired.at_most(size, what, corrected, value);
  }
  /// A case of both kinds, for a repair that makes the claim for some sizes only: those `within` it.
  template <typename Size>
  void add(bool holds, const Size& size, std::string_view otherwise, bool within) {
    printed.add(holds, size, otherwise);
    if (within) repaired.add(holds, size, otherwise);
  }
  template <typename... Args>
  void note(fmt::format_string<Args...> format, Args&&... args) {
    seen.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  [[nodiscard]] bool quick() const { return extent == Extent::quick; }
  /// Where the selection of sizes ends, or the whole ranges.
  [[nodiscard]] std::uint64_t up_to(std::uint64_t selection, std::uint64_t whole) const {
    return quick() ? selection : whole;
  }
  /// What the ledger says of the selection, or of the whole ranges.
  [[nodiscard]] std::string_view text(std::string_view selection, std::string_view whole) const {
    return quick() ? selection : whole;
  }
  /// Sizes to go through, which the ledger names, with `more` behind them and others `before`.
  template <typename Size>
  [[nodiscard]] Sizes<Size> over(Sizes<Size> tried, std::string_view more = {},
                                 std::string_view before = {}) {
    sizes = fmt::format("{}{}{}", before, tried.text, more);
    return tried;
  }
  template <typename Size>
  [[nodiscard]] Sizes<Size> over(Sizes<Size> (*tried)(Extent), std::string_view more = {},
                                 std::string_view before = {}) {
    return over(tried(extent), more, before);
  }
};

/// Holds if all cases as printed do; holds after repair if they do not, but all those with the repair do;
/// otherwise refuted. The repaired cases' own counterexample, if there is one, joins the finding. Throws
/// std::logic_error if no case was tried: no verdict without one.
[[nodiscard]] Finding judge(const Trial& trial);

using Measure = std::function<void(Trial&)>;

/// `text` with the numbers of a trial: {held} and {failed}, the cases that hold and that fail as printed, of
/// all; {tried} and {failures}, the numbers of cases; {repaired}, those that hold with the repair; {count},
/// and {seen}, its notes, or "none".
[[nodiscard]] std::string with_counts(std::string_view text, const Trial& trial);

/// The measurement that calls `test(trial, size)` for each of `sizes`, a list or a function of the extent or
/// the trial; the ledger names `more` behind them. `measured` is a text of with_counts, or makes a text of
/// the trial.
template <typename SizesOf, typename Test, typename Measured>
[[nodiscard]] Measure trying(SizesOf sizes, Test test, Measured measured, std::string repair = "",
                             std::string more = "") {
  return [sizes = std::move(sizes), test = std::move(test), measured = std::move(measured),
          repair = std::move(repair), more = std::move(more)](Trial& t) {
    const auto list = [&] {
      if constexpr (std::invocable<SizesOf, Extent>) {
        return sizes(t.extent);
      } else if constexpr (std::invocable<SizesOf, const Trial&>) {
        return sizes(t);
      } else {
        return sizes;
      }
    };
    for (const auto& size : t.over(list(), more)) test(t, size);
    t.repair = repair;
    if constexpr (std::invocable<Measured, Trial&>) {
      t.measured = measured(t);
    } else {
      t.measured = with_counts(measured, t);
    }
  };
}

struct Claim {
  Claim(std::string name, std::string where, std::string says, std::string rule, Measure with,
        Origin from = Origin::paper)
      : id(std::move(name)),
        place(std::move(where)),
        statement(std::move(says)),
        criterion(std::move(rule)),
        measure(std::move(with)),
        origin(from) {}
  /// A claim of the paper that is measured by trying(..).
  template <typename SizesOf, typename Test, typename Measured>
  Claim(std::string name, std::string where, std::string says, std::string rule, SizesOf sizes, Test test,
        Measured measured, std::string repair = "", std::string more = "")
      : Claim(std::move(name), std::move(where), std::move(says), std::move(rule),
              trying(std::move(sizes), std::move(test), std::move(measured), std::move(repair),
                     std::move(more))) {}

  /// Names the claim within its paper, for good: lower case, with dashes.
  std::string id;
  /// Place in the paper: "Lemma 2", "Section 7, even n".
  std::string place;
  /// Statement of the paper, in our words.
  std::string statement;
  /// Rule of the verdict: "equal", "at most that many steps", "within 5 %". With the numbers that `measure`
  /// uses.
  std::string criterion;
  /// Tries the cases; nothing in it is known beforehand. Throws if the measurement itself fails.
  Measure measure;
  Origin origin;
};

using Claims = std::vector<Claim>;
using Rows = std::vector<std::vector<std::string>>;

/// Data of a figure, recomputed: the data of a curve of the paper, or what ours adds to it.
struct Figure {
  /// Names it within its paper, for good: lower case, with dashes.
  std::string id;
  /// Content, with units.
  std::string caption;
  std::vector<std::string> columns;
  /// Computes the rows; each has a cell for every column. Throws if the measurement itself fails.
  std::function<Rows(Extent)> rows;
};

using Figures = std::vector<Figure>;

struct Paper {
  /// As on the command line: "tsay-wang".
  std::string name;
  /// Authors, title, where and when.
  std::string citation;
  /// In the order of the paper. They are constants at namespace scope, which may not be there yet when the
  /// paper is registered.
  std::vector<const Claims*> parts;
  std::vector<const Figures*> figures = {};

  [[nodiscard]] std::vector<const Claim*> claims() const;
};

/// A paper's file declares `const PaperRegistry::Entry entry{{.name = ...}};`.
using PaperRegistry = Registry<Paper>;

/// "3..9, 12" or "3, 5, .., 31": ascending numbers, with runs of one distance drawn together.
[[nodiscard]] std::string ranges(std::span<const std::uint64_t> ascending);

/// Puts `more` behind a list in `text`, with the separator before it unless it is the first.
void append(std::string& text, std::string_view separator, std::string_view more);

/// One number over another, for text.
template <typename T, typename U>
[[nodiscard]] double quotient(const T& one, const U& other) {
  return static_cast<double>(one) / static_cast<double>(other);
}

/// One line of the ledger.
struct Entry {
  const Claim* claim = nullptr;
  Finding finding;
};

/// A figure with its rows.
struct Table {
  const Figure* figure = nullptr;
  Rows rows;
};

/// Measurements of a paper.
struct Ledger {
  const Paper* paper = nullptr;
  std::vector<Entry> entries;
  std::vector<Table> tables;
};

/// Measures all claims of a paper in their order, then its figures; or only the claim `only`, if it is given.
/// Calls on_entry, if given, after each claim. The ledger refers to `paper`. Throws std::runtime_error,
/// naming the claim or the figure, if a measurement fails.
[[nodiscard]] Ledger measure(const Paper& paper, Extent extent, const Claim* only = nullptr,
                             const std::function<void(const Entry&)>& on_entry = {});

/// "holds", "holds after repair", "refuted".
[[nodiscard]] std::string_view name_of(Verdict verdict);
/// "paper", "ours".
[[nodiscard]] std::string_view name_of(Origin origin);

/// A claim and its finding, a line each for what there is to say.
[[nodiscard]] std::string text_of(const Entry& entry);
/// Text behind the claims: counts of each verdict, the paper's apart from ours, and the
/// figures, columns one below the other. Of a single claim nothing.
[[nodiscard]] std::string text_after_claims(const Ledger& ledger);

/// The tables of a paper's page: claims, how many there are of each verdict, figures.
[[nodiscard]] std::string markdown(const Ledger& ledger);

/// [{"paper", "citation", "claims": [{"id", "origin", "place", "statement", "criterion", "sizes", "measured",
/// "verdict", "repair", "counterexample"}, ..], "figures": [{"id", "caption", "columns", "rows"}, ..]}, ..];
/// "figures" only where there are any.
[[nodiscard]] std::string json(std::span<const Ledger> ledgers);

}  // namespace flitscope::claims
