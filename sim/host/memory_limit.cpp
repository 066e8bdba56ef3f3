#include "sim/host/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sim/host/control_groups.h"

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

std::uint64_t of_control_groups() {
  std::uint64_t least = kUnlimited;
  visit_control_groups("memory", [&](const fs::path& group, int version) {
    least = std::min(least, number_in(group / (version == 2 ? "memory.max" : "memory.limit_in_bytes")));
  });
  return least;
}

}  // namespace

std::uint64_t memory_limit() {
  return std::min({physical(), of_control_groups(), own_address_space()});
}

}  // namespace flitscope
