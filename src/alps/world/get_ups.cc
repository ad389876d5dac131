#include "alps/world/get_ups.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "alps/base/error.h"
#include "alps/world/body.h"
#include "alps/world/lessons.h"
#include "alps/world/postures.h"

namespace alps {
namespace {

constexpr double kLast = 2, kEffort = 0.02;
constexpr double kBeyond = 1;  // radians that a target may lie beyond a joint's limits
constexpr double kHighEnough = 1.25, kUprightEnough = 0.8;
constexpr double kStill = 0.5, kFlat = 0.8, kNear = 0.55;  // metres a second; cosine; radians
constexpr double kNoise = 0.2;                             // on the torques of drops
constexpr int kFalling = 100;                              // steps after which a drop lies still, or is given up
constexpr double kStepSeconds = 0.025;
constexpr size_t kRoot = HumanoidParts::kRoot, kRootVelocity = HumanoidParts::kRootVelocity;
constexpr int kTorso = HumanoidParts::kTorso, kHead = HumanoidParts::kHead;

// the same body in longer steps: two fifths of the time for plans that are as good
constexpr int kCoarseSteps = 2;

ModelPtr coarser(const mjModel& model) {
  mjModel* copy = mj_copyModel(nullptr, &model);
  if (copy == nullptr) throw Error("MuJoCo cannot copy a model; is memory short?");
  copy->opt.timestep = kStepSeconds / kCoarseSteps;
  return ModelPtr(copy, [](const mjModel* m) { mj_deleteModel(const_cast<mjModel*>(m)); });
}

std::vector<double> state_of(const mjModel& model, const mjData& data) {
  std::vector<double> state(data.qpos, data.qpos + model.nq);
  state.insert(state.end(), data.qvel, data.qvel + model.nv);
  return state;
}

// one step towards targets, with noise on the torques
void move(const mjModel& model, mjData& data, const JointServo& servo, std::span<const float> targets, double noise,
          Rng& rng) {
  std::vector<double> torques(servo.size());
  servo.torques(targets, {data.qpos + kRoot, servo.size()}, {data.qvel + kRootVelocity, servo.size()}, torques);
  for (double& a : torques) a = std::clamp(a + noise * rng.normal(), -1.0, 1.0);
  humanoid_body().command(model, data, torques);
  humanoid_body().advance(model, data);
}

class Planner {
 public:
  Planner(const ModelPtr& model, const GetUpParams& params, Rng& rng)
      : model_(*model),
        params_(params),
        rng_(rng),
        coarse_(coarser(model_)),
        copy_(make_data(coarse_)),
        servo_(model_),
        mean_(params.knots * servo_.size()),
        courses_(params.courses, mean_),
        costs_(params.courses),
        order_(params.courses),
        targets_(servo_.size()),
        torques_(servo_.size()) {
    const std::vector<float> rest = lying_targets(model_);
    for (size_t k = 0; k < mean_.size(); ++k) mean_[k] = rest[k % rest.size()];
  }

  const JointServo& servo() const { return servo_; }

  // what to do now
  std::span<const float> act(const mjData& data) {
    for (size_t c = 0; c < courses_.size(); ++c) {
      vary(c);
      costs_[c] = try_out(courses_[c], data);
    }
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::ranges::stable_sort(order_, {}, [&](size_t c) { return costs_[c]; });

    // half way between the best and the mean of the best few
    const std::vector<double>& best = courses_[order_[0]];
    for (size_t k = 0; k < mean_.size(); ++k) {
      double sum = 0;
      for (size_t e = 0; e < params_.elites; ++e) sum += courses_[order_[e]][k];
      mean_[k] = 0.5 * best[k] + 0.5 * sum / static_cast<double>(params_.elites);
    }
    const std::vector<double> course = mean_;
    const double between = params_.horizon / static_cast<double>(params_.knots - 1);
    for (size_t i = 0; i < params_.knots; ++i) {
      at(course, std::min(static_cast<double>(i) * between + 1, static_cast<double>(params_.horizon)));
      std::ranges::copy(targets_, mean_.begin() + static_cast<std::ptrdiff_t>(i * servo_.size()));
    }
    at(best, 0);
    return targets_;
  }

 private:
  void vary(size_t c) {
    constexpr double kShare[] = {1, 1, 0.3, 2};
    const double deviation = c == 0 ? 0 : kShare[c % 4] * params_.deviation;
    const size_t n = servo_.size();
    for (size_t k = 0; k < mean_.size(); ++k) {
      const double* range = model_.jnt_range + 2 * (k % n + 1);
      const double rest = servo_.rest[k % n];
      courses_[c][k] =
          std::clamp(mean_[k] + deviation * rng_.normal(), std::max(range[0] - rest - kBeyond, -servo_.farthest),
                     std::min(range[1] - rest + kBeyond, servo_.farthest));
    }
  }

  // the targets of a course, `step` steps from now
  void at(const std::vector<double>& course, double step) {
    const double place = step * static_cast<double>(params_.knots - 1) / params_.horizon;
    const size_t n = servo_.size(), knot = std::min(static_cast<size_t>(place), params_.knots - 2);
    const double part = place - static_cast<double>(knot);
    for (size_t j = 0; j < n; ++j)
      targets_[j] = static_cast<float>((1 - part) * course[knot * n + j] + part * course[(knot + 1) * n + j]);
  }

  double try_out(const std::vector<double>& course, const mjData& from) {
    mju_copy(copy_->qpos, from.qpos, model_.nq);
    mju_copy(copy_->qvel, from.qvel, model_.nv);
    mju_copy(copy_->qacc_warmstart, from.qacc_warmstart, model_.nv);
    const mjModel& model = *coarse_;
    mj_step1(&model, copy_.get());
    double sum = 0;
    for (int t = 0; t < params_.horizon; ++t) {
      at(course, t);
      servo_.torques(targets_, {copy_->qpos + kRoot, servo_.size()}, {copy_->qvel + kRootVelocity, servo_.size()},
                     torques_);
      body_.command(model, *copy_, torques_);
      mj_step2(&model, copy_.get());
      for (int k = 1; k < kCoarseSteps; ++k) mj_step(&model, copy_.get());
      mj_step1(&model, copy_.get());
      double effort = 0;
      for (const double a : torques_) effort += a * a;
      sum += (t + 1 == params_.horizon ? 1 + kLast : 1) * (below(model, *copy_) + kEffort * effort);
    }
    const bool unstable = copy_->warning[mjWARN_BADQACC].number + copy_->warning[mjWARN_BADQPOS].number > 0;
    if (unstable) mj_resetData(&model, copy_.get());
    return unstable || !std::isfinite(sum) ? 1e9 : sum;
  }

  const Body& body_ = humanoid_body();
  const mjModel& model_;
  const GetUpParams& params_;
  Rng& rng_;
  ModelPtr coarse_;
  DataPtr copy_;
  JointServo servo_;
  std::vector<double> mean_;
  std::vector<std::vector<double>> courses_;
  std::vector<double> costs_;
  std::vector<size_t> order_;
  std::vector<float> targets_;
  std::vector<double> torques_;
};

}  // namespace

std::span<const float> GetUp::target(size_t step) const {
  const size_t joints = targets.size() / steps;
  return std::span(targets).subspan(std::min(step, steps - 1) * joints, joints);
}

std::span<const double> GetUp::state(size_t step) const {
  const size_t size = states.size() / steps;
  return std::span(states).subspan(std::min(step, steps - 1) * size, size);
}

void GetUps::store(Tensors& tensors) const {
  const auto two = [](size_t n, size_t all) { return Shape{n, n == 0 ? 0 : all / n}; };
  for (const auto& [way, name] : {std::pair(&ways[0], "belly."), {&ways[1], "back."}}) {
    tensors.arrays[str(name, "states")] = Array::of<double>(two(way->steps, way->states.size()), way->states);
    tensors.arrays[str(name, "targets")] = Array::of<float>(two(way->steps, way->targets.size()), way->targets);
  }
  const size_t size = ways[0].steps == 0 ? 1 : ways[0].states.size() / ways[0].steps;
  tensors.arrays["lying"] = Array::of<double>({lying.size() / size, size}, lying);
  tensors.arrays["risen"] = Array::of<double>({risen.size() / size, size}, risen);
}

GetUps GetUps::load(const Tensors& tensors, const mjModel& model) {
  const size_t state = static_cast<size_t>(model.nq + model.nv), joints = static_cast<size_t>(model.nu);
  const auto count = [&](const std::string& name) {
    const Shape& shape = tensors.at(name).shape();
    return shape.empty() ? 0 : shape[0];
  };
  GetUps out;
  for (const auto& [way, name] : {std::pair(&out.ways[0], "belly."), {&out.ways[1], "back."}}) {
    way->steps = count(str(name, "states"));
    if (way->steps == 0) continue;
    const auto states = tensors.at(str(name, "states"), DType::kFloat64, {way->steps, state}).as<double>();
    const auto targets = tensors.at(str(name, "targets"), DType::kFloat32, {way->steps, joints}).as<float>();
    way->states.assign(states.begin(), states.end());
    way->targets.assign(targets.begin(), targets.end());
  }
  for (const auto& [list, name] : {std::pair(&out.lying, "lying"), {&out.risen, "risen"}}) {
    const size_t rows = count(name);
    if (rows == 0) continue;
    const auto states = tensors.at(name, DType::kFloat64, {rows, state}).as<double>();
    list->assign(states.begin(), states.end());
  }
  return out;
}

std::span<const double> GetUps::pick(const std::vector<double>& states, size_t size, Rng& rng) {
  return std::span(states).subspan(rng.below(states.size() / size) * size, size);
}

// with legs hardly bent, a hollow back and the arms at the sides most drops come to lie on the belly, the others on the
// back
std::vector<float> lying_targets(const mjModel& model) {
  std::vector<float> targets;
  for (int j = 1; j < model.njnt; ++j) {
    const std::string_view name = mj_id2name(&model, mjOBJ_JOINT, j);
    const float side = name.starts_with("left") ? -1 : 1;
    targets.push_back(name.ends_with("hip_y")       ? 0.12f
                      : name.ends_with("hip_x")     ? -0.03f
                      : name.ends_with("knee")      ? -0.45f
                      : name == "abdomen_y"         ? 0.53f
                      : name.ends_with("shoulder1") ? 0.34f * side
                      : name.ends_with("shoulder2") ? -1.53f * side
                      : name.ends_with("elbow")     ? 0.15f
                                                    : 0.0f);
  }
  return targets;
}

bool on_its_back(const mjData& data) { return data.xmat[9 * kTorso + 6] > 0; }

bool lies_still(const mjModel& model, const mjData& data, std::span<const float> targets, const JointServo& servo) {
  double off = 0;
  for (size_t j = 0; j < targets.size(); ++j) {
    const double d = data.qpos[kRoot + j] - servo.rest[j] - targets[j];
    off += d * d / static_cast<double>(targets.size());
  }
  const double speed = std::hypot(data.sensordata[0], data.sensordata[1], data.sensordata[2]);
  return off < kNear * kNear && speed < kStill && std::abs(data.xmat[9 * kTorso + 6]) > kFlat &&
         data.xpos[3 * kHead + 2] < 0.5 && model.nq > 0;
}

void put(const mjModel& model, std::span<const double> state, mjData& data) {
  mju_copy(data.qpos, state.data(), model.nq);
  mju_copy(data.qvel, state.data() + model.nq, model.nv);
  mj_forward(&model, &data);
}

std::vector<double> find_lying(const ModelPtr& model, Rng rng) {
  const DataPtr data = make_data(model);
  humanoid_body().reset(*model, *data, rng);
  const JointServo servo(*model);
  const std::vector<float> targets = lying_targets(*model);
  for (int t = 0; t < kFalling; ++t) {
    move(*model, *data, servo, targets, kNoise, rng);
    if (lies_still(*model, *data, targets, servo)) return state_of(*model, *data);
  }
  return {};
}

GetUp find_get_up(const ModelPtr& model, std::span<const double> lying, const GetUpParams& params, Rng rng) {
  const DataPtr data = make_data(model);
  put(*model, lying, *data);
  Planner planner(model, params, rng);
  GetUp way;
  int on_its_feet = 0;
  for (int t = 0; t < params.patience; ++t) {
    const std::vector<double> state = state_of(*model, *data);
    way.states.insert(way.states.end(), state.begin(), state.end());
    const std::span<const float> targets = planner.act(*data);
    way.targets.insert(way.targets.end(), targets.begin(), targets.end());
    move(*model, *data, planner.servo(), targets, params.noise, rng);
    const bool up = data->xpos[3 * kHead + 2] > kHighEnough && data->xmat[9 * kTorso + 8] > kUprightEnough;
    on_its_feet = up ? on_its_feet + 1 : 0;
    if (on_its_feet < params.content) continue;
    way.steps = static_cast<size_t>(t) + 1;
    return way;
  }
  return {};
}

double follow(const ModelPtr& model, const GetUp& way, std::span<const double> lying, double noise, Rng rng) {
  const DataPtr data = make_data(model);
  put(*model, lying, *data);
  const JointServo servo(*model);
  double least = below(*model, *data);
  for (size_t t = 0; t < way.steps; ++t) {
    move(*model, *data, servo, way.target(t), noise, rng);
    least = std::min(least, below(*model, *data));
  }
  return least;
}

}  // namespace alps
