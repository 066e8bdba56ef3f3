// npe: recordings of a chip's network, a list of events in JSON.
#include <memory>

#include "sim/formats/foreign/format.h"
#include "sim/formats/recording.h"

namespace flitscope::npe_format {
namespace {

std::unique_ptr<Schedule> read(std::vector<ImportFile>& files, const ImportOptions& options) {
  const ImportFile& file = only_file(files, "npe: a recording is one file");
  return std::make_unique<RecordedSchedule>(read_recording(file.text, file.name), options.topology,
                                            options.routing, options.replay);
}

const FormatRegistry::Entry entry{{
    .name = "npe",
    .summary = "JSON: recorded reads, writes and barriers of a chip's processors, with their cycles",
    .source = "tt-npe, Tenstorrent",
    .read = read,
}};

}  // namespace
}  // namespace flitscope::npe_format
