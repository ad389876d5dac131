// Rotations as unit quaternions (w, x, y, z) and poses (a rotation, then a shift), with the exponential map for
// interpolation between them. What the arm's control and the scripted plans reckon in. The order of the sums follows
// OGBench's, so that targets agree to the last bits.
#pragma once

#include <array>

namespace alps {

using Vec3 = std::array<double, 3>;
using Quat = std::array<double, 4>;
using Mat3 = std::array<double, 9>;  // rows

inline constexpr Quat kNoRotation{1, 0, 0, 0};

Quat multiply(const Quat& a, const Quat& b);
inline Quat inverse(const Quat& q) { return {q[0], -q[1], -q[2], -q[3]}; }
Vec3 rotate(const Quat& q, const Vec3& v);
Quat rotation_of(const double* matrix);  // of a rotation matrix, nine numbers by rows
Quat exponential(const Vec3& tangent);   // the rotation by |tangent| about it
Vec3 logarithm(const Quat& q);
inline Quat rotation_z(double angle) { return exponential({0, 0, angle}); }
double yaw_of(const Quat& q);  // of roll, pitch and yaw, in (-pi, pi]

struct Pose {
  Quat rotation = kNoRotation;
  Vec3 position{};
};

Pose compose(const Pose& a, const Pose& b);  // b in the frame of a
Pose inverse(const Pose& a);
// the rotation part of the way from a to b: all of it at 1
Quat between(const Quat& a, const Quat& b, double part);

inline Vec3 sum(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec3 difference(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double length(const Vec3& v);

}  // namespace alps
