// Flit traces: every event of every flit that is wanted, as CSV or in a compact binary form.
#pragma once

#include <boost/crc.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iosfwd>
#include <optional>
#include <string>
#include <unordered_map>

#include "sim/observe/flits/flit_event.h"
#include "sim/observe/observer.h"

namespace flitscope {

/// Appends a number in LEB128: 7 bits a byte, the lowest first, and bit 7 set in all bytes but the last.
void append_leb128(std::string& bytes, std::uint64_t number);
/// The same of a signed number in zigzag: 0, -1, 1, -2, ... are 0, 1, 2, 3, ...
void append_zigzag(std::string& bytes, std::int64_t number);

/// The columns of a trace as CSV, with a line feed; with a clock nanoseconds, too.
[[nodiscard]] std::string flit_trace_header(const std::optional<ClockPeriod>& clock = {});

/// Events as lines of CSV.
class FlitTraceLines {
 public:
  explicit FlitTraceLines(const Topology& topology, const std::optional<ClockPeriod>& clock = {})
      : topology_(topology), clock_(clock) {}

  /// The line of an event with a line feed, behind `text`.
  void append(std::string& text, const FlitEvent& event);

 private:
  const Topology& topology_;
  std::optional<ClockPeriod> clock_;
  // Names that were needed before; making them is most of the work.
  std::unordered_map<NodeId, std::string> nodes_;
  std::unordered_map<ChannelId, std::string> channels_;
};

/// trace.csv
class FlitTraceCsv final : public FlitEvents {
 public:
  /// Throws OutputError if the file cannot be opened.
  FlitTraceCsv(const std::filesystem::path& file, FlitFilter filter, const Topology& on,
               const std::optional<ClockPeriod>& clock);
  /// Throws OutputError if anything could not be written.
  void close() { out_.finish(); }

 private:
  void take(const FlitEvent& event) override;

  ObserverFile out_;
  FlitTraceLines lines_;
  std::string line_;
};

/// trace.bin. The first line is a JSON object,
/// {"flitscope": "trace", "version": 4, "topology": {"kind": "torus", "shape": [8, 8]}}, and names the
/// network; with a clock it has "clock": "1ns", too. Then comes a record an event:
///
///   a byte: kind (bits 0-2), cause (bits 3-5), bit 6: there is a VC, bit 7: there is a culprit
///   cycle, less that of the record before (zigzag); message step; message place; flit; node; port;
///   then, if they are there: VC; stall cycles (of a stall); culprit step; culprit place
///
/// where every number is LEB128. At the end are a byte 7, the number of records, and the
/// CRC-32 (as in zip and PNG) of all bytes before it in four bytes, the lowest first: a trace that was cut or
/// changed does not pass. Kinds and causes are numbered as in FlitEventKind and StallCause; steps, places,
/// cycles and nodes as everywhere.
class FlitTraceBinary final : public FlitEvents {
 public:
  /// Throws OutputError if the file cannot be opened.
  FlitTraceBinary(const std::filesystem::path& file, FlitFilter filter, const Topology& on,
                  const std::optional<ClockPeriod>& clock = {});
  /// Throws OutputError if anything could not be written.
  void close();

 private:
  void take(const FlitEvent& event) override;
  void put(const std::string& bytes);

  ObserverFile out_;
  boost::crc_32_type checksum_;
  std::uint64_t records_ = 0;
  Cycle last_cycle_ = 0;
  std::string record_;
};

/// Reads what FlitTraceBinary wrote.
class FlitTraceReader {
 public:
  /// Throws InputError if the file cannot be opened, is no trace, or of another version.
  explicit FlitTraceReader(const std::filesystem::path& file);
  /// Of a stream that errors call `name`.
  FlitTraceReader(std::istream& in, std::string name);

  [[nodiscard]] const Topology& topology() const { return *topology_; }
  /// Length of a cycle, if it was known.
  [[nodiscard]] const std::optional<ClockPeriod>& clock() const { return clock_; }
  /// The next event; nothing at the end. Throws InputError if the file ends before its end mark, goes on
  /// behind it, is not what was written, or has a record that cannot be.
  [[nodiscard]] std::optional<FlitEvent> next();

 private:
  /// The next byte, which becomes part of the checksum; a negative number at the end.
  [[nodiscard]] int byte() {
    const int next = in_.rdbuf()->sbumpc();
    if (next >= 0) checksum_.process_byte(static_cast<unsigned char>(next));
    return next;
  }
  void read_header();
  /// Compares the end with what has been read.
  void check_end();
  [[nodiscard]] std::uint64_t number();
  [[nodiscard]] std::uint64_t number_below(std::uint64_t bound);
  [[nodiscard]] std::uint64_t message();
  [[noreturn]] void fail(const std::string& what) const;

  std::ifstream file_;
  std::istream& in_;
  std::string name_;
  std::optional<Topology> topology_;
  std::optional<ClockPeriod> clock_;
  boost::crc_32_type checksum_;
  Cycle last_cycle_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace flitscope
