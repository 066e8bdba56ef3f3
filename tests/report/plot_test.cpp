// Plots: crossovers of curves, their drawing as SVG, PNG of it.
#include <gtest/gtest.h>

#include "model/error.h"
#include "sim/report/plot.h"

namespace flitscope::test::plot_test {
namespace {

Plot plot_of(std::vector<PlotPoint> one, std::vector<PlotPoint> other) {
  Plot plot{.title = "t", .x_label = "x", .y_label = "y", .series = {}, .marks = {}, .y_max = {}};
  plot.series = {{"one", std::move(one)}, {"other", std::move(other)}};
  return plot;
}

// y = x and y = 6 - x meet at 3; between their points at 2 and 4.
TEST(Crossovers, StraightLines_AreWhereTheyMeet) {
  const Plot plot = plot_of({{0, 0}, {2, 2}, {4, 4}}, {{0, 6}, {2, 4}, {3, 9}, {4, 2}});
  const auto found = crossovers(plot);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].x, 3);
  EXPECT_DOUBLE_EQ(found[0].y, 3);
}

// On logarithmic axes y = x and y = 100 / x are straight, and meet at 10.
TEST(Crossovers, LogarithmicAxes_AreThoseOfTheLinesDrawn) {
  Plot plot = plot_of({{1, 1}, {100, 100}}, {{1, 100}, {100, 1}});
  plot.log_x = plot.log_y = true;
  const auto found = crossovers(plot);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].x, 10, 1e-9);
  EXPECT_NEAR(found[0].y, 10, 1e-9);
}

// y = x and y = 4 - x have a point of their own at 2.
TEST(Crossovers, CommonPoint_IsFound) {
  const auto found = crossovers(plot_of({{0, 0}, {2, 2}, {3, 3}}, {{0, 4}, {2, 2}, {3, 1}}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].x, 2);
  EXPECT_DOUBLE_EQ(found[0].y, 2);
  EXPECT_TRUE(crossovers(plot_of({{0, 0}, {2, 2}, {3, 0}}, {{0, 4}, {2, 2}, {3, 4}})).empty()) << "a touch";
}

TEST(Crossovers, LinesThatTouchOrDiverge_HaveNone) {
  EXPECT_TRUE(crossovers(plot_of({{0, 1}, {1, 1}}, {{0, 2}, {1, 1}})).empty());
  EXPECT_TRUE(crossovers(plot_of({{0, 1}, {1, 2}}, {{5, 9}, {6, 0}})).empty());
}

TEST(PlotSvg, ControlCharactersOfNames_AreShown) {
  Plot plot = plot_of({{0, 5}, {1, 6}}, {});
  plot.title = "a\x1b[31m";
  EXPECT_EQ(plot_svg(plot).find('\x1b'), std::string::npos);
}

/// The height at which a name stands, from the top.
double height_of(const std::string& name, const std::string& svg) {
  const std::size_t end = svg.find(">" + name + "<");
  return std::stod(svg.substr(svg.rfind(" y=\"", end) + 4));
}

TEST(PlotSvg, Names_StandWhereTheyHideFewerPoints) {
  const auto drawn = [](std::vector<PlotPoint> points) {
    return plot_svg({.title = "t",
                     .x_label = "x",
                     .y_label = "y",
                     .series = {{"name", std::move(points)}},
                     .marks = {},
                     .y_max = {}});
  };
  const double top = height_of("name", drawn({{0, 1}, {10, 10}}));
  const double bottom = height_of("name", drawn({{0, 10}, {10, 1}}));
  EXPECT_LT(top, 100);
  EXPECT_GT(bottom, 300);
}

TEST(PlotSvg, LogarithmicAxis_LeavesOutNonPositiveValues) {
  Plot plot = plot_of({{0, 5}, {1, 0}, {2, 7}}, {});
  plot.log_x = plot.log_y = true;
  const std::string svg = plot_svg(plot);
  std::size_t points = 0;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1))
    ++points;
  EXPECT_EQ(points, 1U) << svg;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Png, MissingProgram_IsNamed) {
  try {
    static_cast<void>(png_of("<svg/>", "no-such-program"));
    FAIL();
  } catch (const OutputError& error) {
    EXPECT_NE(std::string(error.what()).find("librsvg2-bin"), std::string::npos);
  }
}

TEST(Png, ProgramThatFails_LeavesNoFile) {
  EXPECT_THROW(static_cast<void>(png_of("<svg/>", "false")), OutputError);
}

}  // namespace
}  // namespace flitscope::test::plot_test
