// The engine and the slow reference model agree on every flit: cycle, node, port, VC.
//
// FLITSCOPE_CASES sets how many random cases are compared (default 400).
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>

#include "sim/driver/dataflow_driver.h"
#include "sim/driver/packet_driver.h"
#include "sim/driver/schedule_driver.h"
#include "sim/network/network.h"
#include "sim/run/experiment.h"
#include "tests/reference/random_case.h"
#include "tests/routers/engine_record.h"
#include "tests/routers/flit_record.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_schedules.h"

namespace flitscope::engine_against_reference_test {
namespace {

using reference::RandomCase;

constexpr Cycle kLimit = 200'000;

std::string deliveries_text(const std::vector<Delivery>& deliveries) {
  std::ostringstream out;
  for (const Delivery& d : deliveries) {
    out << "message " << d.id << " ready " << d.ready << " entered " << d.head_entered << " head "
        << d.head_arrived << " arrived " << d.arrived << " stalls";
    for (const Cycle cycles : d.head_stalls) out << ' ' << cycles;
    if (d.link_excess != 0) out << " excess " << d.link_excess;
    if (d.links != 0) out << " links " << d.links;
    out << '\n';
  }
  return out.str();
}

std::string totals_text(Cycle cycles, const StallCounts& stalls) {
  std::ostringstream out;
  out << "last delivery " << cycles;
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    out << ' ' << name_of(static_cast<StallCause>(cause)) << ' ' << stalls[cause];
  }
  return out.str();
}

/// A network with something to do; what drives it is made anew for each of the two.
struct Case {
  std::string name;
  const Topology& topology;
  const MachineConfig& machine;
  std::function<std::unique_ptr<Driver>()> make_driver;
};

Case timed(const RandomCase& random_case) {
  return {reference::description(random_case), random_case.topology, random_case.machine,
          [&] { return std::make_unique<reference::TimedDriver>(random_case.messages); }};
}

/// The end of a stuck run is the last cycle in which anything happened; stalls are compared up to `until`.
std::string by_engine(const Case& one, Cycle until) {
  Network network("network", one.topology, one.machine);
  test::FlitRecord record;
  network.clock().observe({.flits = &record});
  const auto driver = one.make_driver();
  test::DeliveryRecorder recorder(*driver);
  network.run(recorder, kLimit - 1);  // cycles up to this one, as the model
  network.clock().core().settle_stalls(until);
  return record.flits() + deliveries_text(recorder.deliveries()) +
         totals_text(network.clock().last_delivery(), network.clock().core().stalls());
}

/// Deliveries and totals of a network without observers, in which most machines take another version of the
/// cycle.
std::string by_engine_unobserved(const Case& one, Cycle until) {
  Network network("network", one.topology, one.machine);
  const auto driver = one.make_driver();
  test::DeliveryRecorder recorder(*driver);
  network.run(recorder, kLimit - 1);  // cycles up to this one, as the model
  network.clock().core().settle_stalls(until);
  return deliveries_text(recorder.deliveries()) +
         totals_text(network.clock().last_delivery(), network.clock().core().stalls());
}

void expect_agreement(const Case& one) {
  reference::ReferenceNetwork slow(one.topology, one.machine);
  const auto driver = one.make_driver();
  test::DeliveryRecorder recorder(*driver);
  const reference::Outcome outcome = slow.run(recorder, kLimit);
  const std::string outline =
      deliveries_text(recorder.deliveries()) + totals_text(outcome.cycles, outcome.stalls);
  EXPECT_EQ(run_isolated([&] { return by_engine_unobserved(one, slow.now()); }), outline) << one.name;
  const std::string expected = test::FlitRecord(slow).flits() + outline;
  const std::string actual = run_isolated([&] { return by_engine(one, slow.now()); });
  EXPECT_EQ(test::first_difference(expected, actual), "") << one.name;
}

TEST(EngineAgainstReference, RandomCases_MoveEveryFlitInTheSameCycle) {
  for (std::uint64_t seed = 0; seed < test::cases(400) && !HasFailure(); ++seed) {
    const RandomCase random_case = reference::random_case(seed);
    expect_agreement(timed(random_case));
  }
}

TEST(EngineAgainstReference, VcReallocationDelay_MovesEveryFlitInTheSameCycle) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 4 && !HasFailure(); ++seed) {
    RandomCase random_case = reference::random_case(3'000'000 + seed);
    random_case.machine.vc_reallocation_delay = static_cast<std::uint32_t>(2 + seed % 4);
    expect_agreement(timed(random_case));
  }
}

TEST(EngineAgainstReference, RouterStagesAndNodeVcs_MoveEveryFlitInTheSameCycle) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 2 && !HasFailure(); ++seed) {
    RandomCase random_case = reference::with_router_stages(reference::random_case(7'000'000 + seed));
    if (seed % 4 == 0) random_case = reference::with_unequal_links(random_case);
    expect_agreement(timed(random_case));
  }
}

TEST(EngineAgainstReference, UnequalLinks_MoveEveryFlitInTheSameCycle) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 2 && !HasFailure(); ++seed) {
    const RandomCase random_case = reference::with_unequal_links(reference::random_case(4'000'000 + seed));
    expect_agreement(timed(random_case));
  }
}

TEST(EngineAgainstReference, MoreThan64InputVcs_MoveEveryFlitInTheSameCycle) {
  std::uint64_t cases = 0;
  for (std::uint64_t seed = 0; cases < test::cases(400) / 4 && !HasFailure(); ++seed) {
    std::optional<RandomCase> random_case = reference::random_case(21'000'000 + seed);
    if (seed % 3 == 0) random_case = reference::with_router_stages(*random_case);
    if (seed % 3 == 1) random_case = reference::with_message_classes(*random_case);
    if (random_case) random_case = reference::with_many_vcs(*random_case);
    if (!random_case) continue;
    ++cases;
    expect_agreement(timed(*random_case));
  }
}

TEST(EngineAgainstReference, OneWayTori_MoveEveryFlitInTheSameCycle) {
  std::uint64_t one_way = 0;
  for (std::uint64_t seed = 0; one_way < test::cases(400) / 8 && !HasFailure(); ++seed) {
    const RandomCase random_case = reference::on_one_way_torus(reference::random_case(9'000'000 + seed));
    if (!random_case.topology.is_one_way()) continue;
    ++one_way;
    expect_agreement(timed(random_case));
  }
}

TEST(EngineAgainstReference, DrawnPaths_MoveEveryFlitInTheSameCycle) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 8 && !HasFailure(); ++seed) {
    RandomCase random_case =
        reference::random_case(11'000'000 + seed, {"valiant", "romm", "o1turn", "ugal-l"});
    for (std::size_t i = 0; i < random_case.messages.size(); ++i)
      random_case.messages[i].packet.route.draw = static_cast<std::uint8_t>(i * 37);
    expect_agreement(timed(random_case));
  }
}

TEST(EngineAgainstReference, FractionalIntervals_MoveEveryFlitInTheSameCycle) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 2 && !HasFailure(); ++seed) {
    const RandomCase random_case =
        reference::with_fractional_intervals(reference::random_case(8'000'000 + seed));
    expect_agreement(timed(random_case));
  }
}

/// A schedule and the driver that plays it.
class PlayedSchedule final : public Driver {
 public:
  PlayedSchedule(const Topology& topology, const MachineConfig& machine, bool barrier, std::uint32_t seed)
      : schedule_(test::random_traffic(topology, 4, 2 * topology.nodes(), seed)) {
    if (barrier) {
      driver_ = std::make_unique<BarrierDriver>(schedule_, machine);
    } else {
      driver_ = std::make_unique<DataflowDriver>(schedule_, machine, 3 * topology.nodes());
    }
  }
  void start(Transport& network) override { driver_->start(network); }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override {
    driver_->delivered(network, deliveries, now);
  }
  [[nodiscard]] bool finished() const override { return driver_->finished(); }

 private:
  MemorySchedule schedule_;
  std::unique_ptr<Driver> driver_;
};

/// Messages of a list, as packets.
class PacketList final : public Driver {
 public:
  PacketList(const RandomCase& random_case, const PacketFormat& format)
      : messages_(random_case.messages),
        packets_(messages_, format, random_case.topology, random_case.machine, 1000) {}

  void start(Transport& network) override { packets_.start(network); }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override {
    packets_.delivered(network, deliveries, now);
  }
  [[nodiscard]] Cycle next_event() const override { return packets_.next_event(); }
  void at(Transport& network, Cycle now) override { packets_.at(network, now); }
  [[nodiscard]] bool finished() const override { return packets_.finished(); }

 private:
  reference::TimedDriver messages_;
  PacketDriver packets_;
};

TEST(EngineAgainstReference, Packets_MoveEveryFlitInTheSameCycle) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 4 && !HasFailure(); ++seed) {
    const RandomCase random_case = reference::random_case(3'000'000 + seed);
    // As long as the shortest message, so that buffers hold it.
    std::uint32_t flits = kMaxFlits;
    for (const auto& message : random_case.messages) flits = std::min(flits, message.packet.flits);
    const PacketFormat format{flits, 0, seed % 2 == 0};
    MachineConfig machine = random_case.machine;
    machine.startup = 0;
    expect_agreement({reference::description(random_case) + ", packets", random_case.topology, machine,
                      [&] { return std::make_unique<PacketList>(random_case, format); }});
  }
}

TEST(EngineAgainstReference, Schedules_AdvanceTheSameWithBarriersAndInDataflow) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 4 && !HasFailure(); ++seed) {
    RandomCase random_case = reference::random_case(2'000'000 + seed);
    if (!random_case.topology.is_fault_free_grid()) {
      random_case = reference::random_case(2'000'000 + seed, {"dimension-order"});
    }
    MachineConfig& machine = random_case.machine;
    machine.routing = "dimension-order";
    machine.virtual_channels = std::max(machine.virtual_channels, 2U);
    if (machine.switching != Switching::wormhole) machine.buffer = std::max(machine.buffer, 100U);
    for (const bool barrier : {true, false}) {
      expect_agreement({reference::description(random_case) + (barrier ? ", barrier" : ", dataflow"),
                        random_case.topology, machine, [&, barrier] {
                          return std::make_unique<PlayedSchedule>(random_case.topology, machine, barrier,
                                                                  static_cast<std::uint32_t>(seed));
                        }});
    }
  }
}

/// FNV-1a, so that a build can be compared with another one by a number.
std::uint64_t digest(const std::string& text) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
  }
  return hash;
}

/// The digest that this version is known by. If flits are meant to move otherwise, renew it, and say why in
/// the commit:  FLITSCOPE_RENEW_DIGEST=1 ctest --test-dir build/release -R MoveTheSameFlits
constexpr const char* kDigestFile = FLITSCOPE_SOURCE_DIR "/tests/routers/flits.digest";

TEST(EngineAgainstReference, AnyBuild_MovesTheSameFlits) {
  std::string all;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    // A new routing function must not change the cases.
    const RandomCase random_case =
        reference::random_case(seed, {"cyclic-dimension-order", "dimension-order"});
    all += run_isolated([&] { return by_engine(timed(random_case), kLimit); });
  }
  if (std::getenv("FLITSCOPE_RENEW_DIGEST") != nullptr) std::ofstream(kDigestFile) << digest(all) << '\n';
  std::uint64_t known = 0;
  std::ifstream(kDigestFile) >> known;
  EXPECT_EQ(digest(all), known) << "flits move otherwise than " << kDigestFile
                                << " says; if that is meant, renew it";
}

}  // namespace
}  // namespace flitscope::engine_against_reference_test
