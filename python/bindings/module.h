// The extension module alps._core: the library as Python sees it. Kept thin: arrays arrive here as contiguous float32
// or uint8 (python/alps brings them into that form), work runs without the interpreter's lock, results leave as NumPy
// arrays that own or share their memory.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <span>
#include <vector>

namespace alps::python {

namespace nb = nanobind;

using Floats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;  // any shape
using Bytes = nb::ndarray<const uint8_t, nb::c_contig, nb::device::cpu>;
template <class T>
using Numpy = nb::ndarray<nb::numpy, T>;

// for properties that return an array with memory of its own
inline constexpr auto kOwned = nb::rv_policy::automatic;

template <class T, class... Rest>
std::span<const T> span_of(const nb::ndarray<const T, Rest...>& array) {
  return {array.data(), array.size()};
}

// a NumPy array over the values, which it keeps alive
template <class T>
Numpy<T> to_numpy(std::vector<T> values, std::vector<size_t> shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* data = kept->data();
  nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Numpy<T>(data, shape.size(), shape.data(), owner);
}

void add_errors();
void add_agent(nb::module_& m);
void add_env(nb::module_& m);
void add_eval(nb::module_& m);
void add_data(nb::module_& m);
void add_training(nb::module_& m);

}  // namespace alps::python
