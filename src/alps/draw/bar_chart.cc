// The bars of chart.h.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "alps/base/error.h"
#include "alps/draw/canvas.h"
#include "alps/draw/chart.h"
#include "alps/draw/chart_frame.h"

namespace alps {

namespace {

constexpr double kRow = 27, kThickness = 17, kWhisker = 3.5;

void draw_bar(Pen& pen, const ChartFrame& frame, const Bar& bar, double y, int decimals) {
  const auto across = [&](double value) {
    return std::lerp(frame.plot.low.x, frame.plot.high.x, std::clamp(frame.x.share(value), 0.0, 1.0));
  };
  pen.text({frame.plot.low.x - ChartFrame::kTickGap, y}, bar.label, {kSmall.size, kInk, Anchor::kRight});
  if (!std::isfinite(bar.value)) return;
  const double zero = across(0);
  const Rect body{{zero, y - kThickness / 2}, {across(bar.value), y + kThickness / 2}};
  pen.rects({&body, 1}, qualitative(bar.group), {{}, 0});

  // the error bar, and the number beyond whatever reaches furthest
  double end = std::max(across(bar.value), zero);
  if (std::isfinite(bar.low) && std::isfinite(bar.high)) {
    const double low = across(bar.low), high = across(bar.high);
    const Point2 line[] = {{low, y}, {high, y}};
    pen.polyline(line, {kInk, 1.1});
    for (const double x : {low, high}) {
      const Point2 whisker[] = {{x, y - kWhisker}, {x, y + kWhisker}};
      pen.polyline(whisker, {kInk, 1.1});
    }
    end = std::max(end, high);
  }
  if (decimals < 0) return;
  char number[64];
  std::snprintf(number, sizeof number, "%.*f", decimals, std::abs(bar.value));
  pen.text({end + ChartFrame::kTickGap, y}, (bar.value < 0 ? "\u2212" : "") + std::string(number),
           {kSmall.size, kInk, Anchor::kLeft});
}

}  // namespace

void draw_bars(const std::filesystem::path& path, std::span<const Bar> bars, const BarChartOptions& options) {
  const PictureFormat format = picture_format(path);
  if (bars.empty()) throw Error("cannot draw ", path.string(), ": there are no bars");
  AxisRange range;
  range.add(0);
  double names = 0;
  for (const Bar& bar : bars) {
    for (const double value : {bar.value, bar.low, bar.high}) range.add(value);
    names = std::max(names, text_width(bar.label, kSmall));
  }
  std::vector<LegendEntry> legend;
  for (size_t i = 0; i < options.groups.size(); i++)
    legend.push_back({Symbol::kCircle, qualitative(i), options.groups[i]});

  ChartFrame frame;
  frame.x = chart_axis(range, options.low, options.high, 0);
  const auto ticks = frame.x.ticks(std::max(2, static_cast<int>(options.width / ChartFrame::kTickRoomX)));
  const Head head(options.title, options.caption, legend, options.width, options.width);
  frame.plot.low = {kMargin + names + ChartFrame::kTickGap, kMargin + head.height()};
  frame.plot.high = frame.plot.low + Point2{head.width(), kRow * static_cast<double>(bars.size())};
  const double numbers = options.decimals < 0 ? kMargin / 2 : 42;  // at the ends of bars that fill the plot
  Pen pen(format, std::ceil(frame.plot.high.x + numbers + kMargin),
          std::ceil(frame.plot.high.y + ChartFrame::below(options.value_label) + kMargin), 2);

  head.draw(pen, {frame.plot.low.x, kMargin});
  frame.draw_x(pen, ticks, options.value_label);
  for (size_t i = 0; i < bars.size(); i++)
    draw_bar(pen, frame, bars[i], frame.plot.low.y + kRow * (static_cast<double>(i) + 0.5), options.decimals);
  if (frame.x.low <= 0 && frame.x.high >= 0) {
    const double zero = std::lerp(frame.plot.low.x, frame.plot.high.x, frame.x.share(0));
    const Point2 base[] = {{zero, frame.plot.low.y}, {zero, frame.plot.high.y}};
    pen.polyline(base, {kAxisGrey, 1});
  }
  save_picture(path, pen);
}

}  // namespace alps
