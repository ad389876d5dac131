// An OpenGL context without a window, for MuJoCo's renderer: EGL (a GPU, or Mesa's llvmpipe without one), else OSMesa.
// Both libraries are opened when first needed, so that a program that draws nothing needs neither. MUJOCO_GL chooses,
// as it does for MuJoCo's Python package: egl, osmesa, or off (also: disable, disabled, 0, false).
#pragma once

#include <memory>
#include <string>

namespace alps {

class GlContext {
 public:
  // throws Error that says what was tried, and which Debian packages bring a backend
  static std::unique_ptr<GlContext> make();

  virtual ~GlContext() = default;
  virtual std::string name() const = 0;  // "egl", "osmesa"
  // A context belongs to one thread at a time: whoever draws takes it, and lets go of it afterwards.
  virtual void take() = 0;
  virtual void let_go() = 0;
};

// holds a context in this scope
class GlScope {
 public:
  explicit GlScope(GlContext& context) : context_(context) { context_.take(); }
  ~GlScope() { context_.let_go(); }
  GlScope(const GlScope&) = delete;
  GlScope& operator=(const GlScope&) = delete;

 private:
  GlContext& context_;
};

}  // namespace alps
