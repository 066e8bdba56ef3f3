// Names of enumerators; text for error messages: the name that was meant, values shown safely, bytes that are
// no text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flitscope {

/// Fewest insertions, deletions, replacements of a character and swaps of two neighbours that turn one text
/// into the other (optimal string alignment).
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right);

/// Whether a text is of letters, digits and `others`; at least one.
[[nodiscard]] bool is_word_of(std::string_view text, std::string_view others);

/// The likely meaning of `name` among `names`: the nearest by edit distance, if at most a third of the longer
/// one differs, or a name with the same beginning. Case and '-' against '_' do not count.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      std::span<const std::string> names);

/// "; did you mean 'NAME'?" with the nearest name, or nothing if none is near.
[[nodiscard]] std::string did_you_mean(std::string_view name, std::span<const std::string> names);

/// The names of all enumerators of an enumeration, in its order: specialized beside it.
template <typename Enum>
inline constexpr std::nullptr_t kNamesOf{};
template <typename Enum>
concept NamedEnum = requires {
  kNamesOf<Enum>.size();
};

/// The name of an enumerator.
template <NamedEnum Enum>
[[nodiscard]] constexpr const char* name_of(Enum value) {
  const auto number = static_cast<std::size_t>(value);
  return number < kNamesOf<Enum>.size() ? kNamesOf<Enum>[number] : "?";
}

/// All enumerators.
template <NamedEnum Enum>
inline constexpr auto kEnumerators = [] {
  std::array<Enum, kNamesOf<Enum>.size()> all{};
  for (std::size_t number = 0; number < all.size(); ++number) all[number] = static_cast<Enum>(number);
  return all;
}();

/// The enumerator of that name; nothing if none has it.
template <NamedEnum Enum>
[[nodiscard]] std::optional<Enum> enumerator_named(std::string_view name) {
  for (const Enum each : kEnumerators<Enum>) {
    if (name_of(each) == name) return each;
  }
  return std::nullopt;
}

/// A text of each element: its own, or a member such as &Algorithm::name.
template <typename List, typename Text = std::identity>
[[nodiscard]] std::vector<std::string> texts_of(const List& list, Text text = {}) {
  std::vector<std::string> texts;
  for (const auto& each : list) texts.emplace_back(std::invoke(text, each));
  return texts;
}

/// "1 port", "2 ports"; `many` is the word of several things if it is not that of one with an s.
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view one, std::string_view many = {});

/// A text from a file, for a terminal or a report: characters that control a terminal (C0, C1, separators of
/// lines), marks that turn the direction of writing and bytes that are no UTF-8 are written as \xNN or
/// \uNNNN. It stays on one line and shows what it is.
[[nodiscard]] std::string printable(std::string_view text);

/// As printable() for a text of several lines; line feeds stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// As printable_lines() for JSON, which it stays: the control character DEL is written as \u007f.
[[nodiscard]] std::string printable_json(std::string_view json);

/// The text in single quotes for a message: printable, and cut short if it is long.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// The text behind the byte order mark of UTF-8, if it begins with one.
[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text);

/// Position of the first byte that is not part of UTF-8 text: of a broken or overlong sequence, or a control
/// character other than tab, line feed and carriage return. Nothing if all is well.
[[nodiscard]] std::optional<std::size_t> first_non_text(std::string_view bytes);

}  // namespace flitscope
