// The file of a timeline: trace events in the JSON form of Chrome's tracing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <utility>

#include <fmt/compile.h>

#include "model/topology.h"

namespace flitscope {

/// A cycle is shown as a microsecond. Every node is a process with tracks (threads); one more process holds
/// the messages.
///
/// Events are put together as text: objects for them would take several times as long as the simulation, and
/// nothing in them (numbers, names of nodes and messages) needs to be escaped.
class TraceEvents {
 public:
  /// A node, and a number among its tracks, which lie in the order of their numbers.
  using Track = std::pair<NodeId, unsigned>;
  /// A track in a cycle.
  using Point = std::pair<Track, Cycle>;

  /// Throws OutputError if the file cannot be opened.
  TraceEvents(const std::filesystem::path& file, const Topology& topology);

  /// The "pid" of a node.
  [[nodiscard]] static std::uint64_t process_of(NodeId node) { return std::uint64_t{node} + 2; }
  /// Must come before the first event on a track; what comes later has no effect.
  void name_track(Track track, const std::string& name);
  [[nodiscard]] bool is_named(Track track) const { return named_tracks_.contains(track); }
  /// An event, with a format of fmt.
  template <typename Format, typename... Values>
  void write(const Format& format, const Values&... values) {
    begin_event();
    fmt::format_to(std::back_inserter(text_), format, values...);
  }
  /// Cycles `from` .. `end`-1 of a message, or of a part of its time. The whole comes first.
  void write_message_span(std::uint64_t message, const char* name, Cycle from, Cycle end);
  /// An arrow from span to span; nothing for fewer than two points.
  void write_arrow(std::uint64_t message, std::span<const Point> points);
  /// Throws OutputError if anything could not be written.
  void close();

 private:
  void begin_event();
  void flush();

  const Topology& topology_;
  std::filesystem::path file_;
  std::ofstream out_;
  std::string text_;  ///< that is not written yet
  bool first_ = true;
  std::set<Track> named_tracks_;
  std::set<NodeId> named_nodes_;
};

}  // namespace flitscope
