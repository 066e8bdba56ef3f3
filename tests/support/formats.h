// Files in formats of others, to and from schedules.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/error.h"
#include "sim/analysis/schedule_checker.h"
#include "sim/formats/foreign/format.h"

namespace flitscope::test {

inline std::unique_ptr<Schedule> import_text(const std::string& format, const std::string& text,
                                             const ImportOptions& options) {
  std::vector<ImportFile> files{{"given", text}};
  return FormatRegistry::find(format)->read(files, options);
}

inline std::unique_ptr<Schedule> import_text(const std::string& format, const std::string& text,
                                             const Topology& topology) {
  return import_text(format, text, ImportOptions(topology));
}

inline std::string import_refusal(const std::string& format, const std::string& text,
                                  const ImportOptions& options) {
  try {
    static_cast<void>(import_text(format, text, options));
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "was read: " << text;
  return {};
}

/// A message as a line: "1: 0 -> 3, 64 bytes", with what it waits for: "after 1.1+5, behind 1.2".
inline std::vector<std::string> lines_of(Schedule& schedule) {
  std::vector<std::string> lines;
  std::uint64_t number = 0;
  for (Step step; schedule.next(step);) {
    ++number;
    for (const Message& message : step.messages()) {
      std::string line = std::to_string(number) + ": " + std::to_string(message.source) + " -> " +
                         std::to_string(message.destination) + ", " +
                         std::to_string(message_bytes(schedule.facts().collective, step, message)) + " bytes";
      for (const Dependency& wait : step.dependencies(message)) {
        line += wait.sent ? ", behind " : ", after ";
        line += wait.message == 0 ? "the start" : message_label(wait.message);
        if (wait.wait != 0) line += "+" + std::to_string(wait.wait);
      }
      lines.push_back(line);
    }
  }
  return lines;
}

inline std::string problems_of(Schedule& schedule) {
  const CheckReport report = check_schedule(schedule);
  std::string text;
  for (const Violation& violation : report.violations) text += violation.text + "\n";
  return text;
}

}  // namespace flitscope::test
