// What is being written and has not got its name yet.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

namespace flitscope {

/// A file or directory that is written under another name beside its own, NAME.partial-PID, and gets its own
/// when it is finished. If it never is, it is removed: by the end of this object, or when the program is
/// interrupted (see abandon_unfinished).
class PartialOutput {
 public:
  /// Is called with temporary().
  using Action = std::function<void(const std::filesystem::path& temporary)>;

  /// `make` makes the file or directory; `made_above` are the directories above, innermost first, that it
  /// makes too. Throws what `make` throws.
  PartialOutput(std::filesystem::path name, std::vector<std::filesystem::path> made_above,
                const Action& make);
  ~PartialOutput();
  PartialOutput(const PartialOutput&) = delete;
  PartialOutput& operator=(const PartialOutput&) = delete;

  [[nodiscard]] const std::filesystem::path& temporary() const { return temporary_; }
  /// `rename` gives it its name. From then on it is not removed any more. Throws what `rename` throws.
  void finish(const Action& rename);

 private:
  friend std::vector<std::filesystem::path> abandon_unfinished();

  void remove() const;

  std::filesystem::path name_;
  std::filesystem::path temporary_;
  std::vector<std::filesystem::path> made_above_;
};

/// Removes all that is unfinished, for a program that is about to end, and says which names it would have
/// got. Nothing is finished any more after that: whoever tries waits for the end.
std::vector<std::filesystem::path> abandon_unfinished();

}  // namespace flitscope
