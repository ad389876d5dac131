#include "alps/learn/trainer.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <malloc.h>
#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "alps/base/file.h"
#include "alps/base/interrupt.h"
#include "alps/base/threads.h"
#include "alps/learn/adam.h"
#include "alps/learn/checkpoint.h"
#include "alps/learn/part.h"
#include "alps/learn/run_config.h"
#include "alps/learn/train_log.h"

namespace alps {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Schedule {
  int64_t steps;
  double lr;
  bool cosine;

  // down to a hundredth at the last step
  double at(int64_t step) const {
    if (!cosine) return lr;
    const double share = static_cast<double>(step) / static_cast<double>(std::max<int64_t>(1, steps - 1));
    return lr * (0.01 + 0.99 * 0.5 * (1.0 + std::cos(std::numbers::pi * share)));
  }
};

Schedule schedule_of(const std::string& part, const TrainConfig& c) {
  const bool cosine = c.lr_schedule == "cosine";
  if (part == "representation") return {c.representation_steps, c.representation_lr, cosine};
  if (part == "model") return {c.model_steps, c.model_lr, cosine};
  return {c.prior_steps, c.prior_lr, cosine};
}

at::Device pick_device(const std::string& name) {
  const bool cuda = at::hasCUDA();
  if (name == "cuda" && !cuda)
    throw Error("--device cuda: this machine has no CUDA device that the installed torch ", TORCH_VERSION,
                " can use; try --device cpu");
  return name == "cuda" || (name == "auto" && cuda) ? at::Device(at::kCUDA) : at::Device(at::kCPU);
}

bool trained(const Model& model, const std::string& part) {
  if (part == "representation") return !model.representation.empty();
  if (part == "model") return !model.model.empty();
  return !model.prior.empty();
}

// a run in progress: the folder, the data and what is trained so far
class Run {
 public:
  explicit Run(const TrainOptions& options)
      : options_(options),
        config_(options.config),
        device_(pick_device(options.device)),
        precision_(options.precision != "auto"      ? options.precision
                   : device_.is_cpu() && has_bf16() ? "bf16"
                                                    : "fp32"),
        threads_(options.threads > 0 ? options.threads : default_threads()) {
    check_config(config_);
    if (config_.objective == "logdet" && config_.rayleigh_ritz == "off")
      throw UsageError("objective=logdet finds a span only; set rayleigh_ritz=hidden or outputs with it");
#ifdef __GLIBC__
    // batches come and go at every step; memory that was given back would have to be cleared each time
    mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc takes
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
    at::set_num_threads(threads_);
    Network::threads = threads_;
    const bool bf16 = precision_ == "bf16", own = bf16 && device_.is_cpu() && has_bf16();
    Network::precision = own ? Precision::kBf16 : Precision::kFp32;
    autocast_ = bf16 && !own;
  }

  TrainReport run();

 private:
  void open();
  void forget(const std::string& part);
  PartReport train_part(const std::string& name);
  std::map<std::string, double> validate(Part& part, const Rng& rng);
  [[noreturn]] void not_finite(const std::string& part, int64_t step, const char* what) const;
  std::string resume_hint() const;
  void say(const std::string& line) const {
    if (options_.say) options_.say(line);
  }
  fs::path checkpoint_path() const { return options_.run / "checkpoint.safetensors"; }
  fs::path model_path() const { return options_.run / "model.safetensors"; }

  const TrainOptions& options_;
  const TrainConfig config_;
  at::Device device_;
  std::string precision_;
  int threads_;
  bool autocast_ = false;  // bf16 by torch, where our kernels do not compute in it
  TrainData data_;
  Model model_;
  std::vector<std::string> finished_;
  double total_seconds_ = 0;  // of earlier sessions
  const Clock::time_point start_ = Clock::now();
};

// reads the data and what the folder holds already
void Run::open() {
  const bool goes_on = has_run(options_.run) && (options_.resume || !options_.only.empty());
  data_ = load_train_data(options_.data, {.threads = threads_, .cuts = options_.config.cuts()});
  for (const std::string& note : data_.notes) say("note: " + note);
  if (goes_on) {
    const RunConfig before = load_run_config(options_.run);
    if (before.data_crc32 != data_.crc32)
      throw Error(options_.data.string(), ": is not the file this run was trained on (crc32 ", data_.crc32, ", was ",
                  before.data_crc32, "); start another run with --out");
    if (fs::exists(model_path())) model_ = load_model(model_path());
  }
  if (!options_.only.empty()) forget(options_.only);

  // states are normalized like the parts that are kept
  if (data_.image()) {
    if (!model_.trunk.empty()) {
      data_.train->encode(model_.trunk, threads_);
      if (data_.validation) data_.validation->encode(model_.trunk, threads_);
    }
  } else if (model_.mean.empty()) {
    const Normalizer normalizer = fit_normalizer(*data_.train);
    if (normalizer.constant_columns)
      say(str("note: ", normalizer.constant_columns, " of ", normalizer.size(),
              " columns of observations never change"));
    model_.mean = normalizer.mean;
    model_.deviation = normalizer.deviation;
  }
  if (!model_.mean.empty() && model_.mean.size() != data_.train->state_size())
    throw Error(model_path().string(), ": was trained on states of size ", model_.mean.size(), ", but ",
                options_.data.string(), " has ", data_.train->state_size());
  const Normalizer normalizer{model_.mean, model_.deviation};
  if (model_.action_limit.empty()) model_.action_limit = action_limits(data_.train->data());
  data_.train->set_normalizer(normalizer);
  data_.train->set_action_limit(model_.action_limit);
  if (data_.validation) {
    data_.validation->set_normalizer(normalizer);
    data_.validation->set_action_limit(model_.action_limit);
  }

  RunConfig now{config_,
                data_.name,
                fs::absolute(options_.data).string(),
                data_.crc32,
                data_.bytes,
                data_.train->data().rows(),
                data_.train->data().episodes.size(),
                options_.seed,
                device_.str(),
                precision_,
                threads_,
                options_.versions};
  now.versions["torch"] = TORCH_VERSION;
  save_run_config(options_.run, now);
  model_.metadata = options_.versions;
  if (!model_.metadata.count("alps")) model_.metadata["alps"] = "unknown";
  model_.metadata["torch"] = TORCH_VERSION;
  model_.metadata["method"] = config_.method;
  model_.metadata["data"] = data_.name;
  model_.metadata["data_crc32"] = data_.crc32;
}

// a part trained anew, and what was built on it
void Run::forget(const std::string& part) {
  if (part == "representation") {
    model_.representation = {};
    model_.prior = {};
    if (!model_.trunk.empty()) model_ = Model{};  // all heads sit on the trunk
  }
  if (part == "model") model_.model = {};
  if (part == "prior") model_.prior = {};
  // a checkpoint of another part stays, one of this part is only kept to go on with
  if (!options_.resume && fs::exists(checkpoint_path()) && peek_checkpoint(checkpoint_path()).part == part)
    fs::remove(checkpoint_path());
}

TrainReport Run::run() {
  const FolderLock lock(options_.run);
  open();
  TrainReport report;
  for (const std::string& part : part_names()) {
    if (trained(model_, part)) {
      finished_.push_back(part);
      if (options_.only.empty()) say(part + ": trained already, kept");
      report.parts.push_back({.part = part, .reused = true});
      continue;
    }
    if (!options_.only.empty() && part != options_.only) continue;
    const bool needs_psi = part == "prior" || (part == "model" && data_.image());
    if (needs_psi && model_.representation.empty())
      throw UsageError("the ", part, " needs a representation; train it first: --only representation");
    report.parts.push_back(train_part(part));
    finished_.push_back(part);
  }
  report.eigenvalues = model_.eigenvalues;
  report.eigenvalues_duals = model_.eigenvalues_duals;
  return report;
}

PartReport Run::train_part(const std::string& name) {
  const size_t index = std::find(part_names().begin(), part_names().end(), name) - part_names().begin();
  const Rng rng = Rng(options_.seed).fork(index);
  const PartContext context{config_, data_, model_, rng.fork(0), device_, threads_};
  const bool pclast = config_.method == "pclast";
  const auto part = name == "representation" ? (pclast ? make_pclast(context) : make_representation(context))
                    : name == "model"        ? make_forward_model(context)
                                             : make_prior(context);
  const Schedule schedule = schedule_of(name, config_);
  Adam adam(part->parameters());

  // what a checkpoint holds; a run that was stopped in this part goes on from it
  std::vector<NamedTensor> kept = part->parameters();
  for (const auto& list : {adam.state(), part->state()}) kept.insert(kept.end(), list.begin(), list.end());
  Checkpoint saved{.part = name};
  bool on_disk = false;
  if (options_.resume && fs::exists(checkpoint_path()) && peek_checkpoint(checkpoint_path()).part == name) {
    saved = load_checkpoint(checkpoint_path(), kept);
    on_disk = true;
    part->sampling_seconds = saved.sampling_seconds;
    total_seconds_ = saved.total_seconds;
    say(str(name, ": going on from step ", saved.step));
  }
  TrainLog log(options_.run, finished_, name, saved.step, options_.tensorboard);

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
  const bool ours = device_.is_cpu() && !autocast_ && !(data_.image() && name == "representation");
  at::set_num_threads(ours ? 1 : threads_);

  PartReport report{.part = name, .steps = schedule.steps};
  report.validation_loss = std::nan("");
  for (int64_t step = saved.step; step < schedule.steps; ++step) {
    // loss and gradients of the batch of this step
    adam.zero_grad();
    Loss loss;
    {
      const Bfloat16 half(autocast_, device_);
      loss = part->loss(*data_.train, rng.fork(1).fork(step));
    }
    const double value = loss.total.item<double>();
    if (!std::isfinite(value)) not_finite(name, step, "loss");
    loss.total.backward();
    const double norm = adam.grad_norm();
    if (!std::isfinite(norm)) not_finite(name, step, "gradient");

    // a checkpoint is written only of weights that just gave a finite loss
    const bool stop = options_.stop && options_.stop();
    if (stop || seconds_since(last_save) >= config_.checkpoint_seconds) save(step);
    if (stop)
      throw Interrupted("interrupted in the ", name, " at step ", step, " of ", schedule.steps,
                        "; go on with: ", resume_hint());

    const double lr = schedule.at(step);
    adam.step(lr);
    part->after_step(lr);

    // the log
    const int64_t done = step + 1;
    const bool last = done == schedule.steps;
    std::map<std::string, double> values;
    if (last || done % config_.log_every == 0) {
      const double seconds = part_seconds();
      values["training/loss"] = report.training_loss = value;
      for (const auto& [term, tensor] : loss.terms) values["training/" + term] = tensor.item<double>();
      values["training/grad_norm"] = norm;
      values["training/lr"] = lr;
      values["time/step_time"] = (seconds - logged_seconds) / static_cast<double>(done - logged_step);
      values["time/sampling_share"] = part->sampling_seconds / seconds;
      values["time/total_time"] = total_seconds_ + seconds_since(start_);
      logged_seconds = seconds;
      logged_step = done;
    }
    if (data_.validation && (last || done % config_.validate_every == 0)) {
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
      options_.progress(name, done, schedule.steps, text);
    }
  }
  report.seconds = part_seconds();
  report.sampling_share = part->sampling_seconds / std::max(report.seconds, 1e-9);

  // the result goes into the model file first; only then is the checkpoint superfluous
  const Clock::time_point finish = Clock::now();
  at::set_num_threads(threads_);
  part->finish();
  save_bundle(model_path(), model_.bundle());
  if (on_disk) fs::remove(checkpoint_path());
  report.finish_seconds = seconds_since(finish);
  return report;
}

// the same few batches every time, so that the curve is smooth
std::map<std::string, double> Run::validate(Part& part, const Rng& rng) {
  constexpr int kBatches = 4;
  const at::NoGradGuard no_grad;
  const double sampling = part.sampling_seconds;
  std::map<std::string, double> values;
  for (int i = 0; i < kBatches; ++i) {
    const Bfloat16 half(autocast_, device_);
    const Loss loss = part.loss(*data_.validation, rng.fork(i));
    if (!loss.total.defined()) return {};
    values["validation/loss"] += loss.total.item<double>() / kBatches;
    for (const auto& [term, tensor] : loss.terms) values["validation/" + term] += tensor.item<double>() / kBatches;
  }
  part.sampling_seconds = sampling;
  return values;
}

void Run::not_finite(const std::string& part, int64_t step, const char* what) const {
  const std::string cause =
      step < 10 ? "extreme values in the data (see alps data info)" : "a learning rate that is too high";
  std::string kept = "no checkpoint was written yet";
  if (fs::exists(checkpoint_path())) {
    const Checkpoint checkpoint = peek_checkpoint(checkpoint_path());
    kept = str("the last good checkpoint (", checkpoint.part, ", step ", checkpoint.step, ") is intact");
  }
  throw Error("the ", part, "'s ", what, " is not finite at step ", step, "; likely cause: ", cause, "\n", kept,
              "; try another run with --set ", part, "_lr=", schedule_of(part, config_).lr / 3);
}

std::string Run::resume_hint() const {
  return str("alps train ", options_.data.string(), " --out ", options_.run.string(), " --resume");
}

}  // namespace

TrainReport train(const TrainOptions& options) { return Run(options).run(); }

}  // namespace alps

extern "C" void alps_train(const alps::TrainOptions& options, alps::TrainReport& report) {
  report = alps::train(options);
}
