// alps._core.train: trains a run; see alps.train.
#include "alps/run/training.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "alps/world/version.h"
#include "bindings/callbacks.h"
#include "bindings/module.h"

namespace alps::python {
namespace {

std::string train(const std::string& data, const std::string& data_dir, const std::string& out,
                  const std::string& preset, const std::string& method, std::vector<std::string> set,
                  std::optional<uint64_t> seed, std::optional<std::string> device, std::optional<std::string> precision,
                  std::optional<int> threads, bool resume, const std::string& only, bool tensorboard,
                  nb::object progress) {
  Callbacks callbacks(std::move(progress));
  TrainRequest request{data, data_dir, out, preset, method, std::move(set), seed, device, precision, threads, {}};
  TrainOptions& options = request.options;
  options.resume = resume;
  options.only = only;
  options.tensorboard = tensorboard;
  options.versions = {{"alps", ALPS_VERSION}, {"mujoco", mujoco_version()}};
  options.progress = [&](const std::string& part, int64_t step, int64_t steps, const std::string& note) {
    callbacks.step(part, step, steps, note);
  };
  options.stop = [&] { return callbacks.stop(); };
  options.say = [&](const std::string& line) { callbacks.say(line); };
  std::string run;
  callbacks.run([&] { run = train_run(request).folder.string(); });
  return run;
}

}  // namespace

void add_training(nb::module_& m) {
  m.def("train", &train, nb::arg("data"), nb::arg("data_dir"), nb::arg("out"), nb::arg("preset"), nb::arg("method"),
        nb::arg("set"), nb::arg("seed").none(), nb::arg("device").none(), nb::arg("precision").none(),
        nb::arg("threads").none(), nb::arg("resume"), nb::arg("only"), nb::arg("tensorboard"),
        nb::arg("progress").none());
  // the settings of a preset for a data set, as (key, value, help)
  m.def(
      "train_settings",
      [](const std::string& preset, const std::string& name, bool image, const std::string& method) {
        nb::list rows;
        for (const ConfigField& f : config_fields(preset_config(preset, name, image, method)))
          rows.append(nb::make_tuple(f.key, f.value, f.help));
        return rows;
      },
      nb::arg("preset") = "fast", nb::arg("name") = "", nb::arg("image") = false, nb::arg("method") = "allo");
}

}  // namespace alps::python
