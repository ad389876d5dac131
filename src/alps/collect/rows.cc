#include "alps/collect/rows.h"

#include <algorithm>

#include "alps/base/error.h"
#include "alps/world/arm_view.h"
#include "alps/world/physics_view.h"

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

size_t Rows::byte_size() const {
  size_t sum = 0;
  for (const Array* array : {&observations_, &actions_, &terminals_, &qpos_, &qvel_, &buttons_})
    sum += array->byte_size();
  return sum;
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

void Rows::save_images(NpzWriter& out, Painter& painter) const {
  out.begin("observations", DType::kUInt8, painter.shape(count()));
  painter.append(observations_, out);
  save_rest(out);
}

}  // namespace alps
