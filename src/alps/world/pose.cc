#include "alps/world/pose.h"

#include <mujoco/mujoco.h>

#include <cmath>
#include <numbers>

namespace alps {
namespace {

constexpr double kTiny = 1e-10;  // of a squared angle, below which series take over

}  // namespace

double length(const Vec3& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

Quat multiply(const Quat& a, const Quat& b) {
  const auto& [w0, x0, y0, z0] = a;
  const auto& [w1, x1, y1, z1] = b;
  return {-x0 * x1 - y0 * y1 - z0 * z1 + w0 * w1, x0 * w1 + y0 * z1 - z0 * y1 + w0 * x1,
          -x0 * z1 + y0 * w1 + z0 * x1 + w0 * y1, x0 * y1 - y0 * x1 + z0 * w1 + w0 * z1};
}

Vec3 rotate(const Quat& q, const Vec3& v) {
  const Quat turned = multiply(multiply(q, {0, v[0], v[1], v[2]}), inverse(q));
  return {turned[1], turned[2], turned[3]};
}

Quat rotation_of(const double* matrix) {
  Quat q;
  mju_mat2Quat(q.data(), matrix);
  return q;
}

Quat exponential(const Vec3& tangent) {
  const double square = tangent[0] * tangent[0] + tangent[1] * tangent[1] + tangent[2] * tangent[2];
  double real = 1 - square / 8 + square * square / 384, imaginary = 0.5 - square / 48 + square * square / 3840;
  if (square >= kTiny) {
    const double angle = std::sqrt(square);
    real = std::cos(0.5 * angle);
    imaginary = std::sin(0.5 * angle) / angle;
  }
  return {real, imaginary * tangent[0], imaginary * tangent[1], imaginary * tangent[2]};
}

Vec3 logarithm(const Quat& q) {
  const double w = q[0], square = q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  double factor = 0;
  if (square < kTiny) {
    factor = 2 / w - 2.0 / 3.0 * square / (w * w * w);
  } else {
    const double norm = std::sqrt(square);
    const double half = std::atan2(w < 0 ? -norm : norm, std::abs(w));
    factor = std::abs(w) < kTiny ? (w > 0 ? 1 : -1) * std::numbers::pi / norm : 2 * half / norm;
  }
  return {factor * q[1], factor * q[2], factor * q[3]};
}

double yaw_of(const Quat& q) {
  return std::atan2(2 * (q[0] * q[3] + q[1] * q[2]), 1 - 2 * (q[2] * q[2] + q[3] * q[3]));
}

Pose compose(const Pose& a, const Pose& b) {
  return {multiply(a.rotation, b.rotation), sum(rotate(a.rotation, b.position), a.position)};
}

Pose inverse(const Pose& a) {
  const Quat back = inverse(a.rotation);
  const Vec3 shift = rotate(back, a.position);
  return {back, {-shift[0], -shift[1], -shift[2]}};
}

Quat between(const Quat& a, const Quat& b, double part) {
  const Vec3 way = logarithm(multiply(inverse(a), b));
  return multiply(a, exponential({part * way[0], part * way[1], part * way[2]}));
}

}  // namespace alps
