// Binary flit traces.
#include <sstream>

#include "sim/observe/flits/flit_trace.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::trace {
namespace {

void read(std::string_view bytes) {
  std::istringstream in{std::string(bytes)};
  FlitTraceReader reader(in, "attack.bin");
  FlitTraceLines lines(reader.topology());
  std::string line;
  while (const auto event = reader.next()) {
    line.clear();
    lines.append(line, *event);
  }
}

const TargetRegistry::Entry entry{{.name = "trace", .summary = "a binary flit trace", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::trace
