#include "alps/world/arm_sim.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "alps/base/error.h"

namespace alps {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kFrames = 25;                                        // physics steps of an action
constexpr std::array<double, 5> kReach{0.05, 0.05, 0.05, 0.3, 1};  // of an action: x, y, z, yaw, gripper
constexpr Vec3 kLow{0.25, -0.35, 0.02}, kHigh{0.6, 0.35, 0.35};    // where the hand may be sent
constexpr std::array<double, 6> kHome{-kPi / 2, -kPi / 2, kPi / 2, -kPi / 2, -kPi / 2, 0};
constexpr Quat kDown{0, 1, 0, 0};     // the hand points down
constexpr double kShut = 0.8;         // of the finger's joint
constexpr double kFullGripper = 255;  // control of the fingers' motor
constexpr double kFullContact = 50;   // force at which contact counts as 1

int id_of(const mjModel& model, mjtObj type, const std::string& name) {
  const int id = mj_name2id(&model, type, name.c_str());
  if (id < 0) throw Error("the arm's model has no '", name, "'; is ogbench 1.2.2 installed?");
  return id;
}

Vec3 vector_at(const mjtNum* numbers, int i) { return {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]}; }

Pose site_pose(const mjData& data, int site) {
  return {rotation_of(data.site_xmat + 9 * site), vector_at(data.site_xpos, site)};
}

}  // namespace

std::shared_ptr<const ArmSim::Parts> ArmSim::load(const ArmWorld& world) {
  auto parts = std::make_shared<Parts>();
  parts->models = load_arm_models(world);
  const mjModel& m = *parts->models.physics[0];
  const auto joint = [&](const std::string& name) {
    const int id = id_of(m, mjOBJ_JOINT, name);
    return Joint{m.jnt_qposadr[id], m.jnt_dofadr[id]};
  };
  parts->pinch = id_of(m, mjOBJ_SITE, "ur5e/robotiq/pinch");
  parts->pad = id_of(m, mjOBJ_BODY, "ur5e/robotiq/right_pad");
  parts->driver = joint("ur5e/robotiq/right_driver_joint");
  for (int i = 0; i < world.cubes; ++i) {
    parts->cubes.push_back(joint(str("table/object_joint_", i)));
    parts->goal_cubes.push_back(m.body_mocapid[id_of(m, mjOBJ_BODY, str("table/object_target_", i))]);
  }
  for (int i = 0; i < world.buttons(); ++i) {
    parts->buttons.push_back(joint(str("table/buttonbox_joint_", i)));
    parts->button_tops.push_back(id_of(m, mjOBJ_SITE, str("table/btntop_", i)));
  }
  if (world.furniture) {
    const auto slide = [&](const std::string& name, int axis) {
      const std::string handle = "table/" + name + "_handle_center";
      return SlideParts{joint("table/" + name + "_slide"), id_of(m, mjOBJ_SITE, handle),
                        id_of(m, mjOBJ_SITE, handle + "_target"), axis};
    };
    parts->slides = {slide("drawer", 1), slide("window", 0)};
  }

  // from the point between the pads to the flange, a fixed way
  const DataPtr data = make_data(parts->models.physics[0]);
  mj_forward(&m, data.get());
  const int flange = id_of(m, mjOBJ_SITE, "ur5e/attachment_site");
  parts->pinch_to_flange = compose(inverse(site_pose(*data, parts->pinch)), site_pose(*data, flange));
  return parts;
}

ArmSim::ArmSim(const ArmWorld& world)
    : world_(world), parts_(load(world)), data_(make_data(parts_->models.physics[0])), ik_(parts_->models.bare) {}

ArmSim::ArmSim(const ArmSim& other)
    : world_(other.world_),
      parts_(other.parts_),
      data_(make_data(parts_->models.physics[0])),
      ik_(parts_->models.bare) {}

void ArmSim::start() {
  mj_resetData(&model(), data_.get());
  forward();
  std::ranges::copy(kHome, data_->qpos);
  mj_kinematics(&model(), data_.get());
}

void ArmSim::pose_arm(Rng& rng) {
  Pose hand;
  for (int k = 0; k < 3; ++k) hand.position[k] = rng.uniform(world_.arm_low[k], world_.arm_high[k]);
  hand.rotation = multiply(rotation_z(rng.uniform(-kPi, kPi)), kDown);
  std::ranges::copy(ik_.solve(compose(hand, parts_->pinch_to_flange), kHome), data_->qpos);
  forward();
}

void ArmSim::command(std::span<const double> action) {
  ALPS_CHECK(action.size() == kReach.size());
  std::array<double, 5> move{};
  for (size_t k = 0; k < 5; ++k) move[k] = 0.5 * (action[k] + 1) * (2 * kReach[k]) - kReach[k];

  // the hand's goal: where it is plus the move, within the workspace, pointing down
  const Pose now = hand();
  Pose goal;
  for (int k = 0; k < 3; ++k) goal.position[k] = std::clamp(now.position[k] + move[k], kLow[k], kHigh[k]);
  const Quat turned = multiply(multiply(rotation_z(move[3]), rotation_z(yaw_of(now.rotation))), inverse(kDown));
  goal.rotation = multiply(rotation_z(yaw_of(turned)), kDown);
  const double gripper = std::clamp(gripper_opening() + move[4], 0.0, 1.0);

  const auto joints = ik_.solve(compose(goal, parts_->pinch_to_flange), {data_->qpos, ArmIk::kJoints});
  std::ranges::copy(joints, data_->ctrl);
  data_->ctrl[ArmIk::kJoints] = kFullGripper * gripper;
}

void ArmSim::advance() {
  for (int frame = 0; frame < kFrames; ++frame) mj_step(&model(), data_.get());
  mj_rnePostConstraint(&model(), data_.get());  // forces of contacts
}

Pose ArmSim::hand() const { return site_pose(*data_, parts_->pinch); }

double ArmSim::gripper_opening() const { return std::clamp(data_->qpos[parts_->driver.qpos] / kShut, 0.0, 1.0); }

double ArmSim::gripper_contact() const {
  double square = 0;
  for (int k = 0; k < 6; ++k) square += data_->cfrc_ext[6 * parts_->pad + k] * data_->cfrc_ext[6 * parts_->pad + k];
  return std::clamp(std::sqrt(square) / kFullContact, 0.0, 1.0);
}

Pose ArmSim::cube(int i) const {
  const double* q = data_->qpos + parts_->cubes[i].qpos;
  return {{q[3], q[4], q[5], q[6]}, {q[0], q[1], q[2]}};
}

void ArmSim::put_cube(int i, const Vec3& place, const Quat& rotation) {
  std::ranges::copy(place, data_->qpos + parts_->cubes[i].qpos);
  std::ranges::copy(rotation, data_->qpos + parts_->cubes[i].qpos + 3);
}

void ArmSim::rest_cube(int i) { std::fill_n(data_->qvel + parts_->cubes[i].dof, 6, 0.0); }

Vec3 ArmSim::goal_cube(int i) const { return vector_at(data_->mocap_pos, parts_->goal_cubes[i]); }

void ArmSim::put_goal_cube(int i, const Vec3& place) {
  std::ranges::copy(place, data_->mocap_pos + 3 * parts_->goal_cubes[i]);
  std::ranges::copy(kNoRotation, data_->mocap_quat + 4 * parts_->goal_cubes[i]);
}

Vec3 ArmSim::button_top(int i) const { return vector_at(data_->site_xpos, parts_->button_tops[i]); }

Pose ArmSim::handle(Slide which) const { return site_pose(*data_, part(which).handle); }

Vec3 ArmSim::handle_at(Slide which, double slide) const {
  const int site = part(which).goal_handle, body = model().site_bodyid[site];
  Vec3 place = vector_at(model().site_pos, site);
  place[part(which).axis] = slide;
  mju_rotVecQuat(place.data(), place.data(), data_->xquat + 4 * body);
  return sum(place, vector_at(data_->xpos, body));
}

size_t ArmSim::state_size() const { return 18 + mj_stateSize(&model(), mjSTATE_INTEGRATION); }

std::vector<double> ArmSim::state() const {
  std::vector<double> state(state_size());
  std::copy_n(data_->site_xpos + 3 * parts_->pinch, 3, state.begin());
  std::copy_n(data_->site_xmat + 9 * parts_->pinch, 9, state.begin() + 3);
  std::copy_n(data_->cfrc_ext + 6 * parts_->pad, 6, state.begin() + 12);
  mj_getState(&model(), data_.get(), state.data() + 18, mjSTATE_INTEGRATION);
  return state;
}

void ArmSim::set_state(std::span<const double> state) {
  ALPS_CHECK(state.size() == state_size());
  // derived quantities, without the change of the warm start that they bring along
  mj_setState(&model(), data_.get(), state.data() + 18, mjSTATE_INTEGRATION);
  forward();
  mj_setState(&model(), data_.get(), state.data() + 18, mjSTATE_INTEGRATION);
  std::copy_n(state.begin(), 3, data_->site_xpos + 3 * parts_->pinch);
  std::copy_n(state.begin() + 3, 9, data_->site_xmat + 9 * parts_->pinch);
  std::copy_n(state.begin() + 12, 6, data_->cfrc_ext + 6 * parts_->pad);
}

}  // namespace alps
