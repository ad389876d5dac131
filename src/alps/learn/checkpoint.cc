#include "alps/learn/checkpoint.h"

#include <cstdlib>
#include <cstring>

#include "alps/base/safetensors.h"

namespace alps {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "1";

Shape shape_of(const at::Tensor& tensor) { return {tensor.sizes().begin(), tensor.sizes().end()}; }

std::string exact(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

Checkpoint describe(const Tensors& file) {
  if (file.text("format") != kFormat || !file.metadata.count("part"))
    throw Error(file.path.string(), ": is not a checkpoint that this alps can read; delete it to train the part anew");
  Checkpoint checkpoint;
  checkpoint.part = file.text("part");
  checkpoint.step = std::strtoll(file.text("step").c_str(), nullptr, 10);
  checkpoint.part_seconds = std::strtod(file.text("part_seconds").c_str(), nullptr);
  checkpoint.total_seconds = std::strtod(file.text("total_seconds").c_str(), nullptr);
  checkpoint.sampling_seconds = std::strtod(file.text("sampling_seconds").c_str(), nullptr);
  if (checkpoint.step < 0) throw Error(file.path.string(), ": holds no valid step; delete it to train the part anew");
  return checkpoint;
}

}  // namespace

void save_checkpoint(const fs::path& path, const Checkpoint& checkpoint, const std::vector<NamedTensor>& tensors) {
  Tensors file;
  file.metadata = {{"format", kFormat},
                   {"part", checkpoint.part},
                   {"step", std::to_string(checkpoint.step)},
                   {"part_seconds", exact(checkpoint.part_seconds)},
                   {"total_seconds", exact(checkpoint.total_seconds)},
                   {"sampling_seconds", exact(checkpoint.sampling_seconds)}};
  for (const NamedTensor& tensor : tensors)
    file.arrays[tensor.name] = Array::of<float>(shape_of(tensor.value), to_floats(tensor.value));
  write_safetensors(path, file);
}

Checkpoint peek_checkpoint(const fs::path& path) { return describe(read_safetensors(path)); }

Checkpoint load_checkpoint(const fs::path& path, const std::vector<NamedTensor>& tensors) {
  const Tensors file = read_safetensors(path);
  const Checkpoint checkpoint = describe(file);
  const at::NoGradGuard no_grad;
  for (const NamedTensor& tensor : tensors) {
    const Array& array = file.at(tensor.name, DType::kFloat32, shape_of(tensor.value));
    at::Tensor target = tensor.value;  // shares the storage
    target.copy_(to_tensor(array.as<float>(), tensor.value.sizes(), at::kCPU));
  }
  return checkpoint;
}

}  // namespace alps
