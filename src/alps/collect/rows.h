// The rows of a data set in the making, or of a piece of it, filled in any order, then saved in OGBench's layout.
// Observations are float32, or bytes where the environment shows images; qpos and qvel are left out where it has no
// physics, button_states where it has no buttons.
#pragma once

#include <span>

#include "alps/base/npz.h"
#include "alps/collect/painter.h"
#include "alps/world/env.h"

namespace alps {

class Rows;

// rows first .. first + count - 1 of a Rows
struct RowsView {
  Rows& rows;
  size_t first, count;
  // row `i` of the view: what env shows now, and the action to be taken there
  void set(size_t i, const Env& env, std::span<const double> action, bool terminal);
};

class Rows {
 public:
  Rows(const Env& env, size_t count);                    // `env` tells sizes and kinds
  static std::vector<const char*> keys(const Env& env);  // of the arrays that are saved
  size_t count() const { return terminals_.rows(); }
  size_t byte_size() const;
  std::span<const float> observation(size_t row) const { return observations_.row<float>(row); }  // of numbers
  RowsView view(size_t first, size_t count) { return {*this, first, count}; }

  void save(NpzWriter& out) const;
  // the same with images in the place of the observations that they follow from
  void save_images(NpzWriter& out, Painter& painter) const;

 private:
  friend struct RowsView;
  void save_rest(NpzWriter& out) const;  // all but the observations

  bool physics_;
  Array observations_, actions_, terminals_, qpos_, qvel_, buttons_;  // buttons_: (rows, 0) where there are none
};

}  // namespace alps
