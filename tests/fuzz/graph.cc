// graph.npz: the input is taken apart into arrays of any shape and type, written as a sound file (a wrong checksum
// would end every other input at once), read, and routed over.
#include <algorithm>
#include <cstring>

#include "alps/base/npz.h"
#include "alps/graph/cluster_graph.h"
#include "fuzzed_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace alps;
  const std::span<const uint8_t> bytes(data, size);
  size_t at = 0;
  const auto byte = [&]() -> uint8_t { return at < size ? bytes[at++] : 0; };
  const auto path = fuzz_folder() / "graph.npz";
  may_refuse([&] {
    NpzWriter writer(path, {.level = 0, .threads = 1});
    constexpr DType kTypes[] = {DType::kFloat32, DType::kInt64,   DType::kInt64,   DType::kFloat64,
                                DType::kInt64,   DType::kFloat32, DType::kFloat32, DType::kFloat32};
    constexpr const char* kKeys[] = {"centers", "sizes", "passages", "top_p", "leaps", "radii", "low", "high"};
    constexpr size_t kRanks[] = {2, 1, 2, 0, 1, 1, 1, 1};
    const uint8_t regions = byte() % 12, dim = byte() % 5;
    for (size_t k = 0; k < 8; ++k) {
      const uint8_t how = byte();
      if (how == 255) continue;  // left out
      Shape shape;
      for (size_t r = 0; r < kRanks[k]; ++r) shape.push_back(k >= 6 || (k == 0 && r == 1) ? dim : regions);
      if (how > 240 && !shape.empty()) shape.back() = byte() % 16;
      if (how == 230) shape.push_back(1);
      Array array(how == 229 ? DType::kUInt8 : kTypes[k], shape);
      const auto out = array.bytes();
      if (array.dtype() == DType::kInt64 && how < 200) {  // small numbers mostly
        for (size_t i = 0; i < out.size(); i += 8) out[i] = std::byte{byte()};
      } else if (array.dtype() == DType::kFloat64 && how < 200) {
        const double value = byte() / 200.0;
        for (size_t i = 0; i + 8 <= out.size(); i += 8) std::memcpy(&out[i], &value, 8);
      } else {
        for (std::byte& b : out) b = std::byte{byte()};
      }
      writer.add(kKeys[k], array);
    }
    writer.finish();
  });
  may_refuse([&] {
    const ClusterGraph graph = load_graph(path);
    const Router router(graph, {});
    for (size_t from = 0; from < graph.clusters(); ++from)
      router.route(static_cast<int>(from), byte() % static_cast<int>(graph.clusters()));
  });
  return 0;
}
