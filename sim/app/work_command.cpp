// flitscope work: a task of a job that flitscope sweep has handed to other machines.
#include <fmt/format.h>

#include "model/error.h"
#include "sim/app/command.h"
#include "sim/app/signal_cleanup.h"
#include "sim/sweep/job.h"

namespace flitscope::app::work_command {

namespace options = boost::program_options;

namespace {

Exit run(const Strings& words) {
  options::options_description own;
  own.add_options()("task", options::value<std::string>()->value_name("N"), "which task of the job, from 0")(
      "jobs,j", options::value<std::string>()->value_name("N"), "runs at the same time (default: 1)");
  const Arguments arguments("work", own, "JOB", words);
  if (arguments.helped()) return Exit::done;

  const Job job = read_job(arguments.required("JOB"));
  const std::uint64_t task = arguments.number("task");
  if (task >= job.tasks()) {
    throw InputError(fmt::format("flitscope work: {} has tasks 0 to {}, and no task {}",
                                 job.directory.string(), job.tasks() - 1, task));
  }
  const SignalCleanup orderly_end("work");
  work_on(job, task * job.runs_per_task, job.runs_per_task, arguments.count("jobs", 1));
  return Exit::done;
}

const CommandRegistry::Entry entry{{
    .name = "work",
    .arguments = "JOB",
    .summary = "Does a task of a sweep that was handed to other machines.",
    .place = 70,
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::work_command
