#include "params/key_row.h"

#include <fmt/format.h>

#include <stdexcept>

namespace flitscope {

std::string default_text(const std::optional<ParameterValues::Value>& value) {
  if (!value) return "null";
  if (const auto* const text = std::get_if<std::string>(&*value)) return *text;
  if (const auto* const integer = std::get_if<std::int64_t>(&*value)) return fmt::format("{}", *integer);
  if (const auto* const number = std::get_if<Decimal>(&*value)) return number->text();
  if (const auto* const boolean = std::get_if<bool>(&*value)) return *boolean ? "true" : "false";
  if (const auto* const sizes = std::get_if<MessageSizes>(&*value);
      sizes != nullptr && sizes->sizes.size() == 1) {
    return fmt::format("{}", sizes->sizes.front().bytes);
  }
  throw std::logic_error("a list has no default text");
}

}  // namespace flitscope
