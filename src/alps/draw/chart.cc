#include "alps/draw/chart.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"
#include "alps/draw/canvas.h"
#include "alps/draw/chart_frame.h"

namespace alps {

namespace {

void check_series(const std::filesystem::path& path, std::span<const Series> series) {
  for (const Series& s : series) {
    const auto fits = [&](const std::vector<double>& v) { return v.size() == s.x.size(); };
    const bool bare = s.low.empty() && s.high.empty();
    if (!fits(s.y) || !(bare || (fits(s.low) && fits(s.high))))
      throw Error("cannot draw ", path.string(), ": series '", s.label, "' has ", s.x.size(), " x, ", s.y.size(),
                  " y, ", s.low.size(), " low and ", s.high.size(), " high values; they must be as many");
  }
}

bool finite(Point2 p) { return std::isfinite(p.x) && std::isfinite(p.y); }

// Calls `draw` with each run of finite points; steps below a fifth of a point cannot be seen, but would make large
// files.
template <class At, class Draw>
void each_run(size_t count, At at, Draw draw) {
  constexpr double kLeast = 0.2;
  std::vector<Point2> run;
  Point2 last;
  const auto flush = [&] {
    if (!run.empty() && run.back() != last) run.push_back(last);
    if (!run.empty()) draw(run);
    run.clear();
  };
  for (size_t i = 0; i < count; i++) {
    const Point2 p = at(i);
    if (!finite(p)) {
      flush();
      continue;
    }
    last = p;
    if (run.empty() || distance(run.back(), p) >= kLeast) run.push_back(p);
  }
  flush();
}

void draw_band(Pen& pen, const ChartFrame& frame, const Series& s, Color color) {
  if (s.low.empty()) return;
  // runs in which both ends are finite; there along the lower side and back along the upper
  for (size_t first = 0, i = 0; i <= s.x.size(); i++) {
    const bool whole =
        i < s.x.size() && finite(frame.place(s.x[i], s.low[i])) && finite(frame.place(s.x[i], s.high[i]));
    if (whole) continue;
    std::vector<Point2> outline;
    const auto add = [&](std::vector<Point2>& run) { outline.insert(outline.end(), run.begin(), run.end()); };
    each_run(
        i - first, [&](size_t k) { return frame.place(s.x[first + k], s.low[first + k]); }, add);
    each_run(
        i - first, [&](size_t k) { return frame.place(s.x[i - 1 - k], s.high[i - 1 - k]); }, add);
    if (outline.size() > 2) pen.polygon(outline, color.with_alpha(0.17));
    first = i + 1;
  }
}

void draw_line(Pen& pen, const ChartFrame& frame, const Series& s, Color color) {
  const auto at = [&](size_t i) { return frame.place(s.x[i], s.y[i]); };
  each_run(s.x.size(), at, [&](std::vector<Point2>& run) {
    if (run.size() > 1) pen.polyline(run, {color, 1.7, s.dashed});
    if (run.size() == 1) pen.circle(run[0], 2, color, {{}, 0});  // alone, it would not be seen
  });
  for (size_t i = 0; s.dots && i < s.x.size(); i++)
    if (finite(at(i))) pen.symbol(Symbol::kCircle, at(i), 2.8, color, kPaper);
}

void add_to_ranges(const Series& s, AxisRange& x, AxisRange& y) {
  for (size_t i = 0; i < s.x.size(); i++) {
    if (!std::isfinite(s.y[i])) continue;
    x.add(s.x[i]);
    y.add(s.y[i]);
    if (s.low.empty()) continue;
    y.add(s.low[i]);
    y.add(s.high[i]);
  }
}

}  // namespace

void draw_chart(const std::filesystem::path& path, std::span<const Series> series, const ChartOptions& options) {
  const PictureFormat format = picture_format(path);
  check_series(path, series);
  AxisRange range_x(options.logarithmic_x), range_y(options.logarithmic_y);
  for (const Series& s : series) add_to_ranges(s, range_x, range_y);
  if (range_x.empty() || range_y.empty())
    throw Error("cannot draw ", path.string(), ": its ", series.size(), " series hold no number that could be shown");
  std::vector<LegendEntry> legend;
  for (size_t k = 0; k < series.size(); k++)
    if (!series[k].label.empty())
      legend.push_back({series[k].dashed ? Symbol::kDashes : Symbol::kLine, qualitative(k), series[k].label});

  // room for the numbers and names of the axes, then the head above all
  ChartFrame frame;
  frame.x = chart_axis(range_x, {}, {}, 0);
  frame.y = chart_axis(range_y, options.y_low, options.y_high, 0.05);
  const auto ticks_x = frame.x.ticks(std::max(2, static_cast<int>(options.width / ChartFrame::kTickRoomX)));
  const auto ticks_y = frame.y.ticks(std::max(2, static_cast<int>(options.height / ChartFrame::kTickRoomY)));
  double numbers = 0;
  for (const Tick& tick : ticks_y) numbers = std::max(numbers, text_width(tick.label, kSmall));
  if (!options.y_label.empty()) numbers += ChartFrame::kLabelLine;
  const Head head(options.title, options.caption, legend, options.width, options.width);
  frame.plot.low = {kMargin + numbers + ChartFrame::kTickGap, kMargin + head.height()};
  frame.plot.high = frame.plot.low + Point2{head.width(), options.height};
  Pen pen(format, std::ceil(frame.plot.high.x + 1.5 * kMargin),
          std::ceil(frame.plot.high.y + ChartFrame::below(options.x_label) + kMargin), 2);

  head.draw(pen, {frame.plot.low.x, kMargin});
  frame.draw_x(pen, ticks_x, options.x_label);
  frame.draw_y(pen, ticks_y, options.y_label);
  // bands below all lines; a little over the border, so that lines along it keep their width
  pen.clip({frame.plot.low - Point2{3, 3}, frame.plot.high + Point2{3, 3}});
  for (size_t k = 0; k < series.size(); k++) draw_band(pen, frame, series[k], qualitative(k));
  for (size_t k = 0; k < series.size(); k++) draw_line(pen, frame, series[k], qualitative(k));
  save_picture(path, pen);
}

}  // namespace alps
