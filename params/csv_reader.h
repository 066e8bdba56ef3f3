// Reading CSV files, line by line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <istream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/units.h"

namespace flitscope {

/// A text as a cell of RFC 4180: in quotes if it needs them.
[[nodiscard]] std::string csv_cell(const std::string& text);

/// RFC 4180 with a header, in which each name is once, without line feeds in quotes; empty lines are skipped.
/// All functions throw InputError, with the file and its line, for what they cannot read.
class CsvReader {
 public:
  explicit CsvReader(const std::filesystem::path& file);
  /// Of a stream that errors call `name`.
  CsvReader(std::istream& in, const std::string& name);

  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  /// Place of a column in a line.
  [[nodiscard]] std::size_t column(std::string_view name) const;
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

  /// Reads the next line; false at the end.
  [[nodiscard]] bool next();
  [[nodiscard]] const std::string& text(std::size_t column) const { return cells_[column]; }
  /// A whole number up to `most`.
  [[nodiscard]] std::uint64_t number(std::size_t column,
                                     std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
  [[nodiscard]] Decimal decimal(std::size_t column) const;

  /// "file:line" of the line read last.
  [[nodiscard]] std::string place() const;
  /// Throws InputError for that line.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  void read_header();
  [[nodiscard]] bool read_line(std::vector<std::string>& cells);

  std::string name_;
  std::ifstream file_;
  std::istream& in_;
  std::vector<std::string> columns_;
  std::vector<std::string> cells_;
  std::uint64_t line_ = 0;
};

}  // namespace flitscope
