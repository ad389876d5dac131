// Where features vary in too few directions, the error names the setting that asked for more of them.
#include "alps/learn/rayleigh_ritz.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "alps/base/error.h"
#include "alps/learn/representation.h"

namespace alps {
namespace {

std::string error_for(const char* setting) {
  // three features, of which two vary
  const at::Tensor b = at::diag(at::tensor({1.0, 0.5, 0.0}, at::kDouble));
  try {
    solve_ritz(0.1 * b, b, at::zeros({3}, at::kDouble), 3, 1e-7, setting);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(RayleighRitz, TooFewDirectionsNameTheSetting) {
  const std::string images = error_for("latent");
  EXPECT_NE(images.find("span only 2 directions, fewer than latent=3"), std::string::npos) << images;
  EXPECT_NE(images.find("set latent=2"), std::string::npos) << images;
  EXPECT_EQ(images.find("eigenvectors"), std::string::npos) << images;
  const at::Tensor b = at::eye(3, at::kDouble);
  EXPECT_EQ(solve_ritz(0.1 * b, b, at::zeros({3}, at::kDouble), 3).rank, 3);
}

// a world of few columns has fewer functions than were asked for, and is no error
TEST(RayleighRitz, AsManyFunctionsAsVary) {
  const at::Tensor b = at::diag(at::tensor({1.0, 0.5, 0.0}, at::kDouble));
  const RitzResult two = solve_ritz(0.1 * b, b, at::zeros({3}, at::kDouble), 3, 1e-7, nullptr);
  EXPECT_EQ(two.rank, 2);
  EXPECT_EQ(two.eigenvalues.size(), 2u);
  EXPECT_EQ(two.weight.sizes(), at::IntArrayRef({2, 3}));
  EXPECT_THROW(solve_ritz(0 * b, 0 * b, at::zeros({3}, at::kDouble), 3, 1e-7, nullptr), Error);
}

// 1,000 transitions with gamma 0.5 show what has an eigenvalue of 0.002 or more
TEST(Eigenvalues, OfPartsThatNothingPassesBetweenDoNotScalePsi) {
  using Values = std::vector<float>;
  EXPECT_EQ(seen_eigenvalues({1e-7f, 1e-6f, 0.003f, 0.1f}, 1000, 0.5), (Values{0.003f, 0.003f, 0.003f, 0.1f}));
  EXPECT_EQ(seen_eigenvalues({0.002f, 0.003f}, 1000, 0.5), (Values{0.002f, 0.003f}));
  EXPECT_EQ(seen_eigenvalues({1e-7f, 0.0001f}, 1'000'000, 0.5), (Values{0.0001f, 0.0001f}));
  EXPECT_EQ(seen_eigenvalues({1e-7f, 1e-6f}, 10, 0.5), (Values{1e-7f, 1e-6f}));  // too few to tell
}

}  // namespace
}  // namespace alps
