// Every key a configuration can have, in one table: it feeds the reader, its messages, the resolved
// configuration and the documentation. Parts that have keys of their own register them: model/settings.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/key.h"
#include "model/key_row.h"
#include "sim/config/config.h"

namespace flitscope {

/// All sections in canonical order, the top level first, with what their keys are bound to. `workload` has
/// the parameters of the chosen algorithm besides.
[[nodiscard]] const std::vector<RowSection<ExperimentConfig>>& config_rows();

/// A section of config_rows(). Throws std::out_of_range if there is none of that name.
[[nodiscard]] const RowSection<ExperimentConfig>& rows_of(std::string_view section);

/// The same as declarations.
[[nodiscard]] const std::vector<Section>& config_sections();
[[nodiscard]] const Section& config_section(std::string_view name);

/// Names of the maps in a section: "waves" in "observe". Of the top level: all that are not in another.
[[nodiscard]] std::vector<std::string> sections_in(std::string_view section);

}  // namespace flitscope
