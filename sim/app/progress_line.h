// A line on the terminal that says how far a command has come.
#pragma once

#include <string>

namespace flitscope::app {

/// One line of standard error that is written over and over, and wiped off in the end. Where standard error
/// is no terminal, or the command is quiet, nothing is shown.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet = false);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  [[nodiscard]] bool is_shown() const { return is_shown_; }
  void show(const std::string& text);
  void clear();

 private:
  bool is_shown_;
  bool has_text_ = false;
};

}  // namespace flitscope::app
