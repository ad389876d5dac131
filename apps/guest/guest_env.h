// An environment of the user's own, which lives in the Python process that opened the page: `alps.view(agent, env)`
// (python/alps/viewing.py). There is one of it for all pages: whoever resets it last holds it, and who held it before
// is told so at the next step. It has no plane and no saved states; what one may ask of it is in `GuestSpec`.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "alps/world/env.h"
#include "guest/channel.h"

namespace alps::guest {

// what the process says of its environment
struct GuestSpec {
  EnvSpec env;
  bool starts = false;     // it can be put into a state of the data
  bool judges = false;     // somebody says whether a goal of the data is reached
  bool own_goals = false;  // it names a goal of its own when it is reset: task 1
  bool pictures = false;   // it can be drawn
};

// the other process, shared by all who ask
class Guest {
 public:
  // Takes over the socket and hears what there is; Error where the other end says nothing. Without an environment over
  // there, `spec` is empty, and the socket only tells whether the process still lives.
  explicit Guest(int socket);

  const std::optional<GuestSpec>& spec() const { return spec_; }
  bool gone() const { return channel_.gone(); }

  // One question and its answer. `takes`: whoever asks holds the environment from now on; others are refused unless
  // they hold it.
  std::string ask(const void* who, char kind, std::string_view body, bool takes = false);
  bool held_by(const void* who) const;

 private:
  Channel channel_;
  std::optional<GuestSpec> spec_;
  mutable std::mutex mutex_;
  const void* holder_ = nullptr;
};

class GuestEnv : public Env {
 public:
  explicit GuestEnv(std::shared_ptr<Guest> guest) : guest_(std::move(guest)) {}

  const GuestSpec& about() const { return *guest_->spec(); }
  // where the next reset to task 0 begins and leads to; no start: wherever the environment begins by itself
  void aim(std::optional<Observation> start, Observation goal);
  bool ended_early() const { return ended_early_; }  // by the environment itself, without success
  std::string picture() const;                       // PNG

  std::unique_ptr<Env> clone() const override { return std::make_unique<GuestEnv>(guest_); }
  const EnvSpec& spec() const override { return about().env; }
  void reset(int task, Rng rng) override;  // 0: as aimed, 1: the environment's own start and goal
  StepResult step(std::span<const double> action) override;
  Observation observation() const override { return observation_; }
  Observation goal_observation() const override { return goal_; }
  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;

 private:
  ObservationCopy read(std::string_view bytes) const;

  std::shared_ptr<Guest> guest_;
  std::optional<ObservationCopy> start_;
  ObservationCopy aimed_, observation_, goal_;
  bool ended_early_ = false;
};

}  // namespace alps::guest
