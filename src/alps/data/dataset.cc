#include "alps/data/dataset.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "alps/base/error.h"
#include "alps/base/interrupt.h"
#include "alps/base/npz.h"
#include "alps/base/progress.h"
#include "alps/base/shell_quoted.h"
#include "alps/base/threads.h"
#include "alps/data/jumps.h"
#include "alps/data/many_files.h"
#include "alps/data/stillness.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

// position of the first NaN or Inf, or kNone
size_t find_non_finite(std::span<const float> values, int threads) {
  std::atomic<size_t> first = kNone;
  parallel_blocks(values.size(), 1 << 20, threads, [&](size_t begin, size_t end) {
    // a sum of x * 0 is finite just when every x is; one pass without branches, then look where
    float sum = 0;
    for (size_t i = begin; i < end; ++i) sum += values[i] * 0.0f;
    if (std::isfinite(sum)) return;
    const auto bad =
        std::find_if(values.begin() + begin, values.begin() + end, [](float x) { return !std::isfinite(x); });
    const size_t at = bad - values.begin();
    for (size_t seen = first; at < seen && !first.compare_exchange_weak(seen, at);) {
    }
  });
  return first;
}

Array to_float32(Array array) {
  if (array.dtype() == DType::kFloat32) return array;
  Array result(DType::kFloat32, array.shape());
  std::ranges::copy(array.as<double>(), result.as<float>().begin());
  return result;
}

// The checks of one file, each with its own message.
class Loader {
 public:
  Loader(const fs::path& path, DatasetOptions options) : options_(options), reader_(path) {
    data_.path = path;
    data_.bytes = fs::file_size(path);
    data_.crc32 = reader_.contents_crc32();
  }

  Dataset load() {
    check_layout();
    read();
    find_episodes();
    check_values();
    return std::move(data_);
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& what, const std::string& remedy) const {
    throw Error(data_.path.string(), ": '", key, "' ", what, "; ", remedy);
  }

  // arrays of transitions, as OGBench's loader gives them, end their episodes elsewhere
  void check_form() {
    const std::string command = str("alps data import ", shell_quoted(data_.path.string()), " --out ",
                                    shell_quoted(data_.path.stem().string() + "-imported.npz"));
    if (reader_.has("valids"))
      fail("valids", "tells where episodes end, too, which OGBench's files do by 'terminals' alone",
           "bring it into their form with: " + command);
    if (reader_.has("next_observations"))
      data_.warnings.push_back(str(data_.path.string(),
                                   ": 'next_observations' is not used, so that each episode loses ",
                                   "its last transition; to keep it: ", command));
  }

  // what can be told from the headers, before anything large is read
  void check_layout() {
    check_form();
    ends_ = reader_.has("terminals") || !reader_.has("timeouts") ? "terminals" : "timeouts";
    for (const std::string key : {"observations", "actions", ends_.c_str()}) {
      if (reader_.has(key)) continue;
      std::string found;
      for (const std::string& k : reader_.keys()) found += (found.empty() ? "" : ", ") + k;
      fail(key, "is missing (the file has: " + found + ")", "a data set holds observations, actions and terminals");
    }
    const ArrayInfo obs = reader_.info("observations");
    const bool image = obs.dtype == DType::kUInt8;
    if (image ? obs.shape.size() < 2 : obs.shape.size() != 2)
      fail("observations", "has shape " + shape_text(obs.shape),
           "expected (rows, size), or (rows, height, width, channels) of uint8");
    // (rows, 3, 64, 64): no image is three pixels high and has 64 channels
    if (image && obs.shape.size() == 4 && obs.shape[1] <= 4 && obs.shape[2] > 4 && obs.shape[3] > 4)
      fail("observations", "has shape " + shape_text(obs.shape) + ", with channels before height and width",
           "save numpy.moveaxis(observations, 1, -1), so that it is (rows, height, width, channels)");
    if (!image) expect_float("observations", obs);
    const ArrayInfo actions = reader_.info("actions");
    if (actions.shape.size() == 1)
      fail("actions", "has shape " + shape_text(actions.shape),
           "expected (rows, size); numbers of discrete actions become one column each by numpy.eye(COUNT, "
           "dtype=numpy.float32)[actions], a single continuous action by actions[:, None]");
    if (actions.shape.size() != 2) fail("actions", "has shape " + shape_text(actions.shape), "expected (rows, size)");
    expect_float("actions", actions);
    const ArrayInfo terminals = reader_.info(ends_);
    if (terminals.shape.size() != 1) fail(ends_, "has shape " + shape_text(terminals.shape), "expected (rows,)");

    // every key has a row per observation
    const size_t rows = obs.shape[0];
    if (rows == 0) fail("observations", "has no rows", "an empty data set cannot be used");
    for (const char* key : {"actions", "terminals", "timeouts", "qpos", "qvel"}) {
      if (!reader_.has(key)) continue;
      const ArrayInfo info = reader_.info(key);
      const size_t n = info.shape.empty() ? 0 : info.shape[0];
      if (n != rows)
        fail(key, str("has ", n, " rows but 'observations' has ", rows), "all keys need one row per observation");
    }
    data_.observation_shape.assign(obs.shape.begin() + 1, obs.shape.end());
    data_.observation_dtype = image ? DType::kUInt8 : DType::kFloat32;
    if (data_.observation_size() == 0 || element_count(actions.shape) == 0)
      fail(data_.observation_size() ? "actions" : "observations", "has rows of size 0", "expected at least one column");
  }

  void expect_float(const char* key, const ArrayInfo& info) const {
    if (info.dtype != DType::kFloat32 && info.dtype != DType::kFloat64)
      fail(key, str("is ", dtype_name(info.dtype)), "expected float32 (or float64, or uint8 images as observations)");
  }

  void read() {
    std::vector<std::string> keys = {"actions", ends_};
    // D4RL's files mark ends by either of the two
    const bool both = ends_ == "terminals" && reader_.has("timeouts") && reader_.info("timeouts").shape.size() == 1;
    if (both) keys.push_back("timeouts");
    if (options_.observations) keys.insert(keys.begin(), "observations");
    for (const char* key : {"qpos", "qvel"}) {
      if (!options_.state || !reader_.has(key)) continue;
      expect_float(key, reader_.info(key));
      keys.push_back(key);
    }
    std::vector<Array> arrays(keys.size());
    parallel_for(keys.size(), options_.threads, [&](size_t i) {
      if (keys[i] == "observations")
        data_.observations = ObservationRows::open(reader_, {.memory = options_.memory});
      else
        arrays[i] = reader_.read(keys[i]);
    });
    throw_if_interrupted();
    for (size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] == "actions") data_.actions = to_float32(std::move(arrays[i]));
      if (keys[i] == ends_) terminals_ = std::move(arrays[i]);
      if (both && keys[i] == "timeouts") timeouts_ = std::move(arrays[i]);
      if (keys[i] == "qpos") data_.qpos = to_float32(std::move(arrays[i]));
      if (keys[i] == "qvel") data_.qvel = to_float32(std::move(arrays[i]));
    }
  }

  static double number(const Array& array, size_t row) {
    switch (array.dtype()) {
      case DType::kBool:
      case DType::kUInt8: return static_cast<double>(array.bytes()[row]);
      case DType::kInt32: return array.as<int32_t>()[row];
      case DType::kInt64: return static_cast<double>(array.as<int64_t>()[row]);
      case DType::kFloat32: return array.as<float>()[row];
      case DType::kFloat64: return array.as<double>()[row];
    }
    return 0;
  }

  bool terminal(size_t row) const {
    return number(terminals_, row) != 0 || (timeouts_.size() > 0 && number(timeouts_, row) != 0);
  }

  // what stands where 0 and 1 are expected
  void check_ends() {
    size_t odd = 0, first = kNone;
    for (size_t row = 0; row < data_.rows(); ++row) {
      const double value = number(terminals_, row);
      if (value == 0 || value == 1) continue;
      if (!std::isfinite(value))
        fail(ends_, str("is NaN or Inf in row ", row), "it is 1 in the last row of an episode and 0 elsewhere");
      first = std::min(first, row);
      ++odd;
    }
    const std::string where = data_.path.string();
    if (odd > 0)
      data_.warnings.push_back(str(where, ": '", ends_, "' is neither 0 nor 1 in ", with_commas(odd), " rows, first ",
                                   number(terminals_, first), " in row ", first,
                                   "; whatever is not 0 ends an episode"));
    if (ends_ == "timeouts")
      data_.warnings.push_back(
          str(where, ": has 'timeouts' and no 'terminals'; episodes are taken to end at timeouts"));
    else if (timeouts_.size() > 0)
      data_.warnings.push_back(
          str(where, ": has 'terminals' and 'timeouts'; episodes are taken to end where either is set"));
  }

  void find_episodes() {
    check_ends();
    size_t first = 0;
    for (size_t row = 0; row < data_.rows(); ++row) {
      const bool last_row = row + 1 == data_.rows();
      if (!terminal(row) && !last_row) continue;
      if (!terminal(row))
        data_.warnings.push_back(str(data_.path.string(), ": '", ends_, "' is 0 in the last row ", row,
                                     "; the last episode is taken to end there"));
      if (row == first)
        fail(ends_, str("makes row ", row, " an episode of length 1, which has no transition"),
             "the last row of an episode is its final state; remove such rows or mend the terminals");
      data_.episodes.push_back({first, row});
      first = row + 1;
    }
  }

  void check_values() {
    check_finite("actions", data_.actions);
    check_finite("qpos", data_.qpos);
    check_finite("qvel", data_.qvel);
    if (!data_.image()) {
      if (options_.observations)
        check_finite_rows();
      else
        check_finite_on_disk("observations");
    }

    // actions beyond the usual range can be planned with, but often tell of a forgotten scaling
    size_t outside = 0, first = kNone;
    const std::span<const float> actions = std::as_const(data_.actions).as<float>();
    for (size_t i = 0; i < actions.size(); ++i) {
      if (std::abs(actions[i]) <= 1.0f) continue;
      first = std::min(first, i);
      ++outside;
    }
    if (outside > 0)
      data_.warnings.push_back(str(data_.path.string(), ": 'actions' leaves [-1, 1] in ", outside, " values, first ",
                                   actions[first], " in row ", first / data_.action_size(), ", column ",
                                   first % data_.action_size(),
                                   "; the largest action of a column is its limit, so planned actions will go beyond 1 "
                                   "too: clip or scale the data if the robot takes no more"));
  }

  [[noreturn]] void fail_non_finite(const std::string& key, size_t at, size_t row_size) const {
    fail(key, str("is NaN or Inf in row ", at / row_size, ", column ", at % row_size),
         "remove or mend that episode; nothing can be learned from it");
  }

  void check_finite(const std::string& key, const Array& array) const {
    if (array.size() == 0) return;
    const size_t at = find_non_finite(array.as<float>(), options_.threads);
    if (at != kNone) fail_non_finite(key, at, array.row_size());
  }

  void check_finite_rows() const {
    constexpr size_t kBlock = 4096;
    const ObservationRows& rows = data_.observations;
    const size_t size = rows.row_size();
    std::vector<size_t> first((rows.rows() + kBlock - 1) / kBlock, kNone);
    parallel_for(first.size(), options_.threads, [&](size_t b) {
      std::vector<float> buffer;
      for (size_t row = b * kBlock; row < std::min(rows.rows(), (b + 1) * kBlock) && first[b] == kNone; ++row) {
        const auto values = rows.floats(row, buffer);
        // a sum of x * 0 is finite just when every x is
        float sum = 0;
        for (const float x : values) sum += x * 0.0f;
        if (std::isfinite(sum)) continue;
        first[b] =
            row * size + (std::ranges::find_if(values, [](float x) { return !std::isfinite(x); }) - values.begin());
      }
    });
    const auto bad = std::ranges::find_if(first, [](size_t at) { return at != kNone; });
    if (bad != first.end()) fail_non_finite("observations", *bad, size);
  }

  void check_finite_on_disk(const std::string& key) const {
    if (reader_.info(key).fortran_order) return check_finite(key, to_float32(reader_.read(key)));
    const auto stream = reader_.stream(key);
    const size_t item = item_size(stream->info().dtype);
    std::vector<std::byte> piece(size_t{1} << 20);
    size_t seen = 0;
    for (size_t got; (got = stream->read(piece)) > 0; seen += got / item) {
      for (size_t i = 0; i < got / item; ++i) {
        const double x = item == 4 ? reinterpret_cast<const float*>(piece.data())[i]
                                   : reinterpret_cast<const double*>(piece.data())[i];
        if (!std::isfinite(x)) fail_non_finite(key, seen + i, data_.observation_size());
      }
    }
  }

  DatasetOptions options_;
  NpzReader reader_;
  Dataset data_;
  std::string ends_ = "terminals";  // the key that marks the last rows of episodes
  Array terminals_, timeouts_;      // the latter is empty unless the file has both
};

}  // namespace

Dataset load_dataset(const fs::path& path, DatasetOptions options) {
  if (!fs::exists(path)) {
    const std::string name = path.stem().string();
    throw Error("no data set at ", path.string(), "; make it with `alps data make ", name,
                "` or fetch it with `alps data get ", name, "`");
  }
  Dataset data = fs::is_directory(path) ? load_many_files(path, options) : Loader(path, options).load();
  if (options.observations) cut_episodes(data, options.cuts);
  return data;
}

void cut_episodes(Dataset& data, const Cuts& cuts) {
  if (data.image()) return;
  ALPS_CHECK(!data.observations.empty());
  if (cuts.jump_factor > 0) {
    data.leaps = find_leaps(data.observations, data.episodes, cuts.jump_factor).rows;
    data.episodes = cut_after(data.episodes, data.leaps);
    if (!data.leaps.empty())
      data.warnings.push_back(
          str("the state leaps ", with_commas(data.leaps.size()), " times (teleports); episodes are cut there"));
  }
  if (cuts.still_share > 0) {
    data.episodes = leave_out_still(data.observations, data.episodes, cuts.still_share);
    size_t moving = 0;
    for (const Episode& e : data.episodes) moving += e.rows();
    if (moving < data.rows())
      data.warnings.push_back(str("in ", with_commas(data.rows() - moving), " of ", with_commas(data.rows()),
                                  " rows hardly anything moves (on the back, or stuck); they are left out"));
  }
}

}  // namespace alps
