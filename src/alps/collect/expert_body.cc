#include "alps/collect/expert_body.h"

#include <cmath>
#include <cstdio>

#include "alps/base/error.h"
#include "alps/collect/expert_training.h"
#include "alps/collect/get_up_records.h"
#include "alps/collect/student_training.h"
#include "alps/collect/teacher_training.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr size_t kHeight = 2, kQuaternion = 3;  // in qpos

template <class... Values>
std::string text(const char* format, Values... values) {
  char out[256];
  std::snprintf(out, sizeof out, format, values...);
  return out;
}

void expect_sizes(const fs::path& file, const Mlp& policy, size_t inputs, size_t outputs) {
  if (policy.inputs() != inputs || policy.outputs() != outputs)
    throw Error(file.string(), ": a policy of ", policy.inputs(), " inputs and ", policy.outputs(),
                " outputs; expected ", inputs, " and ", outputs);
}

// ant

bool on_back(std::span<const double> qpos) { return uprightness(qpos.subspan(kQuaternion, 4)) < 0; }

std::unique_ptr<DirectionEnv> ant_plane() { return make_plane_env(ant_body(), 100); }

Expert load_ant(const fs::path& file) {
  Mlp policy = Mlp::load(read_safetensors(file), "policy");
  expect_sizes(file, policy, 27 + 2, 2 * 8);
  // the policy also tells how sure it is; an expert does what it thinks best
  return [policy = std::move(policy)](std::span<const float> posture, Point2 direction, std::span<double> action) {
    thread_local std::vector<float> in, out;
    in.assign(posture.begin(), posture.end());
    in.push_back(static_cast<float>(direction.x));
    in.push_back(static_cast<float>(direction.y));
    out.resize(policy.outputs());
    policy.forward(in, out);
    for (size_t j = 0; j < action.size(); ++j) action[j] = std::tanh(out[j]);
  };
}

void train_ant(const fs::path& out, const ExpertSettings& settings, bool resume, const ExpertNotes& notes) {
  if (!settings.from.empty()) throw UsageError("--from: the ant begins anew, or goes on with --resume; leave it out");
  ExpertTrainingParams params{.seed = settings.seed, .threads = settings.threads};
  params.steps = settings.steps.value_or(params.steps);
  params.sac.lr = settings.lr.value_or(params.sac.lr);
  params.walls = settings.walls.value_or(params.walls);
  params.checkpoint_every = settings.checkpoint_every.value_or(params.checkpoint_every);
  train_expert(out, params, resume, [&](const ExpertProgress& p) {
    notes(p.step, p.total,
          text("speed %.3f plane %.3f maze, on its back %.0f %% %.0f %%, alpha %.4f", p.speed_plane, p.speed_maze,
               100 * p.back_plane, 100 * p.back_maze, p.sac.alpha));
  });
}

// humanoid

bool fallen(std::span<const double> qpos) {
  return uprightness(qpos.subspan(kQuaternion, 4)) < 0.4 || qpos[kHeight] < 0.8;
}

Expert load_humanoid(const fs::path& file) {
  GaussianPolicy policy = GaussianPolicy::load(read_safetensors(file), "policy");
  JointServo servo(*load_plane_model("humanoid"));
  const size_t joints = servo.size(), posture_size = static_cast<size_t>(humanoid_body().observation_size) - 2;
  expect_sizes(file, policy.mean, posture_size, joints);
  return [policy = std::move(policy), servo = std::move(servo), joints](std::span<const float> posture,
                                                                        Point2 direction, std::span<double> action) {
    thread_local std::vector<float> seen, in, targets;
    seen.assign(posture.begin(), posture.end());
    seen.push_back(static_cast<float>(direction.x));
    seen.push_back(static_cast<float>(direction.y));
    in.resize(posture.size());
    turn_to_direction(seen, in);
    targets.resize(joints);
    policy.means(in, targets);
    // angles come first in the posture, velocities last
    const std::vector<double> angles(posture.begin(), posture.begin() + static_cast<std::ptrdiff_t>(joints));
    const std::vector<double> velocities(posture.end() - static_cast<std::ptrdiff_t>(joints), posture.end());
    servo.torques(targets, angles, velocities, action);
  };
}

TeacherTrainingParams walking() {
  TeacherTrainingParams params;
  params.steps = 12'000'000;
  params.task = {.speed = 1.5, .risen = 0.6, .strides = 0.85, .longest = 400, .push = 0.3};
  params.ppo.sigma = 0.2, params.ppo.sigma_least = 0.17, params.ppo.sigma_most = 0.25;
  params.ppo.divergence = 0.05;
  return params;
}

TeacherTrainingParams rising() {
  TeacherTrainingParams params;
  params.steps = 5'000'000;
  params.task = {.lying = 0.5, .half_way = 1, .rising_ends = true, .longest = 200, .torque_noise = 0.2};
  params.ppo.sigma = 0.12, params.ppo.sigma_least = 0.08, params.ppo.sigma_most = 0.12;
  params.ppo.divergence = 0.03;
  params.ppo.mirror = false;  // ways up have no mirror image
  return params;
}

void train_humanoid(const fs::path& out, const ExpertSettings& settings, bool resume, const ExpertNotes& notes) {
  if (settings.walls) throw UsageError("--walls: the humanoid learns on the plane; leave it out");
  const auto part = [&](const char* name) { return out.string() + name; };
  // one part after the other; a part that was begun goes on
  const auto goes_on = [&](const std::string& path) { return resume && fs::exists(path + ".checkpoint"); };
  GetUpRecordParams records{.seed = settings.seed, .threads = settings.threads};
  const auto ways = std::make_shared<GetUps>(
      record_get_ups(part(".ways"), records, [&](size_t done, size_t total, const std::string& note) {
        notes(static_cast<int64_t>(done), static_cast<int64_t>(total), note);
      }));
  // steps between two checkpoints, in iterations or rounds of so many steps
  const auto units = [&](size_t steps, int64_t otherwise) {
    if (!settings.checkpoint_every) return otherwise;
    return std::max<int64_t>(1, *settings.checkpoint_every / static_cast<int64_t>(steps));
  };
  const auto teach = [&](const std::string& path, TeacherTrainingParams teacher) {
    teacher.seed = settings.seed, teacher.threads = settings.threads;
    teacher.steps = std::min(teacher.steps, settings.steps.value_or(teacher.steps));
    teacher.ppo.lr = settings.lr.value_or(teacher.ppo.lr);
    teacher.checkpoint_every = units(teacher.bodies * teacher.horizon, teacher.checkpoint_every);
    teacher.ways = ways;
    train_teacher(path, teacher, goes_on(path), [&](const TeacherProgress& p) {
      notes(p.step, p.total,
            teacher.task.rising_ends
                ? text("riser: %.0f %% up from lying, %.0f %% from half way", 100 * p.lying, 100 * p.half_way)
                : text("walker: %.2f of %.2f m/s, %.2f falls in 1,000 steps", p.speed, p.command, p.falls));
    });
  };
  teach(part(".riser"), rising());
  record_risen(part(".ways"), part(".riser"), records, *ways);
  teach(part(".walker"), walking());
  StudentTrainingParams student;
  student.seed = settings.seed, student.threads = settings.threads, student.from = settings.from;
  student.steps = std::min(student.steps, settings.steps.value_or(student.steps));
  student.checkpoint_every = units(student.bodies * student.horizon, student.checkpoint_every);
  train_student(out, {part(".walker"), part(".riser"), ways}, student, goes_on(out.string()),
                [&](const StudentProgress& p) {
                  notes(p.step, p.total,
                        text("student: %.2f m/s, %.2f falls in 1,000 steps, loss %.4f", p.speed, p.falls, p.loss));
                });
}

std::vector<ExpertBody> make_bodies() {
  return {
      {.name = "ant",
       .method = "SAC",
       .body = ant_body,
       .seconds = 0.1,
       .longest = 1000,
       .down = on_back,
       .down_words = "on its back",
       .plane = ant_plane,
       .load = load_ant,
       .train = train_ant,
       .curve = ".csv",
       .lines = {{"speed_plane", "on the plane"}, {"speed_maze", "between walls"}},
       .curve_label = "along the commanded direction, a step",
       .curve_caption =
           "With the policy's own noise, averages of the last few thousand steps; between walls it waits at goals."},
      {.name = "humanoid",
       .method = "a planner and PPO for two teachers, DAgger for the student that acts",
       .body = humanoid_body,
       .seconds = 0.025,
       .longest = 2000,
       .down = fallen,
       .down_words = "fallen",
       .plane = nullptr,
       .load = load_humanoid,
       .train = train_humanoid,
       .curve = ".walker.csv",
       .lines = {{"command", "commanded"}, {"speed", "along the direction"}},
       .curve_label = "metres a second",
       .curve_caption = "The walker, on the plane with its own noise."}};
}

}  // namespace

const std::vector<ExpertBody>& expert_bodies() {
  static const std::vector<ExpertBody> list = make_bodies();
  return list;
}

const ExpertBody& expert_body(std::string_view name) {
  for (const ExpertBody& b : expert_bodies())
    if (b.name == name) return b;
  throw Error("there is no expert for the body '", name, "' yet; fetch data that it made with alps data get");
}

}  // namespace alps
