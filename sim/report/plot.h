// Plots of a few curves, as SVG or PNG.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/output_file.h"

namespace flitscope {

/// An interval of y round a point, such as the least and the largest of several measurements.
struct PlotInterval {
  double low = 0;
  double high = 0;
};

struct PlotPoint {
  double x = 0;
  double y = 0;
  std::optional<PlotInterval> interval = {};
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;
};

/// A vertical line with a name. One of a curve has the colour of the curve.
struct PlotMark {
  std::string name;
  double x = 0;
  std::optional<std::size_t> series = {};
};

struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<PlotSeries> series = {};
  std::vector<PlotMark> marks = {};
  /// What lies above is cut off; nothing: the highest point.
  std::optional<double> y_max = {};
  /// Logarithmic axes, on which points that are not above 0 are left out. Others begin at 0.
  bool log_x = false;
  bool log_y = false;
  /// Names instead of numbers at x = 1, 2, ..; empty: numbers.
  std::vector<std::string> x_names = {};
  /// Rings, such as where curves cross.
  std::vector<PlotPoint> rings = {};
};

[[nodiscard]] std::string plot_svg(const Plot& plot);

/// Where two of the curves of a plot change places: between neighbouring points that both have, straight
/// lines, as they are drawn, meet; where points of both are one, it is that.
[[nodiscard]] std::vector<PlotPoint> crossovers(const Plot& plot);

/// Two dots for each unit of the picture, by the program rsvg-convert (Debian package librsvg2-bin). Throws
/// OutputError if that is missing or fails.
[[nodiscard]] std::string png_of(const std::string& svg, const std::string& program = "rsvg-convert");

/// Writes PNG if the file is called so, and SVG otherwise.
void write_picture(const std::filesystem::path& file, const std::string& svg, Existing existing);

}  // namespace flitscope
