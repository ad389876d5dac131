// Maze2D: walls, corners, clamping, resets, pictures, state. The proof that no move enters or crosses a wall tries all
// of them: every free point, every target within reach, against a second geometry (separating axes and edge crossings).
#include "alps/world/maze2d.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "alps/base/error.h"
#include "alps/world/catalog.h"

namespace alps {
namespace {

using GridPoint = Maze2dLayout::GridPoint;

constexpr int kReach = 20;  // of one move along an axis, in hundredths
const std::vector<std::string> kLayouts = {"hallway", "rooms", "spiral"};

std::unique_ptr<Env> at(const std::string& layout, Point2 start, Point2 goal, bool image = false) {
  auto env = make_maze2d(layout, image, {});
  env->placement()->reset(start, goal, Rng(0));
  return env;
}

Point2 after(Env& env, double dx, double dy) {
  env.step(std::vector<double>{dx, dy});
  return env.planar()->position();
}

template <class F>
std::string error_of(F&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::vector<double> copy(std::span<const double> values) { return {values.begin(), values.end()}; }

std::vector<float> numbers(Observation seen) { return {seen.floats().begin(), seen.floats().end()}; }

// ---------------------------------------------------------------------------------------------------------------------
// the second geometry, in whole numbers; lengths are thousandths times a common scale

struct Vec {
  int64_t x, y;
};
struct WallBox {
  Vec low, high;
};

std::vector<WallBox> wall_boxes(const Maze2dLayout& layout) {
  std::vector<WallBox> boxes;
  for (const Rect& rect : layout.rectangles()) {
    boxes.push_back({{std::llround(1000 * rect.low.x), std::llround(1000 * rect.low.y)},
                     {std::llround(1000 * rect.high.x), std::llround(1000 * rect.high.y)}});
  }
  return boxes;
}

int64_t cross(Vec a, Vec b) { return a.x * b.y - a.y * b.x; }

// Separating axes: a segment and a box are apart exactly if they are so along x, along y or across the segment.
// `open` asks about the inside of the box only.
bool meets(Vec a, Vec b, WallBox box, bool open) {
  const int64_t margin = open ? 1 : 0;
  if (std::max(a.x, b.x) < box.low.x + margin || std::min(a.x, b.x) > box.high.x - margin) return false;
  if (std::max(a.y, b.y) < box.low.y + margin || std::min(a.y, b.y) > box.high.y - margin) return false;
  const Vec along{b.x - a.x, b.y - a.y};
  if (along.x == 0 && along.y == 0) return true;
  int64_t least = std::numeric_limits<int64_t>::max(), most = std::numeric_limits<int64_t>::min();
  for (const Vec corner : {box.low, Vec{box.low.x, box.high.y}, Vec{box.high.x, box.low.y}, box.high}) {
    const int64_t side = cross(along, {corner.x - a.x, corner.y - a.y});
    least = std::min(least, side);
    most = std::max(most, side);
  }
  return least <= -margin && most >= margin;
}

struct Part {
  int64_t numerator, denominator;  // denominator > 0
};

// The first point of the segment from a by step that lies on one of the box's four edges, each tried alone.
void earliest_crossing(Vec a, Vec step, WallBox box, std::optional<Part>& earliest) {
  const auto try_line = [&](int64_t offset, int64_t along, int64_t side_from, int64_t side_step, int64_t side_low,
                            int64_t side_high) {
    if (along == 0) return;
    const Part t = along > 0 ? Part{offset, along} : Part{-offset, -along};
    const int64_t side = side_from * t.denominator + side_step * t.numerator;
    if (t.numerator < 0 || t.numerator > t.denominator) return;
    if (side < side_low * t.denominator || side > side_high * t.denominator) return;
    if (!earliest || t.numerator * earliest->denominator < earliest->numerator * t.denominator) earliest = t;
  };
  for (const int64_t x : {box.low.x, box.high.x}) try_line(x - a.x, step.x, a.y, step.y, box.low.y, box.high.y);
  for (const int64_t y : {box.low.y, box.high.y}) try_line(y - a.y, step.y, a.x, step.x, box.low.x, box.high.x);
}

// Empty if the move is right, else what is wrong with it.
const char* fault_of(const Maze2dLayout& layout, std::span<const WallBox> boxes, GridPoint from, GridPoint target) {
  const GridPoint end = layout.move(from, target);
  const Vec a{10 * from.x, 10 * from.y}, b{10 * target.x, 10 * target.y}, step{b.x - a.x, b.y - a.y};
  std::optional<Part> hit;
  for (const WallBox& box : boxes) {
    if (meets(a, b, box, false)) earliest_crossing(a, step, box, hit);
  }
  if (!hit) return end == target ? nullptr : "stopped by nothing";

  // the end: on the grid, outside every wall, and half a hundredth from the first contact
  if (end.x < 0 || end.x > 99 || end.y < 0 || end.y > 99) return "outside the square";
  if (!layout.free(end)) return "inside a wall";
  const int64_t scale = hit->denominator;
  const Vec contact{a.x * scale + step.x * hit->numerator, a.y * scale + step.y * hit->numerator};
  const Vec stop{10 * end.x * scale, 10 * end.y * scale};
  if (std::abs(contact.x - stop.x) > 5 * scale || std::abs(contact.y - stop.y) > 5 * scale) return "wrong stop";

  // the way: up to the contact nothing is met, as no crossing is earlier; from there on rounding must not enter a wall
  for (const WallBox& box : boxes) {
    const WallBox scaled{{box.low.x * scale, box.low.y * scale}, {box.high.x * scale, box.high.y * scale}};
    if (meets(contact, stop, scaled, true)) return "rounded through a wall";
  }
  return nullptr;
}

template <class F>
void for_each_move(const Maze2dLayout& layout, const F& body) {
  for (int x = 0; x < 100; x++) {
    for (int y = 0; y < 100; y++) {
      if (!layout.free({x, y})) continue;
      for (int to_x = std::max(0, x - kReach); to_x <= std::min(99, x + kReach); to_x++) {
        for (int to_y = std::max(0, y - kReach); to_y <= std::min(99, y + kReach); to_y++) {
          body(GridPoint{x, y}, GridPoint{to_x, to_y});
        }
      }
    }
  }
}

class EveryMove : public testing::TestWithParam<std::string> {};

TEST_P(EveryMove, NeitherEntersNorCrossesAWall) {
  const Maze2dLayout& layout = Maze2dLayout::named(GetParam());
  const std::vector<WallBox> boxes = wall_boxes(layout);
  std::map<std::string, int> faults;
  int64_t moves = 0, stopped = 0;
  for_each_move(layout, [&](GridPoint from, GridPoint target) {
    moves++;
    stopped += layout.move(from, target) != target;
    if (const char* fault = fault_of(layout, boxes, from, target)) faults[fault]++;
  });
  for (const auto& [fault, count] : faults) ADD_FAILURE() << fault << ": " << count << " moves";
  EXPECT_GT(moves, 12'000'000);
  EXPECT_GT(stopped, moves / 20);
}

INSTANTIATE_TEST_SUITE_P(Maze2d, EveryMove, testing::ValuesIn(kLayouts), [](const auto& param) { return param.param; });

// a cross of walls cuts the square into four: whatever the move, the agent stays in its quarter
TEST(Maze2dLayout, NoMoveLeavesAClosedRoom) {
  const Maze2dLayout layout({{{50, 0}, {50, 100}}, {{0, 30}, {100, 30}}});
  EXPECT_EQ(layout.reachable().size(), 50u * 30u);
  int64_t escapes = 0;
  for_each_move(layout, [&](GridPoint from, GridPoint target) {
    const GridPoint end = layout.move(from, target);
    escapes += (from.x < 50) != (end.x < 50) || (from.y < 30) != (end.y < 30) || !layout.free(end);
  });
  EXPECT_EQ(escapes, 0);
}

TEST(Maze2dLayout, EveryFreePointIsReachable) {
  for (const std::string& name : kLayouts) {
    const Maze2dLayout& layout = Maze2dLayout::named(name);
    size_t free = 0;
    for (int i = 0; i < 10000; i++) free += layout.free({i / 100, i % 100});
    EXPECT_EQ(layout.reachable().size(), free) << name;
    EXPECT_GT(free, 9000u) << name;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// moves

TEST(Maze2d, SpecSaysWhatItIs) {
  const auto env = make_maze2d("rooms", false, {});
  EXPECT_EQ(env->spec().name, "maze2d-rooms-v0");
  EXPECT_EQ(env->spec().observation_shape, Shape{2});
  EXPECT_FALSE(env->spec().image);
  EXPECT_EQ(env->spec().action_size, 2);
  EXPECT_EQ(env->spec().action_limit, 0.2);
  EXPECT_EQ(env->planar()->goal_tolerance(), 0.03);
  EXPECT_EQ(env->spec().max_episode_steps, 30);
  EXPECT_EQ(env->spec().num_tasks, 1);
  EXPECT_TRUE(env->planar()->tasks().empty());
  EXPECT_EQ(maze_of(*env), nullptr);  // walls, but no cells
  EXPECT_EQ(env->body(), nullptr);    // a mere point
  const auto visual = make_maze2d("spiral", true, {});
  EXPECT_EQ(visual->spec().name, "visual-maze2d-spiral-v0");
  EXPECT_EQ(visual->spec().observation_shape, (Shape{100, 100, 1}));
  EXPECT_TRUE(visual->spec().image);
  EXPECT_THROW(make_maze2d("labyrinth", false, {}), UsageError);
  EXPECT_THROW(make_maze2d("rooms", false, {true, -1}), UsageError);
}

TEST(Maze2d, MovesFreelyAndRounds) {
  const auto env = at("hallway", {0.10, 0.10}, {0.90, 0.90});
  EXPECT_EQ(after(*env, 0.05, -0.02), (Point2{0.15, 0.08}));
  EXPECT_EQ(after(*env, 0.014, 0.016), (Point2{0.16, 0.10}));
  EXPECT_EQ(after(*env, 0.004, -0.004), (Point2{0.16, 0.10}));
  EXPECT_EQ(copy(env->physics()->qpos()), (std::vector<double>{0.16, 0.10}));
  EXPECT_EQ(copy(env->physics()->qvel()), (std::vector<double>{0.0, 0.0}));
  EXPECT_EQ(numbers(env->observation()), (std::vector<float>{0.16f, 0.10f}));
  EXPECT_EQ(numbers(env->goal_observation()), (std::vector<float>{0.90f, 0.90f}));
}

TEST(Maze2d, ClipsActionsAndClampsPositions) {
  const auto env = at("hallway", {0.10, 0.10}, {0.90, 0.90});
  EXPECT_EQ(after(*env, 5.0, 0.3), (Point2{0.30, 0.30}));
  EXPECT_EQ(after(*env, -std::numeric_limits<double>::infinity(), -0.2001), (Point2{0.10, 0.10}));
  EXPECT_EQ(after(*env, -0.2, -0.2), (Point2{0.00, 0.00}));
  env->placement()->reset({0.95, 0.95}, {0.1, 0.1}, Rng(0));
  EXPECT_EQ(after(*env, 0.2, 0.04), (Point2{0.99, 0.99}));
  // clamped first, then moved: the segment goes to (0.99, 0.99), not beyond
  env->placement()->reset({0.79, 0.89}, {0.1, 0.1}, Rng(0));
  EXPECT_EQ(after(*env, 0.2, 0.2), (Point2{0.99, 0.99}));
}

TEST(Maze2d, WallsStopFromBothSides) {
  const auto env = at("hallway", {0.40, 0.20}, {0.90, 0.90});
  EXPECT_EQ(after(*env, 0.2, 0.0), (Point2{0.49, 0.20}));
  EXPECT_EQ(after(*env, 0.2, 0.0), (Point2{0.49, 0.20}));
  env->placement()->reset({0.60, 0.20}, {0.9, 0.9}, Rng(0));
  EXPECT_EQ(after(*env, -0.2, 0.0), (Point2{0.51, 0.20}));
  env->placement()->reset({0.30, 0.30}, {0.9, 0.9}, Rng(0));
  EXPECT_EQ(after(*env, 0.0, 0.2), (Point2{0.30, 0.39}));
  env->placement()->reset({0.30, 0.50}, {0.9, 0.9}, Rng(0));
  EXPECT_EQ(after(*env, 0.0, -0.2), (Point2{0.30, 0.41}));
}

TEST(Maze2d, DoesNotSlideAlongAWall) {
  // meets x = 0.491 after 0.091 of 0.2, so at y = 0.1 + 0.091
  const auto env = at("hallway", {0.40, 0.10}, {0.90, 0.90});
  EXPECT_EQ(after(*env, 0.2, 0.2), (Point2{0.49, 0.19}));
  // at the wall, a move into it gains only what lies before the contact, 0.001 away: nothing, unless it is steep
  EXPECT_EQ(after(*env, 0.1, 0.1), (Point2{0.49, 0.19}));
  EXPECT_EQ(after(*env, 0.02, 0.2), (Point2{0.49, 0.20}));
  // along the wall nothing is in the way
  EXPECT_EQ(after(*env, 0.0, 0.15), (Point2{0.49, 0.35}));
}

TEST(Maze2d, TheNearestOfTwoWallsStops) {
  // from the left room of 'rooms' towards two walls in a row; and into the inner corner of 'hallway'
  const auto rooms = at("rooms", {0.24, 0.85}, {0.90, 0.90});
  EXPECT_EQ(after(*rooms, 0.2, 0.0), (Point2{0.44, 0.85}));
  EXPECT_EQ(after(*rooms, 0.2, 0.0), (Point2{0.49, 0.85}));
  const auto hallway = at("hallway", {0.45, 0.36}, {0.90, 0.90});
  EXPECT_EQ(after(*hallway, 0.2, 0.2), (Point2{0.48, 0.39}));
  EXPECT_EQ(after(*hallway, 0.2, 0.2), (Point2{0.48, 0.39}));
}

TEST(Maze2d, CornersStopButPassingBesideThemDoesNot) {
  // the lower end of the spiral's (0.60, 0.50) wall has its corner at (0.609, 0.491)
  const auto env = at("spiral", {0.62, 0.45}, {0.90, 0.90});
  EXPECT_EQ(after(*env, 0.0, 0.1), (Point2{0.62, 0.55}));
  // the corner (0.609, 0.491) lies exactly on the way from (0.60, 0.49) by (0.09, 0.01): touched, so stopped there
  env->placement()->reset({0.60, 0.49}, {0.9, 0.9}, Rng(0));
  EXPECT_EQ(after(*env, 0.09, 0.01), (Point2{0.61, 0.49}));
  // a flatter way passes below it, a steeper one meets the wall's lower edge
  env->placement()->reset({0.60, 0.49}, {0.9, 0.9}, Rng(0));
  EXPECT_EQ(after(*env, 0.10, 0.01), (Point2{0.70, 0.50}));
  env->placement()->reset({0.60, 0.49}, {0.9, 0.9}, Rng(0));
  EXPECT_EQ(after(*env, 0.08, 0.01), (Point2{0.61, 0.49}));
  env->placement()->reset({0.60, 0.49}, {0.9, 0.9}, Rng(0));
  EXPECT_EQ(after(*env, 0.02, 0.01), (Point2{0.60, 0.49}));
}

TEST(Maze2d, RefusesActionsThatAreNoNumbers) {
  const auto env = at("hallway", {0.10, 0.10}, {0.90, 0.90});
  const double nan = std::nan("");
  EXPECT_NE(error_of([&] { after(*env, nan, 0.0); }).find("not a number"), std::string::npos);
  EXPECT_NE(error_of([&] { after(*env, 0.0, nan); }).find("not a number"), std::string::npos);
  EXPECT_NE(error_of([&] { env->step(std::vector<double>{0.1}); }).find("2 numbers"), std::string::npos);
  EXPECT_EQ(env->planar()->position(), (Point2{0.10, 0.10}));
  EXPECT_EQ(env->state()[6], 0.0);
}

// ---------------------------------------------------------------------------------------------------------------------
// episodes

TEST(Maze2d, SucceedsWithinTheTolerance) {
  const auto env = at("hallway", {0.10, 0.10}, {0.16, 0.10});
  EXPECT_FALSE(env->step(std::vector<double>{0.02, 0.0}).success);  // 0.04 away
  const StepResult result = env->step(std::vector<double>{0.01, 0.0});
  EXPECT_TRUE(result.success);  // 0.03 away, exactly
  EXPECT_TRUE(result.terminated);
  EXPECT_FALSE(result.truncated);
  // every pair at exactly 0.03 counts, whatever the last bits of their difference
  for (int x = 0; x < 97; x++) {
    if (x == 47 || x == 50) continue;  // the wall
    env->placement()->reset({x / 100.0, 0.05}, {(x + 3) / 100.0, 0.05}, Rng(0));
    EXPECT_TRUE(env->step(std::vector<double>{0.0, 0.0}).success) << x;
    EXPECT_FALSE(env->step(std::vector<double>{0.0, 0.01}).success) << x;
  }
}

TEST(Maze2d, EndsByItsLength) {
  const auto env = at("hallway", {0.10, 0.10}, {0.90, 0.90});
  const std::vector<double> still = {0.0, 0.0};
  for (int i = 1; i < 30; i++) EXPECT_FALSE(env->step(still).done()) << i;
  EXPECT_TRUE(env->step(still).truncated);
  const auto longer = make_maze2d("hallway", false, {false, 3});
  longer->placement()->reset({0.10, 0.10}, {0.10, 0.11}, Rng(0));
  EXPECT_EQ(longer->spec().max_episode_steps, 3);
  const StepResult first = longer->step(still);
  EXPECT_TRUE(first.success);
  EXPECT_FALSE(first.done());
  EXPECT_FALSE(longer->step(still).done());
  EXPECT_TRUE(longer->step(still).truncated);
}

TEST(Maze2d, ExplicitResetsAreExactOrRefused) {
  const auto env = at("hallway", {0.1049, 0.0951}, {0.9, -0.004});
  EXPECT_EQ(env->planar()->position(), (Point2{0.10, 0.10}));
  EXPECT_EQ(env->planar()->goal(), (Point2{0.90, 0.00}));
  const auto refusal = [&](Point2 start, Point2 goal) {
    return error_of([&] { env->placement()->reset(start, goal, Rng(0)); });
  };
  EXPECT_NE(refusal({0.50, 0.20}, {0.1, 0.1}).find("start (0.5, 0.2) lies inside a wall"), std::string::npos);
  EXPECT_NE(refusal({0.10, 0.20}, {0.3, 0.4}).find("goal (0.3, 0.4) lies inside a wall"), std::string::npos);
  EXPECT_NE(refusal({1.00, 0.20}, {0.3, 0.1}).find("outside"), std::string::npos);
  EXPECT_NE(refusal({0.10, 0.20}, {0.3, -0.01}).find("outside"), std::string::npos);
  EXPECT_NE(refusal({0.10, std::nan("")}, {0.3, 0.1}).find("outside"), std::string::npos);
  // a refused reset changes nothing
  EXPECT_EQ(env->planar()->position(), (Point2{0.10, 0.10}));
  EXPECT_EQ(env->planar()->goal(), (Point2{0.90, 0.00}));
}

TEST(Maze2d, RandomResetsAreFreeApartAndUniform) {
  for (const std::string& name : kLayouts) {
    const Maze2dLayout& layout = Maze2dLayout::named(name);
    const auto env = make_maze2d(name, false, {});
    // expected share of each of 5 x 5 squares: its part of the free points
    const auto square = [](GridPoint p) { return p.x / 20 * 5 + p.y / 20; };
    std::vector<double> expected(25), starts(25), goals(25);
    const int draws = 20000;
    for (const GridPoint p : layout.reachable()) expected[square(p)] += 1.0 * draws / layout.reachable().size();
    const Rng rng(7);
    for (int i = 0; i < draws; i++) {
      env->reset(1, rng.fork(i));
      const Point2 start = env->planar()->position(), goal = env->planar()->goal();
      const GridPoint s{static_cast<int>(std::lround(100 * start.x)), static_cast<int>(std::lround(100 * start.y))};
      const GridPoint g{static_cast<int>(std::lround(100 * goal.x)), static_cast<int>(std::lround(100 * goal.y))};
      ASSERT_TRUE(layout.free(s) && layout.free(g));
      ASSERT_GT(distance(start, goal), 0.03 + 1e-9);
      starts[square(s)]++;
      goals[square(g)]++;
    }
    // chi square with 24 degrees of freedom exceeds 51.2 once in 1000
    double chi_starts = 0, chi_goals = 0;
    for (int k = 0; k < 25; k++) {
      chi_starts += (starts[k] - expected[k]) * (starts[k] - expected[k]) / expected[k];
      chi_goals += (goals[k] - expected[k]) * (goals[k] - expected[k]) / expected[k];
    }
    EXPECT_LT(chi_starts, 51.2) << name;
    EXPECT_LT(chi_goals, 51.2) << name;
  }
}

TEST(Maze2d, ResetsRepeatAndOnlyTaskOneExists) {
  const auto a = make_maze2d("spiral", false, {}), b = make_maze2d("spiral", false, {});
  a->reset(1, Rng(3));
  b->reset(1, Rng(3));
  EXPECT_EQ(a->state(), b->state());
  b->reset(1, Rng(4));
  EXPECT_NE(a->state(), b->state());
  EXPECT_THROW(a->reset(0, Rng(3)), UsageError);
  EXPECT_THROW(a->reset(2, Rng(3)), UsageError);
}

TEST(Maze2d, StateIsRestoredExactly) {
  const auto env = make_maze2d("rooms", true, {}), other = make_maze2d("rooms", true, {});
  Rng rng(11);
  env->reset(1, rng);
  env->placement()->set_goal({0.05, 0.05});
  for (int i = 0; i < 7; i++) after(*env, rng.uniform(-0.2, 0.2), rng.uniform(-0.2, 0.2));
  other->set_state(env->state());
  EXPECT_EQ(other->state(), env->state());
  for (int i = 0; i < 30; i++) {
    const std::vector<double> action = {rng.uniform(-0.2, 0.2), rng.uniform(-0.2, 0.2)};
    const StepResult one = env->step(action), two = other->step(action);
    ASSERT_EQ(one.success, two.success);
    ASSERT_EQ(one.terminated, two.terminated);
    ASSERT_EQ(one.truncated, two.truncated);
    ASSERT_EQ(env->planar()->position(), other->planar()->position());
    ASSERT_TRUE(env->observation() == other->observation());
    ASSERT_TRUE(env->goal_observation() == other->goal_observation());
  }
  std::vector<double> state = env->state();
  state[0] = 0.25, state[1] = 0.10;  // inside a wall
  EXPECT_THROW(env->set_state(state), Error);
  state.pop_back();
  EXPECT_THROW(env->set_state(state), Error);
  state = other->state();
  state[6] = std::nan("");
  EXPECT_THROW(env->set_state(state), Error);
  EXPECT_EQ(env->state(), other->state());
}

TEST(Maze2d, MovingTheGoalKeepsItsObservation) {
  const auto env = at("hallway", {0.10, 0.10}, {0.90, 0.90});
  env->placement()->set_goal({0.10, 0.12});
  EXPECT_EQ(env->planar()->goal(), (Point2{0.10, 0.12}));
  EXPECT_EQ(numbers(env->goal_observation()), (std::vector<float>{0.90f, 0.90f}));
  EXPECT_TRUE(env->step(std::vector<double>{0.0, 0.0}).success);
  EXPECT_THROW(env->placement()->set_goal({0.50, 0.10}), Error);
}

TEST(Maze2d, ClonesAreIndependent) {
  const auto env = at("hallway", {0.10, 0.10}, {0.90, 0.90}, true);
  const auto twin = env->clone();
  const ObservationCopy before = env->observation();
  EXPECT_EQ(twin->spec().name, env->spec().name);
  twin->placement()->reset({0.80, 0.80}, {0.20, 0.20}, Rng(0));
  after(*twin, 0.1, 0.1);
  EXPECT_EQ(env->planar()->position(), (Point2{0.10, 0.10}));
  EXPECT_EQ(env->planar()->goal(), (Point2{0.90, 0.90}));
  EXPECT_TRUE(env->observation() == before.view());
  EXPECT_FALSE(twin->observation() == before.view());
  // the views of a clone are its own
  EXPECT_NE(twin->observation().bytes().data(), env->observation().bytes().data());
  EXPECT_NE(twin->physics()->qpos().data(), env->physics()->qpos().data());
}

TEST(Maze2d, FloorplanShowsTheWalls) {
  const Floorplan plan = make_maze2d("hallway", false, {})->planar()->floorplan();
  ASSERT_EQ(plan.walls.size(), 4u);
  EXPECT_EQ(plan.bounds.high, (Point2{1.0, 1.0}));
  EXPECT_EQ(plan.walls[0].low, (Point2{0.491, -0.009}));
  EXPECT_EQ(plan.walls[0].high, (Point2{0.509, 0.409}));
  EXPECT_EQ(make_maze2d("rooms", false, {})->planar()->floorplan().walls.size(), 6u);
  EXPECT_EQ(make_maze2d("spiral", false, {})->planar()->floorplan().walls.size(), 6u);
}

// ---------------------------------------------------------------------------------------------------------------------
// pictures

TEST(Maze2dPicture, IsABlurredDot) {
  const auto env = at("hallway", {0.30, 0.70}, {0.00, 0.99}, true);
  const std::span<const uint8_t> pixels = env->observation().bytes();
  ASSERT_EQ(pixels.size(), 10000u);
  const auto pixel = [&](int row, int column) { return pixels[row * 100 + column]; };
  // row = x, column = y; exp(-r^2 / 2) around the centre, nothing beyond 4 pixels
  EXPECT_EQ(pixel(30, 70), 255);
  EXPECT_EQ(pixel(31, 70), 155);
  EXPECT_EQ(pixel(30, 69), 155);
  EXPECT_EQ(pixel(31, 71), 94);
  EXPECT_EQ(pixel(28, 70), 35);
  EXPECT_EQ(pixel(33, 70), 3);
  EXPECT_EQ(pixel(30, 75), 0);
  int lit = 0;
  for (int row = 0; row < 100; row++) {
    for (int column = 0; column < 100; column++) {
      lit += pixel(row, column) > 0;
      ASSERT_EQ(pixel(row, column), pixel(row <= 60 ? 60 - row : row, column));
    }
  }
  EXPECT_GT(lit, 25);
  EXPECT_LE(lit, 81);
}

TEST(Maze2dPicture, ReflectsAtTheBorder) {
  // at the corner the mirror image adds w1 to w0 = 1: the next pixel is (w1 + w2) / (w0 + w1)
  const auto env = at("hallway", {0.30, 0.70}, {0.00, 0.99}, true);
  const std::span<const uint8_t> pixels = env->goal_observation().bytes();
  const double w1 = std::exp(-0.5), w2 = std::exp(-2.0);
  EXPECT_EQ(pixels[99], 255);
  EXPECT_EQ(pixels[199], std::round(255 * (w1 + w2) / (1 + w1)));
  EXPECT_EQ(pixels[98], pixels[199]);
}

TEST(Maze2dPicture, DoesNotDependOnWhatWasPaintedBefore) {
  const auto env = make_maze2d("spiral", true, {});
  Rng rng(5);
  env->reset(1, rng);
  for (int i = 0; i < 500; i++) {
    after(*env, rng.uniform(-0.2, 0.2), rng.uniform(-0.2, 0.2));
    const auto fresh = at("spiral", env->planar()->position(), {0.0, 0.0}, true);
    ASSERT_TRUE(env->observation() == fresh->observation());
  }
}

}  // namespace
}  // namespace alps
