#include "sim/studies/load_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/sweep/worker_pool.h"

namespace flitscope {

std::vector<Decimal> sorted_loads(std::vector<Decimal> loads) {
  std::ranges::sort(loads);
  const auto repeated = std::ranges::unique(loads);
  loads.erase(repeated.begin(), repeated.end());
  return loads;
}

void run_loads(const std::vector<Decimal>& loads, unsigned workers,
               const std::function<std::string(const Decimal&)>& run,
               const std::function<void(const Decimal&, const std::string&)>& take) {
  WorkerPool pool(workers, {});
  pool.run(
      loads.size(), [&](std::size_t index) { return run(loads[index]); },
      [&](std::size_t index, const JobEnd& end) {
        if (end.how != JobEnd::How::answered) {
          throw std::runtime_error(
              fmt::format("the run with load {} ended without a result", loads[index].text()));
        }
        take(loads[index], end.answer);
      });
}

}  // namespace flitscope
