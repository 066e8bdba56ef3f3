// trace: every event of every flit that the filter lets through, as CSV or in binary form.
#include <array>
#include <cstdint>

#include "sim/observe/flits/flit_trace.h"
#include "sim/observe/observer.h"

namespace flitscope::trace_observer {
namespace {

enum class Format : std::uint8_t { none, csv, binary };
constexpr std::array kFormats{"none", "csv", "binary"};

struct Keys {
  Format trace = Format::none;
};

/// `Writer` is FlitTraceCsv or FlitTraceBinary.
template <typename Writer>
class Trace final : public Observer {
 public:
  Trace(const char* file, ObservedRun& run)
      : writer_(run.file(file), run.settings.get<FlitFilter>(), run.topology, run.clock) {
    run.on_flits(writer_, run.settings.get<FlitFilter>().watched_nodes(run.topology));
    run.on_stalls(writer_);
  }
  void close(const RunEnd& /*end*/) override { writer_.close(); }

 private:
  Writer writer_;
};

std::unique_ptr<Observer> make(const Keys& keys, ObservedRun& run) {
  if (keys.trace == Format::csv) return std::make_unique<Trace<FlitTraceCsv>>("trace.csv", run);
  return std::make_unique<Trace<FlitTraceBinary>>("trace.bin", run);
}

const ObserverEntry<Keys> entry{
    {.name = "trace",
     .summary = "every event of every flit that observe.filter lets through",
     .files = {"trace.csv", "trace.bin"},
     .keys = {.name = "observe",
              .rows = {of_links(
                  choice_row(&Keys::trace, kFormats, "trace",
                             "trace.csv or trace.bin: every event of every flit, see observe.filter"))}},
     .order = -5,
     .wanted = [](const Keys& keys) { return keys.trace != Format::none; },
     .make = make}};

}  // namespace
}  // namespace flitscope::trace_observer
