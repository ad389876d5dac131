// Images of rows that were made as numbers, rendered by all cores piece by piece while they are written: there may be
// more of them than memory holds. The file does not depend on the number of threads.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "alps/base/array.h"
#include "alps/base/npz.h"
#include "alps/world/env.h"

namespace alps {

class Painter {
 public:
  // `shown`: the world as it is seen; throws Error where its images do not follow from numbers
  Painter(const Env& shown, int threads);

  Shape shape(size_t rows) const;  // (rows, height, width, channels)
  // writes the images of `numbers` (rows, size of an observation without images) after out.begin; `painted` is told
  // after each piece how many images that were
  void append(const Array& numbers, NpzWriter& out, const std::function<void(size_t)>& painted = {});

 private:
  EnvSpec spec_;
  std::vector<std::unique_ptr<Env>> painters_;  // one for each thread
  std::vector<uint8_t> pixels_;                 // of a piece
};

}  // namespace alps
