#include "alps/learn/train_data.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "alps/base/error.h"
#include "alps/base/threads.h"

namespace alps {
namespace {

namespace fs = std::filesystem;

std::string file_crc(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<char> piece(size_t{1} << 20);
  uLong crc = 0;
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0)
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(piece.data()), static_cast<size_t>(in.gcount()));
  char text[16];
  std::snprintf(text, sizeof text, "%08lx", crc);
  return text;
}

// reads the file; images that would take too much memory even if each is held once stay on disk
Split open_split(const fs::path& path, const TrainDataOptions& options) {
  const bool image = NpzReader(path).info("observations").dtype == DType::kUInt8;
  auto data = std::make_shared<const Dataset>(
      load_dataset(path, {.observations = !image, .state = false, .cuts = options.cuts, .threads = options.threads}));
  Split::Images images;
  if (image) {
    const size_t memory = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
    if (auto pool = ImagePool::read(path, options.image_memory ? options.image_memory : memory / 5 * 2)) {
      images.pool = std::make_shared<const ImagePool>(std::move(*pool));
    } else {
      fs::path unpacked = path;
      unpacked.replace_extension(".observations.npy");
      images.file = std::make_shared<const RowFile>(RowFile::open_npz(path, "observations", unpacked));
    }
  }
  return Split(data, images, data->episodes);
}

void check_enough(const fs::path& path, const Sampler& sampler) {
  if (sampler.transitions() < 2)
    throw Error(path.string(), ": has ", sampler.transitions(),
                " transitions; training needs episodes of at least two rows (terminals marks the last row of each)");
}

}  // namespace

Split::Split(std::shared_ptr<const Dataset> data, Images images, std::vector<Episode> episodes)
    : data_(std::move(data)), images_(std::move(images)), sampler_(std::move(episodes)) {}

namespace {

// bits of x and y in turn, so that numbers that are near each other mean places that are
uint32_t interleave(uint32_t x, uint32_t y) {
  uint32_t code = 0;
  for (int bit = 0; bit < 16; ++bit) code |= (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1);
  return code;
}

}  // namespace

std::vector<int64_t> Split::nearby(const std::vector<size_t>& rows) const {
  std::vector<uint64_t> order(rows.size());  // code, then number
  for (size_t i = 0; i < rows.size(); ++i) {
    ask_for(rows, i + kAhead);
    // a deviation is 4,096 steps of the grid
    const auto at = state(rows[i]);
    uint32_t cell[2] = {};
    for (size_t k = 0; k < std::min<size_t>(2, at.size()); ++k) {
      const float value = (at[k] - normalizer_.mean[k]) / normalizer_.deviation[k];
      cell[k] = static_cast<uint32_t>(std::clamp(32768.0f + 4096.0f * value, 0.0f, 65535.0f));
    }
    order[i] = static_cast<uint64_t>(interleave(cell[0], cell[1])) << 32 | i;
  }
  std::sort(order.begin(), order.end());
  std::vector<int64_t> numbers;
  for (const uint64_t entry : order) numbers.push_back(static_cast<int64_t>(entry & 0xFFFFFFFF));
  return numbers;
}

std::span<const float> Split::state(size_t row) const {
  if (latents_.size() == 0) return data_->observations.row<float>(row);
  return latents_.row<float>(images_.pool ? images_.pool->index(row) : row);
}

void Split::ask_for(const std::vector<size_t>& rows, size_t i) const {
  if (i >= rows.size()) return;
  const std::span<const float> ahead = state(rows[i]);
  for (size_t k = 0; k < ahead.size(); k += 16) __builtin_prefetch(&ahead[k]);
}

at::Tensor Split::states(const std::vector<size_t>& rows) const {
  const size_t size = state_size();
  ALPS_CHECK(normalizer_.size() == size);
  at::Tensor out = at::empty({static_cast<int64_t>(rows.size()), static_cast<int64_t>(size)}, at::kFloat);
  float* to = out.data_ptr<float>();
  for (size_t i = 0; i < rows.size(); ++i) {
    ask_for(rows, i + kAhead);
    normalizer_.apply(state(rows[i]), to + i * size);
  }
  return out;
}

void Split::read_image(size_t row, std::span<uint8_t> out) const {
  if (images_.file) return images_.file->read_rows(row, 1, std::as_writable_bytes(out));
  std::ranges::copy(images_.pool->image(row), out.begin());
}

at::Tensor Split::images(const std::vector<size_t>& rows) const {
  std::vector<int64_t> shape = {static_cast<int64_t>(rows.size())};
  for (size_t n : data_->observation_shape) shape.push_back(static_cast<int64_t>(n));
  at::Tensor out = at::empty(shape, at::kByte);
  const size_t size = data_->observation_size();
  for (size_t i = 0; i < rows.size(); ++i) read_image(rows[i], {out.data_ptr<uint8_t>() + i * size, size});
  return out;
}

at::Tensor Split::actions(const std::vector<size_t>& rows) const {
  const size_t size = data_->action_size();
  at::Tensor out = at::empty({static_cast<int64_t>(rows.size()), static_cast<int64_t>(size)}, at::kFloat);
  float* to = out.data_ptr<float>();
  ALPS_CHECK(action_limit_.size() == size);
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto action = data_->actions.row<float>(rows[i]);
    for (size_t k = 0; k < size; ++k) to[i * size + k] = action[k] / action_limit_[k];
  }
  return out;
}

void Split::encode(const Trunk& trunk, int threads) {
  if (images_.pool) {
    latents_ = Array(DType::kFloat32, {images_.pool->distinct(), trunk.outputs()});
    return trunk.forward(images_.pool->bytes(), latents_.as<float>(), threads);
  }
  latents_ = Array(DType::kFloat32, {data_->rows(), trunk.outputs()});
  const auto out = latents_.as<float>();
  parallel_blocks(data_->rows(), 64, threads, [&](size_t first, size_t last) {
    std::vector<uint8_t> image(trunk.pixels());
    for (size_t row = first; row < last; ++row) {
      read_image(row, image);
      trunk.forward(image, out.subspan(row * trunk.outputs(), trunk.outputs()));
    }
  });
}

TrainData load_train_data(const fs::path& path, const TrainDataOptions& options) {
  if (!fs::exists(path))
    throw Error(path.string(), ": no such file; make it with: alps data make ", path.stem().string());
  TrainData result;
  result.name = path.stem().string();
  result.bytes = fs::file_size(path);
  result.crc32 = file_crc(path);
  result.train.emplace(open_split(path, options));
  const Dataset& data = result.train->data();
  check_enough(path, result.train->sampler());
  result.notes = data.warnings;

  const fs::path beside = validation_path(path);
  if (fs::exists(beside)) {
    result.validation.emplace(open_split(beside, options));
    const Dataset& other = result.validation->data();
    if (other.observation_shape != data.observation_shape || other.action_size() != data.action_size())
      throw Error(beside.string(), ": observations ", shape_text(other.observation_shape), " and ", other.action_size(),
                  " actions do not match those of ", path.string());
    return result;
  }

  // no file beside it: hold out the last episodes, if there are enough of them
  const size_t held = data.episodes.size() / 20;
  if (held == 0) {
    result.notes.push_back(str("only ", data.episodes.size(), data.episodes.size() == 1 ? " episode" : " episodes",
                               " and no ", beside.filename().string(), ": training without validation losses"));
    return result;
  }
  std::vector<Episode> first(data.episodes.begin(), data.episodes.end() - static_cast<std::ptrdiff_t>(held));
  std::vector<Episode> last(data.episodes.end() - static_cast<std::ptrdiff_t>(held), data.episodes.end());
  result.validation.emplace(result.train->with_episodes(std::move(last)));
  result.train.emplace(result.train->with_episodes(std::move(first)));
  return result;
}

Normalizer fit_normalizer(const Split& split) {
  NormalizerFit fit(split.state_size());
  for (const Episode& episode : split.sampler().episodes())
    for (size_t row = episode.first; row <= episode.last; ++row) fit.add(split.state(row));
  const Normalizer normalizer = fit.finish();
  if (normalizer.constant_columns == normalizer.size())
    throw Error(split.data().path.string(), ": the states never change (all ", normalizer.size(),
                " columns of observations are constant); there is nothing to learn from");
  return normalizer;
}

Normalizer fit_changes(const Split& split, const std::vector<float>& deviation) {
  NormalizerFit fit(split.state_size());
  std::vector<float> change(split.state_size());
  for (const Episode& episode : split.sampler().episodes())
    for (size_t row = episode.first; row < episode.last; ++row) {
      const auto here = split.state(row), next = split.state(row + 1);
      for (size_t k = 0; k < change.size(); ++k) change[k] = (next[k] - here[k]) / deviation[k];
      fit.add(change);
    }
  return fit.finish();
}

}  // namespace alps
