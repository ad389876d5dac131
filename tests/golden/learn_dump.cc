// Dumps weights, a batch, losses and gradients of the objectives to a safetensors file; test_learn.py recomputes
// them in PyTorch. Usage: learn_dump OUT [images]
#include <algorithm>
#include <cstdio>

#include "alps/base/safetensors.h"
#include "alps/learn/adam.h"
#include "alps/learn/allo.h"
#include "alps/learn/forward_model.h"
#include "alps/learn/gcbc.h"
#include "alps/learn/logdet.h"
#include "alps/learn/pclast.h"
#include "alps/learn/prior.h"
#include "alps/learn/rayleigh_ritz.h"
#include "alps/learn/trunk_network.h"

using namespace alps;

namespace {

constexpr int64_t kBatch = 24, kState = 7, kAction = 3, kHorizon = 5, kEigen = 6;

struct Dump {
  Tensors file;
  Rng rng{7};

  at::Tensor random(at::IntArrayRef shape) {
    std::vector<float> values(c10::multiply_integers(shape));
    for (float& value : values) value = static_cast<float>(rng.normal());
    return to_tensor(values, shape, at::kCPU);
  }
  void put(const std::string& name, const at::Tensor& tensor) {
    file.arrays[name] = Array::of<float>({tensor.sizes().begin(), tensor.sizes().end()}, to_floats(tensor));
  }
  // weights before, gradients, and the weights after one step of Adam
  void put_training(const std::string& loss_name, const at::Tensor& loss, const std::vector<NamedTensor>& parameters) {
    for (const NamedTensor& p : parameters) put(p.name, p.value);
    Adam adam(parameters);
    adam.zero_grad();
    loss.backward();
    put(loss_name, loss);
    for (const NamedTensor& p : parameters) put("grad." + p.name, p.value.grad());
    adam.step(1e-3);
    for (const NamedTensor& p : parameters) put("after." + p.name, p.value);
  }
};

void dump_allo(Dump& dump) {
  const Network encoder({kState, kEigen, 4, 32, true}, Rng(1), Compute{});
  const at::Tensor x = dump.random({4 * kBatch, kState});
  at::Tensor duals = dump.random({kEigen + 1, kEigen + 1}).tril();
  dump.put("allo.x", x);
  dump.put("allo.duals", duals);
  const at::Tensor u = encoder.forward(x);
  dump.put("allo.u", u);
  const AlloLoss loss = allo_loss(u, u.size(0) / 4, duals, 0.5);
  dump.put_training("allo.loss", loss.total, encoder.parameters("encoder"));
  dump.put("allo.graph", loss.graph);
  dump.put("allo.dual", loss.dual);
  dump.put("allo.barrier", loss.barrier);
  // the same by torch's autograd, as other devices compute it, with rows in another order
  std::vector<int64_t> places(u.size(0));
  for (int64_t i = 0; i < u.size(0); ++i) places[i] = (i + 5) % u.size(0);
  for (const int64_t n : {u.size(0) / 4, u.size(0) / 3}) {
    const std::string name = "allo.path" + std::to_string(u.size(0) / n);
    for (const bool known : {true, false}) {
      const at::Tensor leaf = u.detach().clone().set_requires_grad(true);
      const AlloLoss by =
          known ? allo_loss(leaf, n, duals, 0.5, places) : allo_loss_by_autograd(leaf, n, duals, 0.5, places);
      by.total.backward();
      dump.put(name + (known ? ".known" : ".autograd"), leaf.grad());
      dump.put(name + (known ? ".known_loss" : ".autograd_loss"), by.total);
    }
  }
  update_duals(duals, loss.error, 0.1, -0.9, 0.9);
  dump.put("allo.duals_after", duals);
}

void dump_logdet(Dump& dump) {
  const Network encoder({kState, kEigen, 4, 32, true}, Rng(7), Compute{});
  const at::Tensor states = dump.random({2 * kBatch, kState});
  dump.put("logdet.states", states);
  dump.put_training("logdet.loss", logdet_loss(encoder.forward(states)), encoder.parameters("span"));
}

void dump_model(Dump& dump) {
  const Network model({kState + kAction, kState, 4, 48}, Rng(2), Compute{});
  const ChangeScale scale{dump.random({kState}), dump.random({kState}).abs() + 0.1, dump.random({kState}).abs() + 0.1};
  const at::Tensor states = dump.random({kHorizon + 1, kBatch, kState}),
                   actions = dump.random({kHorizon, kBatch, kAction});
  dump.put("model.states", states);
  dump.put("model.actions", actions);
  dump.put("model.mean", scale.mean);
  dump.put("model.deviation", scale.deviation);
  dump.put("model.unit", scale.unit);
  dump.put_training("model.loss", multi_step_loss(model, scale, states, actions), model.parameters("dynamics"));
}

void dump_prior(Dump& dump) {
  const Network psi({kState, kEigen, 4, 32, true}, Rng(3), Compute{});
  const Network prior({kState + 2 * kEigen, kAction, 4, 48}, Rng(4), Compute{});
  const at::Tensor states = dump.random({kBatch, kState}), goals = dump.random({kBatch, kState}),
                   actions = dump.random({kBatch, kAction});
  dump.put("prior.states", states);
  dump.put("prior.goals", goals);
  dump.put("prior.actions", actions);
  for (const NamedTensor& p : psi.parameters("psi")) dump.put(p.name, p.value);
  const at::Tensor wishes = prior_wishes(prior, states, psi.forward(states), psi.forward(goals));
  dump.put_training("prior.loss", square_loss(wishes, actions), prior.parameters("policy"));

  // actions that were clipped
  const Network wish({kState, kAction, 4, 48}, Rng(5), Compute{});
  constexpr double kLimit = 0.8;
  const at::Tensor log_sigma = dump.random({kAction}).set_requires_grad(true);
  const at::Tensor clipped = actions.clamp(-kLimit, kLimit);
  dump.put("censored.actions", clipped);
  std::vector<NamedTensor> trained = wish.parameters("wish");
  trained.push_back({"wish.log_sigma", log_sigma});
  dump.put_training("censored.loss", censored_loss(wish.forward(states), clipped, log_sigma, kLimit), trained);

  // inference without torch on the same networks
  const Mlp mlp = psi.to_mlp();
  Array out(DType::kFloat32, {kBatch, kEigen});
  mlp.forward(to_floats(states), out.as<float>());
  dump.file.arrays["prior.psi_nn"] = std::move(out);
}

void dump_trunk(Dump& dump) {
  const Shape image = {64, 52, 3};
  const TrunkNetwork trunk(image, {.latent = 10}, Rng(5), at::kCPU);
  const Network encoder({10, kEigen, 4, 32, true}, Rng(6), Compute{});
  Array pixels(DType::kUInt8, {8, 64, 52, 3});
  for (uint8_t& value : pixels.as<uint8_t>()) value = static_cast<uint8_t>(dump.rng.below(256));
  const at::Tensor x = at::from_blob(pixels.as<uint8_t>().data(), {8, 64, 52, 3}, at::kByte);
  std::vector<NamedTensor> parameters = trunk.parameters("trunk");
  for (const NamedTensor& p : encoder.parameters("head")) parameters.push_back(p);
  Array latent(DType::kFloat32, {8, 10});
  trunk.to_trunk().forward(pixels.as<uint8_t>(), latent.as<float>());
  dump.file.arrays["trunk.latent_nn"] = std::move(latent);
  const at::Tensor duals = start_duals(kEigen, -1.0, at::kCPU);
  dump.put_training("trunk.loss", allo_loss(encoder.forward(trunk.forward(x)), 2, duals, 0.5).total, parameters);
  dump.file.arrays["trunk.pixels"] = std::move(pixels);
}

// the same weights on images that are mostly black: features by boxes and by ordinary convolutions, and gradients
void dump_dots(Dump& dump) {
  const Shape image = {60, 52, 2};
  const TrunkNetwork trunk(image, {.latent = 10}, Rng(8), at::kCPU);
  Array pixels(DType::kUInt8, {7, 60, 52, 2});
  std::ranges::fill(pixels.as<uint8_t>(), uint8_t{0});
  // dots in the middle, at the edges and in the last pixel, which no patch sees; the last image stays black
  const int at[6][2] = {{30, 20}, {0, 0}, {59, 51}, {5, 51}, {58, 3}, {17, 33}};
  for (int i = 0; i < 6; ++i)
    for (int y = std::max(0, at[i][0] - 2); y <= std::min(59, at[i][0] + 2); ++y)
      for (int x = std::max(0, at[i][1] - 3); x <= std::min(51, at[i][1] + 3); ++x)
        for (int c = 0; c < 2; ++c)
          pixels.as<uint8_t>()[((i * 60 + y) * 52 + x) * 2 + c] = static_cast<uint8_t>(dump.rng.below(256));
  const at::Tensor x = at::from_blob(pixels.as<uint8_t>().data(), {7, 60, 52, 2}, at::kByte);
  dump.put("dots.sparse", trunk.features_sparse(x));
  dump.put("dots.dense", trunk.features_dense(x));
  const at::Tensor latent = trunk.forward(x);  // goes by boxes, for the images are mostly black
  dump.put_training("dots.loss", latent.square().sum(), trunk.parameters("dots"));
  const TrunkNetwork tents(image, {.trunk_start = "tents", .latent = 10}, Rng(8), at::kCPU);
  dump.put("tents.sparse", tents.features_sparse(x));
  dump.put("tents.dense", tents.features_dense(x));
  // other sizes: more layers, a stride beyond the kernel, free kernels from the first layer on
  const TrunkNetwork other(image,
                           {.trunk_channels = "6,5,4,7",
                            .trunk_kernels = "5,2,3,2",
                            .trunk_strides = "3,3,1,2",
                            .trunk_first = "free",
                            .latent = 10},
                           Rng(9), at::kCPU);
  dump.put("other.sparse", other.features_sparse(x));
  dump.put("other.dense", other.features_dense(x));
  Array latents(DType::kFloat32, {7, 10});
  other.to_trunk().forward(pixels.as<uint8_t>(), latents.as<float>());
  dump.file.arrays["other.latent_nn"] = std::move(latents);
  dump.put("other.latent", other.forward(x));
  dump.file.arrays["dots.pixels"] = std::move(pixels);
}

void dump_pclast(Dump& dump) {
  const Network map({kState, kEigen, 4, 32, true}, Rng(9), Compute{});
  const Network inverse({2 * kState + 1, kAction, 4, 48}, Rng(10), Compute{});
  const at::Tensor xi = dump.random({3 * kBatch, kState}), apart = dump.random({kBatch, 1}).abs(),
                   actions = dump.random({kBatch, kAction});
  dump.put("pclast.xi", xi);
  dump.put("pclast.apart", apart);
  dump.put("pclast.actions", actions);
  const auto part = xi.chunk(3);
  dump.put_training("inverse.loss", inverse_loss(inverse, part[0], part[1], apart, actions),
                    inverse.parameters("inverse"));
  const at::Tensor alpha = at::full({1}, 0.3).set_requires_grad(true),
                   beta = at::full({1}, -0.4).set_requires_grad(true);
  std::vector<NamedTensor> parameters = map.parameters("map");
  parameters.push_back({"contrast.alpha", alpha});
  parameters.push_back({"contrast.beta", beta});
  const auto mapped = map.forward(xi).chunk(3);
  dump.put_training("contrast.loss", contrastive_loss(mapped[0], mapped[1], mapped[2], alpha, beta), parameters);
}

void dump_gcbc(Dump& dump) {
  const Network actor({2 * kState, kAction, 4, 48}, Rng(11), Compute{});
  const at::Tensor states = dump.random({kBatch, kState}), goals = dump.random({kBatch, kState}),
                   actions = dump.random({kBatch, kAction});
  dump.put("gcbc.states", states);
  dump.put("gcbc.goals", goals);
  dump.put("gcbc.actions", actions);
  dump.put_training("gcbc.loss", gcbc_loss(actor, states, goals, actions), actor.parameters("actor"));
}

void dump_ritz(Dump& dump) {
  // a generalized eigenproblem with known answer: SciPy solves it in the test
  const at::Tensor f = dump.random({40, 9}).to(at::kDouble), g = dump.random({40, 9}).to(at::kDouble);
  const at::Tensor mean = f.mean(0), centred = f - mean;
  const at::Tensor b = at::mm(centred.t(), centred) / 40, a = at::mm(g.t(), g) / 40;
  const RitzResult ritz = solve_ritz(a, b, mean, 4);
  dump.put("ritz.a", a);
  dump.put("ritz.b", b);
  dump.put("ritz.mean", mean);
  dump.put("ritz.weight", ritz.weight);
  dump.put("ritz.bias", ritz.bias);
  dump.file.arrays["ritz.values"] = Array::of<float>({4}, ritz.eigenvalues);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: learn_dump OUT.safetensors\n");
    return 2;
  }
  Dump dump;
  dump_allo(dump);
  dump_logdet(dump);
  dump_model(dump);
  dump_prior(dump);
  dump_trunk(dump);
  dump_dots(dump);
  dump_pclast(dump);
  dump_gcbc(dump);
  dump_ritz(dump);
  write_safetensors(argv[1], dump.file);
  return 0;
}
