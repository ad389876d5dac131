#include "alps/draw/small_png.h"

#include <cairo/cairo.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "alps/base/error.h"
#include "alps/base/file.h"

namespace alps {
namespace {

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using Context = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

cairo_status_t append(void* bytes, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string small_png(const std::filesystem::path& file, int most) {
  const Surface large(cairo_image_surface_create_from_png(file.c_str()), cairo_surface_destroy);
  if (cairo_surface_status(large.get()) != CAIRO_STATUS_SUCCESS)
    throw Error("cannot read ", file.string(), " as a PNG; draw it again with alps plot");
  const int width = cairo_image_surface_get_width(large.get()), height = cairo_image_surface_get_height(large.get());
  const double scale = static_cast<double>(most) / std::max(width, height);
  if (scale >= 1) return read_text(file);
  const auto pixels = [&](int side) { return std::max(1, static_cast<int>(std::lround(side * scale))); };
  // without transparency: our pictures have none, and it costs bytes
  const Surface small(cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels(width), pixels(height)),
                      cairo_surface_destroy);
  const Context context(cairo_create(small.get()), cairo_destroy);
  cairo_set_source_rgb(context.get(), 1, 1, 1);
  cairo_paint(context.get());
  cairo_scale(context.get(), pixels(width) / static_cast<double>(width), pixels(height) / static_cast<double>(height));
  cairo_set_source_surface(context.get(), large.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(context.get()), CAIRO_FILTER_GOOD);
  cairo_paint(context.get());
  // 32 shades of each channel: no eye sees the difference in a map, and edges that were smoothed cost half the bytes
  cairo_surface_flush(small.get());
  uint8_t* row = cairo_image_surface_get_data(small.get());
  for (int y = 0; y < pixels(height); ++y, row += cairo_image_surface_get_stride(small.get()))
    for (int x = 0; x < 4 * pixels(width); ++x) row[x] = static_cast<uint8_t>((row[x] & 0xf8) | row[x] >> 5);
  cairo_surface_mark_dirty(small.get());
  std::string bytes;
  if (cairo_surface_write_to_png_stream(small.get(), append, &bytes) != CAIRO_STATUS_SUCCESS)
    throw Error("cannot make ", file.string(), " smaller: no memory");
  return bytes;
}

}  // namespace alps
