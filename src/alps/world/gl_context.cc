#include "alps/world/gl_context.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "alps/base/error.h"

namespace alps {
namespace {

// a library that stays open: MuJoCo keeps pointers to its functions
class Library {
 public:
  explicit Library(std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (handle_ == nullptr) throw Error("no ", *names.begin());
  }
  template <class F>
  F* find(const char* name) const {
    return reinterpret_cast<F*>(dlsym(handle_, name));
  }
  template <class F>
  F* get(const char* name) const {
    if (F* function = find<F>(name)) return function;
    throw Error("the library has no ", name);
  }

 private:
  void* handle_ = nullptr;
};

// names and numbers of the EGL 1.5 registry, as far as they are needed here
namespace egl {
using Display = void*;
using Config = void*;
using Context = void*;
using Surface = void*;
using Device = void*;
constexpr int32_t kNone = 0x3038, kSurfaceType = 0x3033, kPbuffer = 1, kRenderable = 0x3040, kOpenGlBit = 8,
                  kRed = 0x3024, kGreen = 0x3023, kBlue = 0x3022, kAlpha = 0x3021, kDepth = 0x3025;
constexpr uint32_t kOpenGl = 0x30A2, kPlatformDevice = 0x313F, kPlatformSurfaceless = 0x31DD;
}  // namespace egl

class EglContext : public GlContext {
 public:
  EglContext() : library_({"libEGL.so.1", "libEGL.so"}) {
    const auto address = library_.get<void*(const char*)>("eglGetProcAddress");
    // displays without a window system: each device, then Mesa without a device
    const auto display_of =
        reinterpret_cast<egl::Display (*)(uint32_t, void*, const int32_t*)>(address("eglGetPlatformDisplayEXT"));
    const auto devices = reinterpret_cast<uint32_t (*)(int32_t, egl::Device*, int32_t*)>(address("eglQueryDevicesEXT"));
    std::array<egl::Device, 16> found{};
    int32_t count = 0;
    if (devices != nullptr && !devices(found.size(), found.data(), &count)) count = 0;
    for (int32_t i = 0; i < count && display_of != nullptr && context_ == nullptr; ++i)
      open(display_of(egl::kPlatformDevice, found[i], nullptr));
    if (context_ == nullptr && display_of != nullptr) open(display_of(egl::kPlatformSurfaceless, nullptr, nullptr));
    if (context_ == nullptr) throw Error("libEGL.so.1 is there, but no driver of it makes an OpenGL context");
    make_current_ = library_.get<uint32_t(egl::Display, egl::Surface, egl::Surface, egl::Context)>("eglMakeCurrent");
    take();
    let_go();
  }

  ~EglContext() override {
    // the display stays: others may have it too
    library_.get<uint32_t(egl::Display, egl::Context)>("eglDestroyContext")(display_, context_);
  }

  std::string name() const override { return "egl"; }

  void take() override {
    // the interface is chosen for each thread
    library_.get<uint32_t(uint32_t)>("eglBindAPI")(egl::kOpenGl);
    if (!make_current_(display_, nullptr, nullptr, context_)) throw Error("EGL does not let a context be current");
  }
  void let_go() override { make_current_(display_, nullptr, nullptr, nullptr); }

 private:
  void open(egl::Display display) {
    int32_t major = 0, minor = 0, count = 0;
    if (display == nullptr ||
        !library_.get<uint32_t(egl::Display, int32_t*, int32_t*)>("eglInitialize")(display, &major, &minor))
      return;
    const std::array wanted = {egl::kSurfaceType, egl::kPbuffer,
                               egl::kRenderable,  egl::kOpenGlBit,
                               egl::kRed,         8,
                               egl::kGreen,       8,
                               egl::kBlue,        8,
                               egl::kAlpha,       8,
                               egl::kDepth,       24,
                               egl::kNone};
    egl::Config config = nullptr;
    if (!library_.get<uint32_t(egl::Display, const int32_t*, egl::Config*, int32_t, int32_t*)>("eglChooseConfig")(
            display, wanted.data(), &config, 1, &count) ||
        count == 0 || !library_.get<uint32_t(uint32_t)>("eglBindAPI")(egl::kOpenGl))
      return;
    display_ = display;
    context_ = library_.get<egl::Context(egl::Display, egl::Config, egl::Context, const int32_t*)>("eglCreateContext")(
        display, config, nullptr, nullptr);
  }

  Library library_;
  egl::Display display_ = nullptr;
  egl::Context context_ = nullptr;
  uint32_t (*make_current_)(egl::Display, egl::Surface, egl::Surface, egl::Context) = nullptr;
};

class OsMesaContext : public GlContext {
 public:
  OsMesaContext() : library_({"libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"}) {
    constexpr uint32_t kRgba = 0x1908;
    context_ = library_.get<void*(uint32_t, int, int, int, void*)>("OSMesaCreateContextExt")(kRgba, 24, 8, 0, nullptr);
    if (context_ == nullptr) throw Error("OSMesa makes no context");
    make_current_ = library_.get<uint8_t(void*, void*, uint32_t, int, int)>("OSMesaMakeCurrent");
    // by this variable MuJoCo knows whose functions to call
    setenv("MUJOCO_GL", "osmesa", 1);
    take();
    let_go();
  }

  ~OsMesaContext() override { library_.get<void(void*)>("OSMesaDestroyContext")(context_); }

  std::string name() const override { return "osmesa"; }

  void take() override {
    // MuJoCo draws to a buffer of its own; this one only has to be there
    constexpr uint32_t kUnsignedByte = 0x1401;
    if (!make_current_(context_, buffer_.data(), kUnsignedByte, 1, 1))
      throw Error("OSMesa does not let a context be current");
  }
  void let_go() override { make_current_(nullptr, nullptr, 0, 0, 0); }

 private:
  Library library_;
  void* context_ = nullptr;
  uint8_t (*make_current_)(void*, void*, uint32_t, int, int) = nullptr;
  std::array<uint8_t, 4> buffer_{};
};

}  // namespace

std::unique_ptr<GlContext> GlContext::make() {
  const char* variable = std::getenv("MUJOCO_GL");
  const std::string chosen = variable != nullptr ? variable : "";
  for (const std::string_view off : {"off", "disable", "disabled", "0", "false"})
    if (chosen == off) throw Error("MUJOCO_GL=", chosen, " turns rendering off");
  std::string tried;
  const auto attempt = [&]<class Context>(const char* name, Context*) -> std::unique_ptr<GlContext> {
    if ((chosen == "egl" || chosen == "osmesa") && chosen != name) return nullptr;
    try {
      return std::make_unique<Context>();
    } catch (const Error& error) {
      tried += str(tried.empty() ? "" : "; ", name, ": ", error.what());
      return nullptr;
    }
  };
  if (auto context = attempt("egl", static_cast<EglContext*>(nullptr))) return context;
  if (auto context = attempt("osmesa", static_cast<OsMesaContext*>(nullptr))) return context;
  throw Error("cannot render without a window (", tried,
              "); install libegl1 and libgl1-mesa-dri, or libosmesa6 (Debian packages)");
}

}  // namespace alps
