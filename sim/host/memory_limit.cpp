#include "sim/host/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace flitscope {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

std::uint64_t physical() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t own_address_space() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : kUnlimited;
}

/// The number in a file of a control group; unlimited if there is no such file, or it says "max".
std::uint64_t number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::uint64_t number = 0;
  return stream >> number ? number : kUnlimited;
}

/// A group's limit holds for all groups in it.
std::uint64_t least_upwards(const fs::path& root, fs::path group, const char* file) {
  std::uint64_t least = number_in(root / file);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    least = std::min(least, number_in(root / group / file));
  }
  return least;
}

/// Both versions of control groups; a line of /proc/self/cgroup is NUMBER:CONTROLLERS:PATH.
std::uint64_t of_control_groups() {
  const fs::path root = "/sys/fs/cgroup";
  std::uint64_t least = kUnlimited;
  std::ifstream stream("/proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, least_upwards(root, group, "memory.max"));
    if (("," + controllers + ",").find(",memory,") != std::string::npos) {
      least = std::min(least, least_upwards(root / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return least;
}

}  // namespace

std::uint64_t memory_limit() {
  return std::min({physical(), of_control_groups(), own_address_space()});
}

}  // namespace flitscope
