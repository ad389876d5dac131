#include "alps/base/array.h"

namespace alps {

size_t item_size(DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kUInt8: return 1;
    case DType::kInt32:
    case DType::kFloat32: return 4;
    case DType::kInt64:
    case DType::kFloat64: return 8;
  }
  ALPS_CHECK(false);
  return 0;
}

const char* dtype_name(DType dtype) {
  switch (dtype) {
    case DType::kBool: return "bool";
    case DType::kUInt8: return "uint8";
    case DType::kInt32: return "int32";
    case DType::kInt64: return "int64";
    case DType::kFloat32: return "float32";
    case DType::kFloat64: return "float64";
  }
  ALPS_CHECK(false);
  return "";
}

std::string shape_text(const Shape& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += str(i ? ", " : "", shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

size_t element_count(const Shape& shape) {
  size_t count = 1;
  for (size_t n : shape) count *= n;
  return count;
}

Array::Array(DType dtype, Shape shape)
    : dtype_(dtype),
      shape_(std::move(shape)),
      size_(element_count(shape_)),
      data_(std::make_unique_for_overwrite<std::byte[]>(size_ * item_size(dtype))) {}

}  // namespace alps
