#include "alps/collect/painter.h"

#include <algorithm>

#include "alps/base/error.h"
#include "alps/base/threads.h"
#include "alps/world/image_view.h"

namespace alps {
namespace {

constexpr size_t kPiece = 1024;  // images at a time

}  // namespace

Painter::Painter(const Env& shown, int threads) : spec_(shown.spec()) {
  const int workers = worker_count(kPiece, threads);
  for (int w = 0; w < workers; ++w) painters_.push_back(shown.clone());
  if (!spec_.image || painters_[0]->images() == nullptr)
    throw Error("images of ", spec_.name, " cannot be made after the walk: they do not follow from numbers");
}

Shape Painter::shape(size_t rows) const {
  Shape shape = {rows};
  shape.insert(shape.end(), spec_.observation_shape.begin(), spec_.observation_shape.end());
  return shape;
}

void Painter::append(const Array& numbers, NpzWriter& out, const std::function<void(size_t)>& painted) {
  const size_t size = spec_.observation_size();
  pixels_.resize(kPiece * size);
  for (size_t first = 0; first < numbers.rows(); first += kPiece) {
    const size_t count = std::min(kPiece, numbers.rows() - first);
    parallel_for_worker(count, static_cast<int>(painters_.size()), [&](size_t i, int worker) {
      painters_[worker]->images()->render(numbers.row<float>(first + i), std::span(pixels_).subspan(i * size, size));
    });
    out.append(std::as_bytes(std::span(pixels_).first(count * size)));
    if (painted) painted(count);
  }
}

}  // namespace alps
