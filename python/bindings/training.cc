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
                  std::optional<int> threads, bool resume, bool overwrite, const std::string& only, double minutes,
                  bool tensorboard, nb::object progress) {
  Callbacks callbacks(std::move(progress));
  TrainRequest request{.data = data,
                       .data_dir = data_dir,
                       .out = out,
                       .preset = preset,
                       .method = method,
                       .set = std::move(set),
                       .seed = seed,
                       .device = device,
                       .precision = precision,
                       .threads = threads,
                       .resume = resume,
                       .overwrite = overwrite,
                       .only = only,
                       .minutes = minutes,
                       .tensorboard = tensorboard,
                       .versions = {{"alps", ALPS_VERSION}, {"mujoco", mujoco_version()}},
                       .progress = {},
                       .stop = {},
                       .say = {}};
  request.progress = [&](const std::string& part, int64_t step, int64_t steps, const std::string& note) {
    callbacks.step(part, step, steps, note);
  };
  request.stop = [&] { return callbacks.stop(); };
  request.say = [&](const std::string& line) { callbacks.say(line); };
  std::string run;
  callbacks.run([&] { run = train_run(request).folder.string(); });
  return run;
}

}  // namespace

void add_training(nb::module_& m) {
  m.def("train", &train, nb::arg("data"), nb::arg("data_dir"), nb::arg("out"), nb::arg("preset"), nb::arg("method"),
        nb::arg("set"), nb::arg("seed").none(), nb::arg("device").none(), nb::arg("precision").none(),
        nb::arg("threads").none(), nb::arg("resume"), nb::arg("overwrite"), nb::arg("only"), nb::arg("minutes"),
        nb::arg("tensorboard"), nb::arg("progress").none());
  // every setting of a method, as a preset gives it for an ant's data: (key, value, help)
  m.def(
      "train_settings",
      [](const std::string& preset, const std::string& method) {
        nb::list rows;
        for (const Setting& s : typical_profile(method, preset).settings())
          rows.append(nb::make_tuple(s.key, s.text(), s.help));
        return rows;
      },
      nb::arg("preset") = "fast", nb::arg("method") = "alps");
}

}  // namespace alps::python
