// A dense array in C order: element type, shape and bytes, as .npy and safetensors files hold them. The bytes are not
// initialized on creation; a reader fills them in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alps/base/error.h"

namespace alps {

enum class DType { kBool, kUInt8, kInt32, kInt64, kFloat32, kFloat64 };

size_t item_size(DType dtype);
const char* dtype_name(DType dtype);  // NumPy's: "bool", "uint8", ...

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::kUInt8;
  if constexpr (std::is_same_v<T, int32_t>) return DType::kInt32;
  if constexpr (std::is_same_v<T, int64_t>) return DType::kInt64;
  if constexpr (std::is_same_v<T, float>) return DType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return DType::kFloat64;
}

using Shape = std::vector<size_t>;
std::string shape_text(const Shape& shape);  // "(1000, 29)"
size_t element_count(const Shape& shape);

class Array {
 public:
  Array() = default;
  Array(DType dtype, Shape shape);  // uninitialized

  template <class T>
  static Array of(Shape shape, std::span<const T> values) {
    Array array(dtype_of<T>(), std::move(shape));
    ALPS_CHECK(array.size() == values.size());
    std::copy(values.begin(), values.end(), array.as<T>().begin());
    return array;
  }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  size_t size() const { return size_; }                                 // elements
  size_t rows() const { return shape_.empty() ? 1 : shape_[0]; }        // of the first axis
  size_t row_size() const { return rows() == 0 ? 0 : size_ / rows(); }  // elements in a row
  size_t byte_size() const { return size_ * item_size(dtype_); }
  std::span<std::byte> bytes() { return {data_.get(), byte_size()}; }
  std::span<const std::byte> bytes() const { return {data_.get(), byte_size()}; }

  template <class T>
  std::span<T> as() {
    ALPS_CHECK(dtype_ == dtype_of<T>());
    return {reinterpret_cast<T*>(data_.get()), size_};
  }
  template <class T>
  std::span<const T> as() const {
    ALPS_CHECK(dtype_ == dtype_of<T>());
    return {reinterpret_cast<const T*>(data_.get()), size_};
  }
  template <class T>
  std::span<const T> row(size_t i) const {
    return as<T>().subspan(i * row_size(), row_size());
  }

 private:
  DType dtype_ = DType::kFloat32;
  Shape shape_ = {0};
  size_t size_ = 0;
  std::unique_ptr<std::byte[]> data_;
};

}  // namespace alps
