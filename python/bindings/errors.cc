// alps::Error as alps.Error (a RuntimeError), alps::UsageError as alps.UsageError (an alps.Error and a ValueError), with
// the same messages; an interruption as KeyboardInterrupt.
#include "alps/base/error.h"

#include "alps/base/interrupt.h"
#include "bindings/module.h"

namespace alps::python {
namespace {

PyObject* error_type = nullptr;  // live as long as the module, which is never unloaded
PyObject* usage_type = nullptr;

PyObject* new_type(nb::module_& m, const char* name, const char* doc, nb::object bases) {
  PyObject* type = PyErr_NewExceptionWithDoc(name, doc, bases.ptr(), nullptr);
  if (type == nullptr) nb::raise_python_error();
  m.attr(name + sizeof("alps.") - 1) = nb::borrow(type);
  return type;
}

}  // namespace

void add_errors(nb::module_& m) {
  error_type = new_type(m, "alps.Error", "The work failed: what was wrong, where, and what to do next.",
                        nb::borrow(PyExc_RuntimeError));
  usage_type = new_type(m, "alps.UsageError", "Wrong use: an argument or setting that cannot be.",
                        nb::make_tuple(nb::borrow(error_type), nb::borrow(PyExc_ValueError)));
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Interrupted& e) {
      PyErr_SetString(PyExc_KeyboardInterrupt, e.what());
    } catch (const UsageError& e) {
      PyErr_SetString(usage_type, e.what());
    } catch (const Error& e) {
      PyErr_SetString(error_type, e.what());
    }
  });
}

}  // namespace alps::python
