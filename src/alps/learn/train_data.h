// A data set as the parts of training see it: batches of normalized states, images and actions as tensors, for the
// training rows and for the validation rows (NAME-val.npz, or the last twentieth of the episodes where there is no such
// file). Observations stay where data/rows.h keeps them, images as uint8; once the trunk is trained, every row has a
// latent state.
#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alps/data/dataset.h"
#include "alps/data/normalizer.h"
#include "alps/data/sampler.h"
#include "alps/data/survey.h"
#include "alps/nn/trunk.h"

namespace alps {

// one data set and the episodes of it that are used
class Split {
 public:
  Split(std::shared_ptr<const Dataset> data, std::vector<Episode> episodes);

  Split with_episodes(std::vector<Episode> episodes) const { return Split(data_, std::move(episodes)); }

  const Sampler& sampler() const { return sampler_; }
  const Dataset& data() const { return *data_; }

  at::Tensor states(const std::vector<size_t>& rows) const;   // (n, state) normalized
  at::Tensor images(const std::vector<size_t>& rows) const;   // (n, h, w, c) uint8
  at::Tensor actions(const std::vector<size_t>& rows) const;  // (n, action) in units of their limits

  // An order of the rows, as numbers 0 .. n - 1, in which neighbours are near each other in the first two columns of
  // the state. Such rows share the hidden units that are zero, and our kernels skip zeros that a whole tile of rows
  // shares.
  std::vector<int64_t> nearby(const std::vector<size_t>& rows) const;

  // from now on the state of a row is trunk(image), normalized; before, it is the observation
  void set_normalizer(const Normalizer& normalizer) { normalizer_ = normalizer; }
  void set_actions(ActionRange range) { range_ = std::move(range); }
  void encode(const Trunk& trunk, int threads);
  // what another trunk makes of the image follows in the state
  void encode_more(const Trunk& trunk, int threads);
  void share_latents(const Split& other) { latents_ = other.latents_; }  // of the same data set
  // not normalized; a view into memory, or into `buffer` if it had to be read from disk
  std::span<const float> state(size_t row, std::vector<float>& buffer) const;
  size_t state_size() const { return latents_ ? latents_->row_size() : data_->observation_size(); }

 private:
  // rows lie anywhere in memory: the i-th is asked for kAhead rows before it is read
  static constexpr size_t kAhead = 24;
  void encode_behind(const Array* before, const Trunk& trunk, int threads);
  void ask_for(const std::vector<size_t>& rows, size_t i) const;

  std::shared_ptr<const Dataset> data_;
  Sampler sampler_;
  Normalizer normalizer_;
  ActionRange range_;
  std::shared_ptr<const Array> latents_;  // of each distinct image, or of each row on disk (ObservationRows::distinct)
};

struct TrainData {
  std::string name;
  uintmax_t bytes = 0;  // of the file
  std::string crc32;    // of its arrays, see Dataset
  std::optional<Split> train, validation;
  std::vector<std::string> notes;  // what the user should know

  bool image() const { return train->data().image(); }
  // training and validation rows; each image passes the trunk once
  void encode(const Trunk& trunk, int threads);
  void encode_more(const Trunk& trunk, int threads);
};

struct TrainDataOptions {
  int threads = 0;
  Cuts cuts;          // see data/dataset.h
  size_t memory = 0;  // bytes of observations held in memory at most; 0: two fifths of the machine's memory
};

// Errors: too little data, constant states, and what load_dataset() finds.
TrainData load_train_data(const std::filesystem::path& path, const TrainDataOptions& options = {});
// The same of a data set that is open already, with the cuts it has; the validation file beside it is read with those
// of the options.
TrainData make_train_data(std::shared_ptr<const Dataset> data, const TrainDataOptions& options = {});

Normalizer fit_normalizer(const Split& split);
// of the change of the normalized state in one step
Normalizer fit_changes(const Split& split, const std::vector<float>& deviation);

}  // namespace alps
