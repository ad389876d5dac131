#include "alps/learn/course.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace alps {
namespace {

constexpr double kFirst = 500;    // steps before the first question
constexpr double kDecline = 0.5;  // of the steps before it
constexpr int64_t kPlaces = 66;   // a question at 500 * 2^32 steps is never asked

// the k-th question, 0 for the untrained part
int64_t question(int64_t k) { return k == 0 ? 0 : std::llround(kFirst * std::exp2((k - 1) / 2.0)); }

int64_t number_of(int64_t step) {
  int64_t k = 0;
  while (k + 2 < kPlaces && question(k) < step) ++k;
  return k;
}

// from 1 to a hundredth
double cosine(double share) { return 0.01 + 0.99 * 0.5 * (1.0 + std::cos(std::numbers::pi * share)); }

}  // namespace

Course::Course(const Schedule& schedule) : schedule_(schedule), state_(at::zeros({kPlaces}, at::kDouble)) {}

int64_t Course::steps() const {
  if (!settled()) return schedule_.steps;
  return std::min<int64_t>(schedule_.steps, std::llround((1 + kDecline) * this->at(0)));
}

double Course::lr(int64_t step) const {
  const auto now = static_cast<double>(step), all = static_cast<double>(steps());
  // the share of the way from `begin` to the last step
  const auto share = [&](double begin) { return std::max(0.0, (now - begin) / std::max(1.0, all - 1 - begin)); };
  // what a schedule of fixed steps has come to when the time is up is where the decline begins
  const auto fixed = [&](double at) {
    return schedule_.kind == "cosine" ? cosine(at / std::max(1.0, static_cast<double>(schedule_.steps) - 1)) : 1.0;
  };
  if (settled()) return schedule_.lr * fixed(std::min(now, this->at(0))) * cosine(share(this->at(0)));
  // where nothing has settled it, the last third of the steps
  if (schedule_.kind == "settle") return schedule_.lr * cosine(share(all / (1 + kDecline)));
  return schedule_.lr * fixed(now);
}

bool Course::asks(int64_t step) const {
  return schedule_.kind == "settle" && !settled() && step < schedule_.steps && question(number_of(step)) == step;
}

void Course::answer(int64_t step, double loss) {
  const int64_t k = number_of(step);
  this->at(1 + k) = loss;
  // the question two before is that of half the steps
  const auto paid = [&](int64_t q) {
    return this->at(1 + q - 2) - this->at(1 + q) >= schedule_.pays * (this->at(1) - this->at(1 + q));
  };
  if (k >= 4 && !paid(k) && !paid(k - 1)) settle_now(step);
}

void Course::settle_now(int64_t step) {
  const double latest = static_cast<double>(schedule_.steps) / (1 + kDecline);
  if (!settled() && static_cast<double>(step) < latest) this->at(0) = static_cast<double>(std::max<int64_t>(1, step));
}

}  // namespace alps
