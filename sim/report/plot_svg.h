// A plot of a few curves as SVG.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace flitscope {

struct PlotPoint {
  double x = 0;
  double y = 0;
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;
};

/// A vertical line with a name.
struct PlotMark {
  std::string name;
  double x = 0;
};

struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<PlotSeries> series;
  std::vector<PlotMark> marks;
  /// What lies above is cut off; nothing: the highest point.
  std::optional<double> y_max;
};

/// Both axes begin at 0.
[[nodiscard]] std::string plot_svg(const Plot& plot);

}  // namespace flitscope
