// Maze2D, the point mass of PcLast (Koul et al. 2024): a point in the unit square with thin walls, moved by (dx, dy).
// Positions keep two decimals, so the world is a grid of 100 x 100 points and a move is a segment between two of them:
//   target = clamp(round(position + clip(action, -0.2, 0.2), 2), 0, 0.99)
//   next   = target, or round(p, 2) for the point p nearest to the old position where the segment meets a wall
// All geometry is done in whole numbers (hundredths for positions, thousandths for walls), so that it is exact. Walls
// end 0.009 beside a grid point: a coordinate up to a wall's edge rounds to this side of it. Hence rounding neither
// puts the agent inside a wall nor takes it across one; tests/world/maze2d_test.cc tries every move there is. Seen
// either as the position or as a picture: one bright pixel under a Gaussian blur.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "alps/world/env.h"
#include "alps/world/image_view.h"
#include "alps/world/physics_view.h"
#include "alps/world/planar_view.h"

namespace alps {

// The immutable part: walls and which points they leave free.
class Maze2dLayout {
 public:
  static constexpr int kSize = 100;  // grid points along a side

  struct GridPoint {
    int x = 0, y = 0;  // hundredths, 0 .. 99
    friend bool operator==(GridPoint, GridPoint) = default;
  };
  struct Wall {
    GridPoint from, to;  // ends of an axis-parallel segment, from <= to, up to 100; thickened by 0.009 on all sides
  };

  static const Maze2dLayout& named(std::string_view name);  // "hallway", "rooms" or "spiral"
  explicit Maze2dLayout(std::vector<Wall> walls);

  bool free(GridPoint p) const;
  // the end of a move from a free point; touching a wall, even at a corner, stops it; there is no sliding
  GridPoint move(GridPoint from, GridPoint target) const;
  // the points that single steps reach from the first free one, and from which they lead back; ordered by x, then y
  const std::vector<GridPoint>& reachable() const { return reachable_; }
  std::vector<Rect> rectangles() const;

 private:
  struct Box {
    int low_x, low_y, high_x, high_y;  // thousandths
  };
  std::vector<Box> boxes_;
  std::vector<GridPoint> reachable_;
};

class Maze2d : public Env, public PlanarView, public PlacementView, public PhysicsView, public ImageView {
 public:
  static constexpr double kActionLimit = 0.2;
  static constexpr double kGoalTolerance = 0.03;
  static constexpr int kMaxEpisodeSteps = 30;

  Maze2d(std::string name, std::string_view layout, bool image, EnvOptions options);

  std::unique_ptr<Env> clone() const override { return std::make_unique<Maze2d>(*this); }
  const EnvSpec& spec() const override { return spec_; }
  // task 1: start and goal uniform over the reachable points, further apart than the tolerance
  void reset(int task, Rng rng) override;
  StepResult step(std::span<const double> action) override;
  Observation observation() const override { return shown_.observation(spec_.image); }
  Observation goal_observation() const override { return shown_goal_.observation(spec_.image); }
  // (x, y, goal x, goal y, observed goal x, observed goal y, steps of this episode)
  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;
  const PlanarView* planar() const override { return this; }
  PlacementView* placement() override { return this; }
  const PhysicsView* physics() const override { return this; }
  ImageView* images() override { return spec_.image ? this : nullptr; }
  void render(std::span<const float> place, std::span<uint8_t> pixels) override;

  Floorplan floorplan() const override;
  Point2 position() const override { return to_point(position_); }
  Point2 goal() const override { return to_point(goal_); }
  double goal_tolerance() const override { return kGoalTolerance; }
  std::span<const PlanarTask> tasks() const override { return {}; }
  // rounded to two decimals; throws Error when inside a wall or outside the grid
  void reset(Point2 start, Point2 goal, Rng rng) override;
  void set_goal(Point2 goal) override { goal_ = free_point(goal, "goal"); }

  // the position, and no velocity: data files of OGBench's layout have both
  std::span<const double> qpos() const override { return qpos_; }
  std::span<const double> qvel() const override { return qvel_; }

 private:
  using GridPoint = Maze2dLayout::GridPoint;

  // How one point is seen: its coordinates, or a picture (100, 100, 1) in C order. Only a window of 9 x 9 pixels is not
  // black, so a new picture wipes the old window and paints the new one.
  struct Seen {
    std::array<float, 2> place{};
    std::vector<uint8_t> pixels;  // empty without images
    GridPoint dot;
    void show(GridPoint p);
    Observation observation(bool image) const {
      return image ? Observation(pixels) : Observation(std::span<const float>(place));
    }
  };

  static Point2 to_point(GridPoint p) { return {p.x / 100.0, p.y / 100.0}; }
  GridPoint free_point(Point2 p, const char* what) const;
  void place(GridPoint position);
  void place_goal(GridPoint goal);
  static bool near(GridPoint a, GridPoint b);

  const Maze2dLayout* layout_;  // lives as long as the program
  EnvSpec spec_;
  bool terminate_at_goal_;

  GridPoint position_, goal_, observed_goal_;
  int steps_ = 0;
  std::array<double, 2> qpos_{}, qvel_{};
  Seen shown_, shown_goal_, painted_;
};

}  // namespace alps
