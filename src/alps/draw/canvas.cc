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

constexpr Color kInk = rgb(0x22262b), kGrey = rgb(0x6b7178), kAxis = rgb(0xb4b9bf), kPaper = rgb(0xffffff);
constexpr double kMargin = 16, kGap = 16, kTitleLine = 23, kSmallLine = 20, kHeadGap = 8;
constexpr double kTickLength = 4, kTickGap = 5, kLegendSymbol = 20;
constexpr double kTickRoom = 58;  // points along an axis for each of its ticks
constexpr double kOverhang = 8;   // how far markers on the border may stick out of the plot

constexpr TextStyle kTitle{15, kInk, Anchor::kLeft, true};
constexpr TextStyle kSmall{10.5, kGrey, Anchor::kLeft, false};

TextStyle small(Anchor anchor) { return {kSmall.size, kSmall.color, anchor, false}; }

// very flat or very high worlds get air around them, so that the picture stays a picture
Rect with_air(Rect world) {
  const Point2 size = world.high - world.low;
  ALPS_CHECK(std::isfinite(size.x) && std::isfinite(size.y) && size.x >= 0 && size.y >= 0 && size.x + size.y > 0);
  const double least = 0.15 * std::max(size.x, size.y);
  const Point2 air{std::max(0.0, (least - size.x) / 2), std::max(0.0, (least - size.y) / 2)};
  return {world.low - air, world.high + air};
}

// Where everything lies, in points. Widths of texts come first: a head that is wider than the plot widens the picture.
struct Layout {
  explicit Layout(const CanvasOptions& options);

  double scale = 1;                                 // points per unit of the world
  double width = 0, height = 0;                     // of the picture
  double left = 0, right = 0, top = 0, bottom = 0;  // of the plot
  double head_left = 0, head_right = 0, title_size = kTitle.size, legend_width = 0;
  bool legend_below = false;  // too wide for the caption's line
  std::vector<Tick> ticks_x, ticks_y;
};

Layout::Layout(const CanvasOptions& options) {
  const Rect& world = options.world;
  const Point2 size = world.high - world.low;
  scale = options.extent / std::max(size.x, size.y);
  const double plot_width = scale * size.x, plot_height = scale * size.y;

  // room for the numbers along the axes
  double label_width = 0;
  if (options.ticks) {
    ticks_x = axis_ticks(world.low.x, world.high.x, std::max(2, static_cast<int>(plot_width / kTickRoom)));
    ticks_y = axis_ticks(world.low.y, world.high.y, std::max(2, static_cast<int>(plot_height / kTickRoom)));
    for (const Tick& tick : ticks_y) label_width = std::max(label_width, text_width(tick.label, kSmall));
  }
  const double axis_left = options.ticks ? label_width + kTickLength + kTickGap : 0;
  const double axis_below = options.ticks ? kSmall.size + kTickLength + kTickGap : 0;

  // the head: title, then caption and legend in one line or, where that gets too wide, in two
  const double title_width = text_width(options.title, kTitle), caption_width = text_width(options.caption, kSmall);
  for (const LegendEntry& entry : options.legend)
    legend_width += kLegendSymbol + text_width(entry.label, kSmall) + (&entry == &options.legend.back() ? 0 : kGap);
  const bool both = caption_width > 0 && legend_width > 0;
  legend_below = both && caption_width + 2 * kGap + legend_width > std::max(plot_width, options.extent / 2);
  const double line_width =
      legend_below ? std::max(caption_width, legend_width) : caption_width + legend_width + (both ? 2 * kGap : 0);
  const double content = std::max({plot_width, std::min(title_width, options.extent), line_width});
  if (title_width > content) title_size *= content / title_width;
  const double head =
      (title_width > 0 ? kTitleLine : 0) + (line_width > 0 ? kSmallLine : 0) + legend_below * kSmallLine;

  head_left = kMargin + axis_left;
  head_right = head_left + content;
  left = head_left + (content - plot_width) / 2;
  right = left + plot_width;
  top = kMargin + head + (head > 0 ? kHeadGap : 0);
  bottom = top + plot_height;
  width = std::ceil(head_right + kMargin);
  height = std::ceil(bottom + axis_below + kMargin);
}

void draw_head(Pen& pen, const Layout& at, const CanvasOptions& options) {
  double y = kMargin;
  if (!options.title.empty()) {
    TextStyle style = kTitle;
    style.size = at.title_size;
    pen.text({at.head_left, y + 0.4 * kTitleLine}, options.title, style);
    y += kTitleLine;
  }
  y += kSmallLine / 2;
  pen.text({at.head_left, y}, options.caption, kSmall);
  if (at.legend_below) y += kSmallLine;
  double x = at.legend_below || options.caption.empty() ? at.head_left : at.head_right - at.legend_width;
  for (const LegendEntry& entry : options.legend) {
    pen.symbol(entry.symbol, {x + 0.4 * kLegendSymbol, y}, entry.symbol == Symbol::kStar ? 5.5 : 3.5, entry.color,
               kPaper);
    pen.text({x + kLegendSymbol, y}, entry.label, kSmall);
    x += kLegendSymbol + text_width(entry.label, kSmall) + kGap;
  }
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
  Impl(std::filesystem::path path, CanvasOptions o)
      : format(picture_format(path)),
        options(std::move(o)),
        file(std::move(path)),
        layout(options),
        pen(format, layout.width, layout.height, options.scale) {}

  // far-away points are pulled to a distance that the pen's fixed-point numbers can hold
  Point2 place(Point2 p) const {
    constexpr double kFar = 1e5;
    return {std::clamp(layout.left + layout.scale * (p.x - options.world.low.x), -kFar, kFar),
            std::clamp(layout.bottom - layout.scale * (p.y - options.world.low.y), -kFar, kFar)};
  }

  void draw_axes() {
    const Stroke stroke{kAxis, 1};
    for (const Tick& tick : layout.ticks_x) {
      const double x = place({tick.value, 0}).x, y = layout.bottom + kTickLength;
      pen.polyline(std::vector<Point2>{{x, layout.bottom}, {x, y}}, stroke);
      pen.text({x, y + kTickGap + 0.4 * kSmall.size}, tick.label, small(Anchor::kMiddle));
    }
    for (const Tick& tick : layout.ticks_y) {
      const double x = layout.left - kTickLength, y = place({0, tick.value}).y;
      pen.polyline(std::vector<Point2>{{x, y}, {layout.left, y}}, stroke);
      pen.text({x - kTickGap, y}, tick.label, small(Anchor::kRight));
    }
  }

  PictureFormat format;
  CanvasOptions options;
  AtomicFile file;
  Layout layout;
  Pen pen;
};

Canvas::Canvas(std::filesystem::path path, CanvasOptions options) {
  options.world = with_air(options.world);
  impl_ = std::make_unique<Impl>(std::move(path), std::move(options));
  draw_head(impl_->pen, impl_->layout, impl_->options);
  impl_->draw_axes();
  const Layout& at = impl_->layout;
  impl_->pen.clip({{at.left - kOverhang, at.top - kOverhang}, {at.right + kOverhang, at.bottom + kOverhang}});
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

void Canvas::marker(Symbol symbol, Point2 at, double radius_points, Color fill, Color outline) {
  if (std::isfinite(at.x) && std::isfinite(at.y))
    impl_->pen.symbol(symbol, impl_->place(at), radius_points, fill, outline);
}

void Canvas::text(Point2 at, const std::string& text, const TextStyle& style) {
  impl_->pen.text(impl_->place(at), text, style);
}

double Canvas::points(double world_length) const { return world_length * impl_->layout.scale; }
double Canvas::width() const { return impl_->layout.width; }
double Canvas::height() const { return impl_->layout.height; }
Point2 Canvas::place(Point2 world) const { return impl_->place(world); }

void Canvas::save() {
  impl_->file.write(impl_->pen.encode());
  impl_->file.commit();
}

}  // namespace alps
