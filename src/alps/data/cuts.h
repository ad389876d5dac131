// The settings of what is taken for ordinary motion: where episodes are cut, which stretches are left out
// (data/jumps.h, data/stillness.h). Training and the regions of the map use the same.
#pragma once

#include "alps/base/profile.h"
#include "alps/data/dataset.h"

namespace alps {

struct CutSettings {
  double jump_factor = 0;
  double still_share = 0;
  Cuts cuts() const { return {jump_factor, still_share}; }
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit(
        "jump_factor", s.jump_factor, Range{0, 1e6},
        "cut episodes where a slow column changes by more than this many ordinary steps at once (teleports); 0: never");
    visit("still_share", s.still_share, Range{0, 1},
          "leave out stretches of 50 steps that cover less than this share of the usual motion, such as fallen bodies; "
          "0: never");
  }
};

}  // namespace alps
