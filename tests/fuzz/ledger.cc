// Ledgers: the CSV of alps eval --results, and the JSON of one result.
#include "alps/lab/csv_ledger.h"
#include "alps/lab/result_file.h"
#include "fuzzed_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace alps;
  const auto path = fuzzed_file("0123456789abcdef.json", {data, size});
  may_refuse([&] { read_result_file(path); });
  may_refuse([&] {
    if (is_csv_ledger(path)) read_csv_ledger(path);
  });
  return 0;
}
