// alps embed: psi of observations, without torch.
#include <cmath>
#include <cstdio>
#include <memory>

#include "alps/base/npz.h"
#include "alps/base/progress.h"
#include "alps/nn/model.h"
#include "cli/verbs.h"

namespace alps::cli {
namespace {

// psi of NaN would be NaN, found much later by somebody else
template <class T>
void check_finite(const Array& observations) {
  const std::span<const T> values = observations.as<T>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    const size_t size = observations.shape().size() < 2 ? values.size() : observations.row_size();
    throw Error("the observations are NaN or Inf in row ", i / size, ", column ", i % size,
                "; leave out such rows, or mend what wrote them");
  }
}

void check_finite(const Array& observations) {
  if (observations.dtype() == DType::kFloat32) check_finite<float>(observations);
  if (observations.dtype() == DType::kFloat64) check_finite<double>(observations);
}

}  // namespace

void add_embed(CLI::App& app) {
  struct Args {
    std::string run, in, out;
    int threads = 0;
  };
  auto args = std::make_shared<Args>();
  CLI::App* embed_verb = app.add_subcommand(
      "embed",
      "psi, the scaled Laplacian representation, of observations; of baselines phi (qrl, hilp, gas) or psi (crl)");
  embed_verb->add_option("run", args->run, "run folder")->required()->type_name("RUN");
  embed_verb->add_option("--in", args->in, "observations (n, ...) as the data set has them")
      ->required()
      ->type_name("obs.npy");
  embed_verb->add_option("--out", args->out, "psi (n, eigenvectors) float32")->required()->type_name("psi.npy");
  embed_verb->add_option("--threads", args->threads, "threads; 0 (default): all cores")->check(CLI::Range(0, 1024));
  embed_verb->callback([args] {
    const Model model = embedding_model(load_bundle(args->run));
    const Array observations = read_npy(args->in);
    Array psi;
    try {
      check_finite(observations);
      psi = embed(model, observations, args->threads);
    } catch (const Error& e) {
      throw Error(args->in, ": ", e.what());
    }
    write_npy(args->out, psi);
    std::printf("%s: psi of %s observations, %zu numbers each\n", args->out.c_str(), with_commas(psi.rows()).c_str(),
                psi.row_size());
  });
}

}  // namespace alps::cli
