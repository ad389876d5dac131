#include "alps/collect/student_training.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"
#include "alps/base/interrupt.h"
#include "alps/collect/heading_bodies.h"
#include "alps/collect/step_memory.h"
#include "alps/collect/training_files.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr size_t kCentre = 37, kRootLinear = 40;  // velocities in an observation without x and y
constexpr uint64_t kStarts = uint64_t{1} << 40, kWeights = uint64_t{1} << 41, kUpdates = uint64_t{1} << 42;

constexpr double kKnown = 1e6;  // rows that the units of the inputs are taken from

constexpr const char* kColumns = "step,loss,speed,falls,up,risen,seconds";

struct Tally {
  double steps = 0, up = 0, along = 0, falls = 0, drops = 0, risen = 0;
  void add(const Tally& o) {
    steps += o.steps, up += o.up, along += o.along, falls += o.falls;
    drops += o.drops, risen += o.risen;
  }
};

class Lessons {
 public:
  Lessons(const TrainingFiles& files, const Teachers& teachers, const StudentTrainingParams& params)
      : files_(files), params_(params), rng_(params.seed), bodies_(params.bodies, teachers.ways) {
    const HeadingEnv& first = bodies_.front();
    walker_ = load(teachers.walker, first);
    riser_ = load(teachers.riser, first);
    seen_ = first.student_observation().size() - 2, actions_ = first.action_size();
    observation_mirror_ = first.observation_mirror();
    observation_mirror_.sign.resize(seen_);
    observation_mirror_.from.resize(seen_);  // direction and phase are not shown
    action_mirror_ = first.action_mirror();
    std::vector<size_t> sizes = {seen_};
    sizes.insert(sizes.end(), params.hidden.begin(), params.hidden.end());
    sizes.push_back(actions_);
    Rng weights = rng_.fork(kWeights);
    student_ = TrainedMlp(sizes, weights);
    scale_ = RunningScale(seen_);
    memory_ = std::make_unique<StepMemory>(params.memory, seen_, actions_ + 1);
  }

  void begin() {
    if (!params_.from.empty()) begin_with(GaussianPolicy::load(read_safetensors(params_.from), "policy"));
    for (size_t b = 0; b < bodies_.size(); ++b) {
      Rng rng = rng_.fork(kStarts).fork(b);
      bodies_[b].reset(params_.task, rng);
    }
    files_.begin_curve();
  }

  void resume() {
    const Tensors tensors = files_.read(settings());
    student_.load(tensors, "student");
    scale_.load(tensors, "seen");
    memory_->load(tensors);
    bodies_.load(tensors);
    const auto counts = tensors.at("counts", DType::kFloat64, {2}).as<double>();
    round_ = static_cast<int64_t>(counts[0]), seconds_ = counts[1];
    files_.cut_curve(step());
  }

  void run(const std::function<void(const StudentProgress&)>& progress) {
    while (step() < params_.steps) {
      throw_if_interrupted();
      const double start = seconds_now();
      walk();
      learn();
      ++round_;
      seconds_ += seconds_now() - start;
      if (round_ % params_.curve_every == 0) write_line(progress);
      if (round_ % params_.checkpoint_every == 0) save();
    }
    write_policy();
    files_.remove_checkpoint();
  }

 private:
  static GaussianPolicy load(const fs::path& file, const HeadingEnv& body) {
    GaussianPolicy teacher = GaussianPolicy::load(read_safetensors(file), "teacher");
    if (teacher.mean.inputs() != body.observation_size() || teacher.mean.outputs() != body.action_size())
      throw Error(file.string(), ": a teacher of ", teacher.mean.inputs(), " inputs and ", teacher.mean.outputs(),
                  " outputs; expected ", body.observation_size(), " and ", body.action_size());
    return teacher;
  }

  // its inputs keep their units, or its weights would mean something else
  void begin_with(const GaussianPolicy& other) {
    const Mlp own = student_.mlp();
    const auto fits = [](const Linear& a, const Linear& b) {
      return a.inputs() == b.inputs() && a.outputs() == b.outputs();
    };
    if (!std::ranges::equal(own.layers(), other.mean.layers(), fits))
      throw Error(params_.from.string(), ": its layers have other sizes than those of the student that is to begin ",
                  "with it");
    student_.begin_with(other.mean);
    for (size_t k = 0; k < seen_; ++k) {
      scale_.mean[k] = other.shift[k];
      scale_.variance[k] = 1.0 / (static_cast<double>(other.scale[k]) * other.scale[k]) - 1e-5;
    }
    scale_.count = kKnown;
  }

  std::string settings() const { return str("--seed ", params_.seed, params_.from.empty() ? "" : " --from"); }
  int64_t step() const { return round_ * static_cast<int64_t>(params_.bodies * params_.horizon); }

  GaussianPolicy policy() const { return {student_.mlp(), scale_, std::vector<float>(actions_)}; }

  void walk() {
    const GaussianPolicy student = policy();
    const double share =
        !params_.from.empty()
            ? 0
            : 1 - static_cast<double>(step()) / static_cast<double>(std::max<int64_t>(params_.teacher_steps, 1));
    const size_t led = static_cast<size_t>(std::max(share, 0.0) * static_cast<double>(params_.bodies));
    const size_t rows = params_.bodies * params_.horizon;
    std::vector<float> seen(rows * seen_), wanted(rows * (actions_ + 1));
    std::vector<Tally> tallies(bodies_.groups());
    bodies_.each_group(params_.threads, [&](size_t g, size_t first, size_t count) {
      walk_group(first, count, led, student, seen, wanted, tallies[g]);
    });
    for (const Tally& t : tallies) tally_.add(t);
    for (size_t r = 0; r < rows; ++r)
      memory_->add(std::span(seen).subspan(r * seen_, seen_),
                   std::span(wanted).subspan(r * (actions_ + 1), actions_ + 1));
    scale_.add(seen, kKnown);
  }

  void walk_group(size_t first, size_t count, size_t led, const GaussianPolicy& student, std::vector<float>& seen,
                  std::vector<float>& wanted, Tally& tally) {
    std::vector<Rng> rngs;
    for (size_t k = 0; k < count; ++k) rngs.push_back(rng_.fork(static_cast<uint64_t>(round_)).fork(first + k));
    const size_t shown = bodies_[first].observation_size();
    std::vector<float> to_teacher(count * shown), to_student(count * seen_);
    std::vector<float> said(count * actions_), rising(said), teachers(said), students(said);
    for (size_t t = 0; t < params_.horizon; ++t) {
      for (size_t k = 0; k < count; ++k) {
        std::ranges::copy(bodies_[first + k].observation(), &to_teacher[k * shown]);
        turn_to_direction(bodies_[first + k].student_observation(), std::span(to_student).subspan(k * seen_, seen_));
      }
      walker_.means(to_teacher, said);
      riser_.means(to_teacher, rising);
      student.means(to_student, students);
      for (size_t k = 0; k < count; ++k)
        bodies_[first + k].lead(std::span(bodies_[first + k].is_up() ? said : rising).subspan(k * actions_, actions_),
                                std::span(teachers).subspan(k * actions_, actions_));
      for (size_t k = 0; k < count; ++k) {
        HeadingEnv& body = bodies_[first + k];
        const size_t row = (first + k) * params_.horizon + t;
        const bool own = first + k >= led;
        std::copy_n(&to_student[k * seen_], seen_, &seen[row * seen_]);
        std::copy_n(&teachers[k * actions_], actions_, &wanted[row * (actions_ + 1)]);
        wanted[row * (actions_ + 1) + actions_] = body.is_up();
        const HeadingEnv::Step step =
            body.step(params_.task, std::span(own ? students : teachers).subspan(k * actions_, actions_), rngs[k]);
        if (own) {
          ++tally.steps;
          tally.falls += step.fell;
          tally.risen += step.rose;
          tally.drops += body.start() == HeadingEnv::Start::kDropped && step.done();
          if (body.is_up()) ++tally.up, tally.along += step.along;
        }
        if (step.done()) body.reset(params_.task, rngs[k]);
      }
    }
  }

  void learn() {
    Rng rng = rng_.fork(kUpdates + static_cast<uint64_t>(round_));
    const GaussianPolicy scale = policy();
    const double done = static_cast<double>(step()) / static_cast<double>(params_.steps);
    const double lr = params_.lr * std::pow(params_.lr_last / params_.lr, done);
    const size_t n = params_.minibatch;
    const double all = static_cast<double>(n * actions_);
    std::vector<float> out(n * actions_), gradient(n * actions_), wanted(n * actions_), seen(seen_);
    for (int u = 0; u < params_.updates; ++u) {
      float* in = student_.start(n, params_.threads);
      for (size_t i = 0; i < n; ++i) {
        const size_t row = rng.below(memory_->size());
        const std::span<float> goal = std::span(wanted).subspan(i * actions_, actions_);
        // ways up have no mirror image
        const std::span<const float> done = memory_->done(row).first(actions_);
        const bool mirrored = memory_->done(row)[actions_] > 0 && rng.next() >> 63;
        std::span<const float> from = memory_->seen(row);
        if (mirrored) {
          observation_mirror_.apply(from, seen);
          from = seen;
          action_mirror_.apply(done, goal);
        } else {
          std::ranges::copy(done, goal.begin());
        }
        scale.normalize(from, in + i * seen_);
      }
      student_.forward(out.data());
      double loss = 0;
      for (size_t i = 0; i < out.size(); ++i) {
        const double error = out[i] - wanted[i];
        loss += error * error / all;
        gradient[i] = static_cast<float>(2 * error * static_cast<double>(actions_) / all);
      }
      student_.backward(gradient.data(), nullptr);
      student_.adam(lr, 1.0);
      loss_ += loss, ++losses_;
    }
  }

  void write_line(const std::function<void(const StudentProgress&)>& progress) {
    const StudentProgress p{.step = step(),
                            .total = params_.steps,
                            .loss = loss_ / std::max(losses_, 1.0),
                            .speed = tally_.along / std::max(tally_.up, 1.0),
                            .falls = 1000 * tally_.falls / std::max(tally_.up, 1.0),
                            .up = tally_.up / std::max(tally_.steps, 1.0),
                            .risen = tally_.risen / std::max(tally_.drops + tally_.falls, 1.0),
                            .seconds = seconds_};
    tally_ = {}, loss_ = losses_ = 0;
    files_.add_line(std::array{static_cast<double>(p.step), p.loss, p.speed, p.falls, p.up, p.risen, p.seconds});
    if (progress) progress(p);
  }

  void write_policy() const {
    Tensors tensors;
    policy().store(tensors, "policy");
    tensors.metadata = {{"body", "humanoid"}, {"steps", str(step())}, {"seed", str(params_.seed)}};
    write_safetensors(files_.path(), tensors);
  }

  void save() const {
    Tensors tensors;
    student_.store(tensors, "student");
    scale_.store(tensors, "seen");
    memory_->store(tensors);
    bodies_.store(tensors);
    const double counts[] = {static_cast<double>(round_), seconds_};
    tensors.arrays["counts"] = Array::of<double>({2}, counts);
    files_.write(std::move(tensors), settings());
    write_policy();
  }

  const TrainingFiles& files_;
  StudentTrainingParams params_;
  Rng rng_;
  GaussianPolicy walker_, riser_;
  HeadingBodies bodies_;
  size_t seen_ = 0, actions_ = 0;
  MirrorMap observation_mirror_, action_mirror_;
  TrainedMlp student_;
  RunningScale scale_;
  std::unique_ptr<StepMemory> memory_;
  int64_t round_ = 0;
  double seconds_ = 0, loss_ = 0, losses_ = 0;
  Tally tally_;
};

}  // namespace

void turn_to_direction(std::span<const float> seen, std::span<float> out) {
  const size_t size = seen.size() - 2;
  ALPS_CHECK(out.size() == size);
  std::copy_n(seen.begin(), size, out.begin());
  const float c = seen[size], s = seen[size + 1];
  for (const size_t k : {kCentre, kRootLinear}) {
    out[k] = c * seen[k] + s * seen[k + 1];
    out[k + 1] = c * seen[k + 1] - s * seen[k];
  }
}

void train_student(const fs::path& path, const Teachers& teachers, const StudentTrainingParams& params, bool resume,
                   const std::function<void(const StudentProgress&)>& progress) {
  const TrainingFiles files(path, kColumns);
  const bool goes_on = files.goes_on(resume);
  Lessons lessons(files, teachers, params);
  goes_on ? lessons.resume() : lessons.begin();
  lessons.run(progress);
}

}  // namespace alps
