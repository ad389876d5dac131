// The safetensors format (Hugging Face): 8 bytes of header size, a JSON header {name: {dtype, shape, data_offsets}}
// with string metadata under "__metadata__", then the bytes of all tensors without gaps. Runs and checkpoints are
// kept in it, so Python's `safetensors` opens them. A file is never trusted: every size is checked against the file
// before anything is allocated. Files of ours carry a checksum of the tensors' bytes in the metadata key "crc32"; what
// was read always does.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "alps/base/array.h"

namespace alps {

struct Tensors {
  std::map<std::string, Array> arrays;
  std::map<std::string, std::string> metadata;

  // throw an Error that names the file and the key
  const Array& at(const std::string& name) const;
  const Array& at(const std::string& name, DType dtype, const Shape& shape) const;
  bool has(const std::string& name) const { return arrays.count(name) != 0; }
  std::string text(const std::string& key) const;

  std::filesystem::path path;  // where it was read from, for messages
};

// Types: bool, uint8, int32, int64, float32, float64; others are refused.
Tensors read_safetensors(const std::filesystem::path& path);
void write_safetensors(const std::filesystem::path& path, const Tensors& tensors);  // atomic

}  // namespace alps
