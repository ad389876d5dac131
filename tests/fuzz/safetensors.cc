// safetensors: the JSON header and the tensors that it names; what was read can be written and read again.
#include "alps/base/safetensors.h"

#include "fuzzed_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace alps;
  const auto path = fuzzed_file("x.safetensors", {data, size});
  may_refuse([&] {
    const Tensors tensors = read_safetensors(path);
    write_safetensors(fuzz_folder() / "y.safetensors", tensors);
    if (read_safetensors(fuzz_folder() / "y.safetensors").arrays.size() != tensors.arrays.size()) std::abort();
  });
  return 0;
}
