// Data sets: read with all checks, written from arrays as they are, made natively.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "alps/base/npz.h"
#include "alps/collect/collect.h"
#include "alps/data/dataset.h"
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

}  // namespace

void add_data(nb::module_& m) {
  m.def("load_dataset", &load, nb::arg("path"));
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
