// The moves of a data set's factors (data/moves.h) as training draws them, and the columns of factors, in units of
// their deviations, one factor after the other (Factors::all()).
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <vector>

#include "alps/data/moves.h"
#include "alps/learn/train_data.h"

namespace alps {

class MoveData {
 public:
  // Error where the training rows have no moves of some factor
  MoveData(const TrainData& data, const Factors& factors);

  const Factors& factors() const { return factors_; }
  size_t columns() const { return all_.size(); }  // of all factors
  const std::vector<Move>& moves(const Split& split) const { return of_.at(&split).moves; }

  struct Steps {
    std::vector<size_t> rows;
    std::vector<const Move*> moves;  // that each row belongs to
  };
  Steps steps(const Split& split, Rng& rng, size_t count) const;  // uniform over rows that belong to a move
  std::vector<const Move*> draw(const Split& split, Rng& rng, size_t count) const;  // moves, uniform

  // normalized states (n, s) -> columns of the factors (n, columns)
  at::Tensor values(const at::Tensor& states) const;

 private:
  struct OfSplit {
    std::vector<Move> moves;
    std::vector<size_t> ends;  // running totals of the rows that belong to them
  };
  Factors factors_;
  std::vector<int64_t> all_;
  std::map<const Split*, OfSplit> of_;
};

// the factors that a run's profile names
Factors factors_of(const Profile& profile, const TrainData& data);
// whether there are any
bool has_factors(const Profile& profile);

}  // namespace alps
