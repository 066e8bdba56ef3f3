#include "tests/fuzz/imported.h"

#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/error.h"
#include "sim/analysis/schedule_checker.h"
#include "sim/formats/schedule_file.h"

namespace flitscope::fuzz {

void import_and_check(const char* format, std::vector<ImportFile> files, const ImportOptions& options) {
  const auto schedule = FormatRegistry::find(format)->read(files, options);
  auto file = std::make_unique<std::stringstream>();
  write_schedule(*schedule, *file);
  try {
    ScheduleFile imported(std::move(file), "imported.jsonl", options.topology);
    static_cast<void>(check_schedule(imported));
  } catch (const InputError& error) {
    throw std::logic_error(std::string("imported, and refused as a file: ") + error.what());
  }
}

void import_and_check(const char* format, std::string_view bytes) {
  import_and_check(format, {{"attack", std::string(bytes)}}, ImportOptions({TopologyKind::torus, {3, 3}}));
}

}  // namespace flitscope::fuzz
