#include "alps/collect/rows.h"

#include <algorithm>

#include "alps/base/threads.h"

namespace alps {
namespace {

void copy_row(Array& array, size_t row, std::span<const double> values) {
  const std::span<float> to = array.as<float>().subspan(row * array.row_size(), array.row_size());
  ALPS_CHECK(to.size() == values.size());
  std::ranges::transform(values, to.begin(), [](double x) { return static_cast<float>(x); });
}

}  // namespace

void RowsView::set(size_t i, const Env& env, std::span<const double> action, bool terminal) {
  ALPS_CHECK(i < count);
  copy_row(rows.observations_, first + i, env.observation());
  copy_row(rows.actions_, first + i, action);
  copy_row(rows.qpos_, first + i, env.qpos());
  copy_row(rows.qvel_, first + i, env.qvel());
  rows.terminals_.as<bool>()[first + i] = terminal;
}

Rows::Rows(const EnvSpec& spec, size_t count)
    : observations_(DType::kFloat32, {count, spec.observation_size()}),
      actions_(DType::kFloat32, {count, static_cast<size_t>(spec.action_size)}),
      terminals_(DType::kBool, {count}),
      qpos_(DType::kFloat32, {count, static_cast<size_t>(spec.qpos_size)}),
      qvel_(DType::kFloat32, {count, static_cast<size_t>(spec.qvel_size)}) {}

void Rows::save(NpzWriter& out) const {
  out.add("observations", observations_);
  save_rest(out);
}

void Rows::save_rest(NpzWriter& out) const {
  out.add("actions", actions_);
  out.add("terminals", terminals_);
  out.add("qpos", qpos_);
  out.add("qvel", qvel_);
  out.finish();
}

void Rows::save_images(NpzWriter& out, const Env& env, int threads) const {
  const EnvSpec& spec = env.spec();
  const size_t size = spec.observation_size();
  Shape shape = {count()};
  shape.insert(shape.end(), spec.observation_shape.begin(), spec.observation_shape.end());
  out.begin("observations", DType::kUInt8, shape);

  // pieces of 4,096 images, each rendered by all workers
  constexpr size_t kPiece = 4096;
  const int workers = worker_count(kPiece, threads);
  std::vector<std::unique_ptr<Env>> envs;
  for (int w = 0; w < workers; ++w) {
    envs.push_back(env.clone());
    envs.back()->reset(1, Rng(0));
  }
  std::vector<uint8_t> pixels(kPiece * size);
  for (size_t first = 0; first < count(); first += kPiece) {
    const size_t n = std::min(kPiece, count() - first);
    parallel_for_worker(n, workers, [&](size_t i, int worker) {
      Env& painter = *envs[worker];
      const auto at = qpos_.row<float>(first + i);
      painter.reset({at[0], at[1]}, painter.goal(), Rng(0));
      std::ranges::transform(painter.observation(), pixels.begin() + i * size,
                             [](double x) { return static_cast<uint8_t>(x); });
    });
    out.append(std::as_bytes(std::span(pixels).first(n * size)));
  }
  save_rest(out);
}

}  // namespace alps
