// Plane geometry that environments and pictures share: a floor plan is the walls and marks of a world seen from above.
#pragma once

#include <cmath>
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
};

}  // namespace alps
