// Serves test_collect_arm.py: scripts of an arm, from keyframes that are given or drawn.
#include <cstdio>
#include <numbers>
#include <string>

#include "alps/base/npz.h"
#include "alps/collect/arm_script.h"
#include "alps/world/catalog.h"
#include "alps/world/env.h"

using namespace alps;

namespace {

void save(NpzWriter& out, const std::string& key, const std::vector<double>& values, size_t count) {
  out.add(key, Array::of<double>({count, count ? values.size() / count : 0}, values));
}

// in: keyframes (n, 9) as time, place, rotation, grip; out: the plan without noise
void run_plan(const NpzReader& in, const std::string& key, NpzWriter& out) {
  const Array given = in.read(key);
  std::vector<Keyframe> keyframes;
  for (size_t i = 0; i < given.rows(); ++i) {
    const auto k = given.row<double>(i);
    keyframes.push_back({k[0], {{k[4], k[5], k[6], k[7]}, {k[1], k[2], k[3]}}, k[8]});
  }
  Rng rng(0);
  const ArmScript script(keyframes, 0, rng);
  std::vector<double> plan;
  for (const ArmAction& row : script.plan()) plan.insert(plan.end(), row.begin(), row.end());
  save(out, key, plan, script.plan().size());
}

std::vector<Keyframe> draw(const ArmView& arm, const std::string& kind, Rng& rng) {
  if (kind == "button") return press_button(arm, static_cast<int>(rng.below(arm.world().buttons())), rng);
  if (kind == "drawer") return pull(arm, Slide::kDrawer, arm.slide(Slide::kDrawer) >= -0.08 ? -0.16 : 0, rng);
  if (kind == "window") return pull(arm, Slide::kWindow, arm.slide(Slide::kWindow) <= 0.1 ? 0.2 : 0, rng);
  Vec3 place{0, 0, 0.02};
  for (int k = 0; k < 2; ++k) place[k] = rng.uniform(arm.world().object_low[k], arm.world().object_high[k]);
  return move_cube(arm, 0, {rotation_z(rng.uniform(0, 2 * std::numbers::pi)), place}, rng);
}

// out: a row of all keyframes for each of `count` random scenes, and of noise that was added to a plan
void run_keyframes(const std::string& name, const std::string& kind, int count, uint64_t seed, NpzWriter& out) {
  const auto env = make_env(name);
  std::vector<double> rows, noise;
  for (int i = 0; i < count; ++i) {
    Rng rng = Rng(seed).fork(i);
    env->play()->start_play(rng.fork(0));
    const std::vector<Keyframe> keyframes = draw(*env->arm(), kind, rng);
    for (const Keyframe& k : keyframes) {
      rows.push_back(k.time);
      rows.insert(rows.end(), k.pose.position.begin(), k.pose.position.end());
      rows.push_back(yaw_of(k.pose.rotation));
      rows.push_back(k.grip);
    }
    const ArmScript still(keyframes, 0, rng), shaken(keyframes, 0.1, rng);
    for (size_t t = 0; t < 8; ++t)
      for (size_t k = 0; k < 5; ++k) noise.push_back(shaken.plan()[t][k] - still.plan()[t][k]);
  }
  save(out, "keyframes", rows, count);
  save(out, "noise", noise, count);
}

}  // namespace

// play_tool plans COUNT IN OUT | keyframes ENV KIND COUNT SEED OUT
int main(int argc, char** argv) {
  try {
    const std::vector<std::string> args(argv + 1, argv + argc);
    NpzWriter out(args.back(), {.level = 1});
    if (args.at(0) == "plans") {
      const NpzReader in(args.at(2));
      for (int k = 0; k < std::stoi(args.at(1)); ++k) run_plan(in, std::to_string(k), out);
    } else {
      run_keyframes(args.at(1), args.at(2), std::stoi(args.at(3)), std::stoull(args.at(4)), out);
    }
    out.finish();
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
