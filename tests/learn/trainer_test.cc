// A method that nobody has heard of, through the public tables only: a part of its own with its own settings, optimizer
// and log column, trained by the loop that knows parts and not their names.
#include "alps/learn/trainer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "alps/base/error.h"
#include "alps/base/interrupt.h"
#include "alps/learn/method.h"

namespace alps {
namespace {

namespace fs = std::filesystem;

struct ToySettings {
  int toy_steps = 40;
  double toy_lr = 0.2;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("toy_steps", s.toy_steps, Range{1, 1e6}, "training steps of the mean action");
    visit("toy_lr", s.toy_lr, Range{1e-6, 1}, "its learning rate");
  }
};

// the mean action of the data by plain gradient descent: no Adam, no autograd
class MeanAction : public Part {
 public:
  explicit MeanAction(const PartContext& c)
      : context_(c),
        settings_(c.profile.get<ToySettings>()),
        mean_(at::zeros({static_cast<int64_t>(c.bundle.action_size())})) {}

  Schedule schedule() const override { return {settings_.toy_steps, settings_.toy_lr, "constant"}; }
  Terms gradients(const Split& split, Rng rng) override {
    const at::Tensor error = mean_ - split.actions(split.sampler().uniform(rng, 64));
    gradient_ = error.mean(0);
    return {{"loss", error.square().sum(1).mean().item<double>()}, {"length", mean_.norm().item<double>()}};
  }
  double grad_norm() const override { return gradient_.norm().item<double>(); }
  void update(double lr) override { mean_.sub_(lr * gradient_); }
  Terms validate(const Split& split, Rng rng) override { return gradients(split, rng); }
  std::vector<NamedTensor> state() const override { return {{"toy.mean", mean_}}; }
  void finish() override {
    const size_t actions = context_.bundle.action_size();
    context_.bundle.leave("toy", Mlp({Linear(1, actions, std::vector<float>(actions, 0.0f), to_floats(mean_))}),
                          "anything -> the mean action");
  }

 private:
  const PartContext context_;
  const ToySettings settings_;
  at::Tensor mean_, gradient_;
};

Method toy_method(std::vector<std::string> columns = {"length"}) {
  const PartKind part{.name = "toy",
                      .networks = {"toy"},
                      .needs = {},
                      .columns = std::move(columns),
                      .declare = [](Profile& p) { p.add<ToySettings>("toy"); },
                      .preset = [](Profile&, std::string_view, const Survey&) {},
                      .make = [](const PartContext& c) { return std::make_unique<MeanAction>(c); }};
  return {"toy", "the mean action of the data", {part}, "actor", {}};
}

// episodes of 50 rows, actions around (0.5, -1)
std::shared_ptr<const Dataset> data() {
  constexpr size_t kRows = 1000, kLength = 50;
  Rng rng(3);
  Array states(DType::kFloat32, {kRows, 2}), actions(DType::kFloat32, {kRows, 2});
  for (size_t i = 0; i < 2 * kRows; ++i) {
    states.as<float>()[i] = static_cast<float>(rng.normal());
    actions.as<float>()[i] = static_cast<float>(i % 2 ? -1 + rng.uniform(0, 0.5) : 0.5 * rng.uniform());
  }
  auto set = std::make_shared<Dataset>();
  set->path = "toy.npz";
  set->observation_shape = {2};
  set->observations = ObservationRows(std::move(states));
  set->actions = std::move(actions);
  for (size_t first = 0; first < kRows; first += kLength) set->episodes.push_back({first, first + kLength - 1});
  return set;
}

class TrainerTest : public testing::Test {
 protected:
  TrainerTest() : folder_(fs::temp_directory_path() / str("alps_trainer_", getpid())) {
    fs::create_directories(folder_);
  }
  ~TrainerTest() override { fs::remove_all(folder_); }

  TrainOptions options(const Method& method, const fs::path& run) {
    TrainOptions o{
        .run = folder_ / run, .profile = training_profile(method, "fast", {}), .metadata = {{"alps", "test"}}};
    fs::create_directories(o.run);
    o.profile.parse("log_every=10");
    o.profile.parse("validate_every=20");
    return o;
  }
  std::vector<float> learned(const fs::path& run) {
    return load_bundle(folder_ / run).network("toy").layers().front().bias();
  }
  std::string text(const fs::path& path) {
    std::ostringstream out;
    out << std::ifstream(folder_ / path).rdbuf();
    return out.str();
  }

  fs::path folder_;
};

TEST_F(TrainerTest, TrainsAMethodOfACallersOwn) {
  const Method method = toy_method();
  TrainData set = make_train_data(data());
  const TrainReport report = train(method, set, options(method, "run"));
  ASSERT_EQ(report.parts.size(), 1u);
  EXPECT_EQ(report.parts[0].part, "toy");
  EXPECT_EQ(report.parts[0].steps, 40);
  // actions come in units of their range, whose middle is 0.25 and -0.75
  const std::vector<float> mean = learned("run");
  const Bundle bundle = load_bundle(folder_ / "run");
  EXPECT_NEAR(mean[0], 0, 0.1);
  EXPECT_NEAR(bundle.actions().from_unit(0, mean[0]), 0.25, 0.03);
  EXPECT_NEAR(bundle.actions().from_unit(1, mean[1]), -0.75, 0.03);
  EXPECT_EQ(bundle.meanings.at("toy"), "anything -> the mean action");
  EXPECT_NEAR(bundle.vector("actions.limit")[0], 0.25, 0.01);
  EXPECT_EQ(text("run/train.csv").substr(0, 88),
            "part,step,training/loss,training/length,training/grad_norm,training/lr,validation/loss,v");
}

TEST_F(TrainerTest, GoesOnAfterAnInterruptionToTheSameBits) {
  const Method method = toy_method();
  {
    TrainData set = make_train_data(data());
    train(method, set, options(method, "whole"));
  }
  TrainOptions o = options(method, "stopped");
  o.resume_command = "alps train again";
  int steps = 0;
  o.stop = [&] { return ++steps == 17; };
  try {
    TrainData set = make_train_data(data());
    train(method, set, o);
    FAIL();
  } catch (const Interrupted& e) {
    EXPECT_NE(std::string(e.what()).find("step 16 of 40; go on with: alps train again"), std::string::npos) << e.what();
  }
  EXPECT_FALSE(fs::exists(folder_ / "stopped/model.safetensors"));
  o.stop = {};
  o.resume = true;
  TrainData set = make_train_data(data());
  train(method, set, o);
  EXPECT_EQ(learned("stopped"), learned("whole"));
  EXPECT_FALSE(fs::exists(folder_ / "stopped/checkpoint.safetensors"));
}

TEST_F(TrainerTest, PartsThatTheDataDoNotAskForChangeNothing) {
  Method method = toy_method();
  TrainData first = make_train_data(data()), second = make_train_data(data());
  train(method, first, options(method, "alone"));
  PartKind unwanted = method.parts.front();
  unwanted.name = "unwanted";
  unwanted.networks = {"unwanted"};
  unwanted.columns = {"a term of its own"};
  unwanted.declare = [](Profile&) {};
  unwanted.wanted = [](const Profile&) { return false; };
  method.parts.push_back(unwanted);
  EXPECT_EQ(train(method, second, options(method, "beside")).parts.size(), 1u);
  EXPECT_EQ(text("alone/model.safetensors"), text("beside/model.safetensors"));
  EXPECT_EQ(text("alone/train.csv").substr(0, text("alone/train.csv").find('\n')),
            text("beside/train.csv").substr(0, text("beside/train.csv").find('\n')));
}

TEST_F(TrainerTest, ATermWithoutAColumnIsABugThatIsToldAndNotDropped) {
  const Method method = toy_method({});
  TrainData set = make_train_data(data());
  EXPECT_THROW(train(method, set, options(method, "run")), std::logic_error);
}

TEST_F(TrainerTest, APartThatIsThereIsKeptAndOneThatIsAskedForIsTrainedAnew) {
  const Method method = toy_method();
  TrainData set = make_train_data(data());
  TrainOptions o = options(method, "run");
  train(method, set, o);
  o.resume = true;
  EXPECT_TRUE(train(method, set, o).parts[0].reused);
  o.resume = false;
  o.only = "toy";
  o.profile.parse("toy_steps=1");
  EXPECT_FALSE(train(method, set, o).parts[0].reused);
  EXPECT_NE(learned("run")[0], 0.5f);
  EXPECT_LT(std::abs(learned("run")[0]), 0.2);  // one step only
}

// what a part tells changes the settings of those after it, also where it was there already
TEST_F(TrainerTest, SettingsFollowFromEarlierParts) {
  Method method = toy_method();
  PartKind second = method.parts.front();
  second.name = "second";
  second.networks = {"second"};
  second.declare = [](Profile&) {};
  method.parts.push_back(second);
  TrainData set = make_train_data(data());
  TrainOptions o = options(method, "run");
  std::vector<std::string> told;
  o.measured = [&](const std::string& part, Profile& profile) {
    told.push_back(part);
    EXPECT_TRUE(fs::exists(o.run / "model.safetensors"));
    if (part == "toy") profile.set("toy_steps", 7, Origin::kMeasured);
  };
  const TrainReport report = train(method, set, o);
  EXPECT_EQ(told, (std::vector<std::string>{"toy", "second"}));
  EXPECT_EQ(report.parts[0].steps, 40);
  EXPECT_EQ(report.parts[1].steps, 7);
}

}  // namespace
}  // namespace alps
