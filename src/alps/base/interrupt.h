// Ctrl-C, and the SIGTERM of a scheduler, taken at a safe moment: the handler only sets a flag, and long work asks for
// it between two units. A second Ctrl-C ends the process at once; further SIGTERMs change nothing.
#pragma once

#include "alps/base/error.h"

namespace alps {

class Interrupted : public Error {
 public:
  using Error::Error;
  int exit_code() const override { return 130; }  // as shells report SIGINT
};

void catch_interrupts();  // SIGINT and SIGTERM
bool interrupted();
void throw_if_interrupted();

}  // namespace alps
