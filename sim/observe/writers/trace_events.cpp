#include "sim/observe/writers/trace_events.h"

#include <nlohmann/json.hpp>

#include "model/error.h"

namespace flitscope {

namespace {

using Json = nlohmann::ordered_json;

/// Process of the messages; those of the nodes come behind it.
constexpr std::uint64_t kMessages = 1;

}  // namespace

TraceEvents::TraceEvents(const std::filesystem::path& file, const Topology& topology)
    : topology_(topology), file_(file), out_(file) {
  if (!out_) throw OutputError(file.string() + ": cannot be written");
  const Json about{{"program", "flitscope"}, {"topology", topology.name()}, {"one cycle", "shown as 1 us"}};
  out_ << "{\"displayTimeUnit\":\"ns\",\n\"otherData\":" << about.dump() << ",\n\"traceEvents\":[\n";
  write(FMT_COMPILE(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"messages"}}}})"),
        kMessages);
}

void TraceEvents::begin_event() {
  constexpr std::size_t kEnough = 1U << 16;
  if (text_.size() >= kEnough) flush();
  if (!std::exchange(first_, false)) text_ += ",\n";
}

void TraceEvents::flush() {
  out_ << text_;
  text_.clear();
}

void TraceEvents::name_track(Track track, const std::string& name) {
  const auto [node, number] = track;
  const std::uint64_t process = process_of(node);
  const auto about = [&](const char* what, const char* key, const Json& value) {
    write(FMT_COMPILE(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"{}":{}}}}})"), what, process,
          track.second, key, value.dump());
  };
  if (named_nodes_.insert(node).second) {
    const bool complete = !topology_.has_links();
    about("process_name", "name", (complete ? "" : "node ") + topology_.node_name(node));
    about("process_sort_index", "sort_index", process);
  }
  if (!named_tracks_.insert(track).second) return;
  about("thread_name", "name", name);
  about("thread_sort_index", "sort_index", number);
}

void TraceEvents::write_message_span(std::uint64_t message, const char* name, Cycle from, Cycle end) {
  for (const char* phase : {"b", "e"}) {
    write(FMT_COMPILE(R"({{"ph":"{}","name":"{}","cat":"message","id":{},"pid":{},"tid":0,"ts":{}}})"), phase,
          name, message, kMessages, *phase == 'b' ? from : end);
  }
}

void TraceEvents::write_arrow(std::uint64_t message, std::span<const Point> points) {
  if (points.size() < 2) return;
  for (const Point& point : points) {
    const auto& [track, cycle] = point;
    const char* const phase = &point == &points.front() ? "s" : &point == &points.back() ? "f" : "t";
    write(FMT_COMPILE(R"({{"ph":"{}","name":"head","cat":"flow","id":{},"pid":{},"tid":{},"ts":{}{}}})"),
          phase, message, process_of(track.first), track.second, cycle, *phase == 'f' ? R"(,"bp":"e")" : "");
  }
}

void TraceEvents::close() {
  text_ += "\n]}\n";
  flush();
  out_.close();
  if (!out_) throw OutputError(file_.string() + ": could not be written completely");
}

}  // namespace flitscope
