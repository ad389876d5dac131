#include "alps/learn/trainer.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "alps/base/file.h"
#include "alps/base/interrupt.h"
#include "alps/learn/checkpoint.h"
#include "alps/learn/method.h"
#include "alps/learn/train_log.h"

namespace alps {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int64_t kFewSteps = 500;  // a part that pays never ends before

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// torch's threads as they were, whatever happens
class TorchThreads {
 public:
  TorchThreads() : before_(at::get_num_threads()) {}
  ~TorchThreads() { at::set_num_threads(before_); }

 private:
  int before_;
};

Compute compute_of(const TrainOptions& options) {
  const at::Device device(options.device);
  const bool bf16 = options.precision == "bf16", own = bf16 && device.is_cpu() && has_bf16();
  return {.device = device,
          .threads = options.threads,
          .precision = own ? Precision::kBf16 : Precision::kFp32,
          .autocast = bf16 && !own};
}

// whether data and settings ask for a part
bool is_wanted(const PartKind& kind, const Profile& profile, const TrainData& data) {
  return (!kind.convolves || data.image()) && (!kind.wanted || kind.wanted(profile));
}

// without the others
Method wanted_parts(Method method, const Profile& profile, const TrainData& data) {
  std::erase_if(method.parts, [&](const PartKind& kind) { return !is_wanted(kind, profile, data); });
  return method;
}

// a run in training: the folder, the data and what is trained so far
class Training {
 public:
  Training(const Method& method, TrainData& data, const TrainOptions& options)
      : method_(wanted_parts(method, options.profile, data)),
        data_(data),
        options_(options),
        profile_(options.profile),
        loop_(options.profile.get<LoopSettings>()),
        compute_(compute_of(options)) {}

  TrainReport run();

 private:
  void open();
  void forget(size_t part);
  void forget_later(const PartKind& kind);
  bool trained(const PartKind& kind) const;
  bool wanted(const PartKind& kind) const { return is_wanted(kind, profile_, data_); }
  void check_needs(size_t part) const;
  PartReport train_part(size_t index);
  std::map<std::string, double> validate(Part& part, const Rng& rng);
  double held_out_loss(Part& part, const Rng& rng);
  double share_of_time(size_t part) const;
  [[noreturn]] void not_finite(const PartKind& kind, int64_t step, const char* what, double lr) const;
  void say(const std::string& line) const {
    if (options_.say) options_.say(line);
  }
  fs::path checkpoint_path() const { return options_.run / "checkpoint.safetensors"; }
  fs::path model_path() const { return options_.run / "model.safetensors"; }
  std::vector<std::string> columns() const;

  const Method method_;
  TrainData& data_;
  const TrainOptions& options_;
  Profile profile_;  // grows with what the parts tell
  const LoopSettings loop_;
  const Compute compute_;
  Bundle bundle_;
  std::vector<std::string> finished_;
  double total_seconds_ = 0;  // of earlier sessions
  const Clock::time_point start_ = Clock::now();
};

bool Training::trained(const PartKind& kind) const {
  return std::ranges::all_of(kind.networks, [&](const std::string& name) { return bundle_.has(name); });
}

// what the folder holds already, and the scale of states and actions
void Training::open() {
  if (fs::exists(model_path()) && (options_.resume || !options_.only.empty())) bundle_ = load_bundle(model_path());
  bundle_.metadata = options_.metadata;
  bundle_.metadata["torch"] = TORCH_VERSION;
  for (size_t i = 0; i < method_.parts.size(); ++i)
    if (method_.parts[i].name == options_.only) forget(i);

  // states are normalized like the parts that are kept
  if (data_.image()) {
    if (!bundle_.trunk.empty()) data_.encode(bundle_.trunk, compute_.threads);
  } else if (!bundle_.vectors.contains("normalizer.mean")) {
    Normalizer normalizer = fit_normalizer(*data_.train);
    if (normalizer.constant_columns)
      say(str("note: ", normalizer.constant_columns, " of ", normalizer.size(),
              " columns of observations never change"));
    if (const Setting* raw = profile_.find("raw_states"); raw != nullptr && std::get<bool>(raw->value)) {
      std::ranges::fill(normalizer.mean, 0.0f);
      std::ranges::fill(normalizer.deviation, 1.0f);
    }
    bundle_.vectors["normalizer.mean"] = normalizer.mean;
    bundle_.vectors["normalizer.deviation"] = normalizer.deviation;
  }
  if (bundle_.vectors.contains("normalizer.mean") && bundle_.state_size() != data_.train->state_size())
    throw Error(model_path().string(), ": was trained on states of size ", bundle_.state_size(), ", but ",
                data_.train->data().path.string(), " has ", data_.train->state_size());
  if (!bundle_.vectors.contains("actions.limit")) {
    const ActionRange range = action_range(data_.train->data());
    bundle_.vectors["actions.limit"] = range.limit;
    bundle_.vectors["actions.middle"] = range.middle;
  }
  const Normalizer normalizer{bundle_.vector_or("normalizer.mean", {}), bundle_.vector_or("normalizer.deviation", {})};
  for (auto* split : {&data_.train, &data_.validation}) {
    if (!*split) continue;
    (*split)->set_normalizer(normalizer);
    (*split)->set_actions(bundle_.actions());
  }
}

// a part trained anew, and what was built on it
void Training::forget(size_t part) {
  const PartKind& kind = method_.parts[part];
  // all networks of image runs stand on the trunk, which the first part leaves
  if (part == 0 && !bundle_.trunk.empty()) {
    bundle_ = Bundle{.trunk = {}, .networks = {}, .meanings = {}, .vectors = {}, .metadata = bundle_.metadata};
  }
  for (const std::string& network : kind.networks) bundle_.forget(network);
  forget_later(kind);
  // a checkpoint of another part stays, one of this part is only kept to go on with
  if (!options_.resume && fs::exists(checkpoint_path()) && peek_checkpoint(checkpoint_path()).part == kind.name)
    fs::remove(checkpoint_path());
}

// what needs the networks of a part
void Training::forget_later(const PartKind& kind) {
  for (const PartKind& later : method_.parts)
    for (const std::string& need : later.needs)
      if (std::ranges::count(kind.networks, need))
        for (const std::string& network : later.networks) bundle_.forget(network);
}

void Training::check_needs(size_t part) const {
  const PartKind& kind = method_.parts[part];
  const auto missing = [&](const PartKind& first) {
    throw UsageError("the ", kind.name, " needs the ", first.name, "; train it first: --only ", first.name);
  };
  if (part > 0 && data_.image() && bundle_.trunk.empty()) missing(method_.parts.front());
  for (const std::string& need : kind.needs)
    for (const PartKind& other : method_.parts)
      if (!bundle_.has(need) && std::ranges::count(other.networks, need) && wanted(other)) missing(other);
}

TrainReport Training::run() {
  open();
  TrainReport report;
  for (size_t i = 0; i < method_.parts.size(); ++i) {
    const PartKind& kind = method_.parts[i];
    // what earlier parts told may have made it needless
    if (!wanted(kind)) continue;
    if (trained(kind)) {
      finished_.push_back(kind.name);
      if (options_.only.empty()) say(kind.name + ": trained already, kept");
      report.parts.push_back({.part = kind.name, .reused = true});
    } else {
      if (!options_.only.empty() && kind.name != options_.only) continue;
      check_needs(i);
      forget_later(kind);
      report.parts.push_back(train_part(i));
      finished_.push_back(kind.name);
    }
    if (options_.measured) options_.measured(kind.name, profile_);
  }
  return report;
}

// of train.csv: whatever any part of the method logs
std::vector<std::string> Training::columns() const {
  std::vector<std::string> terms;
  for (const PartKind& kind : method_.parts)
    for (const std::string& term : kind.columns)
      if (!std::ranges::count(terms, term)) terms.push_back(term);
  return TrainLog::columns(terms);
}

PartReport Training::train_part(size_t index) {
  const PartKind& kind = method_.parts[index];
  const std::string& name = kind.name;
  // parts that data and settings do not ask for leave the others' numbers as they are
  const Rng rng = Rng(options_.seed)
                      .fork(std::count_if(method_.parts.begin(), method_.parts.begin() + index,
                                          [&](const PartKind& earlier) { return wanted(earlier); }));
  const auto part = kind.make({profile_, data_, bundle_, rng.fork(0), compute_});
  const Schedule schedule = part->schedule();
  Course course(schedule);

  // a run that was stopped in this part goes on from its checkpoint
  std::vector<NamedTensor> kept = part->state();
  kept.push_back({"course", course.state()});
  Checkpoint saved{.part = name};
  bool on_disk = false;
  if (options_.resume && fs::exists(checkpoint_path()) && peek_checkpoint(checkpoint_path()).part == name) {
    saved = load_checkpoint(checkpoint_path(), kept);
    on_disk = true;
    part->sampling_seconds = saved.sampling_seconds;
    total_seconds_ = saved.total_seconds;
    say(str(name, ": going on from step ", saved.step));
  }
  TrainLog log(options_.run, columns(), finished_, name, saved.step, options_.tensorboard);

  const Clock::time_point begin = Clock::now();
  Clock::time_point last_save = begin;
  double logged_seconds = saved.part_seconds;
  int64_t logged_step = saved.step;
  const auto part_seconds = [&, before = saved.part_seconds] { return before + seconds_since(begin); };
  const auto save = [&](int64_t step) {
    saved = {name, step, part_seconds(), total_seconds_ + seconds_since(start_), part->sampling_seconds};
    save_checkpoint(checkpoint_path(), saved, kept);
    on_disk = true;
    last_save = Clock::now();
  };

  // torch's own threads would wait for work on the cores of ours, unless they have the most to do
  const bool ours =
      compute_.device.is_cpu() && !compute_.autocast && !(data_.image() && (bundle_.trunk.empty() || kind.convolves));
  at::set_num_threads(ours ? 1 : compute_.threads);

  const double seconds_left = share_of_time(index);
  PartReport report{.part = name};
  report.validation_loss = std::nan("");
  for (int64_t step = saved.step; step < course.steps(); ++step) {
    if (course.asks(step)) course.answer(step, held_out_loss(*part, rng.fork(3)));
    if (part_seconds() > seconds_left) course.settle_now(step);

    // loss and gradients of the batch of this step
    const Terms terms = part->gradients(*data_.train, rng.fork(1).fork(step));
    const double value = terms.front().second;
    if (!std::isfinite(value)) not_finite(kind, step, "loss", schedule.lr);
    const double norm = part->grad_norm();
    if (!std::isfinite(norm)) not_finite(kind, step, "gradient", schedule.lr);

    // a checkpoint is written only of weights that just gave a finite loss
    const bool stop = options_.stop && options_.stop();
    if (stop || seconds_since(last_save) >= loop_.checkpoint_seconds) save(step);
    if (stop)
      throw Interrupted("interrupted in the ", name, " at step ", step, " of ", course.steps(),
                        "; go on with: ", options_.resume_command);

    const double lr = course.lr(step);
    part->update(lr);

    // the log
    const int64_t done = step + 1;
    const bool last = done == course.steps();
    std::map<std::string, double> values;
    if (last || done % loop_.log_every == 0) {
      const double seconds = part_seconds();
      report.training_loss = value;
      for (const auto& [term, number] : terms) values["training/" + term] = number;
      values["training/grad_norm"] = norm;
      values["training/lr"] = lr;
      values["time/step_time"] = (seconds - logged_seconds) / static_cast<double>(done - logged_step);
      values["time/sampling_share"] = part->sampling_seconds / seconds;
      values["time/total_time"] = total_seconds_ + seconds_since(start_);
      logged_seconds = seconds;
      logged_step = done;
    }
    if (data_.validation && (last || done % loop_.validate_every == 0)) {
      const auto validation = validate(*part, rng.fork(2));
      values.insert(validation.begin(), validation.end());
      if (validation.count("validation/loss")) report.validation_loss = validation.at("validation/loss");
    }
    if (!values.empty()) log.write(name, done, values);
    if (options_.progress) {
      char note[80];
      std::snprintf(note, sizeof note, "loss %.4g", value);
      std::string text = note;
      if (std::isfinite(report.validation_loss)) {
        std::snprintf(note, sizeof note, ", validation %.4g", report.validation_loss);
        text += note;
      }
      options_.progress(name, done, course.steps(), text);
    }
  }
  report.steps = course.steps();
  if (report.steps < kFewSteps && report.steps < schedule.steps)
    say(str("note: the time was up after ", report.steps, " of at most ", schedule.steps, " steps of the ", name,
            ", which is too few to have learned much; give it more --minutes"));
  report.seconds = part_seconds();
  report.sampling_share = part->sampling_seconds / std::max(report.seconds, 1e-9);

  // the result goes into the model file first; only then is the checkpoint superfluous
  const Clock::time_point finish = Clock::now();
  at::set_num_threads(compute_.threads);
  part->finish();
  save_bundle(model_path(), bundle_);
  if (on_disk) fs::remove(checkpoint_path());
  report.finish_seconds = seconds_since(finish);
  return report;
}

// the same few batches every time, so that the curve is smooth
std::map<std::string, double> Training::validate(Part& part, const Rng& rng) {
  constexpr int kBatches = 4;
  std::map<std::string, double> values;
  for (int i = 0; i < kBatches; ++i)
    for (const auto& [term, number] : part.validate(*data_.validation, rng.fork(i)))
      values["validation/" + term] += number / kBatches;
  return values;
}

// more of the data than the log looks at, because small differences decide
double Training::held_out_loss(Part& part, const Rng& rng) {
  constexpr int kBatches = 16;
  const Split& split = data_.validation ? *data_.validation : *data_.train;
  double sum = 0;
  for (int i = 0; i < kBatches; ++i) {
    const Terms terms = part.validate(split, rng.fork(i));
    if (!terms.empty()) sum += terms.front().second / kBatches;
  }
  return sum;
}

// seconds after which a part settles: its share of what is left, without the decline, which takes half as long again
double Training::share_of_time(size_t part) const {
  if (options_.minutes <= 0) return std::numeric_limits<double>::infinity();
  const double left = 60 * options_.minutes - seconds_since(start_);
  return std::max(0.0, left) / static_cast<double>(method_.parts.size() - part) / 1.5;
}

void Training::not_finite(const PartKind& kind, int64_t step, const char* what, double lr) const {
  const std::string cause =
      step < 10 ? "extreme values in the data (see alps data info)" : "a learning rate that is too high";
  std::string kept = "no checkpoint was written yet";
  if (fs::exists(checkpoint_path())) {
    const Checkpoint checkpoint = peek_checkpoint(checkpoint_path());
    kept = str("the last good checkpoint (", checkpoint.part, ", step ", checkpoint.step, ") is intact");
  }
  throw Error("the ", kind.name, "'s ", what, " is not finite at step ", step, "; likely cause: ", cause, "\n", kept,
              "; try another run with --set ", kind.name, "_lr=", lr / 3);
}

}  // namespace

TrainReport train(const Method& method, TrainData& data, const TrainOptions& options) {
  const TorchThreads before;
  at::set_num_threads(options.threads);
  return Training(method, data, options).run();
}

std::string resolve_device(const std::string& asked) {
  const bool cuda = at::hasCUDA();
  if (asked == "cuda" && !cuda)
    throw Error("--device cuda: this machine has no CUDA device that the installed torch ", TORCH_VERSION,
                " can use; try --device cpu");
  return asked == "cuda" || (asked == "auto" && cuda) ? "cuda" : "cpu";
}

std::string resolve_precision(const std::string& asked, const std::string& device) {
  if (asked != "auto") return asked;
  return device == "cpu" && has_bf16() ? "bf16" : "fp32";
}

}  // namespace alps
