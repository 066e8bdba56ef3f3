// Launchers of a sweep: the cores of this machine, a Slurm cluster, or commands for another scheduler.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/sweep/store.h"
#include "sim/sweep/sweep.h"
#include "sim/sweep/sweep_directory.h"

namespace flitscope {

/// What all launchers need.
struct Launch {
  const Sweep& sweep;
  const SweepDirectory& directory;
  Store& store;
  /// Called for each run that is done, when it is in the store.
  std::function<void(const RunRecord&)> on_record;
  /// Called with a line about progress.
  std::function<void(const std::string&)> on_note;
  /// Called several times a second; false ends the launcher as soon as possible.
  std::function<bool()> keep_going;

  /// Positions of the runs that the store does not have.
  [[nodiscard]] std::vector<std::size_t> missing() const;
};

/// Does the missing runs here, `workers` at once. False if keep_going ended it.
bool launch_locally(const Launch& launch, unsigned workers);

/// Hands the missing runs to Slurm as a job array, waits for it and collects results while it runs. What is
/// still missing when the job has ended (a node died, the task's time was over) is handed over again, in the
/// end one run a task; a run that brings its task down even then is recorded as killed. A job of an earlier
/// call that is still under way is waited for first. With `detach` it hands over, unless such a job is under
/// way, and does not wait. False if keep_going ended it. Throws InputError with Slurm's message if Slurm
/// refuses.
bool launch_on_slurm(const Launch& launch, bool detach);

/// A shell command for each missing run, for any scheduler. The next call of `flitscope sweep --resume`
/// collects the results.
[[nodiscard]] std::vector<std::string> commands_for(const Launch& launch);

}  // namespace flitscope
