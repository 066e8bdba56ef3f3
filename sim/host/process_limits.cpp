#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <thread>

#include "sim/host/process_limits.h"

namespace flitscope {

namespace {

namespace fs = std::filesystem;

/// Calls visit(directory, version) for every control group of this process with the controller `controller`
/// ("memory", "cpu") and for its ancestors, whose limits hold, too. `version` of control groups is 1 or 2;
/// the names of files differ. A line of /proc/self/cgroup is NUMBER:CONTROLLERS:PATH; the one of version 2
/// has no controllers.
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

std::uint64_t of_control_groups() {
  std::uint64_t least = kUnlimited;
  visit_control_groups("memory", [&](const fs::path& group, int version) {
    least = std::min(least, number_in(group / (version == 2 ? "memory.max" : "memory.limit_in_bytes")));
  });
  return least;
}

/// Processors in the mask of the process; all, if they do not fit into a mask.
unsigned own_processors() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return std::thread::hardware_concurrency();
  return static_cast<unsigned>(CPU_COUNT(&mask));
}

/// Processors of a quota and its period; unlimited without a file or with another word.
double share(std::istream& quota, std::istream& period) {
  double allowed = 0;
  double of = 0;
  const bool limited = quota >> allowed && period >> of && allowed > 0 && of > 0;
  return limited ? allowed / of : std::numeric_limits<double>::infinity();
}

double processors_of_control_groups() {
  double least = std::numeric_limits<double>::infinity();
  visit_control_groups("cpu", [&](const fs::path& group, int version) {
    std::ifstream quota(group / (version == 2 ? "cpu.max" : "cpu.cfs_quota_us"));
    std::ifstream period(group / "cpu.cfs_period_us");
    least = std::min(least, version == 2 ? share(quota, quota) : share(quota, period));
  });
  return least;
}

}  // namespace

std::uint64_t memory_limit() {
  return std::min({physical(), of_control_groups(), own_address_space()});
}

unsigned processor_limit() {
  const double ours = std::min<double>(own_processors(), std::ceil(processors_of_control_groups()));
  return std::max(1U, static_cast<unsigned>(ours));
}

}  // namespace flitscope
