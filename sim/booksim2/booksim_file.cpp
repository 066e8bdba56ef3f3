#include "sim/booksim2/booksim_machine.h"

#include <fmt/format.h>

#include <boost/algorithm/string.hpp>
#include <cmath>

#include "model/numbers.h"
#include "model/text.h"

namespace flitscope {

namespace {

std::string trimmed(std::string_view text) {
  return boost::trim_copy_if(std::string(text), boost::is_any_of(" \t\r\n"));
}

/// The text with blanks in place of comments, so that places stay.
std::string without_comments(std::string_view text) {
  std::string result(text);
  bool comment = false;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i] == '\n') {
      comment = false;
    } else if (comment || result[i] == '#' || text.substr(i, 2) == "//") {
      comment = true;
      result[i] = ' ';
    }
  }
  return result;
}

}  // namespace

BookSimFile::BookSimFile(std::string_view text, const std::string& file, Diagnostics& diagnostics)
    : file_(file), diagnostics_(diagnostics) {
  const std::string plain = without_comments(without_byte_order_mark(text));
  std::uint32_t line = 1;
  std::size_t line_begin = 0;
  for (std::size_t at = 0; at < plain.size();) {
    const std::size_t begin = plain.find_first_not_of(" \t\r;", at);
    if (begin == std::string::npos) break;
    if (plain[begin] == '\n') {
      ++line;
      line_begin = at = begin + 1;
      continue;
    }
    // A list can have several lines.
    std::size_t end = begin;
    for (int braces = 0; end < plain.size() && plain[end] != ';' && (braces > 0 || plain[end] != '\n');
         ++end) {
      braces += plain[end] == '{' ? 1 : plain[end] == '}' ? -1 : 0;
    }
    const std::string statement = trimmed(std::string_view(plain).substr(begin, end - begin));
    const SourceLocation place{file, line, static_cast<std::uint32_t>(begin - line_begin + 1)};
    for (std::size_t i = begin; i < end; ++i) {
      if (plain[i] != '\n') continue;
      ++line;
      line_begin = i + 1;
    }
    at = end;
    if (statement.starts_with('[') && statement.ends_with(']')) continue;
    const std::size_t equals = statement.find('=');
    const std::string key = trimmed(statement.substr(0, equals));
    const std::string value = equals == std::string::npos ? "" : trimmed(statement.substr(equals + 1));
    if (!is_word_of(key, "_") || value.empty()) {
      diagnostics.add(place, "{} is no setting such as 'num_vcs = 4;'", in_quotes(statement));
    } else if (const auto [found, added] = settings_.emplace(key, Setting{value, place}); !added) {
      diagnostics.add(place, "{} is set in line {} already", key, found->second.place.line);
    }
  }
}

std::uint32_t BookSimFile::number(const std::string& key, std::uint32_t otherwise, std::uint32_t least,
                                  std::uint32_t most) const {
  const auto found = settings_.find(key);
  if (found == settings_.end()) return otherwise;
  if (const auto value = whole_number(found->second.value, least, most)) return *value;
  error(key, "{} must be a whole number from {} to {}, not {}", key, least, most,
        in_quotes(found->second.value));
  return otherwise;
}

double BookSimFile::real(const std::string& key, double otherwise) const {
  const auto found = settings_.find(key);
  if (found == settings_.end()) return otherwise;
  const auto value = number_in<double>(found->second.value);
  if (value && std::isfinite(*value) && *value >= 0) return *value;
  error(key, "{} must be a number of at least 0, not {}", key, in_quotes(found->second.value));
  return otherwise;
}

std::vector<std::uint32_t> BookSimFile::list(const std::string& key) const {
  const auto found = settings_.find(key);
  if (found == settings_.end()) return {};
  std::string_view text = found->second.value;
  if (text.starts_with('{') && text.ends_with('}')) text = text.substr(1, text.size() - 2);
  std::vector<std::string> words;
  boost::split(words, text, boost::is_any_of(","));
  std::vector<std::uint32_t> numbers;
  for (const std::string& word : words) {
    const auto value = number_in<std::uint32_t>(trimmed(word));
    if (!value) {
      error(key, "{} must be a list of whole numbers such as {{1,3}}, not {}", key,
            in_quotes(found->second.value));
      return {};
    }
    numbers.push_back(*value);
  }
  return numbers;
}

}  // namespace flitscope
