#include "sim/host/control_groups.h"

#include <fstream>

namespace flitscope {

namespace fs = std::filesystem;

/// A line of /proc/self/cgroup is NUMBER:CONTROLLERS:PATH; the one of version 2 has no controllers.
void visit_control_groups(const std::string& controller,
                          const std::function<void(const fs::path&, int version)>& visit) {
  std::ifstream stream("/proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_second = controllers.empty();
    if (!is_second && ("," + controllers + ",").find("," + controller + ",") == std::string::npos) continue;
    const fs::path root = is_second ? fs::path("/sys/fs/cgroup") : fs::path("/sys/fs/cgroup") / controller;
    visit(root, is_second ? 2 : 1);
    fs::path group = fs::path(line.substr(second + 1)).relative_path();
    for (; !group.empty(); group = group.parent_path()) visit(root / group, is_second ? 2 : 1);
  }
}

}  // namespace flitscope
