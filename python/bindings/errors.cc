// alps::Error as alps.Error, alps::UsageError as alps.UsageError (python/alps/errors.py), with the same messages; an
// interruption as KeyboardInterrupt.
#include "alps/base/error.h"
#include "alps/base/interrupt.h"
#include "bindings/module.h"

namespace alps::python {
namespace {

// looked up when it is needed: this module is loaded while the package is
void raise(const char* type, const char* what) {
  const nb::object found = nb::module_::import_("alps.errors").attr(type);
  PyErr_SetString(found.ptr(), what);
}

}  // namespace

void add_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Interrupted& e) {
      PyErr_SetString(PyExc_KeyboardInterrupt, e.what());
    } catch (const UsageError& e) {
      raise("UsageError", e.what());
    } catch (const Error& e) {
      raise("Error", e.what());
    }
  });
}

}  // namespace alps::python
