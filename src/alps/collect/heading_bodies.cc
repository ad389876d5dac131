#include "alps/collect/heading_bodies.h"

#include <algorithm>

#include "alps/base/threads.h"

namespace alps {
namespace {

constexpr size_t kGroup = 12;  // a multiple of the kernels' rows

}  // namespace

HeadingBodies::HeadingBodies(size_t count, std::shared_ptr<const GetUps> ways) {
  const ModelPtr model = load_plane_model("humanoid");
  for (size_t b = 0; b < count; ++b) bodies_.push_back(std::make_unique<HeadingEnv>(model, ways));
}

size_t HeadingBodies::groups() const { return (bodies_.size() + kGroup - 1) / kGroup; }

void HeadingBodies::each_group(int threads, const std::function<void(size_t, size_t, size_t)>& act) {
  parallel_for(groups(), threads, [&](size_t group) {
    const size_t first = group * kGroup;
    act(group, first, std::min(kGroup, bodies_.size() - first));
  });
}

void HeadingBodies::store(Tensors& tensors) const {
  std::vector<double> states;
  for (const auto& body : bodies_) {
    const std::vector<double> state = body->state();
    states.insert(states.end(), state.begin(), state.end());
  }
  tensors.arrays["bodies"] = Array::of<double>({bodies_.size(), states.size() / bodies_.size()}, states);
}

void HeadingBodies::load(const Tensors& tensors) {
  const size_t width = bodies_.front()->state().size();
  const auto states = tensors.at("bodies", DType::kFloat64, {bodies_.size(), width}).as<double>();
  for (size_t b = 0; b < bodies_.size(); ++b) bodies_[b]->set_state(states.subspan(b * width, width));
}

}  // namespace alps
