#include "alps/draw/canvas.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/draw/ticks.h"

namespace alps {

namespace {

constexpr double kTickLength = 4, kTickGap = 5;
constexpr double kTickRoom = 58;                    // points along an axis for each of its ticks
constexpr double kOverhang = 8;                     // how far markers on the border may stick out of the plot
constexpr double kPanelGap = 16, kPanelTitle = 20;  // between panels, and above each that has a title
constexpr double kPageWidth = 960;                  // for panels
constexpr double kBarGap = 16, kBarWidth = 12, kBarMost = 480;

// very flat or very high worlds get air around them, so that the picture stays a picture
Rect with_air(Rect world) {
  const Point2 size = world.high - world.low;
  ALPS_CHECK(std::isfinite(size.x) && std::isfinite(size.y) && size.x >= 0 && size.y >= 0 && size.x + size.y > 0);
  const double least = 0.15 * std::max(size.x, size.y);
  const Point2 air{std::max(0.0, (least - size.x) / 2), std::max(0.0, (least - size.y) / 2)};
  return {world.low - air, world.high + air};
}

// Where everything lies, in points. Widths of texts come first: a head that is wider than the plots widens the picture.
struct Layout {
  explicit Layout(const CanvasOptions& options);
  Rect plot(size_t panel) const {
    const double x = left + static_cast<double>(panel % columns) * step.x;
    const double y = top + static_cast<double>(panel / columns) * step.y;
    return {{x, y}, {x + plot_size.x, y + plot_size.y}};
  }

  double scale = 1;               // points per unit of the world
  double width = 0, height = 0;   // of the picture
  size_t count = 1, columns = 1;  // of panels
  double left = 0, top = 0;       // of the first plot
  Point2 plot_size, step;         // of a plot, and from one to the next
  std::optional<Head> head;
  Point2 head_corner;
  Rect bar;
  std::vector<Tick> ticks_x, ticks_y, bar_ticks;
};

double widest(std::span<const Tick> ticks) {
  double width = 0;
  for (const Tick& tick : ticks) width = std::max(width, text_width(tick.label, kSmall));
  return width;
}

Layout::Layout(const CanvasOptions& options) {
  const Rect& world = options.world;
  const Point2 size = world.high - world.low;
  scale = options.extent / std::max(size.x, size.y);
  plot_size = scale * size;

  // room for the numbers along the axes
  if (options.ticks) {
    ticks_x = axis_ticks(world.low.x, world.high.x, std::max(2, static_cast<int>(plot_size.x / kTickRoom)));
    ticks_y = axis_ticks(world.low.y, world.high.y, std::max(2, static_cast<int>(plot_size.y / kTickRoom)));
  }
  const double axis_left = options.ticks ? widest(ticks_y) + kTickLength + kTickGap : 0;
  const double axis_below = options.ticks ? kSmall.size + kTickLength + kTickGap : 0;

  // a grid of panels, each with its axes and title
  count = std::max<size_t>(1, options.panels.size());
  step.x = axis_left + plot_size.x + kPanelGap;
  step.y = (options.panels.empty() ? 0 : kPanelTitle) + plot_size.y + axis_below + kPanelGap;
  const size_t fit = std::max(1.0, std::floor((kPageWidth + kPanelGap) / step.x));
  columns = std::min(count, options.columns > 0 ? options.columns : fit);
  const size_t rows = (count + columns - 1) / columns;
  const double grid_width = static_cast<double>(columns) * step.x - kPanelGap - axis_left;
  const double grid_height = static_cast<double>(rows - 1) * step.y + plot_size.y;

  head.emplace(options.title, options.caption, options.legend, grid_width, std::max(options.extent, grid_width));
  head_corner = {kMargin + axis_left, kMargin};
  left = head_corner.x + (head->width() - grid_width) / 2;
  top = kMargin + head->height() + (options.panels.empty() ? 0 : kPanelTitle);
  width = head_corner.x + head->width() + kMargin;
  height = std::ceil(top + grid_height + axis_below + kMargin);

  // the colour bar beside the plots: as high as they are, within reason
  if (options.bar) {
    const double bar_left = left + grid_width + kBarGap,
                 bar_height = count > 1 ? std::min(grid_height, kBarMost) : grid_height;
    const double bar_top = top + (grid_height - bar_height) / 2;
    bar = {{bar_left, bar_top}, {bar_left + kBarWidth, bar_top + bar_height}};
    bar_ticks = options.bar->ticks;
    if (bar_ticks.empty())
      bar_ticks = options.bar->scale.axis.ticks(std::max(2, static_cast<int>(bar_height / kTickRoom)));
    const double label = options.bar->label.empty() ? 0 : kTickGap + 1.5 * kSmall.size;
    width = std::max(width, bar.high.x + kTickLength + kTickGap + widest(bar_ticks) + label + kMargin);
  }
  width = std::ceil(width);
}

}  // namespace

PictureFormat picture_format(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (ending == ".png") return PictureFormat::kPng;
  if (ending == ".svg") return PictureFormat::kSvg;
  throw UsageError("cannot draw to ", path.string(), ": the name must end in .png or .svg");
}

struct Canvas::Impl {
  Impl(std::optional<std::filesystem::path> path, CanvasOptions o)
      : options(std::move(o)),
        layout(options),
        plot(layout.plot(0)),
        pen(path ? picture_format(*path) : PictureFormat::kPng, layout.width, layout.height, options.scale) {
    if (path) file.emplace(std::move(*path));
  }

  // far-away points are pulled to a distance that the pen's fixed-point numbers can hold
  Point2 place(Point2 p) const {
    constexpr double kFar = 1e5;
    return {std::clamp(plot.low.x + layout.scale * (p.x - options.world.low.x), -kFar, kFar),
            std::clamp(plot.high.y - layout.scale * (p.y - options.world.low.y), -kFar, kFar)};
  }

  void clip_to_plot() { pen.clip({plot.low - Point2{kOverhang, kOverhang}, plot.high + Point2{kOverhang, kOverhang}}); }

  void draw_axes() {
    const Stroke stroke{kAxisGrey, 1};
    for (const Tick& tick : layout.ticks_x) {
      const double x = place({tick.value, 0}).x, y = plot.high.y + kTickLength;
      pen.polyline(std::vector<Point2>{{x, plot.high.y}, {x, y}}, stroke);
      pen.text({x, y + kTickGap + 0.4 * kSmall.size}, tick.label, small_text(Anchor::kMiddle));
    }
    for (const Tick& tick : layout.ticks_y) {
      const double x = plot.low.x - kTickLength, y = place({0, tick.value}).y;
      pen.polyline(std::vector<Point2>{{x, y}, {plot.low.x, y}}, stroke);
      pen.text({x - kTickGap, y}, tick.label, small_text(Anchor::kRight));
    }
  }

  void draw_panel_title(const std::string& title) {
    TextStyle style{11.5, kInk, Anchor::kLeft, true};
    const double width = text_width(title, style);
    if (width > layout.plot_size.x) style.size *= layout.plot_size.x / width;
    pen.text({plot.low.x, plot.low.y - 0.45 * kPanelTitle}, title, style);
  }

  void draw_page() {
    layout.head->draw(pen, layout.head_corner);
    if (options.bar) draw_bar();
    for (size_t i = layout.count; i-- > 0;) {
      plot = layout.plot(i);
      draw_axes();
      if (!options.panels.empty()) draw_panel_title(options.panels[i]);
    }
    clip_to_plot();
  }

  void draw_bar() {
    const ColorBar& bar = *options.bar;
    const Rect& at = layout.bar;
    ColorGrid colors{1, 256, {}};
    for (int i = 0; i < 256; i++) colors.colors.push_back(bar.scale.at((i + 0.5) / 256));
    pen.image(colors, {{at.low.x, at.high.y}, {at.high.x, at.low.y}});
    for (const Tick& tick : layout.bar_ticks) {
      const double y = std::lerp(at.high.y, at.low.y, bar.scale.axis.share(tick.value));
      const double length = tick.label.empty() ? kTickLength / 2 : kTickLength;
      pen.polyline(std::vector<Point2>{{at.high.x, y}, {at.high.x + length, y}}, {kAxisGrey, 1});
      pen.text({at.high.x + kTickLength + kTickGap, y}, tick.label, kSmall);
    }
    const double x = at.high.x + kTickLength + 2 * kTickGap + widest(layout.bar_ticks) + 0.6 * kSmall.size;
    TextStyle style = small_text(Anchor::kMiddle);
    style.quarter_turn = true;
    pen.text({x, (at.low.y + at.high.y) / 2}, bar.label, style);
  }

  CanvasOptions options;
  std::optional<AtomicFile> file;
  Layout layout;
  Rect plot;  // of the current panel
  Pen pen;
};

Canvas::Canvas(std::filesystem::path path, CanvasOptions options) {
  options.world = with_air(options.world);
  impl_ = std::make_unique<Impl>(std::move(path), std::move(options));
  impl_->draw_page();
}

Canvas::Canvas(CanvasOptions options) {
  options.world = with_air(options.world);
  impl_ = std::make_unique<Impl>(std::nullopt, std::move(options));
  impl_->draw_page();
}

void Canvas::panel(size_t index) {
  ALPS_CHECK(index < impl_->layout.count);
  impl_->plot = impl_->layout.plot(index);
  impl_->clip_to_plot();
}

void Canvas::panel_title(const std::string& title) {
  impl_->pen.clip({{0, 0}, {width(), height()}});
  impl_->draw_panel_title(title);
  impl_->clip_to_plot();
}

Canvas::~Canvas() = default;

void Canvas::line(Point2 from, Point2 to, const Stroke& stroke) {
  const Point2 ends[] = {from, to};
  polyline(ends, stroke);
}

void Canvas::polyline(std::span<const Point2> points, const Stroke& stroke) {
  // steps below a fifth of a point cannot be seen, but would make large files
  constexpr double kLeast = 0.2;
  std::vector<Point2> run;
  Point2 last;
  const auto flush = [&] {
    if (!run.empty() && run.back() != last) run.push_back(last);
    if (run.size() > 1) impl_->pen.polyline(run, stroke);
    run.clear();
  };
  for (const Point2 p : points) {
    if (!std::isfinite(p.x) || !std::isfinite(p.y)) {
      flush();
      continue;
    }
    last = impl_->place(p);
    if (run.empty() || distance(run.back(), last) >= kLeast) run.push_back(last);
  }
  flush();
}

void Canvas::rects(std::span<const Rect> rects, Color fill, const Stroke& outline) {
  std::vector<Rect> placed;
  for (const Rect& r : rects) placed.push_back({impl_->place(r.low), impl_->place(r.high)});
  impl_->pen.rects(placed, fill, outline);
}

void Canvas::circle(Point2 center, double radius, Color fill, const Stroke& outline) {
  impl_->pen.circle(impl_->place(center), points(radius), fill, outline);
}

void Canvas::polygon(std::span<const Point2> corners, Color fill, const Stroke& outline) {
  std::vector<Point2> placed;
  for (const Point2 p : corners) placed.push_back(impl_->place(p));
  impl_->pen.polygon(placed, fill, outline);
}

void Canvas::marker(Symbol symbol, Point2 at, double radius_points, Color fill, Color outline) {
  if (std::isfinite(at.x) && std::isfinite(at.y))
    impl_->pen.symbol(symbol, impl_->place(at), radius_points, fill, outline);
}

void Canvas::text(Point2 at, const std::string& text, const TextStyle& style) {
  impl_->pen.text(impl_->place(at), text, style);
}

void Canvas::image(const ColorGrid& grid, Rect world) {
  // unlike a marker, a cell on the border ends there
  impl_->pen.clip(impl_->plot);
  impl_->pen.image(grid, {impl_->place(world.low), impl_->place(world.high)});
  impl_->clip_to_plot();
}

double Canvas::points(double world_length) const { return world_length * impl_->layout.scale; }
double Canvas::width() const { return impl_->layout.width; }
double Canvas::height() const { return impl_->layout.height; }
Point2 Canvas::place(Point2 world) const { return impl_->place(world); }

void Canvas::save() {
  ALPS_CHECK(impl_->file);
  impl_->file->write(impl_->pen.encode());
  impl_->file->commit();
}

Frame Canvas::pixels() const { return impl_->pen.pixels(); }
void Canvas::replace(const Frame& frame) { impl_->pen.replace(frame); }

}  // namespace alps
