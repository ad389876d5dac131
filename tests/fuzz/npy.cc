// .npy: the header, which is a Python expression, and the array behind it.
#include "alps/base/npz.h"
#include "fuzzed_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace alps;
  const auto path = fuzzed_file("x.npy", {data, size});
  may_refuse([&] { read_npy(path); });
  return 0;
}
