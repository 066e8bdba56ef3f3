#include "sim/config/config.h"

#include <fmt/format.h>

#include "sim/config/mistakes.h"

namespace flitscope {

const char* name_of(Advance advance) {
  switch (advance) {
    case Advance::barrier:
      return "barrier";
    case Advance::dataflow:
      return "dataflow";
    case Advance::table:
      return "table";
  }
  return "?";
}

InputError located(const ExperimentConfig& config, const Inadmissible& reason) {
  const std::string& key = reason.key();
  if (const auto at = config.places.find(key); at != config.places.end()) {
    return InputError(fmt::format("{}: {}", at->second, reason.what()));
  }
  const auto section = config.places.find(key.substr(0, key.find('.')));
  const std::string place =
      section == config.places.end() ? Place{config.file, 1, 1}.text() : section->second;
  return InputError(fmt::format("{}: {}: {}", place, key, reason.what()));
}

}  // namespace flitscope
