#include "sim/formats/message_lines.h"

#include <algorithm>

#include "model/error.h"
#include "sim/formats/schedule_lines.h"

namespace flitscope {

namespace {

/// Reads until every name is found or the file ends. Throws InputError where it breaks.
void find_lines(ScheduleLines& lines, std::span<const MessageName> names,
                std::vector<std::optional<std::uint64_t>>& found) {
  MessageName present;
  std::size_t missing = names.size();
  while (missing > 0) {
    const auto line = lines.next();
    if (!line) return;
    if (!line->contains("step")) continue;  // a circuit
    const JsonValue value(*line, lines.place());
    const std::uint64_t step = value.at("step").whole(1, std::uint64_t{1} << 63);
    present.place = step == present.step ? present.place + 1 : 1;
    present.step = step;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].step != present.step || names[i].place != present.place || found[i]) continue;
      found[i] = lines.place().line;
      --missing;
    }
  }
}

}  // namespace

std::vector<std::optional<std::uint64_t>> message_lines(const std::filesystem::path& file,
                                                        std::span<const MessageName> names) {
  std::vector<std::optional<std::uint64_t>> found(names.size());
  std::error_code ignored;
  // What is no plain file, such as a pipe, has been used up.
  if (!std::filesystem::is_regular_file(file, ignored)) return found;
  try {
    ScheduleLines lines(file);
    find_lines(lines, names, found);
  } catch (const InputError&) {
    // Whoever asks has a better error to report.
  }
  return found;
}

}  // namespace flitscope
