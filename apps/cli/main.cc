// The program `alps`: runs a command, and turns errors into one or two lines and an exit code (0 done, 1 the work
// failed, 2 wrong use).
#include <cstdio>
#include <new>

#include "alps/base/interrupt.h"
#include "alps/world/version.h"
#include "cli/verbs.h"

int main(int argc, char** argv) {
  int code = 1;
  std::string what;
  try {
    alps::check_mujoco_version();
    alps::catch_interrupts();
    alps::cli::run_command({argv + 1, argv + argc});
    return 0;
  } catch (const alps::Error& e) {
    what = e.what();
    code = e.exit_code();
  } catch (const std::bad_alloc&) {
    what = "out of memory; use a smaller data set or batch, or a machine with more memory";
  } catch (const std::exception& e) {
    what = e.what();
  }
  std::fprintf(stderr, "alps: error: %s\n", what.c_str());
  return code;
}
