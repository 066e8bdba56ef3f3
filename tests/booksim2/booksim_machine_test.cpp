// Configurations of BookSim2: what is read of them, and what is refused where.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "model/error.h"
#include "sim/booksim2/booksim_machine.h"
#include "sim/config/config_source.h"
#include "sim/run/workload.h"

namespace flitscope::booksim_machine_test {
namespace {

BookSimMachine read(const std::string& text, bool bounded = false) {
  return read_booksim_machine(text, "a.icnt", std::filesystem::current_path(), bounded);
}

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// Throws if the machine cannot be built.
ExperimentConfig configured(const BookSimMachine& machine) {
  const std::string workload = machine.workload.empty()
                                   ? "workload: {traffic: uniform, message: 8, load: 0.1, measure: 100}\n"
                                   : machine.workload;
  ExperimentConfig config =
      parse_config(machine.machine + workload, "a.yaml", std::filesystem::current_path());
  resolve_auto_settings(config, traffic_facts(config));
  return config;
}

constexpr const char* kReference =
    "topology = mesh;  // as the reference points\n"
    "k = 8; n = 2;\n"
    "routing_function = dim_order;\n"
    "num_vcs = 4; vc_buf_size = 8;\n"
    "routing_delay = 0; vc_alloc_delay = 1; sw_alloc_delay = 1;\n"
    "vc_allocator = separable_input_first; sw_allocator = separable_input_first;\n"
    "traffic = uniform; injection_rate = 0.1; packet_size = 4;\n";

TEST(BookSimMachine, MachineOfTheReferencePoints_IsThatOfTheirConfiguration) {
  const ExperimentConfig config = configured(read(kReference));
  EXPECT_EQ(config.topology.name(), "8x8 mesh");
  EXPECT_EQ(config.machine.virtual_channels, 4U);
  EXPECT_EQ(config.machine.buffer, 8U);
  EXPECT_EQ(config.machine.router_delay, 2U);
  EXPECT_EQ(config.machine.vc_delay, 1U);
  EXPECT_EQ(config.machine.credit_delay, 1U);
  EXPECT_EQ(config.machine.link_delay, 1U);
  EXPECT_EQ(config.machine.ports, 1U);
  EXPECT_EQ(config.machine.node_vcs, 4U);
  EXPECT_EQ(config.machine.ejection_buffer, std::nullopt);
  EXPECT_EQ(config.machine.parts.vc_allocator, VcAllocator::separable_input_first_flat);
  EXPECT_EQ(config.machine.parts.switch_allocator, SwitchAllocator::separable_input_first_ports);
}

TEST(BookSimMachine, Topologies_HaveTheirNodes) {
  const auto nodes = [](const std::string& settings) {
    return configured(read("num_vcs = 2\n" + settings)).topology.nodes();
  };
  EXPECT_EQ(nodes("topology = torus; k = 4; n = 3;"), 64U);
  EXPECT_EQ(nodes("topology = cmesh; k = 4; n = 2; c = 4;"), 64U);
  // As BookSim2's own example has it.
  EXPECT_EQ(nodes("topology = cmesh; k = 4; n = 2; c = 4; x = 4; y = 4; xr = 2; yr = 2; limit = 64;"), 64U);
  EXPECT_EQ(nodes("topology = fly; k = 12; n = 1;"), 12U);
  EXPECT_EQ(nodes("topology = fattree; k = 4; n = 3;"), 64U);
}

TEST(BookSimMachine, VcsOfPacketKinds_BecomeMessageClasses) {
  const BookSimMachine machine = read(
      "topology = mesh; num_vcs = 4;\n"
      "read_request_begin_vc = 0; read_request_end_vc = 1; write_request_begin_vc = 1; write_request_end_vc "
      "= 1;\n"
      "read_reply_begin_vc = 2; read_reply_end_vc = 3; write_reply_begin_vc = 2; write_reply_end_vc = 3;\n",
      true);
  EXPECT_EQ(machine.message_class, (std::array<std::uint32_t, 4>{0, 0, 1, 1}));
  const ExperimentConfig config = configured(machine);
  ASSERT_EQ(config.machine.classes.size(), 2U);
  EXPECT_EQ(config.machine.classes[0].vcs, 0b0011U);
  EXPECT_EQ(config.machine.classes[1].vcs, 0b1100U);
  EXPECT_EQ(config.machine.ejection_buffer, 8U + 16U);
  EXPECT_NE(machine.notes.front().find("overlap"), std::string::npos);
}

TEST(BookSimMachine, SectionsAndLinesWithoutSemicolons_AreRead) {
  const BookSimMachine machine =
      read("[config]\nflit_size = 64\ninput_buffer_size = 256 # flits\nnum_vcs = 2\n");
  EXPECT_EQ(machine.flit_bytes, 64U);
  EXPECT_EQ(machine.input_buffer, 256U);
}

TEST(BookSimMachine, InputSpeedup_IsThatOfTheRouterWithANote) {
  const BookSimMachine machine = read(std::string(kReference) + "input_speedup = 2;");
  EXPECT_EQ(configured(machine).machine.parts.input_speedup, 2U);
  ASSERT_FALSE(machine.notes.empty());
  EXPECT_NE(machine.notes.front().find("input_speedup = 2: router.input_speedup"), std::string::npos);
}

TEST(BookSimMachine, KeysWithoutEffect_AreNamed) {
  EXPECT_EQ(read("num_vcs = 2; print_activity = 1; latency_thres = 500;").notes.front(),
            "without effect here: latency_thres, print_activity");
  // Its own traffic is that of the caller.
  EXPECT_EQ(read("num_vcs = 2; batch_size = 9;").notes.front(), "not imported: batch_size");
  EXPECT_EQ(read("num_vcs = 2; batch_size = 9;", true).notes.front(), "without effect here: batch_size");
}

TEST(BookSimMachine, ReadsAndWrites_AreRequestsAndReplies) {
  const std::string machine =
      "topology = mesh; k = 8; n = 2; routing_function = dor; num_vcs = 4; routing_delay = 0;\n"
      "use_read_write = 1; injection_rate = 0.02; read_reply_size = 5; write_request_size = 5;\n";
  const ExperimentConfig config = configured(read(machine));
  // Without other ranges requests have the first half of the VCs.
  ASSERT_EQ(config.machine.classes.size(), 2U);
  EXPECT_EQ(config.machine.classes[0].name, "request");
  EXPECT_EQ(config.machine.classes[0].vcs, 0b0011U);
  EXPECT_EQ(config.machine.classes[1].name, "reply");
  EXPECT_EQ(config.machine.classes[1].vcs, 0b1100U);
  // A node injects the packets of both one after the other.
  EXPECT_EQ(config.machine.node_queues, NodeQueues::shared);
  EXPECT_EQ(config.machine.channel_vcs(), 4U);
  ASSERT_TRUE(config.workload.protocol);
  const ProtocolConfig& protocol = *config.workload.protocol;
  EXPECT_FALSE(protocol.closed_loop);
  EXPECT_FALSE(protocol.outstanding);
  EXPECT_EQ(protocol.service.latency, 1U);
  EXPECT_EQ(protocol.reads.text(), "0.5");
  const std::uint64_t flit = config.machine.flit_bytes;
  EXPECT_EQ(protocol.request, flit);
  EXPECT_EQ(protocol.reply, 5 * flit);
  EXPECT_EQ(protocol.write_request, 5 * flit);
  EXPECT_EQ(protocol.write_reply, flit);
  // Requests have 3 flits on average; in flits the rate counts 6 a request, those of its reply as well.
  EXPECT_NEAR(config.workload.traffic.load.approximate(), 0.06, 1e-9);
  const ExperimentConfig in_flits = configured(read(machine + "injection_rate_uses_flits = 1;"));
  EXPECT_NEAR(in_flits.workload.traffic.load.approximate(), 0.01, 1e-9);
  // All kinds with all VCs have no classes.
  std::string shared = machine;
  for (const char* const kind : {"read_request", "write_request", "read_reply", "write_reply"})
    shared += std::string(kind) + "_begin_vc = 0; " + kind + "_end_vc = 3;\n";
  EXPECT_TRUE(configured(read(shared)).machine.classes.empty());
}

RouterParts parts_of(const BookSimMachine& machine) {
  return configured(machine).machine.parts;
}

TEST(BookSimMachine, ClassesLimitedNodesAndAtomicAllocation_HaveTheAllocatorsOfTheFile) {
  const std::string file =
      "topology = mesh; num_vcs = 4; routing_function = dor; routing_delay = 2;\n"
      "vc_allocator = wavefront; sw_allocator = separable_output_first; arb_type = matrix;\n";
  for (const BookSimMachine& machine :
       {read(file + "use_read_write = 1;"), read(file, true), read(file + "wait_for_tail_credit = 1;")}) {
    const RouterParts parts = parts_of(machine);
    EXPECT_EQ(parts.vc_allocator, VcAllocator::wavefront);
    EXPECT_EQ(parts.switch_allocator, SwitchAllocator::separable_output_first);
    EXPECT_EQ(parts.arbiter, Arbiter::matrix);
    EXPECT_EQ(parts.routing_delay, 2U);
    EXPECT_EQ(parts.injection_credit_delay, 1U);
    EXPECT_TRUE(machine.notes.empty()) << machine.notes.front();
  }
}

TEST(BookSimMachine, ReadsAndWrites_GoWithSpeculation) {
  const BookSimMachine machine = read(
      "topology = mesh; num_vcs = 4; routing_function = dor; speculative = 1; use_read_write = 1;\n"
      "vc_allocator = separable_input_first; sw_allocator = separable_input_first;\n");
  EXPECT_EQ(parts_of(machine).speculation, Speculation::prioritised);
  EXPECT_EQ(parts_of(machine).switch_allocator, SwitchAllocator::separable_input_first);
  EXPECT_EQ(configured(machine).machine.vc_delay, 0U);
  EXPECT_EQ(configured(machine).machine.classes.size(), 2U);
  EXPECT_TRUE(machine.notes.empty());
}

TEST(BookSimMachine, AdaptiveRouting_GoesWithAllocatorsAndRoutingDelay) {
  const BookSimMachine machine = read(
      "topology = mesh; num_vcs = 4; routing_function = min_adapt; routing_delay = 1;\n"
      "vc_allocator = wavefront; sw_allocator = wavefront; wait_for_tail_credit = 1;");
  EXPECT_EQ(configured(machine).machine.routing, "duato");
  EXPECT_EQ(parts_of(machine).vc_allocator, VcAllocator::wavefront);
  EXPECT_EQ(parts_of(machine).switch_allocator, SwitchAllocator::wavefront);
  EXPECT_EQ(parts_of(machine).routing_delay, 1U);
  EXPECT_EQ(configured(machine).machine.vc_allocation, VcAllocation::atomic);
  EXPECT_EQ(configured(machine).machine.vc_delay, 1U);
  EXPECT_TRUE(machine.notes.empty());
}

TEST(BookSimMachine, RandomRouting_DrawsAPathForEachMessage) {
  const std::string text = "topology = mesh; num_vcs = 4; routing_function = ";
  EXPECT_EQ(configured(read(text + "valiant;")).workload.traffic.drawn_paths, 64U);
  EXPECT_EQ(configured(read(text + "xy_yx; use_read_write = 1;")).workload.traffic.drawn_paths, 64U);
  EXPECT_EQ(configured(read(text + "dim_order;")).workload.traffic.drawn_paths, 1U);
}

TEST(BookSimMachine, Valiant_IsNotedToDeliverAtTheDestinationOnTheWay) {
  const auto notes_of = [](const std::string& network) { return read("num_vcs = 4; " + network).notes; };
  for (const std::string topology : {"mesh", "torus"}) {
    const auto notes = notes_of("topology = " + topology + "; routing_function = valiant;");
    ASSERT_EQ(notes.size(), 1U + notes_of("topology = " + topology + ";").size());
    EXPECT_EQ(
        notes.front(),
        "routing_function = valiant: a packet is delivered where it passes its destination, of BookSim2 "
        "after its drawn node only");
  }
}

TEST(BookSimMachine, ByteOrderMark_IsSkipped) {
  EXPECT_EQ(read("\xEF\xBB\xBF" + std::string(kReference)).machine, read(kReference).machine);
}

TEST(BookSimMachine, NetworkFileOfAnyName_IsTheGraphOfTheConfiguration) {
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) /
      fmt::format("{} it's a \"name\" of more than sixty bytes, as paths of users have.anynet", getpid());
  std::ofstream(file) << "router 0 node 0 router 1\nrouter 1 node 1\n";
  const BookSimMachine machine = read("topology = anynet; num_vcs = 1; network_file = " + file.string());
  EXPECT_EQ(configured(machine).graph_file, file);
  std::filesystem::remove(file);
}

TEST(BookSimMachine, WhatCannotBeSimulated_IsRefusedWithItsPlace) {
  EXPECT_EQ(refusal("topology = mesh;\n  numvcs = 4;\n"),
            "a.icnt:2:3: no key numvcs of BookSim2 is known here; did you mean 'num_vcs'?");
  EXPECT_EQ(refusal("num_vcs = 2\ninternal_speedup = 2.0;"),
            "a.icnt:2:1: internal_speedup = 2.0 is not modelled; 1 is");
  EXPECT_EQ(refusal("num_vcs = 2; internal_speedup = 1.0;"), "accepted");
  EXPECT_EQ(refusal("num_vcs = 2; hold_switch_for_packet = 1;"),
            "a.icnt:1:14: hold_switch_for_packet = 1 is not modelled; 0 is, and router.hold of the "
            "configuration is like it");
  EXPECT_EQ(refusal("k = 8;\nnum_vcs = 2; k = 9;"), "a.icnt:2:14: k is set in line 1 already");
  EXPECT_EQ(refusal("num_vcs = 65;"), "a.icnt:1:1: num_vcs must be a whole number from 1 to 64, not '65'");
  EXPECT_EQ(refusal("hello"), "a.icnt:1:1: 'hello' is no setting such as 'num_vcs = 4;'");
  EXPECT_EQ(refusal("topology = mesh; c = 4;"), "a.icnt:1:18: c = 4 needs 'topology = cmesh'");
  EXPECT_EQ(refusal("topology = cmesh; k = 4; c = 4; y = 8;"),
            "a.icnt:1:33: y = 8 is not modelled; k = 4 is");
  EXPECT_EQ(refusal("topology = cmesh; k = 4; c = 4; xr = 2; yr = 3;"),
            "a.icnt:1:33: xr * yr = 6 nodes of a router, but c = 4");
  EXPECT_EQ(refusal("topology = anynet;"), "a.icnt:1:1: topology = anynet needs 'network_file = FILE;'");
  EXPECT_EQ(refusal("topology = fly; routing_function = chaos;"),
            "a.icnt:1:17: routing_function = chaos is not modelled (modelled are dest_tag)");
  EXPECT_EQ(refusal("num_vcs = 4; read_reply_begin_vc = 3; read_reply_end_vc = 2;"),
            "a.icnt:1:39: read_reply_end_vc = 2 is below read_reply_begin_vc = 3");
  EXPECT_EQ(refusal("read_reply_subnet = 1;"), "a.icnt: subnet 1 of a packet kind is missing: subnets = 1");
}

}  // namespace
}  // namespace flitscope::booksim_machine_test
