// Serves test_frames.py: what a native visual environment shows, in postures of one's own or step by step. Input and
// output are .npz files.
#include <cstdio>
#include <string>

#include "alps/base/npz.h"
#include "alps/world/catalog.h"
#include "alps/world/image_view.h"

using namespace alps;

namespace {

struct Frames {
  std::vector<uint8_t> bytes;
  size_t count = 0;
  void add(std::span<const uint8_t> frame) {
    bytes.insert(bytes.end(), frame.begin(), frame.end());
    ++count;
  }
  void save(NpzWriter& out, const EnvSpec& spec) const {
    Shape shape = spec.observation_shape;
    shape.insert(shape.begin(), count);
    out.add("frames", Array::of<uint8_t>(shape, bytes));
  }
};

// in: qpos (n, 15)
void render(Env& env, const NpzReader& in, NpzWriter& out) {
  const Array qpos = in.read("qpos");
  Frames frames;
  std::vector<uint8_t> pixels(env.spec().observation_size());
  for (size_t i = 0; i < qpos.rows(); ++i) {
    env.images()->render(qpos.row<float>(i), pixels);
    frames.add(pixels);
  }
  frames.save(out, env.spec());
}

// in: state (MuJoCo's integration state), actions (n, a); out: a frame before, and one after each step
void follow(Env& env, const NpzReader& in, NpzWriter& out) {
  const Array state = in.read("state"), actions = in.read("actions");
  std::vector<double> full = {0, 0, 0};
  full.insert(full.end(), state.as<double>().begin(), state.as<double>().end());
  env.set_state(full);
  Frames frames;
  frames.add(env.observation().bytes());
  for (size_t t = 0; t < actions.rows(); ++t) {
    env.step(actions.row<double>(t));
    frames.add(env.observation().bytes());
  }
  frames.save(out, env.spec());
}

}  // namespace

// frames_tool render|follow ENV IN OUT
int main(int argc, char** argv) {
  try {
    const std::vector<std::string> args(argv + 1, argv + argc);
    const auto env = make_env(args.at(1));
    const NpzReader in(args.at(2));
    NpzWriter out(args.at(3), {.level = 1});
    args[0] == "render" ? render(*env, in, out) : follow(*env, in, out);
    out.finish();
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
