#include "sim/host/processor_limit.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#include "sim/host/control_groups.h"

namespace flitscope {

namespace {

/// Those that the process may run on; of a machine with more than fit into a mask, all.
unsigned own_processors() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return std::thread::hardware_concurrency();
  return static_cast<unsigned>(CPU_COUNT(&mask));
}

/// Microseconds of processor time in so many; unlimited if a file is not there or has another word.
double share(std::istream& quota, std::istream& period) {
  double allowed = 0;
  double of = 0;
  const bool limited = quota >> allowed && period >> of && allowed > 0 && of > 0;
  return limited ? allowed / of : std::numeric_limits<double>::infinity();
}

double processors_of_control_groups() {
  double least = std::numeric_limits<double>::infinity();
  visit_control_groups("cpu", [&](const std::filesystem::path& group, int version) {
    std::ifstream quota(group / (version == 2 ? "cpu.max" : "cpu.cfs_quota_us"));
    std::ifstream period(group / "cpu.cfs_period_us");
    least = std::min(least, version == 2 ? share(quota, quota) : share(quota, period));
  });
  return least;
}

}  // namespace

unsigned processor_limit() {
  const double ours = std::min<double>(own_processors(), std::ceil(processors_of_control_groups()));
  return std::max(1U, static_cast<unsigned>(ours));
}

}  // namespace flitscope
