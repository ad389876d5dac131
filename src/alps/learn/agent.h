// What the goal-conditioned learners of OGBench (Park et al. 2025) share, and those that came after them: settings,
// batches with goals, networks in pairs, targets and losses. Each learner is one file (gcivl, gciql, crl, qrl, hiql,
// saw), with all its networks in one part that is trained in one step: values, and an actor that follows them; hilp and
// gas learn a distance first (distance.h), then an actor that is told directions (direction.h). Networks have GELU
// units and start as OGBench's; those of values have layer norms, and are computed in fp32 whatever the precision of
// the run: an advantage is a small difference of large values. docs/baselines.md has the equations.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "alps/data/goal_mixture.h"
#include "alps/learn/method.h"

namespace alps {

struct AgentSettings {
  int agent_steps = 60'000;
  int agent_batch = 256;
  double agent_lr = 1e-3;
  int value_layers = 4;
  int value_width = 256;
  int actor_layers = 4;
  int actor_width = 256;
  double discount = 0.99;
  double value_current = 0.2;
  double value_random = 0.3;
  double actor_random = 0;
  bool raw_states = false;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("agent_steps", s.agent_steps, Range{1, 1e9}, "training steps, each of all networks");
    visit("agent_batch", s.agent_batch, Range{2, 1 << 20}, "examples in a batch");
    visit("agent_lr", s.agent_lr, Range{1e-12, 10}, "learning rate of all networks");
    visit("value_layers", s.value_layers, Range{2, 16}, "linear layers of the networks of values");
    visit("value_width", s.value_width, Range{1, 8192}, "units of the hidden layers of values");
    visit("actor_layers", s.actor_layers, Range{2, 16}, "linear layers of the actor");
    visit("actor_width", s.actor_width, Range{1, 8192}, "units of the actor's hidden layers");
    visit("discount", s.discount, Range{0.1, 0.99999},
          "a reward k steps ahead counts discount^k; nearer to 1 for worlds that take more steps to cross");
    visit("value_current", s.value_current, Range{0, 1}, "share of the value's goals that are the state itself");
    visit("value_random", s.value_random, Range{0, 1},
          "share of the value's goals that are any state of the data; the rest is reached by the same trajectory");
    visit("actor_random", s.actor_random, Range{0, 1},
          "share of the actor's goals that are any state of the data; more where trajectories are short or noise");
    visit("raw_states", s.raw_states, Range{0, 1}, "states as they are recorded, instead of normalized");
  }
};

// of the methods that learn a value as an expectile (Kostrikov et al. 2021)
struct ExpectileSettings {
  double expectile = 0.9;
  double tau = 0.005;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("expectile", s.expectile, Range{0.01, 0.999},
          "of the value; nearer to 1 is nearer to the best that was seen");
    visit("tau", s.tau, Range{1e-6, 1}, "share of the value's weights that its slow copy takes over in each step");
  }
};

// what a preset makes of data like these: sizes and lengths, the discount and the actor's goals. Values that `profile`
// has from a method's own declaration stay.
void agent_preset(Profile& profile, std::string_view preset, const Survey& survey);

// what data like these are, as the presets of the baselines see them
bool moves_directly(const Survey& survey);  // actions are moves, as of a point
bool explores(const Survey& survey);        // behaviour is noise
bool many_joints(const Survey& survey);     // a humanoid

// rows of the data with goals; (n, state), (n, action), reached (n): 1 where the state is the value's goal
struct GoalBatch {
  at::Tensor states, next, actions, value_goals, actor_goals, reached;
};

// two networks of the same shape, for the same thing
struct Twins {
  Network one, two;

  Twins(const NetworkShape& shape, Rng rng, const Compute& compute)
      : one(shape, rng.fork(0), compute), two(shape, rng.fork(1), compute) {}
  Twins(Network one, Network two) : one(std::move(one)), two(std::move(two)) {}

  std::pair<at::Tensor, at::Tensor> forward(const at::Tensor& x) const { return {one.forward(x), two.forward(x)}; }
  std::pair<at::Tensor, at::Tensor> fixed(const at::Tensor& x) const { return {one.fixed(x), two.fixed(x)}; }
  at::Tensor mean(const at::Tensor& x) const { return (one.fixed(x) + two.fixed(x)) / 2; }  // of both, no gradients
  Twins copy() const { return {one.copy(), two.copy()}; }
  void follow(const Twins& other, double tau) {
    one.follow(other.one, tau);
    two.follow(other.two, tau);
  }
  std::vector<NamedTensor> parameters(const std::string& prefix) const;  // PREFIX_one, PREFIX_two
};

// the part of a learner: settings, batches, shapes
class AgentPart : public LossPart {
 public:
  Schedule schedule() const override;

 protected:
  explicit AgentPart(const PartContext& c);  // Error for images

  GoalBatch draw(const Split& split, Rng rng, double value_gamma);
  int64_t state_size() const { return static_cast<int64_t>(context_.data.train->state_size()); }
  int64_t action_size() const { return static_cast<int64_t>(context_.bundle.action_size()); }
  NetworkShape value_shape(int64_t inputs, int64_t outputs = 1) const;
  NetworkShape actor_shape(int64_t inputs, int64_t outputs) const;
  Compute exact() const;  // in fp32
  void leave_twins(const std::string& name, const Twins& twins, const std::string& meaning);

  const AgentSettings settings_;
};

std::vector<NamedTensor> joined(std::initializer_list<std::vector<NamedTensor>> lists);

// mean of w diff^2, where w = expectile if advantage >= 0 and 1 - expectile otherwise
at::Tensor expectile_loss(const at::Tensor& advantage, const at::Tensor& diff, double expectile);

// what values of states should be, by what followed them in the data and by a slow copy of the values
struct ValueTarget {
  at::Tensor advantage;  // of what followed over what the state was thought to be worth: decides which side counts
  at::Tensor one, two;   // for each of two values
};

// values (n) of a slow copy: of the next state and of the state itself. reward + go_on * value is what follows.
ValueTarget value_target(const at::Tensor& reward, const at::Tensor& go_on, const at::Tensor& next_one,
                         const at::Tensor& next_two, const at::Tensor& here_one, const at::Tensor& here_two);

// expectile losses of both values (n), summed (GCIVL)
at::Tensor value_loss(const ValueTarget& target, const at::Tensor& one, const at::Tensor& two, double expectile);

// -log likelihood of what was done under a Gaussian of deviation 1 around what is wished, without its constant: (n)
at::Tensor half_square(const at::Tensor& wishes, const at::Tensor& done);

// advantage-weighted regression (Peng et al. 2019): mean of min(exp(temperature advantage), 100) half_square
at::Tensor awr_loss(const at::Tensor& wishes, const at::Tensor& done, const at::Tensor& advantage, double temperature);

// DDPG+BC (Fujimoto and Gu 2021): -mean q / mean |q| + weight mean half_square, where q is that of the wishes
at::Tensor ddpg_bc_loss(const at::Tensor& q, const at::Tensor& wishes, const at::Tensor& done, double weight);

}  // namespace alps
