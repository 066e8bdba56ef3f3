// Files and directories that commands write: they have their names when they are complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace flitscope {

/// Removes what killed processes of this computer have left of partial output directly in a directory.
void remove_abandoned(const std::filesystem::path& directory);

/// Waits until a file, or a directory with all that lies directly in it, is on the disk. False, and errno
/// says why, if it does not get there.
[[nodiscard]] bool fsync_tree(const std::filesystem::path& path);

/// A file or directory that is written under another name beside its own, NAME.partial-PID, and gets its own
/// when it is finished. If it never is, it is removed: by the end of this object, or when the program is
/// interrupted (see abandon_unfinished). It is open all the time: a user with write permission for the
/// directory above can put a link in place of its name, but not in place of this.
class PartialOutput {
 public:
  enum class Kind : std::uint8_t { file, directory };

  /// A new file, or an empty directory of this user's with those above that it lacks. Throws
  /// std::system_error.
  PartialOutput(std::filesystem::path name, Kind kind);
  ~PartialOutput();
  PartialOutput(const PartialOutput&) = delete;
  PartialOutput& operator=(const PartialOutput&) = delete;

  /// A name of it for all processes of this user.
  [[nodiscard]] std::filesystem::path path() const;
  [[nodiscard]] int descriptor() const { return descriptor_; }
  void close();
  /// `rename` is called with the other name, and gives it its own. From then on it is not removed any more.
  /// Throws what `rename` throws.
  void finish(const std::function<void(const std::filesystem::path& temporary)>& rename);
  /// True if `name` is still its name, also after close().
  [[nodiscard]] bool is_called(const std::filesystem::path& name) const;

 private:
  friend std::vector<std::filesystem::path> abandon_unfinished();

  void make(Kind kind);
  void remove() const;

  std::filesystem::path name_;
  std::filesystem::path temporary_;
  std::vector<std::filesystem::path> made_above_;  ///< innermost first
  int descriptor_ = -1;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
};

/// Removes all that is unfinished, for a program that is about to end, and says which names it would have
/// got. Nothing is finished any more after that: finish() waits for the end of the program.
std::vector<std::filesystem::path> abandon_unfinished();

/// What is to happen to a plain file that is there already.
enum class Existing : std::uint8_t { keep, replace };

/// The one rule for files that commands write, wherever their names come from:
/// - The file appears when it is complete. Until then it has another name beside (see PartialOutput);
/// commit()
///   renames it, onto nothing or, if it may be replaced, onto a plain file.
/// - A symbolic link stays, and what it leads to is treated by the same rule.
/// - Devices and FIFOs are written into.
class OutputFile {
 public:
  /// Throws OutputError, which names the file and says why: it exists and is to be kept (--force is what
  /// users replace files with), it is a directory, or nothing can be written there.
  OutputFile(const std::filesystem::path& file, Existing existing);

  [[nodiscard]] std::ostream& stream() { return out_; }
  /// Calls `write` with the stream. Its OutputErrors get the name of the file.
  void write(const std::function<void(std::ostream&)>& write);
  /// All is written, and on the disk under the other name. Throws OutputError if it could not be.
  void complete();
  /// complete(), and it gets its name. Throws OutputError, also if another file has got the name since.
  void commit();

 private:
  void open_stream(const std::filesystem::path& file);
  void rename(const std::filesystem::path& from) const;
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_to_write(int reason) const;

  std::filesystem::path file_;    ///< as the user calls it
  std::filesystem::path target_;  ///< behind all links
  Existing existing_;
  /// Nothing: the file is a device or a FIFO.
  std::optional<PartialOutput> unfinished_;
  std::ofstream out_;
};

/// Writes a whole file. Throws OutputError.
void write_file(const std::filesystem::path& file, const std::string& text, Existing existing);

struct OutputText {
  std::filesystem::path file;
  const std::string& text;
};
/// Writes all files, or none if one of them cannot be written. Throws OutputError.
void write_files(const std::vector<OutputText>& files, Existing existing);

/// A directory for temporary files. Both go with this object, also where no file can be opened any more.
class ScratchDirectory {
 public:
  /// Throws InputError.
  ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The path of a file in it, which need not be there.
  [[nodiscard]] std::filesystem::path file(const std::string& name);

 private:
  std::filesystem::path path_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace flitscope
