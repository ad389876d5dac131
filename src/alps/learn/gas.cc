#include "alps/learn/gas.h"

#include "alps/base/threads.h"
#include "alps/data/way_ahead.h"
#include "alps/learn/distance.h"

namespace alps {

Loss gas_loss(const GciqlNetworks& networks, const DirectionBatch& batch, double discount, double expectile,
              double bc_weight) {
  return climbing_loss(networks, critic_batch(batch, discount), expectile, bc_weight);
}

namespace {

class Gas : public DirectionPart {
 public:
  explicit Gas(const PartContext& c) : DirectionPart(c), gas_(c.profile.get<GasSettings>()) {}

 private:
  // where each row's episode is first so far away
  std::vector<size_t> prepare(const Split& split, const LatentRows& latents) const override {
    const std::vector<Episode>& episodes = split.sampler().episodes();
    size_t end = 0;
    for (const Episode& e : episodes) end = std::max(end, e.last + 1);
    std::vector<size_t> ahead(end - latents.first());
    const size_t latent = context_.bundle.network("phi").outputs();
    parallel_for(episodes.size(), context_.compute.threads, [&](size_t k) {
      const Episode& e = episodes[k];
      const std::vector<size_t> found = way_ahead(latents.episode(e), latent, gas_.way_distance);
      for (size_t i = 0; i < found.size(); ++i) ahead[e.first - latents.first() + i] = e.first + found[i];
    });
    return ahead;
  }

  Loss loss(const Split& split, Rng rng) override {
    DirectionBatch batch;
    {
      const Stopwatch watch(sampling_seconds);
      const Rows& rows = rows_of(split);
      std::vector<Sampler::Position> positions;
      batch = draw_steps(split, rng, positions);
      std::vector<size_t> goals;
      for (const auto& [row, remaining] : positions)
        goals.push_back(row + steps_ahead(rng, settings_.discount, rows.ahead[row - rows.latents.first()] - row));
      batch.actor_directions = unit_length(rows.latents.of(goals).to(context_.compute.device) - batch.here);
    }
    return gas_loss(networks_, batch, settings_.discount, expectile_.expectile, gas_.bc_weight);
  }

  const GasSettings gas_;
};

void preset(Profile& profile, std::string_view, const Survey& survey) {
  if (explores(survey))
    profile.set("bc_weight", 0.01, Origin::kMeasured,
                str("a share of ", survey.at_limit, " of the actions lies at the limits"));
  if (!many_joints(survey)) return;
  const std::string reason = str(survey.actions, " actions: many small steps");
  profile.set("bc_weight", 0.1, Origin::kMeasured, reason);
  profile.set("way_distance", 32.0, Origin::kMeasured, reason);
  profile.set("distance_expectile", 0.95, Origin::kMeasured, reason);
}

}  // namespace

PartKind gas_part() {
  PartKind kind = direction_kind();
  kind.declare = [](Profile& p) {
    p.add<ExpectileSettings>("agent", {.expectile = 0.7});
    p.add<GasSettings>("agent");
  };
  kind.preset = preset;
  kind.make = [](const PartContext& c) { return std::make_unique<Gas>(c); };
  return kind;
}

}  // namespace alps
