// The save file with which GTKWave opens a dump: groups, colours, words for numbers, markers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/topology.h"

namespace flitscope {

/// Writes waves.gtkw beside the dump, and a translate file for every kind of enumeration. They name each
/// other without a directory, so GTKWave must be started in theirs.
class GtkwaveSave {
 public:
  GtkwaveSave(const std::filesystem::path& dump, const Topology& topology, unsigned ports);

  void begin_group(const std::string& name);
  /// A signal by its full name; what it is (an enumeration, a message, a number) follows from its last part.
  void add(const std::string& signal);
  void end_group();
  /// A named marker, 'A' to 'Z', at a time of the dump.
  void mark(char name, std::uint64_t time) { markers_[name] = time; }
  /// Throws OutputError. The dump ends at `end`.
  void write(std::uint64_t end) const;

 private:
  void write_words(const std::string& name, const std::vector<std::string>& words) const;

  std::filesystem::path dump_;
  std::vector<std::string> wants_words_;
  std::string signals_;
  std::map<char, std::uint64_t> markers_;
};

}  // namespace flitscope
