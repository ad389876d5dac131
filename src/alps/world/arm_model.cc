#include "alps/world/arm_model.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/world/model_spec.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

const char* const kArm = "ur5e/";
const char* const kGripper = "robotiq/";  // in the arm's own names
const char* const kTable = "table/";      // the objects
constexpr double kLocked = 1e6;           // damping of a locked slide

fs::path descriptions() { return ogbench_folder() / "manipspace/descriptions"; }

mjsBody* body_of(mjSpec* spec, const std::string& name) {
  mjsBody* body = mjs_findBody(spec, name.c_str());
  if (body == nullptr) throw Error("the arm's model has no body '", name, "'; is ogbench 1.2.2 installed?");
  return body;
}

void delete_all(mjSpec* spec, mjtObj type) {
  while (mjsElement* element = mjs_firstElement(spec, type)) mjs_delete(spec, element);
}

// `child` with all its parts as children of `parent`, under names that begin with `prefix`
void attach(mjSpec* spec, mjsBody* parent, mjSpec* child, const char* prefix) {
  mjsFrame* frame = mjs_addFrame(parent, nullptr);
  if (mjs_attach(frame->element, child->element, prefix, "") == nullptr)
    throw Error("MuJoCo cannot put the arm's world together: ", mjs_getError(spec));
}

// A text with `count` copies of the body of `inner` in the worldbody of `outer`; names that end in _0 count on.
std::string with_copies(const fs::path& outer, const fs::path& inner, int count) {
  std::string text = read_text(outer), copy = read_text(inner);
  const std::string open = "<worldbody>", close = "</worldbody>";
  const size_t first = copy.find(open) + open.size();
  copy = copy.substr(first, copy.find(close) - first);
  std::string all;
  for (int i = 0; i < count; ++i) {
    std::string named = copy;
    const std::string from = "_0\"", to = "_" + std::to_string(i) + "\"";
    for (size_t at = named.find(from); at != std::string::npos; at = named.find(from, at + to.size()))
      named.replace(at, from.size(), to);
    all += named;
  }
  const size_t at = text.find(close);
  if (at == std::string::npos) throw Error(outer.string(), " has no worldbody; is ogbench 1.2.2 installed?");
  return text.insert(at, all);
}

void add_objects(mjSpec* spec, const ArmWorld& world) {
  const fs::path folder = descriptions();
  mjsBody* ground = body_of(spec, "world");
  if (world.furniture) {
    for (const char* name : {"cube.xml", "buttons.xml", "drawer.xml", "window.xml"})
      attach(spec, ground, parse_model(folder / name).get(), kTable);
    return;
  }
  constexpr double kApart = 0.05;  // half the way from one to the next
  if (world.cubes > 0) {
    const std::string text = with_copies(folder / "cube_outer.xml", folder / "cube_inner.xml", world.cubes);
    const SpecPtr cubes = parse_model_text(text, folder);
    for (int i = 0; i < world.cubes; ++i)
      for (const char* name : {"object_", "object_target_"})
        body_of(cubes.get(), str(name, i))->pos[1] = -kApart * (world.cubes - 1) + 2 * kApart * i;
    attach(spec, ground, cubes.get(), kTable);
  }
  if (world.button_rows > 0) {
    const std::string text = with_copies(folder / "button_outer.xml", folder / "button_inner.xml", world.buttons());
    const SpecPtr buttons = parse_model_text(text, folder);
    for (int i = 0; i < world.buttons(); ++i) {
      mjsBody* box = body_of(buttons.get(), str("buttonbox_", i));
      box->pos[0] = 0.425 - kApart * (world.button_rows - 1) + 2 * kApart * (i / world.button_columns);
      box->pos[1] = 0.0 - kApart * (world.button_columns - 1) + 2 * kApart * (i % world.button_columns);
    }
    attach(spec, ground, buttons.get(), kTable);
  }
}

SpecPtr parse_arm() {
  SpecPtr arm = parse_model(descriptions() / "universal_robots_ur5e/ur5e.xml");
  delete_all(arm.get(), mjOBJ_LIGHT);
  delete_all(arm.get(), mjOBJ_KEY);
  return arm;
}

// stiffer position control than the arm's own file has
void set_gains(mjSpec* spec) {
  constexpr const char* kJoints[] = {"shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3"};
  constexpr double kStiffness[] = {4500, 4500, 4500, 2000, 2000, 500};
  for (int i = 0; i < 6; ++i) {
    mjsActuator* motor = mjs_asActuator(mjs_findElement(spec, mjOBJ_ACTUATOR, str(kArm, kJoints[i]).c_str()));
    ALPS_CHECK(motor != nullptr);
    motor->gainprm[0] = kStiffness[i];
    motor->gainprm[2] = -kStiffness[i] / 10;
    motor->biasprm[1] = -kStiffness[i];
  }
}

// Each cube has a colour of its own. The marks of goals are not seen: only a simulation knows where they are.
void set_colors(mjSpec* spec, int cubes) {
  constexpr float kColors[][3] = {
      {0.96f, 0.26f, 0.33f}, {0.35f, 0.55f, 0.91f}, {1, 0.69f, 0.21f}, {0.06f, 0.74f, 0.21f}};
  for (int i = 0; i < cubes; ++i) {
    mjsGeom* cube = mjs_asGeom(mjs_findElement(spec, mjOBJ_GEOM, str(kTable, "object_", i).c_str()));
    mjsGeom* goal = mjs_asGeom(mjs_findElement(spec, mjOBJ_GEOM, str(kTable, "target_object_", i).c_str()));
    ALPS_CHECK(cube != nullptr && goal != nullptr && i < static_cast<int>(std::size(kColors)));
    std::copy_n(kColors[i], 3, cube->rgba);
    goal->rgba[3] = 0;
  }
}

SpecPtr assemble(const ArmWorld& world) {
  const SpecPtr gripper = parse_model(descriptions() / "robotiq_2f85/2f85.xml");
  const SpecPtr arm = parse_arm();
  SpecPtr all = parse_model(descriptions() / "floor_wall.xml");

  // options that the parts bring along hold for the whole
  arm->option.cone = gripper->option.cone;
  arm->option.impratio = gripper->option.impratio;
  all->option = arm->option;

  // the gripper on the flange, in a body of its own as dm_control has it; the arm on the ground likewise
  const mjsSite* flange = mjs_asSite(mjs_findElement(arm.get(), mjOBJ_SITE, "attachment_site"));
  if (flange == nullptr) throw Error("the arm's XML has no site 'attachment_site'; is ogbench 1.2.2 installed?");
  mjsBody* mount = mjs_addBody(body_of(arm.get(), "wrist_3_link"), nullptr);
  mjs_setName(mount->element, kGripper);
  std::copy_n(flange->pos, 3, mount->pos);
  std::copy_n(flange->quat, 4, mount->quat);
  attach(arm.get(), mount, gripper.get(), kGripper);
  mjsBody* foot = mjs_addBody(body_of(all.get(), "world"), nullptr);
  mjs_setName(foot->element, kArm);
  attach(all.get(), foot, arm.get(), kArm);

  set_gains(all.get());
  add_objects(all.get(), world);
  set_colors(all.get(), world.cubes);
  return all;
}

// `model` with the drawer or the window locked
ModelPtr locked(const ModelPtr& model, int locks) {
  mjModel* copy = mj_copyModel(nullptr, model.get());
  if (copy == nullptr) throw Error("MuJoCo cannot copy a model; is memory short?");
  const char* slides[] = {"table/drawer_slide", "table/window_slide"};
  for (int k = 0; k < 2; ++k)
    if (locks >> k & 1) copy->dof_damping[copy->jnt_dofadr[mj_name2id(copy, mjOBJ_JOINT, slides[k])]] = kLocked;
  return {copy, [](const mjModel* m) { mj_deleteModel(const_cast<mjModel*>(m)); }};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> gripper_pairs_apart() {
  // Parts of one finger, and parts of two. Not here: what the file itself leaves out, what is welded together, fingers
  // that meet (pads and followers), and links whose linkage may give way by more than the room between them.
  constexpr std::pair<const char*, const char*> kOfOne[] = {{"base", "coupler"},
                                                            {"base", "follower"},
                                                            {"base", "pad"},
                                                            {"driver", "spring_link"},
                                                            {"driver", "follower"},
                                                            {"driver", "pad"},
                                                            {"coupler", "pad"},
                                                            {"base_mount", "driver"},
                                                            {"base_mount", "coupler"},
                                                            {"base_mount", "spring_link"},
                                                            {"base_mount", "follower"},
                                                            {"base_mount", "pad"}};
  constexpr std::pair<const char*, const char*> kOfTwo[] = {
      {"driver", "driver"}, {"driver", "coupler"},          {"driver", "spring_link"},   {"driver", "follower"},
      {"driver", "pad"},    {"coupler", "coupler"},         {"coupler", "spring_link"},  {"coupler", "follower"},
      {"coupler", "pad"},   {"spring_link", "spring_link"}, {"spring_link", "follower"}, {"spring_link", "pad"}};
  const auto full = [](const std::string& part) { return str(kArm, kGripper, part); };
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string side : {"right_", "left_"}) {
    const std::string other = side == "right_" ? "left_" : "right_";
    for (const auto& [a, b] : kOfOne) {
      const std::string first = std::string(a).starts_with("base") ? a : side + a;
      pairs.emplace_back(full(first), full(side + b));
    }
    for (const auto& [a, b] : kOfTwo)
      if (std::string(a) != b || side == "right_") pairs.emplace_back(full(side + a), full(other + b));
  }
  return pairs;
}

ArmModels load_arm_models(const ArmWorld& world) {
  const SpecPtr spec = assemble(world);
  spec->compiler.discardvisual = true;
  for (const auto& [a, b] : gripper_pairs_apart()) {
    mjsExclude* pair = mjs_addExclude(spec.get());
    mjs_setString(pair->bodyname1, a.c_str());
    mjs_setString(pair->bodyname2, b.c_str());
  }
  ArmModels models;
  models.physics[0] = compile_model(spec, descriptions());
  for (int locks = 1; locks < 4 && world.furniture; ++locks) models.physics[locks] = locked(models.physics[0], locks);

  const SpecPtr arm = parse_arm();
  arm->compiler.discardvisual = true;
  models.bare = compile_model(arm, descriptions());
  return models;
}

ModelPtr load_arm_scene(const ArmWorld& world) { return compile_model(assemble(world), descriptions()); }

}  // namespace alps
