// Timelines taken apart, as a trace processor does.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace flitscope::test {

/// Something that lies on a track.
struct Span {
  std::int64_t from = 0;
  std::int64_t end = 0;
  std::string name;
  nlohmann::json args;
};

/// Throws if an event lacks what its phase needs.
struct Timeline {
  using Json = nlohmann::json;

  std::map<std::pair<std::string, std::string>, std::vector<Span>> tracks;  ///< process and thread: spans
  std::map<std::string, std::map<std::string, std::vector<std::int64_t>>> messages;  ///< id: phase: times
  std::map<std::string, std::vector<Json>> arrows;                                   ///< id: s, t, f

  explicit Timeline(const std::string& text) {
    const Json file = Json::parse(text);
    std::map<std::int64_t, std::string> processes;
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> threads;
    for (const Json& event : file.at("traceEvents")) {
      if (event.at("ph") != "M") continue;
      if (event.at("name") == "process_name") processes[event.at("pid")] = event.at("args").at("name");
      if (event.at("name") == "thread_name") {
        threads[{event.at("pid"), event.at("tid")}] = event.at("args").at("name");
      }
    }
    for (const Json& event : file.at("traceEvents")) {
      const std::string phase = event.at("ph");
      if (phase == "M") continue;
      const std::string process = processes.at(event.at("pid"));
      const std::int64_t time = event.at("ts");
      EXPECT_FALSE(event.at("cat").get<std::string>().empty());
      if (phase == "X") {
        const std::string thread = threads.at({event.at("pid"), event.at("tid")});
        tracks[{process, thread}].push_back(
            {time, time + event.at("dur").get<std::int64_t>(), event.at("name"), event.at("args")});
      } else if (phase == "b" || phase == "e") {
        messages[event.at("id").dump()][phase].push_back(time);
      } else if (phase == "s" || phase == "t" || phase == "f") {
        arrows[event.at("id").dump()].push_back(event);
        const std::string thread = threads.at({event.at("pid"), event.at("tid")});
        const auto& spans = tracks[{process, thread}];
        const auto covers = [&](const Span& span) { return span.from <= time && time < span.end; };
        EXPECT_TRUE(std::ranges::any_of(spans, covers)) << "an arrow to nowhere: " << event;
      } else {
        ADD_FAILURE() << "phase " << phase;
      }
    }
  }
};

/// Tracks hold one span at a time, messages contain their parts, arrows lead forward.
inline void expect_well_formed(Timeline& timeline) {
  for (auto& [track, spans] : timeline.tracks) {
    std::ranges::sort(spans, {}, &Span::from);
    for (std::size_t i = 0; i < spans.size(); ++i) {
      EXPECT_LT(spans[i].from, spans[i].end);
      if (i == 0) continue;
      EXPECT_LE(spans[i - 1].end, spans[i].from) << "two spans at once on " << track.second;
    }
  }
  for (const auto& [id, phases] : timeline.messages) {
    EXPECT_EQ(phases.at("b").size(), phases.at("e").size());
    EXPECT_EQ(std::ranges::min(phases.at("b")), phases.at("b").front());
    EXPECT_EQ(std::ranges::max(phases.at("e")), phases.at("e").front()) << "the whole comes first";
  }
  for (const auto& [id, points] : timeline.arrows) {
    ASSERT_GE(points.size(), 2U);
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(points[i].at("ph"), i == 0 ? "s" : i + 1 == points.size() ? "f" : "t");
      if (i == 0) continue;
      EXPECT_GE(points[i].at("ts"), points[i - 1].at("ts"));
    }
  }
}

}  // namespace flitscope::test
