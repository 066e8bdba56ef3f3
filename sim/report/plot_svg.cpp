#include "sim/report/plot_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace flitscope::plot_drawing {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 440;
constexpr double kLeft = 70;
constexpr double kRight = 20;
constexpr double kTop = 40;
constexpr double kBottom = 60;
constexpr std::array kColours{"#1f5fa8", "#c0502a", "#3a8a3a", "#7a4fa0"};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char each : text) {
    switch (each) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += each;
    }
  }
  return result;
}

/// 1, 2 or 5 times a power of ten, so that about six of them reach `range`.
double tick_for(double range) {
  constexpr double kTicks = 6;
  const double power = std::pow(10, std::floor(std::log10(range / kTicks)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power * kTicks >= range) return step * power;
  }
  return 10 * power;
}

class Drawing {
 public:
  explicit Drawing(const Plot& plot) : plot_(plot) {
    for (const PlotSeries& series : plot.series) {
      for (const PlotPoint& point : series.points) {
        x_max_ = std::max(x_max_, point.x);
        y_max_ = std::max(y_max_, point.y);
      }
    }
    for (const PlotMark& mark : plot.marks) x_max_ = std::max(x_max_, mark.x);
    if (plot.y_max) y_max_ = std::min(y_max_, *plot.y_max);
    if (x_max_ <= 0) x_max_ = 1;
    if (y_max_ <= 0) y_max_ = 1;
  }

  std::string svg() {
    axes();
    double row = kTop + 16;
    for (const PlotMark& mark : plot_.marks) add_mark(mark);
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      add_series(plot_.series[i], kColours[i % kColours.size()], row);
      row += 18;
    }
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n"
        "<text x=\"{2}\" y=\"22\" font-size=\"14\">{3}</text>\n{4}</svg>\n",
        kWidth, kHeight, kLeft, escaped(plot_.title), body_);
  }

 private:
  [[nodiscard]] double x(double value) const { return kLeft + (kWidth - kLeft - kRight) * value / x_max_; }
  [[nodiscard]] double y(double value) const {
    return kHeight - kBottom - (kHeight - kTop - kBottom) * value / y_max_;
  }
  void line(double x1, double y1, double x2, double y2, const char* style) {
    body_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2,
                         y2, style);
  }
  void text(double at_x, double at_y, const char* style, const std::string& words) {
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", at_x, at_y, style, escaped(words));
  }

  void axes() {
    const char* const grid = "stroke=\"#dddddd\"";
    const double bottom = y(0);
    for (double value = 0; value <= x_max_ * 1.0001; value += tick_for(x_max_)) {
      line(x(value), bottom, x(value), kTop, grid);
      text(x(value), bottom + 18, "text-anchor=\"middle\"", fmt::format("{:.4g}", value));
    }
    for (double value = 0; value <= y_max_ * 1.0001; value += tick_for(y_max_)) {
      line(kLeft, y(value), kWidth - kRight, y(value), grid);
      text(kLeft - 8, y(value) + 4, "text-anchor=\"end\"", fmt::format("{:.4g}", value));
    }
    line(kLeft, bottom, kWidth - kRight, bottom, "stroke=\"black\"");
    line(kLeft, bottom, kLeft, kTop, "stroke=\"black\"");
    text((kLeft + kWidth - kRight) / 2, kHeight - 18, "text-anchor=\"middle\"", plot_.x_label);
    const double middle = (kTop + bottom) / 2;
    text(18, middle,
         fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 18 {:.1f})\"", middle).c_str(),
         plot_.y_label);
  }

  void add_mark(const PlotMark& mark) {
    line(x(mark.x), y(0), x(mark.x), kTop, "stroke=\"#888888\" stroke-dasharray=\"5 4\"");
    text(x(mark.x) - 4, kTop + 12, "text-anchor=\"end\" fill=\"#666666\"", mark.name);
  }

  /// A curve ends where it leaves the picture.
  void add_series(const PlotSeries& series, const char* colour, double row) {
    std::string path;
    for (const PlotPoint& point : series.points) {
      if (point.y > y_max_) break;
      path += fmt::format("{:.1f},{:.1f} ", x(point.x), y(point.y));
    }
    body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", path,
                         colour);
    for (const PlotPoint& point : series.points) {
      if (point.y > y_max_) break;
      body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x(point.x),
                           y(point.y), colour);
    }
    line(kLeft + 12, row - 4, kLeft + 36, row - 4,
         fmt::format("stroke=\"{}\" stroke-width=\"2\"", colour).c_str());
    text(kLeft + 42, row, "", series.name);
  }

  const Plot& plot_;
  double x_max_ = 0;
  double y_max_ = 0;
  std::string body_;
};

}  // namespace
}  // namespace flitscope::plot_drawing

namespace flitscope {

std::string plot_svg(const Plot& plot) {
  return plot_drawing::Drawing(plot).svg();
}

}  // namespace flitscope
