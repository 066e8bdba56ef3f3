// Bandwidths of links: the flits and intervals that follow, and what is refused.
#include <gtest/gtest.h>

#include "tests/support/config_texts.h"

namespace flitscope::link_rates_test {
namespace {

using namespace test;

const std::string kClocked = kLeast + "clock: 1GHz\n";

void expect_refused(const std::string& text, const std::string& words) {
  const auto lines = refusal(text);
  ASSERT_EQ(lines.size(), 1U) << text;
  EXPECT_NE(lines[0].find(words), std::string::npos) << lines[0] << "\nlacks " << words;
}

TEST(LinkBandwidth, WithoutFlitBytes_MakesTheFlitOfACycle) {
  const auto config = parse(kClocked + "link: {bandwidth: 200GB/s, delay: 20ns}\n");
  EXPECT_EQ(config.machine.flit_bytes, 200U);
  EXPECT_EQ(config.machine.link_cycles_per_flit, 1U);
  EXPECT_EQ(config.machine.link_delay, 20U);
}

TEST(LinkBandwidth, WithFlitBytes_MakesTheCyclesOfAFlit) {
  const auto config = parse(kClocked + "link: {bandwidth: 16GB/s}\nnode: {flit_bytes: 64}\n");
  EXPECT_EQ(config.machine.link_cycles_per_flit, 4U);
  EXPECT_EQ(config.machine.flit_bytes, 64U);
}

TEST(LinkBandwidth, WithCyclesPerFlit_MakesItsBytes) {
  const auto config = parse(kClocked + "link: {bandwidth: 16GB/s, cycles_per_flit: 4}\n");
  EXPECT_EQ(config.machine.flit_bytes, 64U);
}

TEST(LinkBandwidth, WithinATenthOfAPercent_IsTaken) {
  // 56 GB/s of flits of 32 bytes: 1.0008 cycles of 571 ps.
  const auto config = parse(kLeast + "clock: 571ps\nlink: {bandwidth: 56GB/s}\nnode: {flit_bytes: 32}\n");
  EXPECT_EQ(config.machine.link_cycles_per_flit, 1U);
}

/// 1000/3 bytes a cycle, of which 333 are a tenth of a percent less.
TEST(LinkBandwidth, AtATenthOfAPercent_IsTakenAsItIsChosen) {
  const auto config = parse(kLeast + "clock: 3GHz\nlink: {bandwidth: 1TB/s}\n");
  EXPECT_EQ(config.machine.flit_bytes, 333U);
  EXPECT_EQ(config.machine.link_cycles_per_flit, 1U);
}

TEST(LinkBandwidth, Frequency_IsExact) {
  const auto config = parse(kLeast + "clock: 1.5GHz\nlink: {bandwidth: 48GB/s, delay: 20ns}\n");
  EXPECT_EQ(config.machine.flit_bytes, 32U);
  EXPECT_EQ(config.machine.link_delay, 30U);
}

TEST(LinkBandwidth, OfSingleLinks_IsTheirInterval) {
  const auto config = parse(kClocked +
                            "link: {bandwidth: 32GB/s, delay: 2}\n"
                            "links: [{at: '[1, 0]+0', bandwidth: 8GB/s}, {at: '[2, 0]+0', delay: 3}]\n");
  const Topology& torus = config.topology;
  EXPECT_EQ(config.machine.link(torus, torus.channel(1, 0)), (LinkTime{2, 4}));
  EXPECT_EQ(config.machine.link(torus, torus.channel(2, 0)), (LinkTime{3, 1}));
}

TEST(LinkBandwidth, OfAKindOfLinks_IsThatOfThoseWithoutTheirOwn) {
  const auto config =
      parse(kClocked +
            "link: {bandwidth: 32GB/s}\n"
            "links: [{at: '[1, 0]+0', cycles_per_flit: 3}, {kind: dimension 0, bandwidth: 8GB/s}, {at: "
            "'[2, 0]+0', bandwidth: 16GB/s}]\n");
  const Topology& torus = config.topology;
  EXPECT_EQ(config.machine.link(torus, torus.channel(0, 0)).cycles_per_flit, Ratio(4));
  EXPECT_EQ(config.machine.link(torus, torus.channel(1, 0)).cycles_per_flit, Ratio(3));
  EXPECT_EQ(config.machine.link(torus, torus.channel(2, 0)).cycles_per_flit, Ratio(2));
  EXPECT_EQ(config.machine.link(torus, torus.channel(0, 2)).cycles_per_flit, Ratio(1));
}

TEST(LinkBandwidth, ResolvedConfiguration_IsReadBack) {
  const auto config =
      parse(kClocked + "link: {bandwidth: 25GB/s}\nlinks: [{at: '[1, 0]+0', bandwidth: 5GB/s}]\n");
  const auto again = parse(resolve(config));
  EXPECT_EQ(resolve(again), resolve(config));
  EXPECT_EQ(again.machine.flit_bytes, 25U);
  EXPECT_EQ(again.machine.links, config.machine.links);
}

TEST(LinkBandwidth, NotWholeCycles_AreAFraction) {
  const auto config = parse(kClocked + "link: {bandwidth: 150GB/s}\nnode: {flit_bytes: 200}\n");
  EXPECT_EQ(config.machine.link_cycles_per_flit, Ratio(4, 3));
  EXPECT_EQ(parse(resolve(config)).machine.link_cycles_per_flit, Ratio(4, 3));
}

TEST(LinkBandwidth, NotWholeBytesInACycle_AreOneMoreInAFraction) {
  const auto config = parse(kClocked + "link: {bandwidth: 1.5GB/s}\n");
  EXPECT_EQ(config.machine.flit_bytes, 2U);
  EXPECT_EQ(config.machine.link_cycles_per_flit, Ratio(4, 3));
}

TEST(LinkBandwidth, OfASingleLink_IsAFractionOfTheOthers) {
  const auto config =
      parse(kClocked +
            "link: {bandwidth: 30GB/s}\n"
            "links: [{at: '[1, 0]+0', bandwidth: 20GB/s}, {at: '[2, 0]+0', cycles_per_flit: 5/4}]\n");
  const Topology& torus = config.topology;
  EXPECT_EQ(config.machine.link(torus, torus.channel(1, 0)).cycles_per_flit, Ratio(3, 2));
  EXPECT_EQ(config.machine.link(torus, torus.channel(2, 0)).cycles_per_flit, Ratio(5, 4));
  EXPECT_EQ(parse(resolve(config)).machine.links, config.machine.links);
}

TEST(LinkBandwidth, ThatNoFlitGives_IsRefusedWithWhatDoes) {
  expect_refused(
      kClocked + "link: {bandwidth: 200GB/s}\nnode: {flit_bytes: 32}\n",
      "link.bandwidth: 200GB/s is 0.16 cycles for a flit of 32 bytes at a clock of 1ns; a link takes a "
      "flit a cycle at most, 32GB/s: give node.flit_bytes: 200");
  expect_refused(
      kClocked + "link: {bandwidth: 1.5GB/s, cycles_per_flit: 1}\n",
      "link.bandwidth: 1.5GB/s is 1.5 bytes in the cycle of a flit at a clock of 1ns, which is not whole; "
      "nearest: 1GB/s or 2GB/s, or leave link.cycles_per_flit out");
}

TEST(LinkBandwidth, OutOfRange_IsRefusedWithTheBandwidthThatIsPossible) {
  expect_refused(
      kClocked + "link: {bandwidth: 1MB/s}\nnode: {flit_bytes: 64}\n",
      "link.bandwidth: 1MB/s is 64000 cycles for a flit of 64 bytes at a clock of 1ns; 1024 at most, "
      "62.5MB/s");
}

TEST(Times, OutOfRangeOrNotWhole_AreRefusedInUnitsOfTime) {
  expect_refused(kClocked + "link: {delay: 0}\n", "not '0': with a clock of 1ns from 1 ns to 65.535 us");
  expect_refused(kClocked + "router: {delay: 1ms}\n",
                 "not '1ms': with a clock of 1ns from 1 ns to 65.535 us");
  expect_refused(kClocked + "link: {delay: 20.5ns}\n",
                 "with a clock of 1ns that lies between 20 and 21 cycles, 20 ns and 21 ns");
}

TEST(LinkInterval, ThatIsNoFraction_IsRefused) {
  expect_refused(kLeast + "link: {cycles_per_flit: 2/3}\n", "it must be at least 1");
  expect_refused(kLeast + "link: {cycles_per_flit: 1.5}\n",
                 "link.cycles_per_flit must be a whole number or a fraction, such as 3/2, from 1 to 1024");
  expect_refused(kLeast + "link: {cycles_per_flit: 2049/1025}\n", "it has more than 1024 below the line");
}

TEST(LinkBandwidth, WithoutAClock_IsRefused) {
  expect_refused(kLeast + "link: {bandwidth: 150GB/s}\n",
                 "link.bandwidth: 150GB/s needs the length of a cycle; add 'clock: 1ns' on the top level");
}

TEST(LinkBandwidth, ThatContradictsOtherKeys_IsRefused) {
  expect_refused(
      kClocked + "link: {bandwidth: 100GB/s, cycles_per_flit: 2}\nnode: {flit_bytes: 32}\n",
      "link.bandwidth: 100GB/s contradicts flits of 32 bytes every 2 cycles at a clock of 1ns, which are "
      "16GB/s; leave link.cycles_per_flit or node.flit_bytes out");
  expect_refused(kClocked + "links: [{at: '[1, 0]+0', bandwidth: 8GB/s, cycles_per_flit: 1}]\n",
                 "links[0] has both 'bandwidth' and 'cycles_per_flit'; leave one out");
}

TEST(LinkBandwidth, OtherText_IsRefused) {
  expect_refused(kClocked + "link: {bandwidth: 200Gb/s}\n",
                 "link.bandwidth must be a bandwidth, such as 25GB/s");
  expect_refused(kClocked + "link: {bandwidth: 0}\n", "link.bandwidth must be a bandwidth, such as 25GB/s");
}

TEST(NodeBandwidth, MakesTheIntervalsOfItsChannels) {
  const auto config = parse(kClocked + "link: {bandwidth: 64GB/s}\nnode: {bandwidth: 16GB/s}\n");
  EXPECT_EQ(config.machine.injection_interval, 4U);
  EXPECT_EQ(config.machine.ejection_interval, 4U);
  EXPECT_EQ(resolve(parse(resolve(config))), resolve(config));
}

TEST(NodeBandwidth, ThatIsNoWholeIntervalOrContradictsOne_IsRefused) {
  expect_refused(
      kClocked + "node: {bandwidth: 48GB/s, flit_bytes: 64}\n",
      "node.bandwidth: 48GB/s is 1.33333 cycles for a flit of 64 bytes at a clock of 1ns, and a channel of a "
      "node takes one every whole number of cycles; nearest: 64GB/s or 32GB/s, or another node.flit_bytes");
  expect_refused(kClocked + "node: {bandwidth: 64GB/s, flit_bytes: 32}\n",
                 "a channel of a node takes a flit a cycle at most, 32GB/s: give node.flit_bytes: 64");
  expect_refused(kClocked + "node: {bandwidth: 16GB/s, flit_bytes: 64, ejection_interval: 2}\n",
                 "node.bandwidth: 16GB/s is 4 cycles a flit, which contradicts node.ejection_interval: 2; "
                 "leave one out");
}

TEST(LinkLatency, IsCalledDelay) {
  expect_refused(kClocked + "link: {latency: 20ns}\n",
                 "latency is called link.delay in flitscope: write link: {delay: 20ns}, with a clock");
}

TEST(LinkMm, List_HasANumberForEachKindOfLink) {
  EXPECT_NE(resolve(parse(kClocked + "link: {mm: [1, 2.5]}\n")).find("mm: [1, 2.5]"), std::string::npos);
  EXPECT_NE(resolve(parse(kClocked + "link: {mm: 2}\n")).find("mm: 2\n"), std::string::npos);
  expect_refused(kClocked + "link: {mm: [1, 2, 3]}\n",
                 "link.mm: the links of the 7x7 torus are of the kinds dimension 0, dimension 1; it must be "
                 "a number, or "
                 "a list with one for each kind, not with 3");
  expect_refused(kClocked + "link: {mm: -1}\n", "link.mm must be a number from 0");
}

TEST(Clock, OutOfRange_IsRefused) {
  expect_refused(
      kLeast + "clock: 0GHz\n",
      "clock must be a time from 1ps to 1s, such as 1ns, or a frequency, such as 1GHz, not '0GHz'");
}

}  // namespace
}  // namespace flitscope::link_rates_test
