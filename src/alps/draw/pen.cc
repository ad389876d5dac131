#include "alps/draw/pen.h"

#include <cairo/cairo-svg.h>
#include <cairo/cairo.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <numbers>
#include <string_view>

#include "alps/base/error.h"

#ifdef __SANITIZE_ADDRESS__
// fontconfig keeps its fonts behind offsets instead of pointers, which the leak checker takes for lost
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig"; }
#endif

namespace alps {

namespace {

struct Destroy {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;
using Context = std::unique_ptr<cairo_t, Destroy>;
using FontOptions = std::unique_ptr<cairo_font_options_t, Destroy>;

void set_color(cairo_t* cr, Color c) { cairo_set_source_rgba(cr, c.red, c.green, c.blue, c.alpha); }

void set_stroke(cairo_t* cr, const Stroke& stroke) {
  const double dash[] = {std::max(3.0, 3 * stroke.width), std::max(2.5, 2.5 * stroke.width)};
  set_color(cr, stroke.color);
  cairo_set_line_width(cr, stroke.width);
  cairo_set_dash(cr, dash, stroke.dashed ? 2 : 0, 0);
  cairo_set_line_cap(cr, stroke.dashed ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
}

// strokes first and fills on top, so that the outline neither eats into the shape nor shows inside it
void stroke_and_fill(cairo_t* cr, Color fill, Stroke outline) {
  if (outline.width > 0) {
    outline.width *= 2;
    set_stroke(cr, outline);
    cairo_stroke_preserve(cr);
  }
  set_color(cr, fill);
  cairo_fill(cr);
}

// letters keep their shape and spacing at any scale: no hinting; fontconfig finds another sans where DejaVu is missing
void set_font(cairo_t* cr, const TextStyle& style) {
  const FontOptions options(cairo_font_options_create());
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(cr, options.get());
  const auto weight = style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL;
  cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, weight);
  cairo_set_font_size(cr, style.size);
}

double advance(cairo_t* cr, const std::string& text) {
  cairo_text_extents_t extents;
  cairo_text_extents(cr, text.c_str(), &extents);
  return extents.x_advance;
}

// called by Cairo, through which no exception may pass
cairo_status_t append_bytes(void* bytes, const unsigned char* data, unsigned size) try {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
} catch (...) {
  return CAIRO_STATUS_NO_MEMORY;
}

uint32_t premultiplied(Color c) {
  const auto byte = [](double x) { return static_cast<uint32_t>(std::lround(255 * std::clamp(x, 0.0, 1.0))); };
  return byte(c.alpha) << 24 | byte(c.alpha * c.red) << 16 | byte(c.alpha * c.green) << 8 | byte(c.alpha * c.blue);
}

// Cairo numbers surfaces over the life of the process; counted from 1 in each file, equal pictures are equal bytes
std::string renumbered(const std::string& svg) {
  std::string out;
  std::map<std::string, size_t> names;
  size_t done = 0;
  for (size_t at = svg.find_first_of("\"#"); at != std::string::npos; at = svg.find_first_of("\"#", at + 1)) {
    for (const std::string_view kind : {"surface", "image", "mask", "clip"}) {
      if (svg.compare(at + 1, kind.size(), kind) != 0) continue;
      const size_t digits = at + 1 + kind.size(), end = svg.find_first_not_of("0123456789", digits);
      if (end == digits || end == std::string::npos || (svg[end] != '"' && svg[end] != ')')) continue;
      const size_t number = names.try_emplace(svg.substr(at + 1, end - at - 1), names.size() + 1).first->second;
      out.append(svg, done, digits - done).append(std::to_string(number));
      done = end;
    }
  }
  return out.append(svg, done);
}

void check(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS) throw Error("cannot draw the picture: ", cairo_status_to_string(status));
}

}  // namespace

struct Pen::Impl {
  PictureFormat format;
  std::string bytes;  // outlives the surface, which may write to it until its end
  Surface surface;
  Context context;
};

Pen::Pen(PictureFormat format, double width, double height, double scale) : impl_(new Impl{format, {}, {}, {}}) {
  if (format == PictureFormat::kSvg) {
    impl_->surface.reset(cairo_svg_surface_create_for_stream(append_bytes, &impl_->bytes, width, height));
    cairo_svg_surface_set_document_unit(impl_->surface.get(), CAIRO_SVG_UNIT_PX);
    scale = 1;
  } else {
    const auto pixels = [scale](double points) { return static_cast<int>(std::lround(points * scale)); };
    impl_->surface.reset(cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels(width), pixels(height)));
  }
  impl_->context.reset(cairo_create(impl_->surface.get()));
  cairo_t* cr = impl_->context.get();
  check(cairo_status(cr));
  cairo_scale(cr, scale, scale);
  set_color(cr, rgb(0xffffff));
  cairo_paint(cr);
}

Pen::~Pen() = default;

void Pen::polyline(std::span<const Point2> points, const Stroke& stroke) {
  if (stroke.width <= 0) return;
  cairo_t* cr = impl_->context.get();
  cairo_new_path(cr);
  for (const Point2 p : points) cairo_line_to(cr, p.x, p.y);
  set_stroke(cr, stroke);
  cairo_stroke(cr);
}

void Pen::rects(std::span<const Rect> rects, Color fill, const Stroke& outline) {
  cairo_t* cr = impl_->context.get();
  cairo_new_path(cr);
  for (const Rect& r : rects) {
    // all in the same sense of rotation, or overlaps would become holes
    const Point2 low{std::min(r.low.x, r.high.x), std::min(r.low.y, r.high.y)};
    cairo_rectangle(cr, low.x, low.y, std::abs(r.high.x - r.low.x), std::abs(r.high.y - r.low.y));
  }
  stroke_and_fill(cr, fill, outline);
}

void Pen::circle(Point2 center, double radius, Color fill, const Stroke& outline) {
  cairo_t* cr = impl_->context.get();
  cairo_new_path(cr);
  cairo_arc(cr, center.x, center.y, radius, 0, 2 * std::numbers::pi);
  stroke_and_fill(cr, fill, outline);
}

void Pen::polygon(std::span<const Point2> corners, Color fill, const Stroke& outline) {
  cairo_t* cr = impl_->context.get();
  cairo_new_path(cr);
  for (const Point2 p : corners) cairo_line_to(cr, p.x, p.y);
  cairo_close_path(cr);
  stroke_and_fill(cr, fill, outline);
}

void Pen::symbol(Symbol symbol, Point2 at, double radius, Color fill, Color outline) {
  const Stroke border{outline, 0.9};
  if (symbol == Symbol::kCircle) return circle(at, radius, fill, border);
  if (symbol == Symbol::kLine || symbol == Symbol::kDashes) {
    const Point2 ends[] = {{at.x - 2 * radius, at.y}, {at.x + 2 * radius, at.y}};
    return polyline(ends, {fill, 1.2, symbol == Symbol::kDashes});
  }
  // a star: ten corners, the first one on top, every second one pulled in
  cairo_t* cr = impl_->context.get();
  cairo_new_path(cr);
  for (int i = 0; i < 10; i++) {
    const double angle = (i - 2.5) * std::numbers::pi / 5, r = i % 2 ? 0.45 * radius : radius;
    cairo_line_to(cr, at.x + r * std::cos(angle), at.y + r * std::sin(angle));
  }
  cairo_close_path(cr);
  stroke_and_fill(cr, fill, border);
}

void Pen::text(Point2 at, const std::string& text, const TextStyle& style) {
  cairo_t* cr = impl_->context.get();
  set_font(cr, style);
  set_color(cr, style.color);
  // half of a capital letter's height below the point
  const double share = style.anchor == Anchor::kLeft ? 0 : style.anchor == Anchor::kMiddle ? 0.5 : 1;
  cairo_save(cr);
  cairo_translate(cr, at.x, at.y);
  if (style.quarter_turn) cairo_rotate(cr, -std::numbers::pi / 2);
  cairo_move_to(cr, -share * advance(cr, text), 0.36 * style.size);
  cairo_show_text(cr, text.c_str());
  cairo_new_path(cr);
  cairo_restore(cr);
}

void Pen::image(const ColorGrid& grid, Rect rect) {
  ALPS_CHECK(grid.columns * grid.rows == grid.colors.size());
  if (grid.colors.empty()) return;
  // readers of SVG may smooth what they enlarge: cells of several pixels keep their edges
  const size_t zoom = impl_->format == PictureFormat::kSvg ? 4 : 1;
  const auto width = static_cast<int>(zoom * grid.columns), height = static_cast<int>(zoom * grid.rows);
  const Surface image(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height));
  check(cairo_surface_status(image.get()));
  const bool upside_down = rect.low.y > rect.high.y;
  unsigned char* data = cairo_image_surface_get_data(image.get());
  for (int y = 0; y < height; y++, data += cairo_image_surface_get_stride(image.get())) {
    const size_t row = (upside_down ? height - 1 - y : y) / zoom;
    for (int x = 0; x < width; x++) {
      const uint32_t pixel = premultiplied(grid.colors[row * grid.columns + x / zoom]);
      std::memcpy(data + 4 * x, &pixel, 4);
    }
  }
  cairo_surface_mark_dirty(image.get());

  cairo_t* cr = impl_->context.get();
  cairo_save(cr);
  cairo_translate(cr, std::min(rect.low.x, rect.high.x), std::min(rect.low.y, rect.high.y));
  cairo_scale(cr, std::abs(rect.high.x - rect.low.x) / width, std::abs(rect.high.y - rect.low.y) / height);
  cairo_set_source_surface(cr, image.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
  cairo_paint(cr);
  cairo_restore(cr);
}

void Pen::clip(Rect rect) {
  cairo_t* cr = impl_->context.get();
  cairo_reset_clip(cr);
  cairo_rectangle(cr, rect.low.x, rect.low.y, rect.high.x - rect.low.x, rect.high.y - rect.low.y);
  cairo_clip(cr);
}

Frame Pen::pixels() const {
  ALPS_CHECK(impl_->format == PictureFormat::kPng);
  cairo_surface_t* surface = impl_->surface.get();
  cairo_surface_flush(surface);
  Frame frame(cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface));
  const unsigned char* data = cairo_image_surface_get_data(surface);
  for (int y = 0; y < frame.height; y++, data += cairo_image_surface_get_stride(surface))
    for (int x = 0; x < frame.width; x++) {
      uint32_t pixel;
      std::memcpy(&pixel, data + 4 * x, 4);
      for (int c = 0; c < 3; c++) frame.row(y)[3 * x + c] = static_cast<uint8_t>(pixel >> (16 - 8 * c));
    }
  return frame;
}

void Pen::replace(const Frame& frame) {
  cairo_surface_t* surface = impl_->surface.get();
  ALPS_CHECK(impl_->format == PictureFormat::kPng && frame.width == cairo_image_surface_get_width(surface) &&
             frame.height == cairo_image_surface_get_height(surface));
  cairo_surface_flush(surface);
  unsigned char* data = cairo_image_surface_get_data(surface);
  for (int y = 0; y < frame.height; y++, data += cairo_image_surface_get_stride(surface))
    for (int x = 0; x < frame.width; x++) {
      const uint8_t* from = frame.row(y) + 3 * x;
      const uint32_t pixel = 0xff000000u | uint32_t{from[0]} << 16 | uint32_t{from[1]} << 8 | from[2];
      std::memcpy(data + 4 * x, &pixel, 4);
    }
  cairo_surface_mark_dirty(surface);
}

std::string Pen::encode() {
  check(cairo_status(impl_->context.get()));
  if (impl_->format == PictureFormat::kPng)
    check(cairo_surface_write_to_png_stream(impl_->surface.get(), append_bytes, &impl_->bytes));
  cairo_surface_finish(impl_->surface.get());
  check(cairo_surface_status(impl_->surface.get()));
  return impl_->format == PictureFormat::kSvg ? renumbered(impl_->bytes) : std::move(impl_->bytes);
}

// measured on a page of its own, as the size of a picture follows from its texts
double text_width(const std::string& text, const TextStyle& style) {
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1));
  const Context context(cairo_create(surface.get()));
  set_font(context.get(), style);
  const double width = advance(context.get(), text);
  check(cairo_status(context.get()));
  return width;
}

}  // namespace alps
