// bench_plan_libtorch fp32|bf16 SAMPLES HORIZON ITERATIONS THREADS DECISIONS: the same decisions as bench_plan in plain
// LibTorch, operation by operation, as the reference that our own kernels are measured against. Prints one JSON object.
#include <torch/torch.h>

#include <chrono>
#include <cstdio>

namespace {

constexpr int64_t kState = 29, kAction = 8, kEigenvectors = 32;

struct Network {
  std::vector<torch::Tensor> weights, biases;
  torch::Tensor gain, shift;  // of the layer norm after the first layer, or none

  Network(std::vector<int64_t> sizes, bool norm, torch::Dtype dtype) {
    for (size_t i = 0; i + 1 < sizes.size(); ++i) {
      weights.push_back((torch::randn({sizes[i + 1], sizes[i]}) / std::sqrt(sizes[i])).to(dtype));
      biases.push_back(torch::zeros({sizes[i + 1]}, dtype));
    }
    if (norm) gain = torch::ones({sizes[1]}, dtype), shift = torch::zeros({sizes[1]}, dtype);
  }

  torch::Tensor forward(torch::Tensor x) const {
    for (size_t i = 0; i < weights.size(); ++i) {
      x = torch::linear(x, weights[i], biases[i]);
      if (i + 1 == weights.size()) break;
      x = i == 0 && gain.defined() ? torch::layer_norm(x, {x.size(1)}, gain, shift).tanh() : x.relu();
    }
    return x;
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) return 2;
  const torch::Dtype dtype = std::string(argv[1]) == "bf16" ? torch::kBFloat16 : torch::kFloat32;
  const int samples = std::atoi(argv[2]), horizon = std::atoi(argv[3]), iterations = std::atoi(argv[4]);
  torch::set_num_threads(std::atoi(argv[5]));
  torch::manual_seed(0);
  const torch::InferenceMode inference;
  const Network model({kState + kAction, 512, 512, 512, kState}, false, dtype);
  const Network psi({kState, 256, 256, 256, kEigenvectors}, true, dtype);
  const torch::Tensor state = torch::randn({1, kState}), goal = torch::randn({kEigenvectors});

  const auto decide = [&] {
    torch::Tensor mean = torch::zeros({horizon, kAction}), deviation = torch::full({horizon, kAction}, 0.5);
    for (int i = 0; i < iterations; ++i) {
      const torch::Tensor white = torch::randn({samples, horizon, kAction}), noise = torch::empty_like(white);
      noise.select(1, 0).copy_(white.select(1, 0));
      for (int t = 1; t < horizon; ++t)
        noise.select(1, t).copy_(0.9 * noise.select(1, t - 1) + std::sqrt(1 - 0.81) * white.select(1, t));
      const torch::Tensor actions = (mean + deviation * noise).clamp(-1, 1);
      torch::Tensor s = state.expand({samples, kState}), costs = torch::zeros({samples});
      for (int t = 0; t < horizon; ++t) {
        const torch::Tensor a = actions.select(1, t);
        s = s + 0.1 * model.forward(torch::cat({s, a}, 1).to(dtype)).to(torch::kFloat32);
        costs =
            costs + (psi.forward(s.to(dtype)).to(torch::kFloat32) - goal).square().sum(1) + 0.01 * a.square().sum(1);
      }
      const torch::Tensor elites =
          actions.index_select(0, std::get<1>(costs.topk(static_cast<int64_t>(0.15 * samples), 0, false)));
      mean = 0.3 * mean + 0.7 * elites.mean(0);
      deviation = elites.std(0, false).clamp_min(0.025);
    }
    return mean;
  };

  using Clock = std::chrono::steady_clock;
  decide();  // pages and threads warm up
  double least = 1e9;
  for (int i = 0; i < std::atoi(argv[6]); ++i) {
    const auto start = Clock::now();
    decide();
    least = std::min(least, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::printf("{\"least_ms\": %.3f, \"version\": \"%s\"}\n", least, TORCH_VERSION);
}
