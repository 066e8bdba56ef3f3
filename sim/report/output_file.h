// A file that a command writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <string>

#include "sim/report/partial_output.h"

namespace flitscope {

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
  /// All is written. Throws OutputError if it could not be, or if something else has got the name meanwhile.
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

}  // namespace flitscope
