// Schedules to and from text, as schedule files hold them.
#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "model/schedule.h"
#include "sim/formats/schedule_file.h"

namespace flitscope {

inline std::string written(Schedule& schedule) {
  std::ostringstream out;
  write_schedule(schedule, out);
  return out.str();
}

/// A schedule file of that text; errors call it "given.jsonl".
inline ScheduleFile read_text(std::string text) {
  return {std::make_unique<std::istringstream>(std::move(text)), "given.jsonl"};
}

inline std::vector<Step> all_steps(Schedule& schedule) {
  std::vector<Step> steps;
  for (Step step; schedule.next(step);) steps.push_back(step);
  return steps;
}

}  // namespace flitscope
