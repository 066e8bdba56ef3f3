// Where a checker notes what is wrong.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/analysis/legality.h"

namespace flitscope {

/// Fills a legality. Every text begins with the place at which the checker is: "step 3, message 1: ".
class ViolationLog {
 public:
  /// Of more than `most_described` violations the rest is only counted. It must outlive the log.
  ViolationLog(Legality& legality, std::size_t most_described)
      : legality_(legality), most_described_(most_described) {}

  /// Where the checker is: a time (of schedules that have times), and a step and message, counted from 1; 0
  /// outside of any.
  std::optional<std::uint64_t> time;
  std::uint64_t step = 0;
  std::uint64_t message = 0;

  template <typename... Values>
  void violate(ViolationKind kind, fmt::format_string<Values...> text, Values&&... values) {
    legality_.legal = false;
    legality_.violation_kinds |= Legality::bit_of(kind);
    if (legality_.violation_count++ >= most_described_) return;
    legality_.violations.push_back(
        {kind, step, message, place() + fmt::format(text, std::forward<Values>(values)...)});
  }

  /// What others found.
  void take(const std::vector<Violation>& found) {
    for (const Violation& violation : found) violate(violation.kind, "{}", violation.text);
  }

 private:
  [[nodiscard]] std::string place() const {
    std::string place;
    const auto add = [&](const char* what, std::uint64_t number) {
      place += fmt::format("{}{} {}", place.empty() ? "" : ", ", what, number);
    };
    if (time) add("time", *time);
    if (step != 0 && (!time || message != 0)) add("step", step);
    if (message != 0) add("message", message);
    return place.empty() ? place : place + ": ";
  }

  Legality& legality_;
  std::size_t most_described_;
};

}  // namespace flitscope
