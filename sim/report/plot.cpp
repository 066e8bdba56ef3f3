#include "sim/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "model/error.h"
#include "model/text.h"
#include "sim/host/processes.h"
#include "sim/report/report_parts.h"

namespace flitscope {

namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 440;
constexpr double kLeft = 70;
constexpr double kRight = 20;
constexpr double kTop = 40;
constexpr double kBottom = 60;
/// Colours of Okabe and Ito, which the colour-blind tell apart, behind the four that load curves have.
constexpr std::array kColours{"#1f5fa8", "#c0502a", "#3a8a3a", "#7a4fa0",
                              "#e69f00", "#56b4e9", "#cc79a7", "#555555"};

/// 1, 2 or 5 times a power of ten, so that about six of them reach `range`.
double tick_for(double range) {
  constexpr double kTicks = 6;
  const double power = std::pow(10, std::floor(std::log10(range / kTicks)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power * kTicks >= range) return step * power;
  }
  return 10 * power;
}

/// One axis: from values to shares of its length.
class Scale {
 public:
  Scale(double from, double to, bool log) : from_(log ? std::log(from) : from), log_(log) {
    length_ = (log ? std::log(to) : to) - from_;
  }
  [[nodiscard]] double operator()(double value) const {
    return ((log_ ? std::log(value) : value) - from_) / length_;
  }
  [[nodiscard]] double to() const { return log_ ? std::exp(from_ + length_) : from_ + length_; }
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> values;
    constexpr double kBeyond = 1.0001;  // what rounding may add
    if (!log_) {
      for (double value = 0; value <= to() * kBeyond; value += tick_for(to())) values.push_back(value);
      return values;
    }
    const double from = std::exp(from_);
    const bool is_short = to() / from < 1000;
    for (double power = std::pow(10, std::floor(std::log10(from))); power <= to() * kBeyond; power *= 10) {
      for (const double step : {1.0, 2.0, 5.0}) {
        const double value = power * step;
        if ((step == 1 || is_short) && value >= from / kBeyond && value <= to() * kBeyond) {
          values.push_back(value);
        }
      }
    }
    return values;
  }

 private:
  double from_;
  double length_;
  bool log_;
};

/// From 0, or of a logarithmic axis from the least, to the largest of the values.
Scale scale_of(const std::vector<double>& values, bool log, std::optional<double> end) {
  double least = std::numeric_limits<double>::infinity();
  double largest = 0;
  for (const double value : values) {
    if (log && value <= 0) continue;
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  if (end) largest = std::min(largest, *end);
  if (largest <= 0) largest = 1;
  if (!log) return {0, largest, false};
  if (least >= largest) least = largest / 2;
  return {least, largest, true};
}

class Drawing {
 public:
  explicit Drawing(const Plot& plot)
      : plot_(plot),
        x_scale_(scale_of(xs(), plot.log_x, std::nullopt)),
        y_scale_(scale_of(ys(), plot.log_y, plot.y_max)) {}

  std::string svg() {
    axes();
    double row = first_row();
    for (const PlotMark& mark : plot_.marks) add_mark(mark);
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      add_series(plot_.series[i], kColours[i % kColours.size()], row);
      row += kRow;
    }
    for (const PlotPoint& ring : plot_.rings) {
      body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"7\" fill=\"none\" stroke=\"black\"/>\n",
                           x(ring.x), y(ring.y));
    }
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n"
        "<text x=\"{2}\" y=\"22\" font-size=\"14\">{3}</text>\n{4}</svg>\n",
        kWidth, kHeight, kLeft, escaped(printable(plot_.title)), body_);
  }

 private:
  [[nodiscard]] std::vector<double> xs() const {
    std::vector<double> values;
    for (const PlotSeries& series : plot_.series) {
      for (const PlotPoint& point : series.points) values.push_back(point.x);
    }
    for (const PlotMark& mark : plot_.marks) values.push_back(mark.x);
    values.push_back(static_cast<double>(plot_.x_names.size()));
    return values;
  }
  [[nodiscard]] std::vector<double> ys() const {
    std::vector<double> values;
    for (const PlotSeries& series : plot_.series) {
      for (const PlotPoint& point : series.points) {
        values.push_back(point.y);
        if (point.interval) values.push_back(point.interval->high);
      }
    }
    return values;
  }
  /// A point of a curve that is in the picture.
  [[nodiscard]] bool has_place(const PlotPoint& point) const {
    return (!plot_.log_x || point.x > 0) && (!plot_.log_y || point.y > 0);
  }

  /// The base line of the first name of a series: at the top left, or at the bottom if that hides fewer
  /// points.
  [[nodiscard]] double first_row() const {
    const double height = kRow * static_cast<double>(plot_.series.size());
    std::size_t letters = 0;
    for (const PlotSeries& series : plot_.series) letters = std::max(letters, series.name.size());
    const double right = kLeft + kNames + 7 * static_cast<double>(letters);
    const auto hidden = [&](double top) {
      std::ptrdiff_t points = 0;
      for (const PlotSeries& series : plot_.series) {
        points += std::ranges::count_if(series.points, [&](const PlotPoint& point) {
          return has_place(point) && x(point.x) < right && y(point.y) >= top - 4 &&
                 y(point.y) <= top + height;
        });
      }
      return points;
    };
    const double bottom = kBottomLine - height - 4;
    return (bottom > kTop && hidden(bottom) < hidden(kTop) ? bottom : kTop) + 16;
  }

  [[nodiscard]] double x(double value) const { return kLeft + (kWidth - kLeft - kRight) * x_scale_(value); }
  [[nodiscard]] double y(double value) const {
    return kHeight - kBottom - (kHeight - kTop - kBottom) * y_scale_(value);
  }
  void line(double x1, double y1, double x2, double y2, const char* style) {
    body_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2,
                         y2, style);
  }
  void text(double at_x, double at_y, const char* style, const std::string& words) {
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", at_x, at_y, style,
                         escaped(printable(words)));
  }

  void add_x_tick(double value, const std::string& name) {
    line(x(value), kBottomLine, x(value), kTop, kGrid);
    text(x(value), kBottomLine + 18, "text-anchor=\"middle\"", name);
  }

  void axes() {
    if (plot_.x_names.empty()) {
      for (const double value : x_scale_.ticks()) add_x_tick(value, fmt::format("{:.4g}", value));
    } else {
      for (std::size_t i = 0; i < plot_.x_names.size(); ++i) {
        add_x_tick(static_cast<double>(i + 1), plot_.x_names[i]);
      }
    }
    for (const double value : y_scale_.ticks()) {
      line(kLeft, y(value), kWidth - kRight, y(value), kGrid);
      text(kLeft - 8, y(value) + 4, "text-anchor=\"end\"", fmt::format("{:.4g}", value));
    }
    line(kLeft, kBottomLine, kWidth - kRight, kBottomLine, "stroke=\"black\"");
    line(kLeft, kBottomLine, kLeft, kTop, "stroke=\"black\"");
    text((kLeft + kWidth - kRight) / 2, kHeight - 18, "text-anchor=\"middle\"", plot_.x_label);
    const double middle = (kTop + kBottomLine) / 2;
    text(18, middle,
         fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 18 {:.1f})\"", middle).c_str(),
         plot_.y_label);
  }

  void add_mark(const PlotMark& mark) {
    const char* const colour = mark.series ? kColours[*mark.series % kColours.size()] : "#888888";
    line(x(mark.x), kBottomLine, x(mark.x), kTop,
         fmt::format("stroke=\"{}\" stroke-dasharray=\"5 4\"", colour).c_str());
    text(x(mark.x) - 4, kTop + 12, "text-anchor=\"end\" fill=\"#666666\"", mark.name);
  }

  /// A curve ends where it leaves the picture.
  void add_series(const PlotSeries& series, const char* colour, double row) {
    std::string path;
    for (const PlotPoint& point : series.points) {
      if (point.y > y_scale_.to() * 1.0001) break;
      if (has_place(point)) path += fmt::format("{:.1f},{:.1f} ", x(point.x), y(point.y));
    }
    body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", path,
                         colour);
    for (const PlotPoint& point : series.points) {
      if (point.y > y_scale_.to() * 1.0001) break;
      if (!has_place(point)) continue;
      if (point.interval && (!plot_.log_y || point.interval->low > 0)) {
        const double low = std::min(y(point.interval->low), kBottomLine);
        line(x(point.x), low, x(point.x), y(point.interval->high),
             fmt::format("stroke=\"{}\"", colour).c_str());
      }
      body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x(point.x),
                           y(point.y), colour);
    }
    line(kLeft + 12, row - 4, kLeft + 36, row - 4,
         fmt::format("stroke=\"{}\" stroke-width=\"2\"", colour).c_str());
    text(kLeft + kNames, row, "", series.name);
  }

  static constexpr double kBottomLine = kHeight - kBottom;
  static constexpr double kRow = 18;    ///< of names
  static constexpr double kNames = 42;  ///< from the left of the picture
  static constexpr auto kGrid = "stroke=\"#dddddd\"";

  const Plot& plot_;
  Scale x_scale_;
  Scale y_scale_;
  std::string body_;
};

/// Where the lines through (x0, a0), (x1, a1) and through (x0, b0), (x1, b1) meet within; nothing if they do
/// not cross there.
struct Segment {
  double x0, x1, a0, a1, b0, b1;

  [[nodiscard]] std::optional<PlotPoint> crossing(bool log_x, bool log_y) const {
    if ((a0 - b0) * (a1 - b1) >= 0) return std::nullopt;
    const auto to = [](bool log, double value) { return log ? std::log(value) : value; };
    const auto back = [](bool log, double value) { return log ? std::exp(value) : value; };
    const double before = to(log_y, a0) - to(log_y, b0);
    const double after = to(log_y, a1) - to(log_y, b1);
    const double share = before / (before - after);
    return PlotPoint{back(log_x, to(log_x, x0) + share * (to(log_x, x1) - to(log_x, x0))),
                     back(log_y, to(log_y, a0) + share * (to(log_y, a1) - to(log_y, a0)))};
  }
};

}  // namespace

std::string plot_svg(const Plot& plot) {
  return Drawing(plot).svg();
}

std::vector<PlotPoint> crossovers(const Plot& plot) {
  std::vector<PlotPoint> found;
  const auto has_place = [&](double x, double a, double b) {
    return (!plot.log_x || x > 0) && (!plot.log_y || (a > 0 && b > 0));
  };
  for (std::size_t first = 0; first < plot.series.size(); ++first) {
    for (std::size_t second = first + 1; second < plot.series.size(); ++second) {
      std::optional<Segment> last;   // where they differed last
      std::optional<PlotPoint> met;  // since then
      for (const PlotPoint& a : plot.series[first].points) {
        const auto& others = plot.series[second].points;
        const auto b = std::ranges::find(others, a.x, &PlotPoint::x);
        if (b == others.end() || !has_place(a.x, a.y, b->y)) continue;
        if (a.y == b->y) {
          if (!met) met = PlotPoint{a.x, a.y};
          continue;
        }
        if (last) {
          const Segment segment{last->x1, a.x, last->a1, a.y, last->b1, b->y};
          if (const auto point = segment.crossing(plot.log_x, plot.log_y))
            found.push_back(met.value_or(*point));
        }
        last = Segment{a.x, a.x, a.y, a.y, b->y, b->y};
        met.reset();
      }
    }
  }
  return found;
}

// --- Files -------------------------------------------------------------------------------------------------

std::string png_of(const std::string& svg, const std::string& program) {
  const CommandOutput output =
      run_command({program, "--zoom", "2", "--format", "png"}, CommandErrors::mine, svg);
  if (output.failure != 0) {
    throw OutputError(
        "{} cannot be started, which makes PNG: {} (it is in the Debian package librsvg2-bin; SVG needs no "
        "other program)",
        program, std::strerror(output.failure));
  }
  if (output.exit_code == 0 && !output.text.empty()) return output.text;
  throw OutputError("{} makes no PNG: it ends with exit code {}", program, output.exit_code);
}

void write_picture(const std::filesystem::path& file, const std::string& svg, Existing existing) {
  write_file(file, file.extension() == ".png" ? png_of(svg) : svg, existing);
}

}  // namespace flitscope
