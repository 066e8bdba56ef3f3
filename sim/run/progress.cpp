#include "sim/run/progress.h"

namespace flitscope {

void ProgressReports::report(Cycle now, std::uint64_t arrived, std::uint64_t flit_hops) {
  const auto pause = Stopwatch::now() - last_report_;
  if (pause < options_.progress_pause) return;
  const double seconds = std::chrono::duration<double>(pause).count();
  const auto hops = static_cast<double>(flit_hops - hops_reported_);
  options_.on_progress({arrived, messages_, now, seconds > 0 ? hops / seconds : 0});
  hops_reported_ = flit_hops;
  last_report_ = Stopwatch::now();
}

}  // namespace flitscope
