// The control groups that this process is in, which limit what it may have.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace flitscope {

/// Calls visit(directory, version) for every control group that has a say about this process in matters of
/// `controller` ("memory", "cpu"), each with its groups above, since a group's limit holds for all groups in
/// it. `version` is 1 or 2, of control groups; the names of a limit's files differ.
void visit_control_groups(const std::string& controller,
                          const std::function<void(const std::filesystem::path&, int version)>& visit);

}  // namespace flitscope
