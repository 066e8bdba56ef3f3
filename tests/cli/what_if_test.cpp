// flitscope what-if: times are those of closed forms, and the least buffer is the round trip of a slot.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "tests/support/program.h"

namespace flitscope::test::what_if_command_test {
namespace {

using Json = nlohmann::json;

Json answer_of(const Arguments& arguments) {
  Arguments words{"what-if"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.emplace_back("--json");
  const Outcome outcome = run_program(words);
  if (outcome.exit_code != 0) throw std::runtime_error(outcome.err);
  return Json::parse(outcome.out);
}

/// By "KEY VALUE".
std::map<std::string, Json> by_change(const Json& rows) {
  std::map<std::string, Json> changes;
  for (const Json& row : rows) {
    changes[row.at("key").get<std::string>() + " " + row.at("to").get<std::string>()] = row;
  }
  return changes;
}

// One message alone takes S + (H + 1)(R + D) + (L - 1)s, here 10 + 4 * (2 + 3) + 63, if a buffer is as deep
// as the round trip of its slots, R + 2D = 8.
TEST(WhatIf, OneMessage_TakesItsClosedForm) {
  const TemporaryDirectory directory;
  static_cast<void>(directory.write(
      "one.jsonl",
      R"({"flitscope":"schedule","version":1,"topology":{"kind":"mesh","shape":[4]},"ports":{"send":2,"receive":2},"routing":"dimension-order","algorithm":"one","steps":1,"messages":1,"chunks":[512],"initial":[[[0],[0]]],"goal":[[[3],[0]]]})"
      "\n"
      R"({"step":1,"src":[0],"dst":[3],"path":[[0,1,3]],"chunks":[0]})"
      "\n"));
  const auto config =
      directory.write("one.yaml",
                      "flitscope: 1\ntopology: {kind: mesh, shape: [4]}\n"
                      "router: {virtual_channels: 1, delay: 2, buffer: 16}\nlink: {delay: 3}\n"
                      "node: {startup: 10}\nworkload: {schedule: one.jsonl}\n");
  const auto changes = by_change(answer_of({config.string()}));
  EXPECT_EQ(changes.at("as it is ").at("cycles"), 93);
  EXPECT_EQ(changes.at("router.virtual_channels 2").at("cycles"), 93);
  EXPECT_EQ(changes.at("router.buffer 8").at("cycles"), 93);
  EXPECT_EQ(changes.at("router.delay 1").at("cycles"), 89);
  EXPECT_EQ(changes.at("link.delay 1").at("cycles"), 85);
  EXPECT_EQ(changes.at("node.startup 5").at("cycles"), 88);
  EXPECT_EQ(changes.at("node.flit_bytes 16").at("cycles"), 61);
  EXPECT_EQ(changes.at("least router.buffer 8").at("cycles"), 93);

  const auto clocks = by_change(answer_of(
      {config.string(), "--set", "clock=2GHz", "--change", "clock=1GHz", "--change", "clock=4GHz"}));
  EXPECT_EQ(clocks.at("clock 1GHz").at("cycles"), 186) << "cycles of the run as it is";
  EXPECT_EQ(clocks.at("clock 4GHz").at("cycles"), 46.5);

  const Outcome text = run_program({"what-if", config.string()});
  EXPECT_NE(text.out.find("buffers of 8 flits keep the time; of 7: "), std::string::npos) << text.out;
}

TEST(WhatIf, ScheduleBesideTraffic_IsTimedWithoutTheWarmUp) {
  const TemporaryDirectory directory;
  const std::string alone =
      "flitscope: 1\ntopology: {kind: mesh, shape: [4]}\n"
      "workload: {algorithm: tree-broadcast, message: 512";
  const auto cycles = [&](const std::string& config, const Arguments& more) {
    Arguments words{directory.write("c.yaml", config).string(), "--change", "node.startup=10"};
    words.insert(words.end(), more.begin(), more.end());
    return answer_of(words).at(0).at("cycles").get<double>();
  };
  // A background of next to no load.
  const std::string beside = ", background: {traffic: uniform, load: 0.000001, warmup: 300}}\n";
  EXPECT_EQ(cycles(alone + beside, {}), cycles(alone + "}\n", {}));
}

/// A queue in front of one link does not depend on VCs or buffers; short measurements differ by chance.
TEST(WhatIf, DifferencesWithinTheConfidenceInterval_AreChance) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("c.yaml",
                      "flitscope: 1\ntopology: {kind: mesh, shape: [4, 4]}\n"
                      "workload: {traffic: uniform, load: 0.3, message: 32, warmup: 500, measure: 3000}\n");
  const Json rows = answer_of({config});
  const Json& base = rows.front();
  double last = 0;
  unsigned by_chance = 0;
  for (const Json& row : rows) {
    if (row.at("latency.mean").is_null() || row.at("key") == "as it is") continue;
    const double difference = row.at("latency.mean").get<double>() - base.at("latency.mean").get<double>();
    const double chance = row.at("ci95").get<double>() + base.at("ci95").get<double>();
    EXPECT_EQ(row.at("differs"), std::abs(difference) > chance) << row;
    if (row.at("key") == "least router.buffer") continue;
    const double ranked = (row.at("differs") ? row : base).at("latency.mean");
    EXPECT_GE(ranked, last) << row;
    last = ranked;
    if (!row.at("differs")) ++by_chance;
  }
  EXPECT_GT(by_chance, 0U);
  const Outcome text = run_program({"what-if", config});
  EXPECT_NE(text.out.find("  chance\n"), std::string::npos) << text.out;
}

/// In some of the twenty parts of so short a measurement no message is generated.
TEST(WhatIf, RunsWithoutConfidenceIntervals_AreRankedAndSaySo) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("short.yaml",
                      "flitscope: 1\ntopology: {kind: mesh, shape: [4, 4]}\n"
                      "workload: {traffic: uniform, load: 0.1, warmup: 200, measure: 100}\n");
  const Json rows = answer_of({config});
  double last = 0;
  for (const Json& row : rows) {
    EXPECT_TRUE(row.at("differs").is_null()) << row;
    if (row.at("latency.mean").is_null() || row.at("key") == "as it is") continue;
    EXPECT_TRUE(row.at("ci95").is_null()) << row;
    if (row.at("key") == "least router.buffer") {
      EXPECT_LE(row.at("latency.mean"), rows.front().at("latency.mean"));
      continue;
    }
    EXPECT_GE(row.at("latency.mean"), last) << row;
    last = row.at("latency.mean");
  }
  const Outcome text = run_program({"what-if", config, "--change", "router.delay=20"});
  EXPECT_NE(text.out.find("14.47"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("93.53  +546.2%  no interval\n"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("no interval: the measurement is too short for a 95% confidence interval, so the "
                          "difference may be chance; raise 'workload.measure'\n"),
            std::string::npos)
      << text.out;
  EXPECT_EQ(text.out.find("overlap"), std::string::npos) << text.out;
}

TEST(WhatIf, RunWithoutAMeasuredMessage_SaysSo) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("none.yaml",
                      "flitscope: 1\ntopology: {kind: mesh, shape: [4, 4]}\n"
                      "workload: {traffic: uniform, load: 0.0001, warmup: 0, measure: 20}\n");
  const Arguments change{"--change", "router.delay=20"};
  const Outcome text = run_program({"what-if", config, change[0], change[1]});
  EXPECT_NE(text.out.find("unnamed: no message was measured; raise 'workload.measure'\n"), std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find(" no message\n"), std::string::npos) << text.out;
  for (const Json& row : answer_of({config, change[0], change[1]})) {
    EXPECT_EQ(row.at("status"), "completed") << row;
    EXPECT_TRUE(row.at("latency.mean").is_null()) << row;
  }
}

/// Messages of 4 flits, then of 2: at twice the load in flits they would be twice as many.
TEST(WhatIf, WiderFlits_CarryTheSameMessages) {
  const TemporaryDirectory directory;
  const std::string network = "flitscope: 1\ntopology: {kind: mesh, shape: [4, 4]}\n";
  const std::string phases = "warmup: 500, measure: 2000";
  const auto mean_of = [&](const std::string& config, const std::string& load) {
    const Outcome run =
        run_program({"run", config, "--set", "node.flit_bytes=16", "--set", load, "--json", "--quiet"});
    return Json::parse(run.out).at("traffic").at("latency").at("mean").get<double>();
  };
  const Arguments change{"--change", "node.flit_bytes=16"};
  const std::string one = directory.write(
      "one.yaml", network + "workload: {traffic: uniform, load: 0.3, message: 32, " + phases + "}\n");
  const Json wider = answer_of({one, change[0], change[1]}).at(1);
  EXPECT_EQ(wider.at("with"), "workload.load=0.15");
  EXPECT_NEAR(wider.at("latency.mean"), mean_of(one, "workload.load=0.15"), 1e-6);
  const Outcome text = run_program({"what-if", one, change[0], change[1]});
  EXPECT_NE(text.out.find("  with workload.load=0.15\n"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("\n  with: nodes offer the same messages"), std::string::npos) << text.out;
  // A message of 8 bytes is one flit of either size.
  const std::string two = directory.write(
      "two.yaml", network +
                      "workload: {classes: [{name: data, traffic: uniform, load: 0.2, message: "
                      "32}, {name: control, traffic: uniform, load: 0.05, message: 8}], " +
                      phases + "}\n");
  const Json classes = answer_of({two, change[0], change[1]}).at(1);
  EXPECT_EQ(classes.at("with"), "workload.classes[0].load=0.1");
  EXPECT_NEAR(classes.at("latency.mean"), mean_of(two, "workload.classes[0].load=0.1"), 1e-6);
  // Other changes leave the load.
  EXPECT_TRUE(answer_of({one, "--change", "router.buffer=4"}).at(1).at("with").is_null());
}

TEST(WhatIf, WiderFlitsOfRequestsAndBackground_CarryTheSameMessages) {
  const TemporaryDirectory directory;
  const std::string network = "flitscope: 1\ntopology: {kind: mesh, shape: [4]}\n";
  const auto with = [&](const std::string& workload) {
    const std::string config = directory.write("c.yaml", network + "workload: " + workload + "\n");
    return answer_of({config, "--change", "node.flit_bytes=16"}).at(1).at("with");
  };
  EXPECT_EQ(with("{protocol: request-reply, request: 32, requests: {load: 0.1}, warmup: 200, measure: 500}"),
            "workload.requests.load=0.05");
  EXPECT_TRUE(with("{protocol: request-reply, outstanding: 1, batch: 3}").is_null());
  EXPECT_EQ(
      with("{algorithm: tree-broadcast, message: 512, background: {traffic: uniform, load: 0.1, message: "
           "64}}"),
      "workload.background.load=0.05");
}

/// One flow of 64 has 5% too much: less than 1% of all flits.
TEST(WhatIf, LoadOfOneFlowBeyondTheBound_IsSaturated) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("few.yaml",
                      "flitscope: 1\ntopology: {kind: mesh, shape: [64]}\n"
                      "links: [{at: '[0]+0', cycles_per_flit: 21/10}]\n"
                      "workload: {traffic: neighbour, load: 0.5, message: 8, warmup: 500, measure: 4000}\n");
  const Json rows = answer_of({config, "--change", "workload.load=0.4"});
  EXPECT_EQ(rows[0].at("status"), "saturated");
  EXPECT_TRUE(rows[0].at("latency.mean").is_null());
  EXPECT_TRUE(rows[0].at("ci95").is_null());
  EXPECT_EQ(rows[1].at("status"), "completed");
}

TEST(WhatIf, BatchesOfRequests_HaveNoIntervals) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("batch.yaml",
                      "flitscope: 1\ntopology: {kind: mesh, shape: [4]}\n"
                      "workload: {protocol: request-reply, outstanding: 1, batch: 3}\n");
  const Outcome text = run_program({"what-if", config, "--change", "router.delay=20"});
  EXPECT_NE(text.out.find("  no interval\n"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("no interval: a batch has no 95% confidence interval\n"), std::string::npos)
      << text.out << text.err;
}

TEST(WhatIf, RequestsAndReplies_HaveTheRoundTripOfTheRun) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("requests.yaml",
                      "flitscope: 1\nclock: 1GHz\ntopology: {kind: mesh, shape: [4]}\nworkload: {protocol: "
                      "request-reply, outstanding: 1, warmup: 200, measure: 2000}\n");
  const Json result = Json::parse(run_program({"run", config, "--json"}).out);
  const double mean = result.at("protocol").at("round_trip").at("mean");
  const Json base = answer_of({config, "--change", "router.delay=2"}).front();
  EXPECT_NEAR(base.at("protocol.round_trip.mean"), mean, 1e-6);
  EXPECT_NEAR(base.at("protocol.round_trip.mean_ns"), mean, 1e-6);
  EXPECT_FALSE(base.contains("latency.mean"));
}

TEST(WhatIf, Deadlock_EndsWithOneMoreVirtualChannel) {
  const auto changes = by_change(answer_of({shipped_config("deadlock-ring.yaml")}));
  EXPECT_EQ(changes.at("as it is ").at("status"), "deadlock");
  const Json& more = changes.at("router.virtual_channels 2");
  EXPECT_EQ(more.at("status"), "completed");
  EXPECT_EQ(more.at("cycles"), 249);
}

/// With one VC of the ejection channel a node takes one message at a time, whatever virtual channels links
/// have.
TEST(WhatIf, VcsOfNodes_AreTriedUpToThoseOfLinks) {
  const TemporaryDirectory directory;
  const auto config = directory.write(
      "mesh.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [4, 4]}\nrouter: {virtual_channels: 4}\nnode: {ports: 1}\n"
      "workload: {traffic: uniform, load: 0.3, message: 64, warmup: 500, measure: 3000}\n");
  const auto changes = by_change(answer_of({config.string()}));
  const Json& as_it_is = changes.at("as it is ");
  EXPECT_LT(changes.at("node.vcs 4").at("latency.mean").get<double>(),
            as_it_is.at("latency.mean").get<double>());
  const auto none = by_change(answer_of({config.string(), "--set", "node.vcs=4"}));
  for (const auto& [change, row] : none) EXPECT_FALSE(change.starts_with("node.vcs")) << change;
}

/// A message crosses two links of each kind.
TEST(WhatIf, KindsOfLinks_AreFasterTogether) {
  const TemporaryDirectory directory;
  static_cast<void>(directory.write(
      "one.jsonl",
      R"({"flitscope":"schedule","version":1,"topology":{"kind":"mesh","shape":[3,3]},"ports":{"send":4,"receive":4},"routing":"dimension-order","algorithm":"one","steps":1,"messages":1,"chunks":[8],"initial":[[[0,0],[0]]],"goal":[[[2,2],[0]]]})"
      "\n"
      R"({"step":1,"src":[0,0],"dst":[2,2],"path":[[0,1,2],[1,1,2]],"chunks":[0]})"
      "\n"));
  const auto config = directory.write("one.yaml",
                                      "flitscope: 1\ntopology: {kind: mesh, shape: [3, 3]}\n"
                                      "link: {delay: [2, 5]}\nlinks: [{at: '[2, 0]+1', delay: 5}]\n"
                                      "workload: {schedule: one.jsonl}\n");
  const auto changes = by_change(answer_of({config.string()}));
  const auto cycles = [&](const char* change) { return changes.at(change).at("cycles").get<int>(); };
  EXPECT_EQ(cycles("links dimension 0 delay 1"), cycles("as it is ") - 2);
  EXPECT_EQ(cycles("links dimension 1 delay 2"), cycles("as it is ") - 6);
}

TEST(WhatIf, KindsOfLinksWithKeysOfTheFamily_AreChangedByTheseAlone) {
  std::set<std::string> keys;
  for (const Json& row :
       answer_of({shipped_config("networks/chiplets.yaml"), "--set", "workload.message=64"})) {
    keys.insert(row.at("key"));
  }
  for (const std::string key : {"delay", "cycles_per_flit"}) {
    EXPECT_TRUE(keys.contains("topology.outer_" + key)) << key;
    EXPECT_FALSE(keys.contains("links outer " + key)) << key;
  }
}

/// Where `links` gives a kind a time of its own, the family's key for it has no effect.
TEST(WhatIf, KindsOfLinksInPlaceOfKeysOfTheFamily_AreChangedThemselves) {
  const TemporaryDirectory directory;
  const auto changes_of = [&](const char* topology, const char* links) {
    const auto config = directory.write(
        "one.yaml", fmt::format("flitscope: 1\ntopology: {}\nlinks: [{}]\nnode: {{ports: 1}}\n"
                                "workload: {{algorithm: all-to-all-direct, message: 16}}\n",
                                topology, links));
    return by_change(answer_of({config.string()}));
  };
  constexpr auto kChiplets = "{kind: chiplets, chiplets: [2, 1], mesh: [2, 1], outer_delay: 6}";
  auto changes = changes_of(kChiplets, "{kind: outer, delay: 20, cycles_per_flit: 8}");
  for (const char* const gone :
       {"topology.outer_delay 3", "topology.outer_delay 12", "topology.outer_cycles_per_flit 2"}) {
    EXPECT_FALSE(changes.contains(gone)) << gone;
  }
  EXPECT_TRUE(changes.contains("topology.inner_delay 2"));
  EXPECT_LT(changes.at("links outer cycles_per_flit 4").at("cycles"), changes.at("as it is ").at("cycles"));
  EXPECT_LT(changes.at("links outer delay 10").at("cycles"), changes.at("as it is ").at("cycles"));
  changes = changes_of(kChiplets, "{kind: outer, cycles_per_flit: 8}");
  EXPECT_TRUE(changes.contains("topology.outer_delay 3"));
  EXPECT_TRUE(changes.contains("links outer cycles_per_flit 4"));
  EXPECT_FALSE(changes.contains("links outer delay 3"));
  EXPECT_FALSE(changes.contains("topology.outer_cycles_per_flit 2"));
  changes = changes_of(kChiplets, "{at: 'c0.0.n1.0>c1.0.n0.0', delay: 20}");
  EXPECT_TRUE(changes.contains("topology.outer_delay 3")) << "that of the link back";
  changes = changes_of("{kind: folded-torus, shape: [4], tile_delay: 2}",
                       "{kind: short, delay: 8}, {kind: folded, delay: 6}");
  EXPECT_FALSE(changes.contains("topology.tile_delay 1"));
  EXPECT_TRUE(changes.contains("links short delay 4"));
  EXPECT_TRUE(changes.contains("links folded delay 3"));
}

/// A link is missed on any network: routing functions of a family do not route around it, so another one
/// does.
TEST(WhatIf, BusiestLink_IsMissedOnGridsAndGraphs) {
  for (const char* const name : {"hot-spot.yaml", "networks/fat-tree.yaml", "networks/hyperx.yaml",
                                 "networks/dragonfly.yaml", "networks/chiplets.yaml"}) {
    const bool is_schedule = std::string_view(name) == "hot-spot.yaml";
    const Json rows = answer_of(
        {shipped_config(name), "--set", is_schedule ? "router.virtual_channels=4" : "workload.message=64"});
    unsigned missing = 0;
    for (const Json& row : rows) {
      if (row.at("from") != "there") continue;
      EXPECT_EQ(row.at("status"), "completed") << name << ": " << row;
      ++missing;
    }
    EXPECT_EQ(missing, 3U) << name;
  }
}

/// A file names the whole graph by its digest, and is read for what is left of it.
TEST(WhatIf, ScheduleFileOfAGraph_IsPlayedWithoutALink) {
  const TemporaryDirectory directory;
  const std::string config = shipped_config("networks/hyperx.yaml");
  const Arguments machine{config, "--set", "topology.shape=[3, 3]", "--set", "router.routing=layered"};
  Arguments words{"schedule"};
  words.insert(words.end(), machine.begin(), machine.end());
  const Outcome schedule = run_program(words);
  ASSERT_EQ(schedule.exit_code, 0) << schedule.err;
  const std::string file = directory.write("h.jsonl", schedule.out).string();
  words = machine;
  for (const std::string& more :
       {std::string("--set"), "workload={schedule: " + file + "}", std::string("--change"),
        std::string("links=[{at: 'r0.0>r0.1', missing: true, both: true}]")})
    words.push_back(more);
  const Json rows = answer_of(words);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].at("status"), "completed") << rows[1];
}

TEST(WhatIf, MissingLink_RefusesRoutingOfAFamily) {
  const Json rows = answer_of({shipped_config("networks/dragonfly.yaml"), "--change",
                               "links=[{at: 'r0.0>r0.1', missing: true, both: true}]"});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].at("status"), "refused");
  EXPECT_NE(rows[1].at("error").get<std::string>().find(
                "dragonfly-minimal does not route around faults: from r0.0 to r0.1 it takes r0.0>r0.1, which "
                "is missing. These do: layered"),
            std::string::npos)
      << rows[1];
}

TEST(WhatIf, ChannelsThatClassesRefuse_AreLeftOut) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [3, 3]}\nclasses: [{name: a, vcs: [0]}, {name: b, vcs: "
      "[1]}]\nrouter: {virtual_channels: 2}\nworkload: {algorithm: all-reduce-ring, message: 256}\n");
  const Json rows = answer_of({config});
  EXPECT_GT(rows.size(), 5U);
  for (const Json& row : rows) EXPECT_NE(row.at("key"), "router.virtual_channels") << row;
}

/// `links` names links of all networks together.
TEST(WhatIf, SeveralNetworks_HaveNoRefusedLinks) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [3, 3], networks: 2}\nclasses: [{name: a, vcs: 1}, {name: "
      "b, vcs: 1, network: 1}]\nworkload: {classes: [{name: x, traffic: uniform, load: 0.1, message_class: "
      "a}, {name: y, traffic: transpose, load: 0.3, message_class: b}], warmup: 200, measure: 600}\n");
  unsigned missing = 0;
  for (const Json& row : answer_of({config})) {
    if (row.at("from") != "there") continue;
    EXPECT_EQ(row.at("error").dump().find("name the one of the first network"), std::string::npos) << row;
    ++missing;
  }
  EXPECT_EQ(missing, 3U);
}

TEST(WhatIf, MistakeInConfiguration_IsRefused) {
  const Outcome outcome =
      run_program({"what-if", shipped_config("quickstart.yaml"), "--set", "router.bufer=3"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("did you mean 'buffer'"), std::string::npos) << outcome.err;
}

TEST(WhatIf, ChangeOfAnUnknownKeyOrWithoutAValue_IsRefusedBeforeTheRun) {
  for (const auto& [change, problem] :
       {std::pair{"foo", "--change foo: a change must be KEY=VALUE, such as router.buffer=4"},
        {"foo=1", "--change foo=1: unknown key 'foo'"},
        {"router.bufer=3", "--change router.bufer=3: unknown key 'router.bufer'; did you mean 'buffer'?"}}) {
    const Outcome outcome = run_program({"what-if", shipped_config("quickstart.yaml"), "--change", change});
    EXPECT_EQ(outcome.exit_code, 2) << change;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(problem), std::string::npos) << outcome.err;
  }
  const auto changes =
      by_change(answer_of({shipped_config("quickstart.yaml"), "--change", "router.buffer=0", "--change",
                           "links[0].delay=2", "--change", "links[0].cycles_per_flit=3", "--set",
                           "links=[{at: '[0, 0, 0]+0', cycles_per_flit: 2}]"}));
  EXPECT_EQ(changes.at("router.buffer 0").at("status"), "refused");
  EXPECT_EQ(changes.at("links[0].delay 2").at("status"), "completed");
  EXPECT_EQ(changes.at("links[0].delay 2").at("from"), "-");
  EXPECT_EQ(changes.at("links[0].cycles_per_flit 3").at("from"), "2");
}

}  // namespace
}  // namespace flitscope::test::what_if_command_test
