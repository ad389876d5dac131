// Errors. `Error` speaks to the user: what was wrong, where (file, key, row) and what to do next; the program prints
// it as one or two lines and exits with `exit_code()`. `ALPS_CHECK` guards what can only fail through a bug of ours.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace alps {

// joins its arguments as a stream would print them
template <class... Args>
std::string str(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return out.str();
}

class Error : public std::runtime_error {
 public:
  template <class... Args>
  explicit Error(const Args&... args) : std::runtime_error(str(args...)) {}
  virtual int exit_code() const { return 1; }  // the work failed
};

class UsageError : public Error {
 public:
  using Error::Error;
  int exit_code() const override { return 2; }  // wrong use
};

[[noreturn]] inline void check_failed(const char* file, int line, const char* condition) {
  throw std::logic_error(
      str("internal error at ", file, ":", line, ": ", condition, " does not hold; please report it"));
}

}  // namespace alps

#define ALPS_CHECK(condition) \
  if (!(condition)) ::alps::check_failed(__FILE__, __LINE__, #condition)
