#include "sim/formats/foreign/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/error.h"
#include "model/text.h"

namespace flitscope {

ImportFile& only_file(std::vector<ImportFile>& files, std::string_view why) {
  if (files.size() != 1) throw InputError(std::string(why));
  return files.front();
}

ScheduleFacts import_facts(const ImportOptions& options, std::string algorithm) {
  ScheduleFacts facts(options.topology);
  facts.algorithm = std::move(algorithm);
  facts.routing = options.routing;
  return facts;
}

std::string text_place(const std::string& file, std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t start = before.rfind('\n');
  const std::size_t column = start == before.npos ? before.size() + 1 : before.size() - start;
  return fmt::format("{}:{}:{}: ", printable(file), line, column);
}

}  // namespace flitscope
