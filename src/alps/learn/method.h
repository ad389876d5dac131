// The table of methods. A method is a row: the parts that it trains, in order, and the policy that acts with what they
// leave. A part kind is a row too: its name, its settings and what the presets make of them, its networks, its columns
// of train.csv, and how to make one. To add a method: one file with its parts, one row in method.cc. A program may also
// hand a Method of its own to train() (learn/trainer.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "alps/data/cuts.h"
#include "alps/learn/part.h"

namespace alps {

struct PartKind {
  std::string name;                   // in train.csv, in checkpoints, for --only: "representation", "model", ...
  std::vector<std::string> networks;  // that it leaves in the bundle
  std::vector<std::string> needs;     // networks of earlier parts
  std::vector<std::string> columns;   // terms of its loss, beside "loss"
  std::function<void(Profile& profile)> declare;  // appends its settings
  // sets what the preset ("fast" or "paper") makes of data like these; user's values stay
  std::function<void(Profile& profile, std::string_view preset, const Survey& survey)> preset;
  std::function<std::unique_ptr<Part>(const PartContext& context)> make;
  std::function<void(const Profile& profile)> check = {};   // UsageError for settings that do not go together
  std::function<bool(const Profile& profile)> wanted = {};  // whether data and settings ask for it; empty: always
  bool convolves = false;  // for images only: they pass through torch's convolutions, which want torch's own threads
};

struct Method {
  std::string name, summary;
  std::vector<PartKind> parts;
  std::string policy;                 // a row of the table in run/policies.cc: "planner", "actor", ...
  std::vector<std::string> planning;  // key=value of the planner's settings that belong to the method
};

const std::vector<Method>& methods();
const Method& method_named(std::string_view name);  // UsageError with the nearest name

// all settings of a method's training, as a preset gives them for data like these
Profile training_profile(const Method& method, std::string_view preset, const Survey& survey);

// settings that every method has, beside those of the data (data/cuts.h)
struct LoopSettings {
  std::string lr_schedule = "settle";
  int log_every = 100;
  int validate_every = 500;
  double checkpoint_seconds = 60;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit(
        "lr_schedule", s.lr_schedule, Choices{"constant", "cosine", "settle"},
        "learning rate over a part's steps: constant; falling to a hundredth along a cosine; or settle: constant while "
        "the loss on held-out data falls, then falling for half as many steps, so that a part ends when more steps "
        "would not pay");
    visit("log_every", s.log_every, Range{1, 1e9}, "steps between rows of train.csv");
    visit("validate_every", s.validate_every, Range{1, 1e9}, "steps between losses on held-out data");
    visit("checkpoint_seconds", s.checkpoint_seconds, Range{0, 1e9},
          "seconds between checkpoints, from which --resume goes on");
  }
};

// keys whose change leaves the trained networks as they are
bool shapes_training(const Setting& setting);

}  // namespace alps
