#include "alps/world/arm_ik.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "alps/base/error.h"

namespace alps {
namespace {

constexpr int kN = ArmIk::kJoints;
constexpr int kIterations = 20;
constexpr double kDamping = 1e-12, kClose = 1e-4, kMostTurn = std::numbers::pi / 4;

using Vector = std::array<double, kN>;
using Matrix = std::array<Vector, kN>;

// A x = b by elimination with row pivots; A and b are used up
Vector solve_linear(Matrix& a, Vector& b) {
  for (int k = 0; k < kN; ++k) {
    int pivot = k;
    for (int i = k + 1; i < kN; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (int i = k + 1; i < kN; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (int j = k + 1; j < kN; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  Vector x{};
  for (int i = kN - 1; i >= 0; --i) {
    double rest = b[i];
    for (int j = i + 1; j < kN; ++j) rest -= a[i][j] * x[j];
    x[i] = rest / a[i][i];
  }
  return x;
}

double norm(const double* v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

}  // namespace

ArmIk::ArmIk(ModelPtr bare)
    : model_(std::move(bare)),
      data_(make_data(model_)),
      flange_(mj_name2id(model_.get(), mjOBJ_SITE, "attachment_site")) {
  ALPS_CHECK(model_->nv == kN && model_->nq == kN && flange_ >= 0);
}

std::span<const double, ArmIk::kJoints> ArmIk::solve(const Pose& flange, std::span<const double> joints) {
  ALPS_CHECK(joints.size() == kN);
  mjData& data = *data_;
  std::ranges::copy(joints, data.qpos);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    mj_kinematics(model_.get(), &data);
    mj_comPos(model_.get(), &data);

    // how far from the pose: three numbers of position, three of rotation
    Vector error{};
    mju_sub3(error.data(), flange.position.data(), data.site_xpos + 3 * flange_);
    Quat now, missing;
    mju_mat2Quat(now.data(), data.site_xmat + 9 * flange_);
    mju_negQuat(now.data(), now.data());
    mju_mulQuat(missing.data(), flange.rotation.data(), now.data());
    mju_quat2Vel(error.data() + 3, missing.data(), 1);
    if (norm(error.data()) <= kClose && norm(error.data() + 3) <= kClose) break;

    // a damped least-squares step, cut short where it would turn a joint too far
    Matrix jacobian{};
    mj_jacSite(model_.get(), &data, jacobian[0].data(), jacobian[3].data(), flange_);
    Matrix square{};
    for (int i = 0; i < kN; ++i)
      for (int j = 0; j < kN; ++j) {
        for (int k = 0; k < kN; ++k) square[i][j] += jacobian[i][k] * jacobian[j][k];
        if (i == j) square[i][j] += kDamping;
      }
    const Vector weights = solve_linear(square, error);
    Vector turn{};
    double most = 0;
    for (int k = 0; k < kN; ++k) {
      for (int i = 0; i < kN; ++i) turn[k] += jacobian[i][k] * weights[i];
      most = std::max(most, std::abs(turn[k]));
    }
    const double scale = most > kMostTurn ? kMostTurn / most : 1;
    for (int k = 0; k < kN; ++k) data.qpos[k] += scale * turn[k];
  }
  return std::span<const double, kJoints>(data.qpos, kN);
}

}  // namespace alps
