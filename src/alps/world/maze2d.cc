#include "alps/world/maze2d.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "alps/base/error.h"

namespace alps {
namespace {

using GridPoint = Maze2dLayout::GridPoint;

constexpr int kHalfThickness = 9;  // of a wall, in thousandths

// A ratio of two small whole numbers, denominator > 0; compared without rounding.
struct Fraction {
  int numerator, denominator;
  friend bool operator<(Fraction a, Fraction b) { return a.numerator * b.denominator < b.numerator * a.denominator; }
};

// The part of a move, from `enter` to `leave`, during which it is inside everything it was narrowed to so far.
struct Passage {
  Fraction enter{0, 1}, leave{1, 1};
  bool empty() const { return leave < enter; }

  // narrows to low <= t * step <= high along one axis
  void narrow(int low, int high, int step) {
    if (step == 0) {
      if (low > 0 || high < 0) leave = {-1, 1};
      return;
    }
    enter = std::max(enter, step > 0 ? Fraction{low, step} : Fraction{-high, -step});
    leave = std::min(leave, step > 0 ? Fraction{high, step} : Fraction{-low, -step});
  }
};

// from + t * step in hundredths, rounded half to even as NumPy does. The quotient of two whole numbers is exact at a
// tie and far from one otherwise, so this is the rounding of the true value.
int round_to_grid(int from, int step, Fraction t) {
  const int numerator = from * t.denominator + t.numerator * step;
  return static_cast<int>(std::nearbyint(static_cast<double>(numerator) / t.denominator));
}

// One axis of a picture: the line with a single 1 at a pixel, blurred as scipy.ndimage.gaussian_filter does it (sigma
// 1, truncate 4, mode "reflect"), divided by its maximum. The blur is separable: a picture is the product of two lines.
struct BlurredLine {
  static constexpr int kRadius = 4;
  int first, count;  // the pixels that are not 0
  std::array<double, 2 * kRadius + 1> values;

  explicit BlurredLine(int dot) {
    first = std::max(0, dot - kRadius);
    count = std::min(Maze2dLayout::kSize - 1, dot + kRadius) - first + 1;
    for (int k = 0; k < count; k++) {
      // beyond its ends the line goes on as its mirror image, which holds a dot of its own
      const int pixel = first + k;
      values[k] = weight(pixel - dot) + weight(pixel + 1 + dot) + weight(2 * Maze2dLayout::kSize - 1 - dot - pixel);
    }
    const double brightest = *std::max_element(values.begin(), values.begin() + count);
    for (int k = 0; k < count; k++) values[k] /= brightest;
  }

  static double weight(int offset) { return std::abs(offset) > kRadius ? 0.0 : std::exp(-0.5 * offset * offset); }
};

const BlurredLine& blurred_line(int dot) {
  static const std::vector<BlurredLine> lines = [] {
    std::vector<BlurredLine> made;
    for (int i = 0; i < Maze2dLayout::kSize; i++) made.emplace_back(i);
    return made;
  }();
  return lines[dot];
}

}  // namespace

const Maze2dLayout& Maze2dLayout::named(std::string_view name) {
  static const Maze2dLayout hallway({{{50, 0}, {50, 40}},  //
                                     {{50, 60}, {50, 100}},
                                     {{20, 40}, {80, 40}},
                                     {{20, 60}, {80, 60}}});
  static const Maze2dLayout rooms({{{25, 0}, {25, 80}},
                                   {{25, 90}, {25, 100}},
                                   {{50, 0}, {50, 20}},
                                   {{50, 30}, {50, 100}},
                                   {{75, 0}, {75, 45}},
                                   {{75, 55}, {75, 100}}});
  static const Maze2dLayout spiral({{{20, 0}, {20, 75}},
                                    {{20, 75}, {80, 75}},
                                    {{80, 25}, {80, 75}},
                                    {{40, 25}, {80, 25}},
                                    {{40, 25}, {40, 50}},
                                    {{40, 50}, {60, 50}}});
  if (name == "hallway") return hallway;
  if (name == "rooms") return rooms;
  if (name == "spiral") return spiral;
  throw UsageError("there is no layout '", name, "'; choose hallway, rooms or spiral");
}

Maze2dLayout::Maze2dLayout(std::vector<Wall> walls) {
  for (const Wall& wall : walls) {
    ALPS_CHECK(wall.from.x == wall.to.x || wall.from.y == wall.to.y);
    boxes_.push_back({10 * wall.from.x - kHalfThickness, 10 * wall.from.y - kHalfThickness,
                      10 * wall.to.x + kHalfThickness, 10 * wall.to.y + kHalfThickness});
  }

  // flood fill; steps between neighbours that are both free meet no wall, so they lead both ways
  std::vector<bool> seen(kSize * kSize, false);
  const auto visit = [&](GridPoint p) {
    if (seen[p.x * kSize + p.y]) return;
    seen[p.x * kSize + p.y] = true;
    reachable_.push_back(p);
  };
  int first = 0;
  while (first < kSize * kSize && !free({first / kSize, first % kSize})) first++;
  ALPS_CHECK(first < kSize * kSize);
  visit({first / kSize, first % kSize});
  for (size_t next = 0; next < reachable_.size(); next++) {
    const GridPoint p = reachable_[next];
    visit(move(p, {std::max(p.x - 1, 0), p.y}));
    visit(move(p, {std::min(p.x + 1, kSize - 1), p.y}));
    visit(move(p, {p.x, std::max(p.y - 1, 0)}));
    visit(move(p, {p.x, std::min(p.y + 1, kSize - 1)}));
  }
  std::sort(reachable_.begin(), reachable_.end(),
            [](GridPoint a, GridPoint b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
}

bool Maze2dLayout::free(GridPoint p) const {
  return std::none_of(boxes_.begin(), boxes_.end(), [&](const Box& box) {
    return 10 * p.x >= box.low_x && 10 * p.x <= box.high_x && 10 * p.y >= box.low_y && 10 * p.y <= box.high_y;
  });
}

Maze2dLayout::GridPoint Maze2dLayout::move(GridPoint from, GridPoint target) const {
  const int x = 10 * from.x, y = 10 * from.y, step_x = 10 * target.x - x, step_y = 10 * target.y - y;
  std::optional<Fraction> stop;
  for (const Box& box : boxes_) {
    // most walls are nowhere near
    if (std::max(x, x + step_x) < box.low_x || std::min(x, x + step_x) > box.high_x) continue;
    if (std::max(y, y + step_y) < box.low_y || std::min(y, y + step_y) > box.high_y) continue;
    Passage passage;
    passage.narrow(box.low_x - x, box.high_x - x, step_x);
    passage.narrow(box.low_y - y, box.high_y - y, step_y);
    if (!passage.empty() && (!stop || passage.enter < *stop)) stop = passage.enter;
  }
  if (!stop) return target;

  // the point of contact lies between two grid points, so its rounding needs no clamping
  return {round_to_grid(from.x, target.x - from.x, *stop), round_to_grid(from.y, target.y - from.y, *stop)};
}

std::vector<Rect> Maze2dLayout::rectangles() const {
  std::vector<Rect> rects;
  for (const Box& box : boxes_) {
    rects.push_back({{box.low_x / 1000.0, box.low_y / 1000.0}, {box.high_x / 1000.0, box.high_y / 1000.0}});
  }
  return rects;
}

Maze2d::Maze2d(std::string name, std::string_view layout, bool image, EnvOptions options)
    : layout_(&Maze2dLayout::named(layout)), terminate_at_goal_(options.terminate_at_goal) {
  if (options.max_episode_steps < 0) {
    throw UsageError("max_episode_steps is ", options.max_episode_steps, "; give a positive number, or 0 for ",
                     kMaxEpisodeSteps);
  }
  spec_.name = std::move(name);
  spec_.image = image;
  spec_.observation_shape = image ? Shape{Maze2dLayout::kSize, Maze2dLayout::kSize, 1} : Shape{2};
  spec_.action_size = 2;
  spec_.action_limit = kActionLimit;
  spec_.max_episode_steps = options.max_episode_steps > 0 ? options.max_episode_steps : kMaxEpisodeSteps;
  if (image) {
    shown_.pixels.assign(spec_.observation_size(), 0);
    shown_goal_.pixels.assign(spec_.observation_size(), 0);
    painted_.pixels.assign(spec_.observation_size(), 0);
  }

  // until the first reset, somewhere that is free
  place(layout_->reachable().front());
  place_goal(layout_->reachable().back());
}

Floorplan Maze2d::floorplan() const { return {{{0.0, 0.0}, {1.0, 1.0}}, layout_->rectangles(), {}}; }

void Maze2d::reset(int task, Rng rng) {
  if (task != 1) throw UsageError(spec_.name, " has no task ", task, "; its only task is 1, a random start and goal");
  const std::span<const GridPoint> points = layout_->reachable();
  const GridPoint start = rng.pick(points);
  GridPoint goal = rng.pick(points);
  while (near(start, goal)) goal = rng.pick(points);
  place(start);
  place_goal(goal);
  steps_ = 0;
}

void Maze2d::reset(Point2 start, Point2 goal, Rng) {
  const GridPoint from = free_point(start, "start"), to = free_point(goal, "goal");
  place(from);
  place_goal(to);
  steps_ = 0;
}

StepResult Maze2d::step(std::span<const double> action) {
  if (action.size() != 2) throw Error(spec_.name, ": an action has 2 numbers (dx, dy), not ", action.size());
  if (std::isnan(action[0]) || std::isnan(action[1])) {
    throw Error(spec_.name, ": the action (", action[0], ", ", action[1], ") is not a number; check what made it");
  }
  const auto target = [](double from, double step) {
    const double rounded = std::nearbyint(100.0 * (from + std::clamp(step, -kActionLimit, kActionLimit)));
    return static_cast<int>(std::clamp(rounded, 0.0, Maze2dLayout::kSize - 1.0));
  };
  place(layout_->move(position_, {target(qpos_[0], action[0]), target(qpos_[1], action[1])}));
  steps_++;

  StepResult result;
  result.success = near(position_, goal_);
  result.terminated = result.success && terminate_at_goal_;
  result.truncated = steps_ >= spec_.max_episode_steps;
  return result;
}

std::vector<double> Maze2d::state() const {
  const Point2 at = position(), to = goal(), observed = to_point(observed_goal_);
  return {at.x, at.y, to.x, to.y, observed.x, observed.y, static_cast<double>(steps_)};
}

void Maze2d::set_state(std::span<const double> state) {
  if (state.size() != 7) throw Error(spec_.name, ": a state has 7 numbers, not ", state.size());
  if (!(state[6] >= 0 && state[6] <= 1e9)) throw Error(spec_.name, ": ", state[6], " is no number of steps");
  const GridPoint at = free_point({state[0], state[1]}, "position");
  const GridPoint to = free_point({state[2], state[3]}, "goal");
  const GridPoint observed = free_point({state[4], state[5]}, "observed goal");
  place(at);
  place_goal(observed);
  goal_ = to;
  steps_ = static_cast<int>(state[6]);
}

// The grid point nearest to p, which has to be one where the agent can stand.
Maze2d::GridPoint Maze2d::free_point(Point2 p, const char* what) const {
  const double x = std::nearbyint(100.0 * p.x), y = std::nearbyint(100.0 * p.y), last = Maze2dLayout::kSize - 1;
  if (!(x >= 0 && x <= last && y >= 0 && y <= last)) {
    throw Error(spec_.name, ": the ", what, " (", p.x, ", ", p.y, ") lies outside; x and y go from 0 to 0.99");
  }
  const GridPoint point{static_cast<int>(x), static_cast<int>(y)};
  if (!layout_->free(point)) {
    throw Error(spec_.name, ": the ", what, " (", p.x, ", ", p.y, ") lies inside a wall; move it by 0.01 or more");
  }
  return point;
}

void Maze2d::place(GridPoint position) {
  position_ = position;
  qpos_ = {position.x / 100.0, position.y / 100.0};
  shown_.show(position);
}

void Maze2d::place_goal(GridPoint goal) {
  goal_ = observed_goal_ = goal;
  shown_goal_.show(goal);
}

void Maze2d::render(std::span<const float> place, std::span<uint8_t> pixels) {
  if (place.size() != 2) throw Error(spec_.name, ": a place to render has 2 numbers, not ", place.size());
  ALPS_CHECK(pixels.size() == spec_.observation_size());
  painted_.show(free_point({place[0], place[1]}, "place"));
  std::ranges::copy(painted_.pixels, pixels.begin());
}

// Within the tolerance; 1e-9 more, so that a distance of exactly 0.03 counts however its last bit fell.
bool Maze2d::near(GridPoint a, GridPoint b) { return distance(to_point(a), to_point(b)) <= kGoalTolerance + 1e-9; }

void Maze2d::Seen::show(GridPoint p) {
  place = {static_cast<float>(p.x / 100.0), static_cast<float>(p.y / 100.0)};
  if (pixels.empty()) return;
  const BlurredLine &old_rows = blurred_line(dot.x), &old_columns = blurred_line(dot.y);
  for (int i = 0; i < old_rows.count; i++) {
    std::fill_n(&pixels[(old_rows.first + i) * Maze2dLayout::kSize + old_columns.first], old_columns.count, uint8_t{0});
  }
  const BlurredLine &rows = blurred_line(p.x), &columns = blurred_line(p.y);
  for (int i = 0; i < rows.count; i++) {
    uint8_t* out = &pixels[(rows.first + i) * Maze2dLayout::kSize + columns.first];
    const double scale = 255.0 * rows.values[i];
    for (int j = 0; j < columns.count; j++) out[j] = static_cast<uint8_t>(scale * columns.values[j] + 0.5);
  }
  dot = p;
}

}  // namespace alps
