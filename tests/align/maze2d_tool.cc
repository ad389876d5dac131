// maze2d_tool LAYOUT IN.npz OUT.npz: one walk through a Maze2D world, for test_maze2d.py to check.
// Reads actions (n, 2), start (2) and goal (2), all float64. Writes positions (n + 1, 2) float64, success (n) bool, and
// images (min(n + 1, 50), 100, 100) uint8, the observations at the first positions.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alps/base/error.h"
#include "alps/base/npz.h"
#include "alps/world/catalog.h"
#include "alps/world/maze2d.h"

namespace alps {
namespace {

constexpr size_t kImages = 50;

// a float64 array whose last axis is (x, y)
Array read_pairs(const NpzReader& in, const std::string& key, size_t axes) {
  Array array = in.read(key);
  if (array.dtype() != DType::kFloat64 || array.shape().size() != axes || array.shape().back() != 2) {
    throw Error(in.path(), ": ", key, " is ", dtype_name(array.dtype()), " ", shape_text(array.shape()),
                "; it should be float64 and end in pairs");
  }
  return array;
}

Point2 read_point(const NpzReader& in, const std::string& key) {
  const Array array = read_pairs(in, key, 1);
  return {array.as<double>()[0], array.as<double>()[1]};
}

void walk(const std::string& layout, const std::string& in_path, const std::string& out_path) {
  const NpzReader in(in_path);
  const Array actions = read_pairs(in, "actions", 2);
  const size_t n = actions.rows(), images = std::min(n + 1, kImages);

  // the image environment also tells positions; the walk goes on after the goal
  const std::unique_ptr<Env> env = make_maze2d(layout, true, {false, 0});
  Array positions(DType::kFloat64, {n + 1, 2}), success(DType::kBool, {n}), pictures(DType::kUInt8, {images, 100, 100});
  const auto record = [&](size_t i) {
    std::copy_n(env->physics()->qpos().data(), 2, &positions.as<double>()[2 * i]);
    if (i < images) std::copy_n(env->observation().bytes().data(), 10000, &pictures.as<uint8_t>()[10000 * i]);
  };
  env->placement()->reset(read_point(in, "start"), read_point(in, "goal"), Rng(0));
  record(0);
  for (size_t i = 0; i < n; i++) {
    success.as<bool>()[i] = env->step(actions.row<double>(i)).success;
    record(i + 1);
  }

  NpzWriter out(out_path);
  out.add("positions", positions);
  out.add("success", success);
  out.add("images", pictures);
  out.finish();
}

}  // namespace
}  // namespace alps

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: maze2d_tool LAYOUT IN.npz OUT.npz\n");
    return 2;
  }
  try {
    alps::walk(argv[1], argv[2], argv[3]);
    return 0;
  } catch (const alps::Error& error) {
    std::fprintf(stderr, "maze2d_tool: %s\n", error.what());
    return error.exit_code();
  }
}
