#include "params/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

#include "model/error.h"
#include "model/numbers.h"
#include "model/text.h"

namespace flitscope {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return fmt::format("\"{}\"", boost::algorithm::replace_all_copy(text, "\"", "\"\""));
}

CsvReader::CsvReader(const std::filesystem::path& file)
    : name_(printable(file.string())), file_(file, std::ios::binary), in_(file_) {
  if (!file_) throw InputError(name_ + ": cannot be opened");
  read_header();
}

CsvReader::CsvReader(std::istream& in, const std::string& name) : name_(printable(name)), in_(in) {
  read_header();
}

void CsvReader::read_header() {
  if (!read_line(columns_)) throw InputError(name_ + ": is empty; the first line must name the columns");
  std::vector<std::string> names = columns_;
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) fail(fmt::format("names the column {} twice", in_quotes(*twice)));
}

std::optional<std::size_t> CsvReader::find(std::string_view name) const {
  const auto found = std::ranges::find(columns_, name);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns_.begin());
}

std::size_t CsvReader::column(std::string_view name) const {
  if (const auto place = find(name)) return *place;
  throw InputError("{}: has no column {}", name_, name);
}

bool CsvReader::next() {
  if (!read_line(cells_)) return false;
  if (cells_.size() != columns_.size()) {
    fail(fmt::format("has {} cells, and the header {}", cells_.size(), columns_.size()));
  }
  return true;
}

std::uint64_t CsvReader::number(std::size_t column, std::uint64_t most) const {
  const auto value = number_in<std::uint64_t>(cells_[column]);
  if (value && *value <= most) return *value;
  fail(fmt::format("{} must be a whole number up to {}, not {}", columns_[column], most,
                   in_quotes(cells_[column])));
}

Decimal CsvReader::decimal(std::size_t column) const {
  const auto number = parse_decimal(cells_[column]);
  if (number.value) return *number.value;
  fail(fmt::format("{} must be a number, not {}: {}", columns_[column], in_quotes(cells_[column]),
                   number.problem));
}

bool CsvReader::read_line(std::vector<std::string>& cells) {
  std::string line;
  while (line.empty()) {
    if (!std::getline(in_, line)) return false;
    if (++line_ == 1) line = without_byte_order_mark(line);
    if (line.ends_with('\r')) line.pop_back();
  }
  cells.assign(1, "");
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  if (quoted) fail("ends within quotes");
  return true;
}

std::string CsvReader::place() const {
  return fmt::format("{}:{}", name_, line_);
}

void CsvReader::fail(const std::string& what) const {
  throw InputError("{}: {}", place(), what);
}

}  // namespace flitscope
