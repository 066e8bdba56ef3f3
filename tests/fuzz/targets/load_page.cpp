// The curve of a load directory, as `flitscope report` reads it.
#include <nlohmann/json.hpp>

#include "sim/report/page/page.h"
#include "sim/studies/studies.h"
#include "tests/fuzz/target.h"
#include "tests/support/program.h"

namespace flitscope::fuzz::load_page_target {
namespace {

void read(std::string_view bytes) {
  const test::TemporaryDirectory directory;
  directory.write("config.yaml",
                  "flitscope: 1\ntopology: {kind: mesh, shape: [2, 2]}\n"
                  "workload: {traffic: uniform, load: 0.1}\n");
  directory.write("load.json", std::string(bytes));
  static_cast<void>(html_page("attack", curve_page_data(directory.path()).value()));
}

const TargetRegistry::Entry entry{
    {.name = "load_page", .summary = "load.json, for its report", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::load_page_target
