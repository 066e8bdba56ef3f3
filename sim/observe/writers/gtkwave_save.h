// The save file with which GTKWave opens a dump: groups, colours, words for numbers, markers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace flitscope {

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
