#include "cli/ogbench_env.h"

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "alps/world/catalog.h"
#include "cli/python_process.h"

namespace alps::cli {
namespace {

constexpr int kServerSocket = 3;  // the file descriptor of the server's end

}  // namespace

OgbenchEnv::OgbenchEnv(std::string data_name, const std::string& env_name)
    : data_name_(std::move(data_name)), native_(make_env(env_name)) {
  if (const CatalogEntry* entry = find_env(env_name); entry == nullptr || !entry->ogbench)
    throw UsageError("--backend ogbench: ", env_name, " is not an environment of OGBench; leave out --backend");
  if (native_->physics() == nullptr || (native_->planar() == nullptr && native_->arm() == nullptr))
    throw UsageError("--backend ogbench steps OGBench's mazes and arms only, not ", env_name, "; leave out --backend");
}

OgbenchEnv::~OgbenchEnv() {
  // the server ends when its socket does
  channel_ = {};
  if (process_ > 0) ::waitpid(process_, nullptr, 0);
}

std::unique_ptr<Env> OgbenchEnv::clone() const { return std::make_unique<OgbenchEnv>(data_name_, spec().name); }

void OgbenchEnv::start() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error("cannot make a socket for OGBench's process: ", std::strerror(errno));
  channel_ = guest::Channel(ends[0]);

  // -P: the modules beside the script are not to be found by other names; its prints must not mix with ours
  const std::string program = python(), script = package_file("ogbench_server.py").string(),
                    number = std::to_string(kServerSocket);
  std::vector<const char*> args = {program.c_str(), "-P", script.c_str(), data_name_.c_str(), number.c_str(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], kServerSocket);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  const int failed =
      ::posix_spawnp(&process_, program.c_str(), &actions, nullptr, const_cast<char**>(args.data()), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failed != 0) {
    process_ = -1;
    throw Error("cannot start ", program, ": ", std::strerror(failed),
                "; name a Python with ogbench in it by ALPS_PYTHON=...");
  }

  // what the package says of its environment must be what we know of ours
  const auto told = nlohmann::json::parse(receive('H'));
  const EnvSpec& ours = spec();
  auto compare = [&](const char* what, double theirs, double expected) {
    if (theirs != expected)
      throw Error("ogbench's ", ours.name, " has ", what, " ", theirs, ", not ", expected, "; is it version 1.2.2?");
  };
  compare("observations of size", told.at("observation_size"), static_cast<double>(ours.observation_size()));
  compare("actions of size", told.at("action_size"), ours.action_size);
  compare("episodes of length", told.at("max_episode_steps"), ours.max_episode_steps);
  compare("a number of tasks of", told.at("num_tasks"), ours.num_tasks);
  state_size_ = told.at("state_size");
}

void OgbenchEnv::lost() const {
  throw Error("OGBench's process (", python(), ") ended; its last words are above, if it had any.\n",
              "It needs the package ogbench; name another Python by ALPS_PYTHON=...");
}

void OgbenchEnv::send(std::span<const double> numbers) const {
  if (!channel_.send('D', {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()})) lost();
}

std::string OgbenchEnv::receive(char kind) const {
  auto message = channel_.receive();
  if (!message) lost();
  if (message->kind == 'E') throw Error("ogbench: ", message->body);
  if (message->kind != kind) lost();
  return std::move(message->body);
}

std::vector<double> OgbenchEnv::receive_numbers(size_t count) const {
  const std::string body = receive('D');
  if (body.size() != count * sizeof(double)) lost();
  std::vector<double> numbers(count);
  std::memcpy(numbers.data(), body.data(), body.size());
  return numbers;
}

std::vector<double> OgbenchEnv::ask(Request request, std::span<const double> numbers, size_t answer) const {
  std::vector<double> message = {static_cast<double>(request)};
  message.insert(message.end(), numbers.begin(), numbers.end());
  send(message);
  return receive_numbers(answer);
}

size_t OgbenchEnv::moment_size() const {
  const PhysicsView& ours = *native_->physics();
  return spec().observation_size() + ours.qpos().size() + ours.qvel().size() + place_size();
}

const double* OgbenchEnv::take_moment(const double* at) {
  const auto take = [&](auto& to, size_t n) {
    to.assign(at, at + n);
    at += n;
  };
  take(observation_, spec().observation_size());
  take(qpos_, native_->physics()->qpos().size());
  take(qvel_, native_->physics()->qvel().size());
  if (planar() != nullptr) position_ = {at[0], at[1]};
  return at + place_size();
}

void OgbenchEnv::reset(int task, Rng rng) {
  if (process_ < 0) start();
  const size_t size = spec().observation_size();
  // the package takes seeds of 32 bits
  const auto all =
      ask(kReset, std::vector{double(task), double(rng.next() >> 32)}, moment_size() + size + place_size());
  const double* at = take_moment(all.data());
  goal_observation_.assign(at, at + size);
  if (planar() != nullptr) goal_ = {at[size], at[size + 1]};
}

StepResult OgbenchEnv::step(std::span<const double> action) {
  const auto all = ask(kStep, action, 3 + moment_size());
  take_moment(all.data() + 3);
  return {all[0] != 0, all[1] != 0, all[2] != 0};
}

std::vector<double> OgbenchEnv::state() const {
  if (process_ < 0) throw UsageError(spec().name, " has no state before its first reset");
  return ask(kState, {}, state_size_);
}

void OgbenchEnv::set_state(std::span<const double> state) {
  if (process_ < 0) reset(1, Rng(0));  // the package's environments are reset before anything else
  if (state.size() != state_size_)
    throw Error("a state of ", spec().name, " has ", state_size_, " numbers, this one ", state.size(),
                "; take it from state()");
  take_moment(ask(kSetState, state, moment_size()).data());
  if (planar() != nullptr) goal_ = {state[1], state[2]};
}

}  // namespace alps::cli
