// Every number that training depends on, as one flat table: struct field = config key = `--set key=value`. A preset
// fills the table for a data set; the resolved table is stored in RUN/config.json. Sees no torch, so that the program
// can show it without loading torch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "alps/data/dataset.h"
#include "alps/learn/trunk_settings.h"

namespace alps {

struct TrainConfig {
  std::string preset = "fast";
  std::string method = "allo";  // how the representation is learned: allo, or pclast (learn/pclast.h)

  double jump_factor = 0;  // cut episodes where the state leaps (teleports) by so many ordinary steps; 0: never
  double still_share = 0;  // leave out stretches in which less than this share of the usual moves; 0: never
  Cuts cuts() const { return {jump_factor, still_share}; }

  // representation: ALLO (paper, section 2.2)
  int eigenvectors = 32;   // outputs of the encoder; the constant one is not among them
  int encoder_layers = 4;  // linear layers, the output layer included
  int encoder_width = 256;
  std::string objective = "allo";  // or logdet (learn/logdet.h), of pairs alone and without duals
  double slow_gain = 0;            // power of a column's slowness by which its first weights are larger; 0: all alike
  double gamma = 0.6;              // of the geometric distribution of the time between the states of a pair
  int representation_steps = 2000;
  int representation_batch = 512;  // pairs, and rows of each of ALLO's other batches
  int constraint_batches = 2;      // of ALLO's own; the paper's 2, or 1: the states of the pairs are the first of two
  double representation_lr = 1e-3;
  double dual_start = -1.0;
  double dual_step = 1.0;  // times the learning rate
  double dual_min = -100.0;
  double dual_max = 100.0;
  double barrier = 0.5;
  std::string rayleigh_ritz = "hidden";  // off; outputs: in the span of the outputs; hidden: of the last hidden layer
  double psi_power = 0.5;  // psi_i = phi_i / lambda_i^power; 0.5, the paper's: commute time; 1: biharmonic distance

  // the same by PcLast, with the fields above from eigenvectors to representation_lr but gamma; part of the table only
  // for that method
  int inverse_horizon = 3;   // actions are told from states 1 .. so many steps apart
  int positive_horizon = 5;  // states 1 .. so many steps apart are drawn together

  // forward model
  int model_layers = 4;
  int model_width = 512;
  int model_horizon = 10;  // H_f, steps predicted from predictions
  int model_steps = 1000;
  int model_batch = 128;  // windows of model_horizon steps
  double model_lr = 1e-3;
  std::string model_unit = "change";  // error in units of the deviation of: state, or change (of one step)

  // behaviour prior
  int prior_layers = 4;
  int prior_width = 512;
  int prior_horizon = 50;  // K_max, the goal lies 1 .. K_max steps ahead
  int prior_steps = 3000;
  int prior_batch = 512;
  double prior_lr = 1e-3;
  std::string prior_loss = "square";  // or censored: actions at the limits were wished beyond them (learn/prior.h)

  // images
  TrunkSettings trunk;  // learn/trunk_settings.h

  // all parts
  std::string lr_schedule = "cosine";  // constant, or cosine: down to a hundredth over the steps of the part
  int log_every = 100;                 // steps between rows of train.csv
  int validate_every = 500;            // steps between validation losses
  double checkpoint_seconds = 60;      // between checkpoints
};

// one field, for tables and help
struct ConfigField {
  std::string key, value, help;
};
std::vector<ConfigField> config_fields(const TrainConfig& config);

// the preset ("fast" or "paper") for a data set; its name decides the family (locomotion, manipulation, maze2d)
TrainConfig preset_config(const std::string& preset, const std::string& data_name, bool image,
                          const std::string& method = "allo");

// "key=value"; UsageError for an unknown key or a value out of range
void set_field(TrainConfig& config, std::string_view assignment);
void check_config(const TrainConfig& config);

// the table as a JSON object, and back (a wrong type or range is an error that names `where`)
std::string config_json(const TrainConfig& config);
TrainConfig config_from_json(const std::string& text, const std::string& where);

// "representation", "model", "prior": the parts in the order in which they are trained
const std::vector<std::string>& part_names();
// keys whose change leaves a trained part as it is (they belong to no part)
bool shapes_training(const std::string& key);

}  // namespace alps
