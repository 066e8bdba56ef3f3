// BookSim2's interface: packets, back-pressure, deadlocks.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/booksim2/icnt_wrapper.h"
#include "sim/booksim2/interconnect.h"
#include "tests/support/random_cases.h"

namespace flitscope::interconnect_test {
namespace {

using booksim2::Interconnect;

/// A file of this process that exists as long as this.
class File {
 public:
  File(const std::string& name, const std::string& text)
      : path_(std::filesystem::path(testing::TempDir()) / fmt::format("{}-{}", getpid(), name)) {
    std::ofstream(path_) << text;
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string name() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

constexpr const char* kMesh =
    "topology = mesh; k = 8; n = 2; routing_function = dor; num_vcs = 4; flit_size = 32;\n"
    "vc_buf_size = 8; input_buffer_size = 32; ejection_buffer_size = 16; boundary_buffer_size = 16;\n"
    "routing_delay = 0; subnets = 2;\n"
    "read_request_begin_vc = 0; read_request_end_vc = 3; write_request_begin_vc = 0; write_request_end_vc = "
    "3;\n"
    "read_reply_begin_vc = 0; read_reply_end_vc = 3; write_reply_begin_vc = 0; write_reply_end_vc = 3;\n";

TEST(Interconnect, Packet_ArrivesInTheCycleOfTheFormula) {
  const File file("mesh.icnt", kMesh);
  Interconnect network(file.name(), 64);
  EXPECT_EQ(network.get_flit_size(), 32U);
  int packet = 0;
  network.push(&packet, 1, 0, 33, Interconnect::Type::READ_REPLY, 0, 63);
  // 2 flits; 15 routers of 2 + 1 cycles, 14 links and a cycle to the node (docs/timing.md).
  const std::uint64_t arrives = 15 * 3 + 15 + 2 - 1;
  while (network.is_empty(63, 1)) network.run();
  EXPECT_EQ(network.get_cycle(), arrives + 1);
  EXPECT_TRUE(network.is_empty(63, 0));
  EXPECT_EQ(network.top(63, 1), &packet);
  network.pop(63, 1);
  EXPECT_EQ(network.top(63, 1), nullptr);
}

/// A packet of the loop below.
struct Request {
  unsigned from = 0;
  unsigned to = 0;
  bool reply = false;
  std::uint64_t number = 0;
};

/// The two skins of the interface.
struct Skin {
  std::function<bool(unsigned device, unsigned bytes)> has_room;
  std::function<void(Request& request, unsigned bytes)> push;
  std::function<Request*(unsigned device)> pop;
  std::function<void()> step;
};

constexpr unsigned kCores = 56;
constexpr unsigned kMemories = 8;

/// A GPU's loop: cores send reads and writes, memories answer when they have room, devices pop now and then.
/// What was popped where and when.
std::string loop(const Skin& skin, unsigned cycles) {
  std::mt19937_64 random(5);
  std::deque<Request> all;
  std::vector<std::deque<Request*>> answers(kMemories);
  std::string text;
  unsigned open = 0;
  for (unsigned cycle = 0; cycle < cycles || open > 0; ++cycle) {
    if (cycle > 100 * cycles) return text + "does not end";
    for (unsigned core = 0; core < kCores && cycle < cycles; ++core) {
      const unsigned bytes = random() % 2 == 0 ? 8 : 128;
      if (random() % 4 != 0 || !skin.has_room(core, bytes)) continue;
      all.push_back({core, kCores + static_cast<unsigned>(random() % kMemories), false, all.size()});
      skin.push(all.back(), bytes);
      ++open;
    }
    for (unsigned memory = 0; memory < kMemories; ++memory) {
      auto& waiting = answers[memory];
      if (waiting.empty() || !skin.has_room(kCores + memory, 128)) continue;
      Request& request = *waiting.front();
      waiting.pop_front();
      request = {request.to, request.from, true, request.number};
      skin.push(request, 128);
    }
    skin.step();
    for (unsigned device = 0; device < kCores + kMemories; ++device) {
      if (random() % 3 == 0) continue;  // it is busy
      Request* const request = skin.pop(device);
      if (request == nullptr) continue;
      EXPECT_EQ(request->to, device);
      text +=
          fmt::format("{}{} at {} in {}\n", request->number, request->reply ? " back" : "", device, cycle);
      if (request->reply) {
        --open;
      } else {
        answers[device - kCores].push_back(request);
      }
    }
  }
  return text;
}

Skin by_class(Interconnect& network) {
  return {[&](unsigned device, unsigned bytes) {
            return !network.is_full(device, device < kCores ? 0 : 1, bytes);
          },
          [&](Request& request, unsigned bytes) {
            network.push(&request, request.reply ? 1 : 0, 0, bytes,
                         request.reply ? Interconnect::Type::READ_REPLY : Interconnect::Type::READ,
                         request.from, request.to);
          },
          [&](unsigned device) -> Request* {
            const std::uint32_t subnet = device < kCores ? 1 : 0;
            if (network.is_empty(device, subnet)) return nullptr;
            auto* const request = static_cast<Request*>(network.top(device, subnet));
            network.pop(device, subnet);
            return request;
          },
          [&] { network.run(); }};
}

Skin by_pointers() {
  return {[](unsigned device, unsigned bytes) { return icnt_has_buffer(device, bytes); },
          [](Request& request, unsigned bytes) { icnt_push(request.from, request.to, &request, bytes); },
          [](unsigned device) { return static_cast<Request*>(icnt_pop(device)); }, [] { icnt_transfer(); }};
}

void make_pointers(const std::string& file, unsigned shaders, unsigned memories) {
  static std::string name;
  name = file;
  g_network_config_filename = name.data();
  icnt_wrapper_init();
  icnt_create(shaders, memories);
  icnt_init();
}

TEST(Interconnect, LoopOfAGpu_HasAllPacketsOnceAndTheSameByBothSkins) {
  const File file("mesh.icnt", kMesh);
  Interconnect network(file.name(), 64);
  const unsigned cycles = 10 * test::cases(100);
  const std::string expected = loop(by_class(network), cycles);
  EXPECT_EQ(expected.find("does not end"), std::string::npos);
  make_pointers(file.name(), kCores, kMemories);
  EXPECT_EQ(loop(by_pointers(), cycles), expected);
  EXPECT_FALSE(icnt_busy());
  EXPECT_EQ(icnt_get_flit_size(), 32U);
}

TEST(Interconnect, AdaptiveRoutersThatSpeculate_LoseNoPacketOfAGpu) {
  std::string text = kMesh;
  text.replace(text.find("= dor;"), 6, "= min_adapt;");
  const File file("adaptive.icnt",
                  text +
                      "speculative = 1; wait_for_tail_credit = 1;\n"
                      "vc_allocator = separable_input_first; sw_allocator = separable_input_first;\n");
  Interconnect network(file.name(), 64);
  const std::string popped = loop(by_class(network), 2 * test::cases(100));
  EXPECT_EQ(popped.find("does not end"), std::string::npos);
  EXPECT_EQ(std::ranges::count(popped, '\n'), 2 * std::ranges::count(popped, 'b'));
}

TEST(Interconnect, NodeThatDoesNotPop_StopsItsSenders) {
  const File file("mesh.icnt", kMesh);
  Interconnect network(file.name(), 64);
  int packet = 0;
  unsigned pushed = 0;
  for (unsigned cycle = 0; cycle < 2000; ++cycle) {
    if (!network.is_full(0, 0, 128)) {
      network.push(&packet, 0, 0, 128, Interconnect::Type::WRITE, 0, 1);
      ++pushed;
    }
    network.run();
  }
  // 8 in the ejection buffers of 4 VCs, 2 of each of 4 VCs in two routers, 8 in the queue, 4 on their way in.
  EXPECT_GE(pushed, 8U + 8U + 8U);
  EXPECT_LE(pushed, 32U + 16U + 8U + 4U);
  EXPECT_TRUE(network.is_full(0, 0, 128));
  EXPECT_THROW(network.push(&packet, 0, 0, 128, Interconnect::Type::WRITE, 0, 1), std::invalid_argument);
  unsigned popped = 0;
  for (unsigned cycle = 0; cycle < 2000; ++cycle) {
    if (!network.is_empty(1, 0)) {
      network.pop(1, 0);
      ++popped;
    }
    network.run();
  }
  EXPECT_EQ(popped, pushed);
}

TEST(Interconnect, Deadlock_IsPrintedWithItsDependencyCycle) {
  const File ring("ring.anynet",
                  "router 0 node 0 router 1\nrouter 1 node 1 router 2\nrouter 2 node 2 router 3\n"
                  "router 3 node 3 router 4\nrouter 4 node 4 router 0\n");
  const File file("ring.icnt", "topology = anynet; network_file = " +
                                   std::filesystem::path(ring.name()).filename().string() +
                                   "; routing_function = min;\n"
                                   "num_vcs = 1; vc_buf_size = 2; input_buffer_size = 64; flit_size = 8;\n"
                                   "ejection_buffer_size = 64;\n");
  make_pointers(file.name(), 5, 0);
  int packet = 0;
  for (unsigned node = 0; node < 5; ++node) icnt_push(node, (node + 2) % 5, &packet, 160);
  icnt_drain();
  const unsigned cycles = 100;
  for (unsigned cycle = 16; cycle < cycles; ++cycle) icnt_transfer();
  EXPECT_TRUE(icnt_busy());
  std::FILE* const out = std::tmpfile();
  icnt_display_state(out);
  std::string text(static_cast<std::size_t>(std::ftell(out)), ' ');
  std::rewind(out);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), out), text.size());
  std::fclose(out);
  EXPECT_NE(text.find("subnet 0: deadlock since cycle "), std::string::npos) << text;
  EXPECT_NE(text.find("(n0 to n2, 20 flits) holds channel"), std::string::npos) << text;
  // 5 worms that wait for the next one's channel from cycle 12 on.
  EXPECT_NE(text.find(fmt::format("vc_taken {} ", 5 * (cycles - 12))), std::string::npos) << text;
}

TEST(Interconnect, NodesAndSubnetsThatAreMissing_AreRefused) {
  const File file("mesh.icnt", kMesh);
  EXPECT_THROW(Interconnect(file.name(), 65), std::runtime_error);
  EXPECT_THROW(Interconnect("missing.icnt", 4), std::runtime_error);
  Interconnect network(file.name(), 64);
  EXPECT_THROW(static_cast<void>(network.is_full(64, 0, 8)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(network.is_empty(0, 2)), std::invalid_argument);
  EXPECT_EQ(network.top(0, 0), nullptr);
  EXPECT_THROW(network.pop(0, 0), std::invalid_argument);
}

TEST(Interconnect, CallsBeforeCreate_EndTheProgramWithAnError) {
  // A test before this one may have made a network: a process of its own has none.
  const std::string style = GTEST_FLAG_GET(death_test_style);
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto refused = [](void (*call)()) {
    EXPECT_EXIT((icnt_wrapper_init(), call()), testing::ExitedWithCode(1), "no network before icnt_create");
  };
  refused([] { icnt_transfer(); });
  refused([] { icnt_drain(); });
  refused([] { icnt_busy(); });
  refused([] { icnt_display_stats(); });
  refused([] { icnt_display_overall_stats(); });
  refused([] { icnt_display_state(stdout); });
  refused([] { icnt_get_flit_size(); });
  refused([] { icnt_has_buffer(0, 8); });
  refused([] { icnt_push(0, 1, nullptr, 8); });
  refused([] { icnt_pop(0); });
  GTEST_FLAG_SET(death_test_style, style);
}

TEST(Interconnect, StatisticsWithoutPackets_HaveNoNumbersOfThem) {
  const File file("mesh.icnt", kMesh);
  Interconnect network(file.name(), 64);
  const std::string text = network.statistics();
  EXPECT_NE(text.find("packet latency - cycles"), std::string::npos) << text;
  EXPECT_NE(text.find("accepted - flits per node and cycle"), std::string::npos) << text;
  EXPECT_NE(text.find("subnet 1: 0 flit-hops; stalled flit-cycles: none\n"), std::string::npos) << text;
  network.run();
  EXPECT_NE(network.statistics().find("accepted 0 flits"), std::string::npos) << network.statistics();
}

TEST(Interconnect, MemoryNodes_AreThoseOfTheFileOrOfBookSim2) {
  const File known("map.icnt", std::string(kMesh) + "use_map = 1;\n");
  make_pointers(known.name(), kCores, kMemories);
  int packet = 0;
  // Shader 3 is at node 4, since memory 0 is at node 3: they are neighbours.
  icnt_push(3, kCores, &packet, 8);
  unsigned cycles = 0;
  for (; icnt_pop(kCores) == nullptr; ++cycles) icnt_transfer();
  EXPECT_EQ(cycles, 2U * 3 + 2 + 1);
  const File wrong("wrong.icnt", std::string(kMesh) + "use_map = 1; memory_node_map = {1,1};\n");
  EXPECT_EXIT(make_pointers(wrong.name(), 4, 2), testing::ExitedWithCode(1), "different nodes");
  EXPECT_EXIT(make_pointers(known.name(), 60, 8), testing::ExitedWithCode(1), "64 nodes");
}

}  // namespace
}  // namespace flitscope::interconnect_test
