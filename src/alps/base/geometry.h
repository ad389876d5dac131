// Plane geometry that environments and pictures share: a floor plan is the walls and marks of a world seen from above.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace alps {

struct Point2 {
  double x = 0, y = 0;
  friend Point2 operator+(Point2 a, Point2 b) { return {a.x + b.x, a.y + b.y}; }
  friend Point2 operator-(Point2 a, Point2 b) { return {a.x - b.x, a.y - b.y}; }
  friend Point2 operator*(double s, Point2 a) { return {s * a.x, s * a.y}; }
  friend bool operator==(Point2 a, Point2 b) = default;
};

inline double distance(Point2 a, Point2 b) { return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)); }

// A step of a path is a leap, as teleports make them, where x or y changes by more than ordinary motion ever changes
// it. data/jumps.h measures that limit.
inline constexpr Point2 kNoLeaps = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
inline bool is_leap(Point2 from, Point2 to, Point2 limit) {
  return std::abs(to.x - from.x) > limit.x || std::abs(to.y - from.y) > limit.y;
}

struct Rect {
  Point2 low, high;
};

struct Floorplan {
  Rect bounds;
  std::vector<Rect> walls;
  struct Mark {
    Point2 center;
    double radius;
    std::string kind;  // "teleport_in", "teleport_out"
  };
  std::vector<Mark> marks;
  Point2 leap = kNoLeaps;  // steps of a path beyond it are drawn as leaps; whoever has data measures it
};

}  // namespace alps
