#include "alps/base/function_ref.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace alps {
namespace {

int twice(FunctionRef<int(int)> f, int x) { return f(f(x)); }

TEST(FunctionRef, CallsWhatItRefersTo) {
  int calls = 0;
  const auto counting = [&](int x) { return ++calls, x + 1; };
  EXPECT_EQ(twice(counting, 3), 5);
  EXPECT_EQ(calls, 2);
  // state of its own changes too, and results are converted
  EXPECT_EQ(twice([n = 0](int x) mutable { return static_cast<short>(x + ++n); }, 0), 3);
  struct Adds {
    int by;
    int operator()(int x) const { return x + by; }
  };
  EXPECT_EQ(twice(Adds{5}, 1), 11);
}

TEST(FunctionRef, PassesReferencesAndValuesOn) {
  std::string text = "a";
  const auto adding = [](std::string& to, std::unique_ptr<int> n) { to += std::to_string(*n); };
  const FunctionRef<void(std::string&, std::unique_ptr<int>)> append = adding;
  static_assert(sizeof append == 2 * sizeof(void*));
  append(text, std::make_unique<int>(7));
  EXPECT_EQ(text, "a7");
}

}  // namespace
}  // namespace alps
