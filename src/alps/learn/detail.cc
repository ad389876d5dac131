#include "alps/learn/detail.h"

#include "alps/learn/freeze_trunk.h"
#include "alps/learn/prior.h"

namespace alps {
namespace {

class Detail : public LossPart {
 public:
  explicit Detail(const PartContext& c)
      : LossPart(c),
        settings_(c.profile.get<DetailSettings>()),
        prior_(c.profile.get<PriorSettings>()),
        trunk_((drop_beside(c), mixed_trunk(c, sizes(c)))),
        head_(shape(c), c.rng.fork(0), c.compute),
        log_sigma_(at::zeros({static_cast<int64_t>(c.bundle.action_size())}, c.compute.device)) {
    log_sigma_.set_requires_grad(true);
    const at::NoGradGuard no_grad;
    way_unit_ = usual_way(c.rng.fork(4));
  }

  Schedule schedule() const override {
    return {settings_.detail_steps, settings_.detail_lr, context_.profile.get<LoopSettings>().lr_schedule};
  }

  void finish() override {
    const at::NoGradGuard no_grad;
    set_beside(trunk_.to_trunk(), context_);
    context_.bundle.leave("detail", head_.to_mlp(), "detail, phi, way to the goal in phi -> action");
    context_.bundle.vectors["detail.way_unit"] = to_floats(way_unit_);
  }

 private:
  bool censored() const { return prior_.prior_loss == "censored"; }

  static TrunkSettings sizes(const PartContext& c) {
    const auto s = c.profile.get<DetailSettings>();
    auto sizes = c.profile.get<TrunkSettings>();
    sizes.trunk_strides = s.detail_strides;
    sizes.trunk_first = "free";  // legs are edges, not dots
    sizes.trunk_start = "random";
    sizes.latent = s.detail_size;
    return sizes;
  }
  static NetworkShape shape(const PartContext& c) {
    const auto s = c.profile.get<DetailSettings>();
    return {static_cast<size_t>(s.detail_size) + 2 * c.bundle.state_size(), c.bundle.action_size(), s.detail_layers,
            s.detail_width};
  }

  std::vector<NamedTensor> parameters() const override {
    std::vector<NamedTensor> all = head_.parameters("detail");
    for (const NamedTensor& tensor : trunk_.parameters("trunk")) all.push_back(tensor);
    if (censored()) all.push_back({"detail.log_sigma", log_sigma_});
    return all;
  }

  Loss loss(const Split& split, Rng rng) override {
    at::Tensor images, here, way, actions;
    {
      const Stopwatch watch(sampling_seconds);
      const RowPairs pairs = split.sampler().goals(rng, settings_.detail_batch, prior_.prior_horizon);
      const at::Device device = context_.compute.device;
      images = split.images(pairs.from).to(device);
      here = split.states(pairs.from).to(device);
      way = (split.states(pairs.to).to(device) - here) / way_unit_;
      actions = split.actions(pairs.from).to(device);
    }
    const at::Tensor wishes = prior_wishes(head_, see(images), here, way);
    if (!censored()) return {square_loss(wishes, actions), {}};
    return {censored_loss(wishes, actions, log_sigma_, 1), {}};
  }

  // in bf16 where our own kernels are: torch's convolutions are quicker then
  at::Tensor see(const at::Tensor& images) const {
    Compute compute = context_.compute;
    compute.autocast = compute.precision == Precision::kBf16;
    const Bfloat16 half(compute);
    return trunk_.forward(images);
  }

  // root mean square of phi(goal) - phi, each column, or a little more where it is almost nothing
  at::Tensor usual_way(Rng rng) const {
    constexpr size_t kPairs = 1 << 14;
    constexpr double kLeast = 1e-3;
    const Split& train = *context_.data.train;
    const RowPairs pairs = train.sampler().goals(rng, kPairs, prior_.prior_horizon);
    const at::Tensor way = train.states(pairs.to) - train.states(pairs.from);
    return way.square().mean(0).sqrt().clamp_min(kLeast).to(context_.compute.device);
  }

  const DetailSettings settings_;
  const PriorSettings prior_;  // its goals and its loss
  TrunkNetwork trunk_;         // images -> z
  Network head_;               // z, phi, way -> action
  at::Tensor way_unit_;        // (d) of phi(goal) - phi
  at::Tensor log_sigma_;       // (a) of the noise, for the censored loss
};

void preset(Profile& profile, std::string_view name, const Survey& survey) {
  if (name == "paper" || !survey.image) return;
  profile.set("detail_steps", 20'000, Origin::kMeasured, "images");
}

}  // namespace

PartKind detail_part() {
  return {.name = "detail",
          .networks = {"detail"},
          .needs = {"representation"},
          .columns = {},
          .declare = [](Profile& p) { p.add<DetailSettings>("detail"); },
          .preset = preset,
          .make = [](const PartContext& c) { return std::make_unique<Detail>(c); },
          .check =
              [](const Profile& p) {
                auto sizes = p.get<TrunkSettings>();
                sizes.trunk_strides = p.get<DetailSettings>().detail_strides;
                if (p.get<DetailSettings>().detail_steps > 0) sizes.shape();
              },
          .wanted = [](const Profile& p) { return p.get<DetailSettings>().detail_steps > 0; },
          .convolves = true};
}

}  // namespace alps
