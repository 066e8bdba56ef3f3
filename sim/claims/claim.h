// The ledger of claims: what a paper says, what we measure, and the verdict. One file a paper, in papers/.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "params/registry.h"

namespace flitscope::claims {

enum class Verdict : std::uint8_t {
  holds,     ///< as printed, for all sizes tried
  repaired,  ///< not as printed, but with the repair that the finding names
  refuted,   ///< not as printed, and no repair is known
};

/// Whose claim it is.
enum class Origin : std::uint8_t {
  paper,  ///< the paper says it; counts in the paper's totals
  ours,   ///< what one would like to know besides; does not
};

/// How far a measurement goes: a selection of sizes, all of a paper's claims in less than a minute; or the
/// whole ranges, as long as it takes.
enum class Extent : std::uint8_t { quick, full };

/// What came out. Whole phrases for a reader, with units.
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
  /// Where it stands: "Lemma 2", "Section 7, even n".
  std::string place;
  /// What the paper says, in our words.
  std::string statement;
  /// What decides: "equal", "at most that many steps", "within 5 %". With the numbers that `measure` uses.
  std::string criterion;
  /// Computes the finding; nothing in it is known beforehand. Throws if the measurement itself fails.
  std::function<Finding(Extent)> measure;
  Origin origin = Origin::paper;
};

/// Data of a figure, recomputed: what stands behind a curve of the paper, or what ours adds to it.
struct Figure {
  /// Names it within its paper, for good: lower case, with dashes.
  std::string id;
  /// What it shows, with units.
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

}  // namespace flitscope::claims
