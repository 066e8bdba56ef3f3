// Runs with observers, and readers of the files that these write.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/csv.h"
#include "tests/support/program.h"
#include "tests/support/small_schedules.h"

namespace flitscope::test {

/// A machine as the configuration writes it; small enough that messages block each other.
struct SmallMachine {
  std::string topology = "{kind: torus, shape: [4, 3]}";
  std::string router = "{buffer: 2}";
  std::string link = "{delay: 1}";
  std::string node = "{ports: 2, injection_interval: 2, ejection_interval: 2, startup: 3}";
};

inline const SmallMachine kTorus43;
inline const SmallMachine kMesh332{.topology = "{kind: mesh, shape: [3, 3, 2]}",
                                   .router = "{buffer: 3, delay: 2}",
                                   .link = "{delay: 3}",
                                   .node = "{ports: all}"};
inline const SmallMachine kCutThrough{.router = "{buffer: 16, switching: virtual-cut-through}",
                                      .node = "{ports: 1, injection_interval: 1, ejection_interval: 1}"};
inline const SmallMachine kStoreAndForward{.router = "{buffer: 13, switching: store-and-forward}",
                                           .node = "{ports: 1, injection_interval: 2, ejection_interval: 2}"};

/// Writes an experiment with random traffic into `directory`; returns its configuration.
inline std::filesystem::path write_random_run(const TemporaryDirectory& directory,
                                              const SmallMachine& machine, std::uint32_t seed) {
  const bool torus = machine.topology.find("torus") != std::string::npos;
  const Topology topology =
      torus ? Topology(TopologyKind::torus, {4, 3}) : Topology(TopologyKind::mesh, {3, 3, 2});
  MemorySchedule schedule = random_traffic(topology, 3, 30, seed);
  static_cast<void>(directory.write("random.jsonl", written(schedule)));
  return directory.write("random.yaml",
                         fmt::format("flitscope: 1\ntopology: {}\nrouter: {}\nlink: {}\nnode: {}\n"
                                     "workload: {{schedule: random.jsonl, advance: dataflow}}\n",
                                     machine.topology, machine.router, machine.link, machine.node));
}

/// Runs it into the directory `name`, with settings.
inline std::filesystem::path observe(const TemporaryDirectory& directory, const std::string& name,
                                     const std::filesystem::path& config, const Arguments& settings,
                                     int exit_code = 0) {
  Arguments words{"run", config, "--quiet", "--out", directory / name};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  const Outcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  return directory / name;
}

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

/// Signals by full name ("flitscope.node_0.in_plus0.vc0.state"), each with its changes by time.
class Vcd {
 public:
  using Changes = std::map<std::uint64_t, std::uint64_t>;

  explicit Vcd(const std::string& text) : words_(text) {
    std::string word;
    while (words_ >> word && word != "$enddefinitions") declare(word);
    skip();
    while (words_ >> word) change(word);
  }

  [[nodiscard]] const std::map<std::string, Changes>& signals() const { return signals_; }
  [[nodiscard]] bool has(const std::string& name) const { return signals_.contains(name); }
  /// The value at a time: that of the last change before or at it.
  [[nodiscard]] std::uint64_t at(const std::string& name, std::uint64_t time) const {
    const Changes& changes = signals_.at(name);
    const auto next = changes.upper_bound(time);
    if (next == changes.begin()) throw std::runtime_error(name + " has no value at " + std::to_string(time));
    return std::prev(next)->second;
  }
  [[nodiscard]] std::uint64_t end() const { return time_; }
  [[nodiscard]] const std::string& timescale() const { return timescale_; }

 private:
  std::string skip() {
    std::string text;
    for (std::string word; words_ >> word && word != "$end";) text += word;
    return text;
  }

  void declare(const std::string& keyword) {
    if (keyword == "$scope") {
      std::string kind;
      std::string name;
      words_ >> kind >> name;
      scopes_.push_back(name);
      skip();
    } else if (keyword == "$upscope") {
      scopes_.pop_back();
      skip();
    } else if (keyword == "$var") {
      std::string type;
      std::string width;
      std::string code;
      std::string name;
      words_ >> type >> width >> code >> name;
      skip();
      std::string full;
      for (const std::string& scope : scopes_) full += scope + ".";
      full += name.substr(0, name.find('['));
      if (!signals_.emplace(full, Changes()).second) throw std::runtime_error("declared twice: " + full);
      named_[code].push_back(full);
    } else if (keyword == "$timescale") {
      timescale_ = skip();
    } else {
      skip();
    }
  }

  void change(const std::string& word) {
    if (word[0] == '$') return;  // $dumpvars, $end
    if (word[0] == '#') {
      const std::uint64_t time = std::stoull(word.substr(1));
      if (time < time_) throw std::runtime_error("time runs backwards at " + word);
      time_ = time;
      return;
    }
    std::uint64_t value = 0;
    std::string code;
    if (word[0] == 'b') {
      value = std::stoull(word.substr(1), nullptr, 2);
      words_ >> code;
    } else {
      if (word[0] != '0' && word[0] != '1') throw std::runtime_error("no value: " + word);
      value = word[0] == '1' ? 1 : 0;
      code = word.substr(1);
    }
    const auto names = named_.find(code);
    if (names == named_.end()) throw std::runtime_error("never declared: " + code);
    for (const std::string& name : names->second) {
      Changes& changes = signals_[name];
      // Of several in one event the last one counts; a value that is set again is no change.
      changes[time_] = value;
    }
  }

  std::istringstream words_;
  std::vector<std::string> scopes_;
  std::map<std::string, std::vector<std::string>> named_;
  std::map<std::string, Changes> signals_;
  std::uint64_t time_ = 0;
  std::string timescale_;
};

}  // namespace flitscope::test
