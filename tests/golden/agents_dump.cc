// Dumps weights, a batch, losses, gradients and one step of the baselines of OGBench to a safetensors file;
// test_agents.py recomputes them in PyTorch. Usage: agents_dump OUT
#include "alps/base/safetensors.h"
#include "alps/learn/adam.h"
#include "alps/learn/crl.h"
#include "alps/learn/distance.h"
#include "alps/learn/gas.h"
#include "alps/learn/gciql.h"
#include "alps/learn/gcivl.h"
#include "alps/learn/hilp.h"
#include "alps/learn/hiql.h"
#include "alps/learn/iqe.h"
#include "alps/learn/qrl.h"
#include "alps/learn/saw.h"

using namespace alps;

namespace {

constexpr int64_t kBatch = 24, kState = 7, kAction = 3, kGoal = 10, kLatent = 32;

struct Dump {
  Tensors file;
  Rng rng{7};

  at::Tensor random(at::IntArrayRef shape) {
    std::vector<float> values(c10::multiply_integers(shape));
    for (float& value : values) value = static_cast<float>(rng.normal());
    return to_tensor(values, shape, at::kCPU);
  }
  at::Tensor named(const std::string& name, const at::Tensor& tensor) {
    file.arrays[name] = Array::of<float>({tensor.sizes().begin(), tensor.sizes().end()}, to_floats(tensor));
    return tensor;
  }
  // GELU networks, also with biases and layer norms that are not 0 and 1; 37 and 45 units are no whole vectors
  Network network(const std::string& name, int64_t inputs, int64_t outputs, bool norm, uint64_t seed) {
    Network made({.inputs = static_cast<size_t>(inputs),
                  .outputs = static_cast<size_t>(outputs),
                  .layers = 4,
                  .width = norm ? 37 : 45,
                  .norm = norm,
                  .gelu = true},
                 Rng(seed), Compute{});
    const at::NoGradGuard no_grad;
    if (!norm) made.scale_outputs(at::full({outputs}, 10));  // some wishes lie beyond the limits
    for (const NamedTensor& p : made.parameters(name))
      if (p.value.dim() == 1) at::Tensor(p.value).add_(0.1 * random(p.value.sizes()));
    for (const NamedTensor& p : made.parameters(name)) this->named(p.name, p.value);
    return made;
  }
  Twins twins(const std::string& name, int64_t inputs, int64_t outputs, uint64_t seed) {
    return {network(name + "_one", inputs, outputs, true, seed),
            network(name + "_two", inputs, outputs, true, seed + 1)};
  }
  GoalBatch batch(const std::string& name) {
    at::Tensor reached = at::zeros({kBatch});
    reached.narrow(0, 0, kBatch / 4).fill_(1);
    const auto of = [&](const char* what, int64_t size) { return named(name + "." + what, random({kBatch, size})); };
    return {.states = of("states", kState),
            .next = of("next", kState),
            .actions = of("actions", kAction),
            .value_goals = of("value_goals", kState),
            .actor_goals = of("actor_goals", kState),
            .reached = named(name + ".reached", reached)};
  }
  // the loss and its terms, gradients of what is trained, and the weights after one step of Adam
  void put_training(const std::string& name, const Loss& loss, const std::vector<NamedTensor>& parameters) {
    for (const NamedTensor& p : parameters) named(p.name, p.value);
    Adam adam(parameters);
    adam.zero_grad();
    loss.total.backward();
    named(name + ".loss", loss.total);
    for (const auto& [term, value] : loss.terms) named(name + "." + term, value);
    for (const NamedTensor& p : parameters) named("grad." + p.name, p.value.grad());
    adam.step(1e-3);
    for (const NamedTensor& p : parameters) named("after." + p.name, p.value);
  }
};

void dump_gcivl(Dump& dump) {
  const GoalBatch batch = dump.batch("gcivl");
  GcivlNetworks networks{dump.twins("gcivl.value", 2 * kState, 1, 1), dump.twins("gcivl.target", 2 * kState, 1, 3),
                         dump.network("gcivl.actor", 2 * kState, kAction, false, 5)};
  dump.put_training("gcivl", gcivl_loss(networks, batch, 0.99, 0.9, 10),
                    joined({networks.value.parameters("gcivl.value"), networks.actor.parameters("gcivl.actor")}));
  networks.target.follow(networks.value, 0.005);
  for (const NamedTensor& p : networks.target.parameters("gcivl.target")) dump.named("followed." + p.name, p.value);

  // inference without torch
  const at::Tensor x = at::cat({batch.states, batch.value_goals}, 1);
  for (const bool norm : {true, false}) {
    const std::string name = norm ? "units.rescaled" : "units.plain";
    Array out(DType::kFloat32, {kBatch, 1});
    dump.network(name, 2 * kState, 1, norm, 6).to_mlp().forward(to_floats(x), out.as<float>());
    dump.file.arrays[name + "_nn"] = std::move(out);
  }
}

void dump_gciql(Dump& dump) {
  const GoalBatch batch = dump.batch("gciql");
  const GciqlNetworks networks{dump.network("gciql.value", 2 * kState, 1, true, 11),
                               dump.twins("gciql.critic", 2 * kState + kAction, 1, 12),
                               dump.twins("gciql.target", 2 * kState + kAction, 1, 14),
                               dump.network("gciql.actor", 2 * kState, kAction, false, 16)};
  dump.put_training("gciql", gciql_loss(networks, batch, 0.99, 0.9, 0.3),
                    joined({networks.value.parameters("gciql.value"), networks.critic.parameters("gciql.critic"),
                            networks.actor.parameters("gciql.actor")}));
}

void dump_crl(Dump& dump) {
  const GoalBatch batch = dump.batch("crl");
  const CrlNetworks networks{dump.twins("crl.phi", kState + kAction, kLatent, 21),
                             dump.twins("crl.psi", kState, kLatent, 23),
                             dump.network("crl.actor", 2 * kState, kAction, false, 25)};
  dump.put_training("crl", crl_loss(networks, batch, 0.1),
                    joined({networks.phi.parameters("crl.phi"), networks.psi.parameters("crl.psi"),
                            networks.actor.parameters("crl.actor")}));
}

void dump_qrl(Dump& dump) {
  const at::Tensor x = dump.named("iqe.x", dump.random({kBatch, kLatent})).clone().set_requires_grad(true),
                   y = dump.named("iqe.y", dump.random({kBatch, kLatent})).clone().set_requires_grad(true);
  const at::Tensor unions = interval_unions(x, y, kIqeGroup);
  dump.named("iqe.unions", unions);
  (unions * dump.named("iqe.weights", dump.random(unions.sizes()))).sum().backward();
  dump.named("iqe.x_gradient", x.grad());
  dump.named("iqe.y_gradient", y.grad());

  const GoalBatch batch = dump.batch("qrl");
  const auto scalar = [&](float value) { return at::full({1}, value).set_requires_grad(true); };
  const QrlNetworks networks{dump.network("qrl.phi", kState, kLatent, true, 31), scalar(0.3f),
                             dump.network("qrl.dynamics", kLatent + kAction, kLatent, true, 32), scalar(-0.4f),
                             dump.network("qrl.actor", 2 * kState, kAction, false, 33)};
  dump.put_training("qrl", qrl_loss(networks, batch, 0.05, 0.003),
                    joined({networks.phi.parameters("qrl.phi"),
                            networks.dynamics.parameters("qrl.dynamics"),
                            networks.actor.parameters("qrl.actor"),
                            {{"qrl.alpha", networks.alpha}, {"qrl.log_multiplier", networks.log_multiplier}}}));
}

HiqlBatch levels(Dump& dump, const std::string& name) {
  const GoalBatch b = dump.batch(name);
  const auto of = [&](const char* what) { return dump.named(str(name, ".", what), dump.random({kBatch, kState})); };
  return {b.states, b.next, b.actions, b.reached, b.value_goals, of("low_goals"), of("high_goals"), of("subgoals")};
}

void dump_hiql(Dump& dump) {
  const HiqlBatch batch = levels(dump, "hiql");
  const HiqlNetworks networks{
      dump.network("hiql.goal", 2 * kState, kGoal, true, 41), dump.twins("hiql.value", kState + kGoal, 1, 42),
      dump.twins("hiql.target", kState + kGoal, 1, 44), dump.network("hiql.high_actor", 2 * kState, kGoal, false, 46),
      dump.network("hiql.low_actor", kState + kGoal, kAction, false, 47)};
  dump.put_training(
      "hiql", hiql_loss(networks, batch, 0.99, 0.7, {}),
      joined({networks.phi.parameters("hiql.goal"), networks.value.parameters("hiql.value"),
              networks.high_actor.parameters("hiql.high_actor"), networks.low_actor.parameters("hiql.low_actor")}));
}

void dump_saw(Dump& dump) {
  const HiqlBatch batch = levels(dump, "saw");
  const SawNetworks networks{dump.network("saw.goal", 2 * kState, kGoal, true, 51),
                             dump.twins("saw.value", kState + kGoal, 1, 52),
                             dump.twins("saw.target", kState + kGoal, 1, 54),
                             dump.network("saw.actor_goal", 2 * kState, kGoal, true, 56),
                             dump.network("saw.actor", kState + kGoal, kAction, false, 57),
                             dump.network("saw.low_actor", 2 * kState, kAction, false, 58)};
  dump.put_training("saw", saw_loss(networks, batch, 0.99, 0.7, {.low_awr = 3, .awr = 2, .way_awr = 4}),
                    joined({networks.phi.parameters("saw.goal"), networks.value.parameters("saw.value"),
                            networks.actor_goal.parameters("saw.actor_goal"), networks.actor.parameters("saw.actor"),
                            networks.low_actor.parameters("saw.low_actor")}));
}

void dump_distance(Dump& dump) {
  GoalBatch batch = dump.batch("distance");
  // a goal that is the state itself: the distance is at its floor
  batch.value_goals.narrow(0, 0, 2).copy_(batch.states.narrow(0, 0, 2));
  dump.named("distance.value_goals", batch.value_goals);
  const DistanceNetworks networks{dump.twins("distance.phi", kState, kLatent, 61),
                                  dump.twins("distance.target", kState, kLatent, 63)};
  dump.put_training("distance", distance_loss(networks, batch, 0.99, 0.95), networks.phi.parameters("distance.phi"));
}

// gas and hilp
void dump_directions(Dump& dump, const std::string& name, uint64_t seed) {
  const GoalBatch b = dump.batch(name);
  const auto latent = [&](const char* what) { return dump.named(name + "." + what, dump.random({kBatch, kLatent})); };
  const DirectionBatch batch{.states = b.states,
                             .next = b.next,
                             .actions = b.actions,
                             .here = latent("here"),
                             .there = latent("there"),
                             .directions = unit_length(latent("any")),
                             .actor_directions = unit_length(latent("way"))};
  const GciqlNetworks networks{dump.network(name + ".value", kState + kLatent, 1, true, seed),
                               dump.twins(name + ".critic", kState + kLatent + kAction, 1, seed + 1),
                               dump.twins(name + ".target", kState + kLatent + kAction, 1, seed + 3),
                               dump.network(name + ".actor", kState + kLatent, kAction, false, seed + 5)};
  dump.put_training(
      name, name == "gas" ? gas_loss(networks, batch, 0.99, 0.7, 0.5) : hilp_loss(networks, batch, 0.99, 0.9, 10),
      joined({networks.value.parameters(name + ".value"), networks.critic.parameters(name + ".critic"),
              networks.actor.parameters(name + ".actor")}));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Dump dump;
  dump_gcivl(dump);
  dump_gciql(dump);
  dump_crl(dump);
  dump_qrl(dump);
  dump_hiql(dump);
  dump_saw(dump);
  dump_distance(dump);
  dump_directions(dump, "gas", 71);
  dump_directions(dump, "hilp", 81);
  write_safetensors(argv[1], dump.file);
  return 0;
}
