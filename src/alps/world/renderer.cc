#include "alps/world/renderer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "alps/base/error.h"
#include "alps/world/gl_context.h"

namespace alps {

struct Renderer::Impl {
  Impl(const BodyView& body, int frame_width)
      : gl(GlContext::make()), model(body.scene()), data(make_data(model)), width(frame_width) {
    const SceneCamera from = body.camera();
    height = std::max(2, static_cast<int>(std::lround(frame_width * from.aspect)));
    target = mj_name2id(model.get(), mjOBJ_GEOM, "target");

    mjv_defaultCamera(&camera);
    aim(from);
    mjv_defaultOption(&option);
    mjv_defaultScene(&scene);
    mjr_defaultContext(&context);

    const GlScope scope(*gl);
    mjv_makeScene(model.get(), &scene, 2000);
    mjr_makeContext(model.get(), &context, mjFONTSCALE_100);
    mjr_resizeOffscreen(width, height, &context);
    mjr_setBuffer(mjFB_OFFSCREEN, &context);
    // Without a GPU shadows take several times as long as all the rest, and from above they hardly show.
    scene.flags[mjRND_SHADOW] = scene.flags[mjRND_REFLECTION] = scene.flags[mjRND_SKYBOX] = 0;
    if (context.currentBuffer != mjFB_OFFSCREEN) throw Error("OpenGL (", gl->name(), ") has no offscreen buffer");
  }

  void aim(const SceneCamera& from) {
    std::ranges::copy(from.look_at, camera.lookat);
    camera.distance = from.distance;
    camera.azimuth = from.azimuth;
    camera.elevation = from.elevation;
  }

  ~Impl() {
    const GlScope scope(*gl);
    mjr_freeContext(&context);
    mjv_freeScene(&scene);
  }

  std::unique_ptr<GlContext> gl;
  ModelPtr model;
  DataPtr data;
  int width = 0, height = 0, target = -1;
  mjvCamera camera;
  mjvOption option;
  mjvScene scene;
  mjrContext context;
};

Renderer::Renderer(const BodyView& body, int width) : impl_(std::make_unique<Impl>(body, width)) {}
Renderer::~Renderer() = default;

void Renderer::aim(const SceneCamera& camera) { impl_->aim(camera); }

Frame Renderer::render(std::span<const double> qpos, std::optional<Point2> goal) {
  Impl& r = *impl_;
  ALPS_CHECK(qpos.size() == static_cast<size_t>(r.model->nq));
  std::copy(qpos.begin(), qpos.end(), r.data->qpos);
  mj_kinematics(r.model.get(), r.data.get());
  mj_comPos(r.model.get(), r.data.get());  // lights follow the centre of mass
  mj_camlight(r.model.get(), r.data.get());
  // the model is shared and keeps its mark at the origin; only this state shows it elsewhere
  if (goal && r.target >= 0) {
    r.data->geom_xpos[3 * r.target] = goal->x;
    r.data->geom_xpos[3 * r.target + 1] = goal->y;
  }

  const GlScope scope(*r.gl);
  mjv_updateScene(r.model.get(), r.data.get(), &r.option, nullptr, &r.camera, mjCAT_ALL, &r.scene);
  const mjrRect viewport{0, 0, r.width, r.height};
  mjr_setBuffer(mjFB_OFFSCREEN, &r.context);
  mjr_render(viewport, &r.scene, &r.context);
  Frame upside_down(r.width, r.height), frame(r.width, r.height);
  mjr_readPixels(upside_down.rgb.data(), nullptr, viewport, &r.context);
  for (int y = 0; y < r.height; ++y) std::copy_n(upside_down.row(r.height - 1 - y), 3 * r.width, frame.row(y));
  return frame;
}

int Renderer::width() const { return impl_->width; }
int Renderer::height() const { return impl_->height; }
std::string Renderer::backend() const { return impl_->gl->name(); }

}  // namespace alps
