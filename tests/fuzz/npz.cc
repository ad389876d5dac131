// .npz: the ZIP directory, its members, and the arrays in them, whole, in pieces and row by row.
#include "alps/base/npz.h"

#include <array>

#include "fuzzed_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace alps;
  const auto path = fuzzed_file("x.npz", {data, size});
  may_refuse([&] {
    const NpzReader reader(path);
    for (const std::string& key : reader.keys()) {
      may_refuse([&] { reader.read(key); });
      may_refuse([&] {
        std::array<std::byte, 777> piece;
        for (const auto stream = reader.stream(key); stream->read(piece) == piece.size();) {
        }
      });
      may_refuse([&] {
        const RowFile rows = RowFile::open_npz(path, key, fuzz_folder() / "rows.npy");
        std::vector<std::byte> out(rows.info().byte_size());
        rows.read_rows(0, rows.info().shape.empty() ? 1 : rows.info().shape[0], out);
      });
    }
  });
  return 0;
}
