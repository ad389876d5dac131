#include "guest/guest_env.h"

#include <cstring>
#include <nlohmann/json.hpp>

namespace alps::guest {
namespace {

// kinds of messages, as python/alps/viewing.py has them
constexpr char kHello = 'H', kReset = 'R', kStep = 'S', kPicture = 'P', kAnswer = 'D', kFailed = 'E';

[[noreturn]] void lost() { throw Error("the Python process with the environment has ended; start alps.view again"); }

std::string_view bytes_of(const Observation& seen) {
  if (seen.image()) return {reinterpret_cast<const char*>(seen.bytes().data()), seen.bytes().size()};
  return {reinterpret_cast<const char*>(seen.floats().data()), seen.floats().size_bytes()};
}

size_t bytes_of(const EnvSpec& spec) { return spec.observation_size() * (spec.image ? 1 : sizeof(float)); }

}  // namespace

Guest::Guest(int socket) : channel_(socket) {
  const auto hello = channel_.receive();
  if (!hello || hello->kind != kHello) lost();
  const auto told = nlohmann::json::parse(hello->body);
  if (told.is_null()) return;
  GuestSpec spec;
  spec.env.name = told.at("name");
  spec.env.observation_shape = told.at("observation_shape").get<Shape>();
  spec.env.image = told.at("image");
  spec.env.action_size = told.at("action_size");
  spec.env.max_episode_steps = told.at("max_steps");
  spec.starts = told.at("starts");
  spec.judges = told.at("judges");
  spec.own_goals = told.at("own_goals");
  spec.pictures = told.at("pictures");
  spec.env.num_tasks = spec.own_goals ? 1 : 0;
  spec_ = spec;
}

std::string Guest::ask(const void* who, char kind, std::string_view body, bool takes) {
  const std::lock_guard lock(mutex_);
  if (takes) holder_ = who;
  if (holder_ != who)
    throw UsageError(
        "another page has begun an episode: there is one environment for all pages; play again to begin anew here");
  if (!channel_.send(kind, body)) lost();
  auto answer = channel_.receive();
  if (!answer) lost();
  if (answer->kind == kFailed) throw Error("the environment: ", answer->body);
  if (answer->kind != kAnswer) lost();
  return std::move(answer->body);
}

bool Guest::held_by(const void* who) const {
  const std::lock_guard lock(mutex_);
  return holder_ == who;
}

void GuestEnv::aim(std::optional<Observation> start, Observation goal) {
  start_.reset();
  if (start) start_ = ObservationCopy(*start);
  aimed_ = goal;
}

ObservationCopy GuestEnv::read(std::string_view bytes) const {
  if (bytes.size() != bytes_of(spec())) throw Error("the environment shows observations of another size than before");
  if (spec().image) return Observation(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return Observation(numbers);
}

// seed (4 bytes), whether a start and a goal follow (2 bytes), start, goal -> observation, goal
void GuestEnv::reset(int task, Rng rng) {
  const auto seed = static_cast<uint32_t>(rng.next() >> 33);
  std::string body(sizeof seed + 2, '\0');
  std::memcpy(body.data(), &seed, sizeof seed);
  if (task == 0) {
    body[4] = start_.has_value();
    body[5] = 1;
    if (start_) body += bytes_of(start_->view());
    body += bytes_of(aimed_.view());
  }
  const std::string answer = guest_->ask(this, kReset, body, true);
  const size_t size = bytes_of(spec());
  observation_ = read(std::string_view(answer).substr(0, size));
  goal_ = read(std::string_view(answer).substr(std::min(size, answer.size())));
  ended_early_ = false;
}

// the action, doubles -> success, terminated, truncated (a byte each), observation
StepResult GuestEnv::step(std::span<const double> action) {
  const std::string answer =
      guest_->ask(this, kStep, {reinterpret_cast<const char*>(action.data()), action.size_bytes()});
  if (answer.size() < 3) lost();
  const StepResult result{answer[0] != 0, answer[0] != 0 || answer[1] != 0, answer[2] != 0};
  observation_ = read(std::string_view(answer).substr(3));
  ended_early_ = result.terminated && !result.success;
  return result;
}

std::string GuestEnv::picture() const { return guest_->ask(this, kPicture, {}); }

std::vector<double> GuestEnv::state() const { throw Error(spec().name, " has no state that could be kept"); }

void GuestEnv::set_state(std::span<const double>) { throw Error(spec().name, " has no state that could be set"); }

}  // namespace alps::guest
