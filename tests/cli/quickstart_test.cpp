// The first experiment of the README and its exact results.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/program.h"

namespace flitscope::test::quickstart_test {
namespace {

using Json = nlohmann::json;

const Json& quickstart() {
  static const Json result = [] {
    const Outcome outcome = run_program({"run", shipped_config("quickstart.yaml"), "--json"});
    if (outcome.exit_code != 0) throw std::runtime_error(outcome.err);
    return Json::parse(outcome.out);
  }();
  return result;
}

/// Cycles of each step if no message ever waits: those of the message with the longest way,
/// S + (H + 1)(R + D) + (L - 1)s with S = 0, R = D = s = 1 and L = 512 / 8.
std::vector<int> zero_load_step_cycles() {
  const Outcome outcome = run_program({"schedule", shipped_config("quickstart.yaml")});
  std::istringstream lines(outcome.out);
  std::string line;
  std::getline(lines, line);
  std::vector<int> longest(Json::parse(line).at("steps").get<std::size_t>(), 0);
  while (std::getline(lines, line)) {
    const Json message = Json::parse(line);
    int hops = 0;
    for (const Json& leg : message.at("path")) hops += leg.at(2).get<int>();
    int& step = longest.at(message.at("step").get<std::size_t>() - 1);
    step = std::max(step, hops);
  }
  std::vector<int> cycles;
  for (const int hops : longest) cycles.push_back(0 + (hops + 1) * (1 + 1) + (512 / 8 - 1) * 1);
  return cycles;
}

TEST(Quickstart, Run_CompletesInThreeStepsWithoutStall) {
  EXPECT_EQ(quickstart().at("status"), "completed");
  EXPECT_EQ(quickstart().at("verified"), true);
  EXPECT_EQ(quickstart().at("steps"), 3);
  EXPECT_EQ(quickstart().at("claimed_steps"), 3);
  EXPECT_EQ(quickstart().at("lower_bound_steps"), 3);
  EXPECT_EQ(quickstart().at("max_channel_load"), 1);
  for (const auto& [cause, cycles] : quickstart().at("stalls").items()) EXPECT_EQ(cycles, 0) << cause;
}

TEST(Quickstart, EveryStep_TakesTheTimeOfItsLongestPath) {
  const std::vector<int> expected = zero_load_step_cycles();
  EXPECT_EQ(quickstart().at("step_cycles").get<std::vector<int>>(), expected);
  EXPECT_EQ(quickstart().at("latency").at("max"), std::ranges::max(expected));
}

TEST(Quickstart, Result_HasEveryKeyWithItsType) {
  struct Field {
    const char* pointer;
    Json::value_t type;
  };
  using enum Json::value_t;
  for (const auto& [pointer, type] : std::initializer_list<Field>{
           {"/status", string},
           {"/name", string},
           {"/algorithm", string},
           {"/topology", string},
           {"/nodes", number_unsigned},
           {"/steps", number_unsigned},
           {"/claimed_steps", number_unsigned},
           {"/lower_bound_steps", number_unsigned},
           {"/cycles", number_unsigned},
           {"/step_cycles", array},
           {"/step_cycles/0", number_unsigned},
           {"/messages", number_unsigned},
           {"/flits", number_unsigned},
           {"/flit_hops", number_unsigned},
           {"/max_channel_load", number_unsigned},
           {"/stalls/vc_taken", number_unsigned},
           {"/stalls/no_credit", number_unsigned},
           {"/stalls/switch_lost", number_unsigned},
           {"/stalls/ejection_busy", number_unsigned},
           {"/stalls/sink_full", number_unsigned},
           {"/stalls/nic_full", number_unsigned},
           {"/latency/min", number_unsigned},
           {"/latency/mean", number_float},
           {"/latency/p50", number_unsigned},
           {"/latency/p99", number_unsigned},
           {"/latency/max", number_unsigned},
           {"/verified", boolean},
           {"/deadlock", null},
           {"/stages", array},
           {"/stages/0/name", string},
           {"/stages/0/first_step", number_unsigned},
           {"/stages/0/last_step", number_unsigned},
           {"/stages/0/cycles", number_unsigned},
           {"/version", string},
           {"/host/seconds", number_float},
           {"/host/flit_hops_per_second", number_float},
           {"/host/peak_memory_bytes", number_unsigned},
       }) {
    const Json::json_pointer place(pointer);
    ASSERT_TRUE(quickstart().contains(place)) << pointer;
    EXPECT_EQ(quickstart().at(place).type(), type) << pointer;
  }
}

TEST(Quickstart, EveryHost_GivesTheSameNumbers) {
  Json result = quickstart();
  result.erase("host");
  result.erase("version");
  const Json expected = Json::parse(R"({
    "status": "completed",
    "name": "broadcast-7x7x7",
    "algorithm": "tsay-wang-direct",
    "topology": "7x7x7 torus",
    "nodes": 343,
    "steps": 3,
    "claimed_steps": 3,
    "lower_bound_steps": 3,
    "cycles": 237,
    "step_cycles": [89, 77, 71],
    "messages": 342,
    "flits": 21888,
    "flit_hops": 51456,
    "max_channel_load": 1,
    "redundant_deliveries": 0,
    "stalls": {"vc_taken": 0, "no_credit": 0, "switch_lost": 0, "ejection_busy": 0, "sink_full": 0, "nic_full": 0},
    "latency": {"messages": 342, "min": 67, "mean": 69.70175438596492, "p50": 69, "p99": 81, "p999": 89, "max": 89},
    "worst_channels": [],
    "worst_messages": [],
    "verified": true,
    "simulated": [],
    "failed_checks": [],
    "deadlock": null,
    "stages": [{"name": "phase 1", "first_step": 1, "last_step": 1, "cycles": 89},
               {"name": "phase 2", "first_step": 2, "last_step": 2, "cycles": 77},
               {"name": "phase 3", "first_step": 3, "last_step": 3, "cycles": 71}],
    "network": {"routers": 343, "radix": 12, "links": 2058,
                "link_kinds": [{"kind": "dimension 0", "links": 686, "length": 686.0, "mm": null},
                               {"kind": "dimension 1", "links": 686, "length": 686.0, "mm": null},
                               {"kind": "dimension 2", "links": 686, "length": 686.0, "mm": null}],
                "wire_mm": null, "bisection_flits_per_cycle": 114.0, "bisection_is_exact": true,
                "bisection_found_by": "closed form", "diameter": 9, "hops_mean": 5.157894736842104,
                "buffer_bits": 5268480},
    "events": {"buffer_writes": 73344, "buffer_reads": 73344, "switch_allocations": 73344,
               "crossbar_traversals": 73344, "vc_allocations": 1146, "link_traversals": 51456, "flit_mm": null,
               "ejected_flits": 21888},
    "per_node": {"finished_first_cycle": 233, "finished_first_node": [0, 0, 0], "finished_last_cycle": 237,
                 "finished_last_node": [2, 0, 0], "waiting_min_cycles": 0, "waiting_max_cycles": 237,
                 "waiting_max_node": [2, 0, 0], "waits_most_for": [2, 0, 4], "waits_most_cycles": 237,
                 "computing_max_cycles": 0, "computing_max_node": [0, 0, 0]},
    "critical_path": {"messages": 3, "before_cycles": 0, "startup_cycles": 0, "queueing_cycles": 0,
                      "hops_cycles": 48, "head_stall_cycles": {"vc_taken": 0, "no_credit": 0, "switch_lost": 0,
                      "ejection_busy": 0, "sink_full": 0, "nic_full": 0}, "hol_blocked_cycles": 0,
                      "serialization_cycles": 189, "tail_serialization_cycles": 0, "between_cycles": 0, "channel": "[3, 1, 4]-2", "channel_messages": 1,
                      "channel_cycles": 89}
  })");
  EXPECT_EQ(result, expected) << Json::diff(expected, result).dump(2);
}

}  // namespace
}  // namespace flitscope::test::quickstart_test
