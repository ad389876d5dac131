// A data set as the parts of training see it: batches of normalized states, images and actions as tensors, for the
// training rows and for the validation rows (NAME-val.npz, or the last twentieth of the episodes where there is no such
// file). Images stay uint8: the distinct ones in memory, or all on disk where that is too much; once the trunk is
// trained, every row has a latent state.
#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alps/base/npz.h"
#include "alps/data/dataset.h"
#include "alps/data/image_pool.h"
#include "alps/data/normalizer.h"
#include "alps/data/survey.h"
#include "alps/data/sampler.h"
#include "alps/nn/trunk.h"

namespace alps {

// one file and the episodes of it that are used
class Split {
 public:
  struct Images {  // of an image data set, one of the two
    std::shared_ptr<const ImagePool> pool;
    std::shared_ptr<const RowFile> file;
  };
  Split(std::shared_ptr<const Dataset> data, Images images, std::vector<Episode> episodes);

  Split with_episodes(std::vector<Episode> episodes) const { return Split(data_, images_, std::move(episodes)); }

  const Sampler& sampler() const { return sampler_; }
  const Dataset& data() const { return *data_; }

  at::Tensor states(const std::vector<size_t>& rows) const;   // (n, state) normalized
  at::Tensor images(const std::vector<size_t>& rows) const;   // (n, h, w, c) uint8
  at::Tensor actions(const std::vector<size_t>& rows) const;  // (n, action) in units of their limits

  // The rows in an order in which neighbours are near each other in the first two columns of the state, the position:
  // their hidden units are off together, and our kernels leave those out. Returns numbers 0 .. n - 1.
  std::vector<int64_t> nearby(const std::vector<size_t>& rows) const;

  // from now on the state of a row is trunk(image), normalized; before, it is the observation
  void set_normalizer(const Normalizer& normalizer) { normalizer_ = normalizer; }
  void set_action_limit(std::vector<float> limit) { action_limit_ = std::move(limit); }
  void encode(const Trunk& trunk, int threads);
  std::span<const float> state(size_t row) const;  // not normalized
  size_t state_size() const { return latents_.size() ? latents_.row_size() : data_->observation_size(); }

 private:
  // rows lie anywhere in memory: the i-th is asked for kAhead rows before it is read
  static constexpr size_t kAhead = 24;
  void ask_for(const std::vector<size_t>& rows, size_t i) const;
  void read_image(size_t row, std::span<uint8_t> out) const;

  std::shared_ptr<const Dataset> data_;
  Images images_;
  Sampler sampler_;
  Normalizer normalizer_;
  std::vector<float> action_limit_;  // (action)
  Array latents_;  // of each distinct image of the pool, or of each row of the file
};

struct TrainData {
  std::string name;
  uintmax_t bytes = 0;  // of the file
  std::string crc32;    // of the file
  std::optional<Split> train, validation;
  std::vector<std::string> notes;  // what the user should know

  bool image() const { return train->data().image(); }
};

struct TrainDataOptions {
  int threads = 0;
  Cuts cuts;                // see data/dataset.h
  size_t image_memory = 0;  // bytes of distinct images kept in memory at most; 0: two fifths of the machine's memory
};

// Errors: too little data, constant states, and what load_dataset() finds.
TrainData load_train_data(const std::filesystem::path& path, const TrainDataOptions& options = {});

Normalizer fit_normalizer(const Split& split);
// of the change of the normalized state in one step
Normalizer fit_changes(const Split& split, const std::vector<float>& deviation);

}  // namespace alps
