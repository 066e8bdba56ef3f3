// Names of quantities in units, and tables with them.
#include "params/units_of_names.h"

#include <gtest/gtest.h>

namespace flitscope::units_of_names_test {
namespace {

TEST(NameInUnits, TimesAndRates_HaveOne) {
  const auto name_of = [](const std::string& name) {
    const auto other = name_in_units(name);
    return other ? other->name : "";
  };
  EXPECT_EQ(name_of("cycles"), "ns");
  EXPECT_EQ(name_of("latency_mean_cycles"), "latency_mean_ns");
  EXPECT_EQ(name_of("begin_cycle"), "begin_ns");
  EXPECT_EQ(name_of("accepted"), "accepted_GBps");
  EXPECT_EQ(name_of("accepted_min"), "accepted_min_GBps");
  EXPECT_EQ(name_of("delivered_max"), "delivered_max_GBps");
  EXPECT_EQ(name_of("bisection_flits_per_cycle"), "bisection_GBps");
  EXPECT_EQ(name_of("bytes_per_cycle"), "GBps");
  for (const char* const other : {"no_credit_flit_cycles", "skipped_cycles", "round_trips_per_cycle",
                                  "accepted_min_node", "flits", "per_cycle"}) {
    EXPECT_EQ(name_of(other), "") << other;
  }
}

TEST(CsvInUnits, TimesAndRates_StandBesideCyclesAndFlits) {
  const ClockUnits units(*ClockPeriod::parse("2GHz").value, 16);
  EXPECT_EQ(csv_in_units(
                "channel,wait_cycles,offered,culprit\n\"[0, 1]+0\",5,0.25,\"a \"\"b\"\"\"\n[1],,0,\n", units),
            "channel,wait_cycles,wait_ns,offered,offered_GBps,culprit\n"
            "\"[0, 1]+0\",5,2.5,0.25,8,\"a \"\"b\"\"\"\n"
            "[1],,,0,0,\n");
}

}  // namespace
}  // namespace flitscope::units_of_names_test
