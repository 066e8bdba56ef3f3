// npe: recordings of a chip's network, a list of events in JSON.
#include <utility>

#include "sim/formats/foreign/format.h"
#include "sim/formats/recording.h"

namespace flitscope::npe_format {
namespace {

/// A recording, and the schedule that replays it.
class ImportedRecording final : public Schedule {
 public:
  ImportedRecording(Recording recording, const ImportOptions& options)
      : recording_(std::move(recording)),
        schedule_(recording_, options.topology, options.routing, options.replay) {}

  [[nodiscard]] const ScheduleFacts& facts() const override { return schedule_.facts(); }
  [[nodiscard]] bool next(Step& step) override { return schedule_.next(step); }

 private:
  Recording recording_;
  RecordedSchedule schedule_;
};

std::unique_ptr<Schedule> read(std::vector<ImportFile>& files, const ImportOptions& options) {
  const ImportFile& file = only_file(files, "npe: a recording is one file");
  return std::make_unique<ImportedRecording>(read_recording(file.text, file.name), options);
}

const FormatRegistry::Entry entry{{
    .name = "npe",
    .summary = "JSON: recorded reads, writes and barriers of a chip's processors, with their cycles",
    .source = "tt-npe, Tenstorrent",
    .read = read,
}};

}  // namespace
}  // namespace flitscope::npe_format
