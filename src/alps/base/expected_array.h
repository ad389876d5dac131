// An array of an .npz that a program wrote and reads again: it has to be there, with its type and rank.
#pragma once

#include <filesystem>
#include <string>

#include "alps/base/npz.h"

namespace alps {

// Error that names file, key and what is wrong, and ends with the remedy ("; make it again with ...")
inline Array expected_array(const NpzReader& file, const std::filesystem::path& path, const char* key, DType dtype,
                            size_t rank, const std::string& remedy) {
  if (!file.has(key)) throw Error(path.string(), ": '", key, "' is missing", remedy);
  const ArrayInfo info = file.info(key);
  if (info.dtype != dtype || info.shape.size() != rank)
    throw Error(path.string(), ": '", key, "' is ", dtype_name(info.dtype), " ", shape_text(info.shape), remedy);
  return file.read(key);
}

// a copy of what a span shows
template <class T>
std::vector<T> copied(std::span<const T> values) {
  return {values.begin(), values.end()};
}

}  // namespace alps
