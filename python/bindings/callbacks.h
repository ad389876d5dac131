// Long work that Python watches: progress goes to a Python function now and then, and Ctrl-C (or an error in that
// function) asks the work to stop at its next safe moment. The work itself runs without the interpreter's lock.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "alps/base/interrupt.h"
#include "bindings/module.h"

namespace alps::python {

class Callbacks {
 public:
  explicit Callbacks(nb::object progress) : progress_(std::move(progress)) {}

  // Runs the work. What made it stop is raised: Ctrl-C as KeyboardInterrupt with the work's own words, an error of the
  // progress function as it is.
  template <class Work>
  void run(Work&& work) {
    try {
      const nb::gil_scoped_release unlocked;
      work();
    } catch (const Interrupted&) {
      if (raised_ && !raised_->matches(PyExc_KeyboardInterrupt)) throw nb::python_error(std::move(*raised_));
      throw;  // as KeyboardInterrupt (errors.cc)
    }
    if (raised_) throw nb::python_error(std::move(*raised_));
  }

  // progress(what, done, total, note), at most ten times a second; true: stop
  bool step(const std::string& what, size_t done, size_t total, const std::string& note) {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (raised_) return true;
    if (done < total && now - last_ < std::chrono::milliseconds(100)) return false;
    last_ = now;
    const nb::gil_scoped_acquire locked;
    return call([&] { progress_(what, done, total, note); });
  }

  void say(const std::string& line) {
    const nb::gil_scoped_acquire locked;
    call([&] { progress_(line, nb::none(), nb::none(), ""); });
  }

  bool stop() const { return raised_.has_value(); }

 private:
  template <class Body>
  bool call(Body&& body) {
    try {
      if (PyErr_CheckSignals() != 0) nb::raise_python_error();
      if (!progress_.is_none()) body();
    } catch (nb::python_error& e) {
      raised_.emplace(std::move(e));
    }
    return raised_.has_value();
  }

  nb::object progress_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_{};
  std::optional<nb::python_error> raised_;
};

}  // namespace alps::python
