#include "traffic/number_table.h"

#include <fmt/format.h>

#include "model/error.h"
#include "model/text.h"
#include "model/units.h"

namespace flitscope {

std::vector<NumberLine> number_lines(std::string_view text, const std::string& file) {
  constexpr std::string_view kSeparators = ", \t\r";
  std::vector<NumberLine> lines;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view rest = text.substr(0, end);
    rest = rest.substr(0, rest.find('#'));
    text.remove_prefix(std::min(end + 1, text.size()));
    NumberLine numbers{line, {}};
    while (true) {
      rest.remove_prefix(std::min(rest.find_first_not_of(kSeparators), rest.size()));
      if (rest.empty()) break;
      const std::string_view word = rest.substr(0, rest.find_first_of(kSeparators));
      rest.remove_prefix(word.size());
      const auto number = parse_decimal(word);
      if (!number.value) {
        throw InputError(fmt::format("{}:{}: {} is no number: {}", printable(file), line,
                                     in_quotes(std::string(word)), number.problem));
      }
      numbers.numbers.push_back(number.value->approximate());
    }
    if (!numbers.numbers.empty()) lines.push_back(std::move(numbers));
  }
  return lines;
}

}  // namespace flitscope
