// What hands runs to other machines, as a worker finds it.
#include "sim/sweep/sweep_directory.h"
#include "tests/fuzz/target.h"
#include "tests/support/program.h"

namespace flitscope::fuzz::job {
namespace {

void read(std::string_view bytes) {
  const test::TemporaryDirectory directory;
  directory.write("job.json", std::string(bytes));
  static_cast<void>(read_job(directory.path()).tasks());
}

const TargetRegistry::Entry entry{{.name = "job", .summary = "jobs/N/job.json", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::job
