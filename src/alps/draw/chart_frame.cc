#include "alps/draw/chart_frame.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/draw/head.h"

namespace alps {

namespace {

constexpr Color kGridLine = rgb(0xe9ebee), kFaintLine = rgb(0xf4f5f6);

}  // namespace

double ChartFrame::below(const std::string& label) { return kTickGap + kSmall.size + (label.empty() ? 0 : kLabelLine); }

Point2 ChartFrame::place(double at_x, double at_y) const {
  // the pen's fixed-point numbers hold no more; and std::lerp makes a number of NaN, which would be drawn
  const auto between = [](double low, double high, double share) {
    constexpr double kFar = 1e5;
    return std::isnan(share) ? share : std::clamp(std::lerp(low, high, share), -kFar, kFar);
  };
  return {between(plot.low.x, plot.high.x, x.share(at_x)), between(plot.high.y, plot.low.y, y.share(at_y))};
}

void ChartFrame::draw_x(Pen& pen, std::span<const Tick> ticks, const std::string& label) const {
  for (const Tick& tick : ticks) {
    const double at = std::lerp(plot.low.x, plot.high.x, x.share(tick.value));
    const Point2 ends[] = {{at, plot.low.y}, {at, plot.high.y}};
    pen.polyline(ends, {tick.label.empty() ? kFaintLine : kGridLine, 1});
    pen.text({at, plot.high.y + kTickGap + 0.4 * kSmall.size}, tick.label, small_text(Anchor::kMiddle));
  }
  const Point2 base[] = {{plot.low.x, plot.high.y}, plot.high};
  pen.polyline(base, {kAxisGrey, 1});
  pen.text({(plot.low.x + plot.high.x) / 2, plot.high.y + below(label) - 0.4 * kSmall.size}, label,
           small_text(Anchor::kMiddle));
}

void ChartFrame::draw_y(Pen& pen, std::span<const Tick> ticks, const std::string& label) const {
  for (const Tick& tick : ticks) {
    const double at = std::lerp(plot.high.y, plot.low.y, y.share(tick.value));
    const Point2 ends[] = {{plot.low.x, at}, {plot.high.x, at}};
    pen.polyline(ends, {tick.label.empty() ? kFaintLine : kGridLine, 1});
    pen.text({plot.low.x - kTickGap, at}, tick.label, small_text(Anchor::kRight));
  }
  TextStyle upwards = small_text(Anchor::kMiddle);
  upwards.quarter_turn = true;
  pen.text({kMargin + 0.5 * kSmall.size, (plot.low.y + plot.high.y) / 2}, label, upwards);
}

Axis chart_axis(const AxisRange& range, std::optional<double> low, std::optional<double> high, double air) {
  Axis axis = range.axis(air);
  if (low) axis.low = *low;
  if (high) axis.high = *high;
  if (!std::isfinite(axis.high - axis.low) || !(axis.low < axis.high) || (axis.logarithmic && axis.low <= 0))
    throw Error("cannot draw an axis from ", axis.low, " to ", axis.high);
  return axis;
}

void save_picture(const std::filesystem::path& path, Pen& pen) {
  AtomicFile file(path);
  file.write(pen.encode());
  file.commit();
}

}  // namespace alps
