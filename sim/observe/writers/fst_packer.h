// A pipe to vcd2fst, which packs a value change dump into an FST file while it is written.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

namespace flitscope {

/// The program vcd2fst (Debian package gtkwave), with a dump as its input and an FST file as its output. One
/// that hangs is killed: a run does not wait for it for ever.
class FstPacker {
 public:
  /// How long vcd2fst may take no input, or not come to its end.
  static constexpr std::chrono::milliseconds kPatience{60'000};

  /// Throws OutputError if vcd2fst cannot be started.
  explicit FstPacker(const std::filesystem::path& file, std::chrono::milliseconds patience = kPatience);
  ~FstPacker();
  FstPacker(const FstPacker&) = delete;
  FstPacker& operator=(const FstPacker&) = delete;

  /// What vcd2fst does not take is lost; finish() says so.
  void write(std::string_view text);
  /// The dump is complete. Throws OutputError if the file is not.
  void finish();

 private:
  void fail(const std::string& what);
  /// Waits for `descriptor` to be ready for `events`; false if it has not been in time.
  [[nodiscard]] bool is_ready(int descriptor, short events) const;
  void wait_for_end();
  void close_input();

  std::filesystem::path file_;
  std::chrono::milliseconds patience_;
  pid_t process_ = -1;
  int input_ = -1;
  /// What went wrong first; empty: nothing.
  std::string failure_;
};

}  // namespace flitscope
