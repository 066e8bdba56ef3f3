// Schedules in formats of others, as `import` and then `verify` take them.
#pragma once

#include <string_view>
#include <vector>

#include "sim/formats/foreign/format.h"

namespace flitscope::fuzz {

/// Imports files, writes the schedule file, reads that and checks it. A schedule that is imported and cannot
/// be read is a finding.
void import_and_check(const char* format, std::vector<ImportFile> files, const ImportOptions& options);
/// The same with one file, on a torus of 3 x 3.
void import_and_check(const char* format, std::string_view bytes);

}  // namespace flitscope::fuzz
