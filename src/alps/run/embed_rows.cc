#include "alps/run/embed_rows.h"

#include <algorithm>
#include <utility>

#include "alps/base/interrupt.h"

namespace alps {
namespace {

constexpr size_t kBlockBytes = size_t{64} << 20;  // of observations at a time
constexpr size_t kBlockRows = 16384;

size_t rows_at_once(const ObservationRows& observations) {
  const size_t bytes = observations.row_size() * (observations.image() ? 1 : sizeof(float));
  return std::clamp<size_t>(kBlockBytes / std::max<size_t>(1, bytes), 1, kBlockRows);
}

// psi of some of the distinct images
void embed_images(const Model& model, const ObservationRows& observations, std::span<const size_t> distinct,
                  std::span<float> psi, int threads) {
  const size_t block = rows_at_once(observations), size = observations.row_size(), dim = model.eigenvectors();
  std::vector<uint8_t> pixels, buffer;
  for (size_t first = 0; first < distinct.size(); first += block) {
    throw_if_interrupted();
    const size_t n = std::min(block, distinct.size() - first);
    pixels.resize(n * size);
    for (size_t i = 0; i < n; ++i)
      std::ranges::copy(observations.distinct_bytes(distinct[first + i], buffer), &pixels[i * size]);
    embed(model, std::span<const uint8_t>(pixels), psi.subspan(first * dim, n * dim), threads);
  }
}

// images that many rows share
Array embed_shared(const Model& model, const ObservationRows& observations, std::span<const size_t> rows, int threads) {
  const size_t dim = model.eigenvectors();
  std::vector<size_t> used(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) used[i] = observations.distinct_of(rows[i]);
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  Array of_images(DType::kFloat32, {used.size(), dim});
  embed_images(model, observations, used, of_images.as<float>(), threads);
  Array psi(DType::kFloat32, {rows.size(), dim});
  for (size_t i = 0; i < rows.size(); ++i) {
    const size_t at = std::ranges::lower_bound(used, observations.distinct_of(rows[i])) - used.begin();
    std::ranges::copy(std::as_const(of_images).row<float>(at), &psi.as<float>()[i * dim]);
  }
  return psi;
}

}  // namespace

Array embed_rows(const Model& model, const ObservationRows& observations, std::span<const size_t> rows, int threads) {
  if (observations.image() && 2 * observations.distinct() <= observations.rows())
    return embed_shared(model, observations, rows, threads);
  Array psi(DType::kFloat32, {rows.size(), model.eigenvectors()});
  embed_blocks(model, observations, rows, threads, [&](size_t first, std::span<const float> block) {
    std::ranges::copy(block, psi.as<float>().begin() + static_cast<ptrdiff_t>(first * model.eigenvectors()));
  });
  return psi;
}

void embed_blocks(const Model& model, const ObservationRows& observations, std::span<const size_t> rows, int threads,
                  const std::function<void(size_t first, std::span<const float> psi)>& body) {
  if (model.observation_size() != observations.row_size() || model.trunk.empty() == observations.image())
    throw Error("observations are ", observations.image() ? "images" : "rows", " of ", shape_text(observations.shape()),
                "; this run was trained on ",
                shape_text(model.trunk.empty() ? Shape{model.state_size()} : model.trunk.image()));
  const size_t block = rows_at_once(observations);
  std::vector<float> psi;
  for (size_t first = 0; first < rows.size(); first += block) {
    throw_if_interrupted();
    const auto chosen = rows.subspan(first, std::min(block, rows.size() - first));
    psi.resize(chosen.size() * model.eigenvectors());
    const Array seen = observations.chosen(chosen);
    if (observations.image())
      embed(model, seen.as<uint8_t>(), psi, threads);
    else
      embed(model, seen.as<float>(), psi, threads);
    body(first, psi);
  }
}

}  // namespace alps
