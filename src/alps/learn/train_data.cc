#include "alps/learn/train_data.h"

#include <algorithm>
#include <functional>

#include "alps/base/error.h"
#include "alps/base/memory.h"
#include "alps/base/threads.h"

namespace alps {
namespace {

namespace fs = std::filesystem;

void check_enough(const fs::path& path, const Sampler& sampler) {
  if (sampler.transitions() < 2)
    throw Error(path.string(), ": has ", sampler.transitions(),
                " transitions; training needs episodes of at least two rows (terminals marks the last row of each)");
}

}  // namespace

Split::Split(std::shared_ptr<const Dataset> data, std::vector<Episode> episodes)
    : data_(std::move(data)), sampler_(std::move(episodes)) {}

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
  std::vector<float> buffer;
  for (size_t i = 0; i < rows.size(); ++i) {
    ask_for(rows, i + kAhead);
    // a deviation is 4,096 steps of the grid
    const auto at = state(rows[i], buffer);
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

std::span<const float> Split::state(size_t row, std::vector<float>& buffer) const {
  if (!latents_) return data_->observations.floats(row, buffer);
  return latents_->row<float>(data_->observations.distinct_of(row));
}

void Split::ask_for(const std::vector<size_t>& rows, size_t i) const {
  if (i >= rows.size() || (!latents_ && data_->observations.kept() == ObservationRows::Kept::kDisk)) return;
  std::vector<float> unused;
  const std::span<const float> ahead = state(rows[i], unused);
  for (size_t k = 0; k < ahead.size(); k += 16) __builtin_prefetch(&ahead[k]);
}

at::Tensor Split::states(const std::vector<size_t>& rows) const {
  const size_t size = state_size();
  ALPS_CHECK(normalizer_.size() == size);
  at::Tensor out = at::empty({static_cast<int64_t>(rows.size()), static_cast<int64_t>(size)}, at::kFloat);
  float* to = out.data_ptr<float>();
  std::vector<float> buffer;
  for (size_t i = 0; i < rows.size(); ++i) {
    ask_for(rows, i + kAhead);
    normalizer_.apply(state(rows[i], buffer), to + i * size);
  }
  return out;
}

at::Tensor Split::images(const std::vector<size_t>& rows) const {
  std::vector<int64_t> shape = {static_cast<int64_t>(rows.size())};
  for (size_t n : data_->observation_shape) shape.push_back(static_cast<int64_t>(n));
  at::Tensor out = at::empty(shape, at::kByte);
  data_->observations.read(rows, std::span(out.data_ptr<uint8_t>(), rows.size() * data_->observation_size()));
  return out;
}

at::Tensor Split::actions(const std::vector<size_t>& rows) const {
  const size_t size = data_->action_size();
  at::Tensor out = at::empty({static_cast<int64_t>(rows.size()), static_cast<int64_t>(size)}, at::kFloat);
  float* to = out.data_ptr<float>();
  ALPS_CHECK(range_.size() == size);
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto action = data_->actions.row<float>(rows[i]);
    for (size_t k = 0; k < size; ++k) to[i * size + k] = range_.to_unit(k, action[k]);
  }
  return out;
}

// each distinct image once; what lies on disk is read piece by piece
void Split::encode_behind(const Array* before, const Trunk& trunk, int threads) {
  const ObservationRows& rows = data_->observations;
  const size_t old = before == nullptr ? 0 : before->row_size(), own = trunk.outputs();
  const auto latents = std::make_shared<Array>(DType::kFloat32, Shape{rows.distinct(), old + own});
  const auto out = latents->as<float>();
  parallel_blocks(rows.distinct(), 64, threads, [&](size_t first, size_t last) {
    std::vector<uint8_t> buffer;
    for (size_t i = first; i < last; ++i) {
      const auto to = out.subspan(i * (old + own), old + own);
      if (old > 0) std::ranges::copy(before->row<float>(i), to.begin());
      trunk.forward(rows.distinct_bytes(i, buffer), to.subspan(old));
    }
  });
  latents_ = latents;
}

void Split::encode(const Trunk& trunk, int threads) { encode_behind(nullptr, trunk, threads); }

void Split::encode_more(const Trunk& trunk, int threads) {
  const std::shared_ptr<const Array> before = latents_;
  ALPS_CHECK(before != nullptr);
  encode_behind(before.get(), trunk, threads);
}

namespace {

// the rows of both splits by `encode`, once where they belong to the same data set
void for_both(TrainData& data, const std::function<void(Split&)>& encode) {
  encode(*data.train);
  if (!data.validation) return;
  if (&data.validation->data() == &data.train->data())
    data.validation->share_latents(*data.train);
  else
    encode(*data.validation);
}

}  // namespace

void TrainData::encode(const Trunk& trunk, int threads) {
  for_both(*this, [&](Split& split) { split.encode(trunk, threads); });
}

void TrainData::encode_more(const Trunk& trunk, int threads) {
  for_both(*this, [&](Split& split) { split.encode_more(trunk, threads); });
}

namespace {

std::shared_ptr<const Dataset> open_data(const fs::path& path, const TrainDataOptions& options) {
  return std::make_shared<const Dataset>(
      load_dataset(path, {.state = false, .cuts = options.cuts, .memory = options.memory, .threads = options.threads}));
}

}  // namespace

TrainData load_train_data(const fs::path& path, const TrainDataOptions& options) {
  return make_train_data(open_data(path, options), options);
}

TrainData make_train_data(std::shared_ptr<const Dataset> opened, const TrainDataOptions& options) {
  const Dataset& data = *opened;
  const fs::path& path = data.path;
  TrainData result;
  result.name = path.stem().string();
  result.bytes = data.bytes;
  result.crc32 = data.crc32;
  result.train.emplace(opened, data.episodes);
  check_enough(path, result.train->sampler());
  result.notes = data.warnings;
  if (data.observations.kept() == ObservationRows::Kept::kDisk)
    result.notes.push_back(data.observations.about() + ", for they would take more than two fifths of the memory");

  const fs::path beside = validation_path(path);
  if (fs::exists(beside)) {
    // both files together keep the rule
    TrainDataOptions rest = options;
    const size_t limit = options.memory ? options.memory : memory_for_data(), used = data.observations.memory();
    rest.memory = std::max<size_t>(1, limit - std::min(limit, used));
    const auto validation = open_data(beside, rest);
    result.validation.emplace(validation, validation->episodes);
    const Dataset& other = *validation;
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
  std::vector<float> buffer;
  for (const Episode& episode : split.sampler().episodes())
    for (size_t row = episode.first; row <= episode.last; ++row) fit.add(split.state(row, buffer));
  const Normalizer normalizer = fit.finish();
  if (normalizer.constant_columns == normalizer.size())
    throw Error(split.data().path.string(), ": the states never change (all ", normalizer.size(),
                " columns of observations are constant); there is nothing to learn from");
  return normalizer;
}

Normalizer fit_changes(const Split& split, const std::vector<float>& deviation) {
  NormalizerFit fit(split.state_size());
  std::vector<float> change(split.state_size()), one, two;
  for (const Episode& episode : split.sampler().episodes())
    for (size_t row = episode.first; row < episode.last; ++row) {
      const auto here = split.state(row, one), next = split.state(row + 1, two);
      for (size_t k = 0; k < change.size(); ++k) change[k] = (next[k] - here[k]) / deviation[k];
      fit.add(change);
    }
  return fit.finish();
}

}  // namespace alps
