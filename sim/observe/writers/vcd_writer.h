// Value change dumps, as IEEE 1364 defines them; through vcd2fst they become FST. And the save file with
// which GTKWave opens a dump: groups, colours, words for numbers, markers.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/observe/observer.h"

namespace flitscope {

// A pipe to vcd2fst, which packs a value change dump into an FST file while it is written.

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

/// Declare scopes and signals, then set their first values, then begin(), then set values at rising times;
/// only changes are written.
///
/// With the suffix ".fst" the text goes to a FstPacker, which packs it as it comes, so that no dump of full
/// size lies on the disk.
///
/// Not SystemC's own tracing: that looks at every traced variable in every time step of the run, cannot begin
/// late, and would need signals where the engine has masks.
class VcdWriter {
 public:
  using Signal = std::uint32_t;

  /// Throws OutputError if the file cannot be opened, or vcd2fst cannot be started.
  explicit VcdWriter(const std::filesystem::path& file);

  /// Returns the name of the scope, with a number behind it if the scope around it has another one of its
  /// name.
  std::string open_scope(const std::string& name);
  void close_scope();
  /// A vector of `width` bits, 1 to 64, at first 0.
  [[nodiscard]] Signal declare(const std::string& name, unsigned width);
  /// The dump begins at `time` with the values set so far. `timescale` is such as "1 ns".
  void begin(const std::string& timescale, std::uint64_t time);
  [[nodiscard]] bool has_begun() const { return header_.empty(); }

  /// What is set next happens at `time`, which does not fall.
  void at(std::uint64_t time) { time_ = time; }
  void set(Signal signal, std::uint64_t value) {
    if (values_[signal].value != value) write(signal, value);
  }
  /// The dump ends at `time`, or where it begins if that is later. Throws OutputError if it could not be
  /// written completely.
  void close(std::uint64_t time);

  /// Full names of all signals, such as "flitscope.node_1_0.in_plus0.vc0.state[1:0]".
  [[nodiscard]] const std::string& name(Signal signal) const { return values_[signal].name; }
  [[nodiscard]] Signal signals() const { return static_cast<Signal>(values_.size()); }

 private:
  struct Value {
    std::string name;
    std::string code;
    unsigned width = 1;
    std::uint64_t value = 0;
  };

  void write(Signal signal, std::uint64_t value);
  void write_value(const Value& signal);
  void write_time();
  void flush();

  /// Where the dump goes if it is not packed.
  std::optional<ObserverFile> out_;
  std::optional<FstPacker> packer_;
  std::vector<std::string> scopes_;
  std::set<std::string> opened_;  ///< full names of scopes
  std::string header_;
  std::vector<Value> values_;
  std::uint64_t time_ = 0;
  std::uint64_t written_time_ = 0;
  std::string text_;  ///< that is not written yet
};

/// Writes waves.gtkw beside the dump, and a translate file for every kind of enumeration. They name each
/// other without a directory: they may be moved together, and GTKWave finds them from anywhere.
class GtkwaveSave {
 public:
  explicit GtkwaveSave(const std::filesystem::path& dump) : dump_(dump) {}

  /// The words for the values 0, 1, .. of an enumeration; its signals have `width` bits.
  void define(const std::string& enumeration, unsigned width, std::vector<std::string> words) {
    words_[enumeration] = {width, std::move(words)};
  }
  void begin_group(const std::string& name);
  /// A signal by its full name; what it is (an enumeration, a message, a number) follows from its last part.
  /// An enumeration defined with `suffix` behind its name is preferred.
  void add(const std::string& signal, const std::string& suffix = "");
  void end_group();
  /// A line of text between signals.
  void note(const std::string& text);
  /// A named marker, 'A' to 'Z', at a time of the dump.
  void mark(char name, std::uint64_t time) { markers_[name] = time; }
  /// Throws OutputError. The dump ends at `end`.
  void write(std::uint64_t end) const;

 private:
  struct Words {
    unsigned width = 1;
    std::vector<std::string> words;
  };

  void write_words(const std::string& name, const Words& words) const;

  std::filesystem::path dump_;
  std::map<std::string, Words> words_;
  std::string signals_;
  std::size_t longest_name_ = 0;
  std::map<char, std::uint64_t> markers_;
};

}  // namespace flitscope
