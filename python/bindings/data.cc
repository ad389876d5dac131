// Data sets: read with all checks, written from arrays as they are, made natively.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "alps/base/npz.h"
#include "alps/collect/collect.h"
#include "alps/data/dataset.h"
#include "alps/run/check.h"
#include "bindings/callbacks.h"
#include "bindings/module.h"

namespace alps::python {
namespace {

// the bytes of an array stay where they are, owned by the NumPy array
template <class T>
nb::object share(Array array) {
  auto kept = std::make_unique<Array>(std::move(array));
  T* data = kept->as<T>().data();
  const std::vector<size_t> shape = kept->shape();
  nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<Array*>(p); });
  return nb::cast(Numpy<T>(data, shape.size(), shape.data(), owner));
}

nb::dict load(const std::string& path) {
  Dataset data;
  Array observations;
  {
    const nb::gil_scoped_release unlocked;
    // all of them become one array of NumPy's, so that images need not be looked at one by one
    // (a file that is not there is told by load_dataset, with a remedy)
    const bool image =
        std::filesystem::is_regular_file(path) && NpzReader(path).info("observations").dtype == DType::kUInt8;
    data = load_dataset(path, {.observations = !image, .memory = ~size_t{0}});
    observations = image ? NpzReader(path).read("observations") : std::move(data.observations).all();
  }
  nb::dict arrays;
  Array terminals(DType::kBool, {data.rows()});
  std::ranges::fill(terminals.as<bool>(), false);
  for (const Episode& e : data.episodes) terminals.as<bool>()[e.last] = true;
  arrays["observations"] =
      data.image() ? share<uint8_t>(std::move(observations)) : share<float>(std::move(observations));
  arrays["actions"] = share<float>(std::move(data.actions));
  arrays["terminals"] = share<bool>(std::move(terminals));
  if (data.qpos.size() > 0) arrays["qpos"] = share<float>(std::move(data.qpos));
  if (data.qvel.size() > 0) arrays["qvel"] = share<float>(std::move(data.qvel));
  arrays["warnings"] = nb::cast(data.warnings);
  return arrays;
}

std::string check_path(const std::string& path, const std::string& data_dir, int threads) {
  const nb::gil_scoped_release unlocked;
  return findings_json(check(path, data_dir, threads).findings);
}

using AnyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

DType dtype_of_array(const std::string& key, const AnyArray& array) {
  const auto type = array.dtype();
  if (type == nb::dtype<float>()) return DType::kFloat32;
  if (type == nb::dtype<double>()) return DType::kFloat64;
  if (type == nb::dtype<uint8_t>()) return DType::kUInt8;
  if (type == nb::dtype<bool>()) return DType::kBool;
  throw UsageError("'", key,
                   "' has a type that data sets do not hold; use float32, uint8 (images) or bool (terminals)");
}

void save(const std::string& path, const std::vector<std::string>& keys, const std::vector<AnyArray>& arrays,
          int level) {
  NpzWriter out(path, {.level = level});
  const nb::gil_scoped_release unlocked;
  for (size_t i = 0; i < keys.size(); ++i) {
    Shape shape;
    for (size_t k = 0; k < arrays[i].ndim(); ++k) shape.push_back(arrays[i].shape(k));
    out.begin(keys[i], dtype_of_array(keys[i], arrays[i]), shape);
    out.append({static_cast<const std::byte*>(arrays[i].data()), arrays[i].nbytes()});
  }
  out.finish();
}

void make(const std::string& name, const std::string& path, int episodes, uint64_t seed, int threads,
          nb::object progress) {
  Callbacks callbacks(std::move(progress));
  const Recipe& what = recipe(name);
  callbacks.run([&] {
    make_dataset(what, path, {.episodes = episodes, .seed = seed, .threads = threads}, [&](size_t done, size_t total) {
      if (callbacks.step("making " + name, done, total, "")) throw Interrupted("interrupted; nothing was written");
    });
  });
}

Array copy_of(const std::string& key, const AnyArray& array) {
  Shape shape;
  for (size_t k = 0; k < array.ndim(); ++k) shape.push_back(array.shape(k));
  Array copy(dtype_of_array(key, array), shape);
  std::copy_n(static_cast<const std::byte*>(array.data()), array.nbytes(), copy.bytes().begin());
  return copy;
}

// arrays in memory, as alps.Dataset holds them: one row per observation, terminals set in the last row
std::string check_arrays(const std::string& name, const AnyArray& observations, const AnyArray& actions,
                         const AnyArray& terminals, int threads) {
  if (observations.ndim() < 2 || observations.shape(0) == 0 || actions.ndim() != 2 || actions.shape(1) == 0 ||
      observations.size() == 0)
    throw UsageError(name, ": observations (rows, size) and actions (rows, size) are needed, with at least one row");
  Dataset data;
  data.path = name;
  data.actions = copy_of("actions", actions);
  Array seen = copy_of("observations", observations);
  data.observation_dtype = seen.dtype();
  data.observation_shape.assign(seen.shape().begin() + 1, seen.shape().end());
  const Array ends = copy_of("terminals", terminals);
  const nb::gil_scoped_release unlocked;
  for (const Array* array : {&seen, &data.actions})
    if (array->dtype() == DType::kFloat32)
      for (size_t i = 0; i < array->size(); ++i)
        if (!std::isfinite(array->as<float>()[i]))
          throw Error(name, ": '", array == &seen ? "observations" : "actions", "' is NaN or Inf in row ",
                      i / array->row_size(), ", column ", i % array->row_size(), "; remove or mend that episode");
  size_t first = 0;
  for (size_t row = 0; row < data.rows(); ++row) {
    if (!ends.as<bool>()[row]) continue;
    if (row == first)
      throw Error(name, ": 'terminals' makes row ", row, " an episode of length 1, which has no transition");
    data.episodes.push_back({first, row});
    first = row + 1;
  }
  data.observations = ObservationRows(std::move(seen));
  return findings_json(check_data(data, threads));
}

}  // namespace

void add_data(nb::module_& m) {
  m.def("load_dataset", &load, nb::arg("path"));
  m.def("check", &check_path, nb::arg("path"), nb::arg("data_dir"), nb::arg("threads"));
  m.def("check_arrays", &check_arrays, nb::arg("name"), nb::arg("observations"), nb::arg("actions"),
        nb::arg("terminals"), nb::arg("threads"));
  m.def("save_dataset", &save, nb::arg("path"), nb::arg("keys"), nb::arg("arrays"), nb::arg("level") = 6);
  m.def("make_dataset", &make, nb::arg("name"), nb::arg("path"), nb::arg("episodes"), nb::arg("seed"),
        nb::arg("threads"), nb::arg("progress").none());
  m.def(
      "dataset_path",
      [](const std::string& name, const std::string& data_dir) { return dataset_path(name, data_dir).string(); },
      nb::arg("name"), nb::arg("data_dir") = "");
  m.def("dataset_names", [] {
    std::vector<std::string> names;
    for (const Recipe& r : recipes()) names.push_back(r.name);
    return names;
  });
}

}  // namespace alps::python
