#include "alps/base/interrupt.h"

#include <csignal>

namespace alps {
namespace {

volatile std::sig_atomic_t flag = 0;

void on_signal(int signal) {
  flag = 1;
  // schedulers send SIGTERM more than once, and SIGKILL when they have waited enough
  if (signal == SIGINT) std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

bool interrupted() { return flag != 0; }

void throw_if_interrupted() {
  if (interrupted()) throw Interrupted("interrupted");
}

}  // namespace alps
