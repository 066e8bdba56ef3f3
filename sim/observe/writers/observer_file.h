// A file that an observer writes piece by piece.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "model/error.h"

namespace flitscope {

class ObserverFile : public std::ofstream {
 public:
  /// Throws OutputError if it cannot be opened.
  explicit ObserverFile(const std::filesystem::path& file)
      : std::ofstream(file, std::ios::binary), name_(file.string()) {
    if (!*this) throw OutputError(name_ + ": cannot be written");
  }
  /// Throws OutputError if anything could not be written.
  void finish() {
    close();
    if (!*this) throw OutputError(name_ + ": could not be written completely");
  }

 private:
  std::string name_;
};

}  // namespace flitscope
