// GCIQL, goal-conditioned implicit Q-learning (Kostrikov et al. 2021): a value V(s, g) that is an expectile of Q(s, a,
// g) over the data's actions, and a Q that is -1 + discount V(s', g) until the goal is reached. The actor maximizes Q
// and stays near the data (DDPG+BC). Learners with other rewards and goals share its values (direction.h).
#pragma once

#include "alps/learn/agent.h"

namespace alps {

struct GciqlSettings {
  double bc_weight = 0.3;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("bc_weight", s.bc_weight, Range{0, 1000}, "how much staying near the data's actions counts for the actor");
  }
};

struct GciqlNetworks {
  Network value;  // (state, goal) -> V
  Twins critic;   // (state, goal, action) -> Q
  Twins target;   // its slow copy
  Network actor;  // (state, goal) -> action
};

// rows (n, ...); a step is worth reward (n) + go_on V(next, goal), where go_on is (n) or one number for all
struct CriticBatch {
  at::Tensor states, next, actions, value_goals, actor_goals, reward, go_on;
};

struct CriticLoss {
  at::Tensor value, critic;    // losses
  at::Tensor of_state, least;  // (n): V, and the lesser Q of what was done
};
CriticLoss critic_loss(const GciqlNetworks& networks, const CriticBatch& batch, double expectile);

// the values and an actor by DDPG+BC
Loss climbing_loss(const GciqlNetworks& networks, const CriticBatch& batch, double expectile, double bc_weight);

Loss gciql_loss(const GciqlNetworks& networks, const GoalBatch& batch, double discount, double expectile,
                double bc_weight);

// a part with these networks
class CriticPart : public AgentPart {
 public:
  void finish() override;

 protected:
  CriticPart(const PartContext& c, int64_t goal, std::string goal_words);  // goals are so many numbers

  const ExpectileSettings expectile_;
  GciqlNetworks networks_;

 private:
  GciqlNetworks start(const PartContext& c, int64_t goal) const;
  std::vector<NamedTensor> parameters() const override;
  std::vector<NamedTensor> more_state() const override { return networks_.target.parameters("target"); }
  void after_step(double) override { networks_.target.follow(networks_.critic, expectile_.tau); }

  const std::string goal_words_;  // "state of the goal"
};

PartKind gciql_part();

}  // namespace alps
