// BookSim2's configuration files (.icnt and others): `key = value;`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "params/diagnostics.h"

namespace flitscope {

/// The settings of a file. Values that are asked for and cannot be read become diagnostics.
class BookSimFile {
 public:
  struct Setting {
    std::string value;  ///< without blanks at its ends
    SourceLocation place;
  };

  /// Reads a text: a setting a statement, which ends with `;` or its line; `//` and `#` begin comments; a
  /// line
  /// `[...]` has no meaning. Errors are added to `diagnostics`: what is no setting, and a key set twice.
  BookSimFile(std::string_view text, const std::string& file, Diagnostics& diagnostics);

  [[nodiscard]] const std::map<std::string, Setting>& settings() const { return settings_; }
  [[nodiscard]] bool has(const std::string& key) const { return settings_.contains(key); }
  /// The place of a key's value; the file where it is not set.
  [[nodiscard]] SourceLocation place(const std::string& key) const;
  /// A whole number from `least` to `most`; `otherwise` where the key is not set.
  [[nodiscard]] std::uint32_t number(const std::string& key, std::uint32_t otherwise, std::uint32_t least = 0,
                                     std::uint32_t most = 1U << 24) const;
  /// A number of at least 0.
  [[nodiscard]] double real(const std::string& key, double otherwise) const;
  [[nodiscard]] std::string word(const std::string& key, const std::string& otherwise) const;
  /// The numbers of a list {1,2,3}; a number is a list of one.
  [[nodiscard]] std::vector<std::uint32_t> list(const std::string& key) const;

  /// Adds an error at a key.
  void error(const std::string& key, std::string message) const;

 private:
  std::string file_;
  Diagnostics& diagnostics_;
  std::map<std::string, Setting> settings_;
};

}  // namespace flitscope
