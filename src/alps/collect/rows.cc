#include "alps/collect/rows.h"

#include <algorithm>

#include "alps/base/error.h"
#include "alps/base/threads.h"
#include "alps/world/arm_view.h"
#include "alps/world/physics_view.h"
#include "alps/world/planar_view.h"

namespace alps {
namespace {

template <class T, class Value>
void copy_row(Array& array, size_t row, std::span<const Value> values) {
  ALPS_CHECK(values.size() == array.row_size());
  std::ranges::transform(values, array.as<T>().subspan(row * values.size()).begin(),
                         [](Value x) { return static_cast<T>(x); });
}

// (rows, shape of an observation)
Shape observations_shape(const EnvSpec& spec, size_t rows) {
  Shape shape = {rows};
  shape.insert(shape.end(), spec.observation_shape.begin(), spec.observation_shape.end());
  return shape;
}

std::span<const int> button_states(const Env& env) {
  return env.arm() != nullptr ? env.arm()->button_states() : std::span<const int>();
}

}  // namespace

void RowsView::set(size_t i, const Env& env, std::span<const double> action, bool terminal) {
  ALPS_CHECK(i < count);
  const Observation seen = env.observation();
  if (seen.image())
    copy_row<uint8_t>(rows.observations_, first + i, seen.bytes());
  else
    copy_row<float>(rows.observations_, first + i, seen.floats());
  copy_row<float>(rows.actions_, first + i, action);
  rows.terminals_.as<bool>()[first + i] = terminal;
  if (rows.buttons_.row_size() > 0) copy_row<int64_t>(rows.buttons_, first + i, button_states(env));
  if (!rows.physics_) return;
  copy_row<float>(rows.qpos_, first + i, env.physics()->qpos());
  copy_row<float>(rows.qvel_, first + i, env.physics()->qvel());
}

Rows::Rows(const Env& env, size_t count)
    : physics_(env.physics() != nullptr),
      observations_(env.spec().image ? DType::kUInt8 : DType::kFloat32, observations_shape(env.spec(), count)),
      actions_(DType::kFloat32, {count, static_cast<size_t>(env.spec().action_size)}),
      terminals_(DType::kBool, {count}),
      buttons_(DType::kInt64, {count, button_states(env).size()}) {
  if (!physics_) return;
  qpos_ = Array(DType::kFloat32, {count, env.physics()->qpos().size()});
  qvel_ = Array(DType::kFloat32, {count, env.physics()->qvel().size()});
}

std::vector<const char*> Rows::keys(const Env& env) {
  std::vector<const char*> keys = {"observations", "actions", "terminals"};
  if (env.physics() != nullptr) keys.insert(keys.end(), {"qpos", "qvel"});
  if (!button_states(env).empty()) keys.push_back("button_states");
  return keys;
}

void Rows::save(NpzWriter& out) const {
  out.add("observations", observations_);
  save_rest(out);
}

void Rows::save_rest(NpzWriter& out) const {
  out.add("actions", actions_);
  out.add("terminals", terminals_);
  if (physics_) {
    out.add("qpos", qpos_);
    out.add("qvel", qvel_);
  }
  if (buttons_.row_size() > 0) out.add("button_states", buttons_);
  out.finish();
}

void Rows::save_images(NpzWriter& out, const Env& env, int threads) const {
  const EnvSpec& spec = env.spec();
  if (env.planar() == nullptr || !physics_)
    throw Error("images of ", spec.name, " can not be made after the walk: it has no places to be put at");
  const size_t size = spec.observation_size();
  out.begin("observations", DType::kUInt8, observations_shape(spec, count()));

  // pieces of 4,096 images, each rendered by all workers
  constexpr size_t kPiece = 4096;
  const int workers = worker_count(kPiece, threads);
  std::vector<std::unique_ptr<Env>> envs;
  for (int w = 0; w < workers; ++w) {
    envs.push_back(env.clone());
    envs.back()->reset(1, Rng(0));
    ALPS_CHECK(envs.back()->placement() != nullptr);
  }
  std::vector<uint8_t> pixels(kPiece * size);
  for (size_t first = 0; first < count(); first += kPiece) {
    const size_t n = std::min(kPiece, count() - first);
    parallel_for_worker(n, workers, [&](size_t i, int worker) {
      Env& painter = *envs[worker];
      const auto at = qpos_.row<float>(first + i);
      painter.placement()->reset({at[0], at[1]}, painter.planar()->goal(), Rng(0));
      std::ranges::copy(painter.observation().bytes(), pixels.begin() + i * size);
    });
    out.append(std::as_bytes(std::span(pixels).first(n * size)));
  }
  save_rest(out);
}

}  // namespace alps
