// Value change dumps, as IEEE 1364 defines them; through vcd2fst they become FST.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "sim/observe/writers/fst_packer.h"

namespace flitscope {

/// Declare scopes and signals, then begin(), then set values at rising times; only changes are written.
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

  void open_scope(const std::string& name);
  void close_scope();
  /// A vector of `width` bits, 1 to 64, at first 0.
  [[nodiscard]] Signal declare(const std::string& name, unsigned width);
  /// `timescale` is such as "1 ns".
  void begin(const std::string& timescale);

  /// What is set next happens at `time`, which does not fall.
  void at(std::uint64_t time) { time_ = time; }
  void set(Signal signal, std::uint64_t value) {
    if (values_[signal].value != value) write(signal, value);
  }
  /// The dump ends at `time`. Throws OutputError if it could not be written completely.
  void close(std::uint64_t time);

  /// Full names of all signals, such as "flitscope.node_1_0.in_plus0.vc0.state[1:0]".
  [[nodiscard]] const std::string& name(Signal signal) const { return values_[signal].name; }
  [[nodiscard]] std::size_t signals() const { return values_.size(); }

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

  std::filesystem::path file_;
  /// Where the dump goes if it is not packed.
  std::ofstream out_;
  std::optional<FstPacker> packer_;
  std::vector<std::string> scopes_;
  std::string header_;
  std::vector<Value> values_;
  std::uint64_t time_ = 0;
  std::uint64_t written_time_ = 0;
  std::string text_;  ///< that is not written yet
};

}  // namespace flitscope
