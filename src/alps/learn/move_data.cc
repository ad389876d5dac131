#include "alps/learn/move_data.h"

#include <algorithm>

#include "alps/base/error.h"

namespace alps {

MoveData::MoveData(const TrainData& data, const Factors& factors) : factors_(factors) {
  for (const size_t k : factors_.all()) all_.push_back(static_cast<int64_t>(k));
  for (const auto& split : {&data.train, &data.validation}) {
    if (!*split) continue;
    OfSplit& of = of_[&**split];
    of.moves = find_moves((*split)->data().observations, (*split)->sampler().episodes(), factors_);
    size_t total = 0;
    for (const Move& m : of.moves) of.ends.push_back(total += m.ends - m.begins);
  }
  const std::vector<Move>& moves = of_.at(&*data.train).moves;
  for (size_t f = 0; f < factors_.size(); ++f)
    if (std::ranges::none_of(moves, [&](const Move& m) { return m.factor == f; }))
      throw Error(data.train->data().path.string(), ": factor ", f + 1, " of factors=", factors_text(factors_),
                  " never rests, moves and rests again; leave it out, or train with --set factors=none");
}

MoveData::Steps MoveData::steps(const Split& split, Rng& rng, size_t count) const {
  const OfSplit& of = of_.at(&split);
  Steps steps;
  if (of.moves.empty()) return steps;
  for (size_t i = 0; i < count; ++i) {
    const size_t item = rng.below(of.ends.back());
    const size_t m = std::ranges::upper_bound(of.ends, item) - of.ends.begin();
    steps.moves.push_back(&of.moves[m]);
    steps.rows.push_back(of.moves[m].begins + item - (m == 0 ? 0 : of.ends[m - 1]));
  }
  return steps;
}

std::vector<const Move*> MoveData::draw(const Split& split, Rng& rng, size_t count) const {
  const std::vector<Move>& moves = of_.at(&split).moves;
  std::vector<const Move*> drawn;
  for (size_t i = 0; i < count && !moves.empty(); ++i) drawn.push_back(&moves[rng.below(moves.size())]);
  return drawn;
}

at::Tensor MoveData::values(const at::Tensor& states) const {
  return states.index_select(1, at::tensor(all_, at::kLong).to(states.device()));
}

Factors factors_of(const Profile& profile, const TrainData& data) {
  return factors_named(std::get<std::string>(profile.at("factors").value), data.train->state_size());
}

bool has_factors(const Profile& profile) {
  const Setting* factors = profile.find("factors");
  return factors != nullptr && std::get<std::string>(factors->value) != "none";
}

}  // namespace alps
