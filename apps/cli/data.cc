// alps data list | make | info | get: data sets in OGBench's layout (data_import.cc has alps data import).
#include <cinttypes>
#include <cmath>
#include <filesystem>

#include "alps/base/interrupt.h"
#include "alps/base/memory.h"
#include "alps/base/npz.h"
#include "alps/base/progress.h"
#include "alps/base/shell_quoted.h"
#include "alps/collect/collect.h"
#include "alps/collect/expert.h"
#include "alps/collect/walk_figures.h"
#include "alps/data/check.h"
#include "alps/data/dataset.h"
#include "alps/data/download.h"
#include "alps/data/many_files.h"
#include "alps/run/check.h"
#include "alps/show/dataset_picture.h"
#include "alps/world/catalog.h"
#include "alps/world/planar_view.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace fs = std::filesystem;

namespace alps::cli {
namespace {

struct DataArgs {
  std::string name, data_dir, plot, part;
  CollectOptions collect;
  bool overwrite = false;
  std::vector<std::string> from;
};

std::string megabytes(uintmax_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", bytes / 1e6);
  return text;
}

void list(const DataArgs& args) {
  Table table({"data set", ">rows", ">episodes", ">length", "on disk", "alps data make"});
  for (const Recipe& r : recipes()) {
    const fs::path path = dataset_path(r.name, args.data_dir);
    table.add({r.name, with_commas(r.rows()), with_commas(r.episodes), with_commas(r.length),
               fs::is_regular_file(path) ? megabytes(fs::file_size(path)) : (fs::exists(path) ? "a folder" : "-"),
               missing_for(r).empty() ? "yes" : "needs " + missing_for(r)});
  }
  table.print();
}

void make_part(const DataArgs& args, const Recipe& what, const fs::path& path) {
  const Part part = parse_part(args.part);
  const std::string name = str("part ", part.index, " of ", part.count);
  Progress progress(str("making ", name, " of ", what.name), "steps");
  const PartStats stats = make_dataset_part(what, path, args.collect, part, [&](size_t done, size_t total) {
    if (interrupted()) throw Interrupted("interrupted; the same command goes on from the pieces that are finished");
    progress.update(done, total);
  });
  if (stats.joined)
    std::printf("%s is there already\n", path.c_str());
  else if (what.behaviour == Behaviour::kRandom)
    std::printf("%s is one walk, which cannot be shared out; the same command without --part makes it\n",
                what.name.c_str());
  else
    std::printf(
        "%s.making: %s is ready (%s pieces, %s rows); when all are, the same command without --part joins them\n",
        path.c_str(), name.c_str(), with_commas(stats.pieces).c_str(), with_commas(stats.rows).c_str());
}

void make(const DataArgs& args) {
  const Recipe& what = recipe(args.name);
  const fs::path path = dataset_path(what.name, args.data_dir);
  if (!args.part.empty() && args.overwrite)
    throw UsageError("--part and --overwrite do not go together; remove ", path.string(), " and its -val.npz first");
  if (!args.part.empty()) parse_part(args.part);
  if (fs::exists(path) && !args.overwrite) {
    std::printf("%s is there already; --overwrite makes it anew\n", path.c_str());
    return;
  }
  if (!args.part.empty()) return make_part(args, what, path);
  CollectOptions options = args.collect;
  options.needs = [&](const Needs& needs) {
    std::fprintf(stderr, "%s takes about %s on disk, where %s are free, and about %s to make from the beginning\n",
                 what.name.c_str(), bytes_text(needs.disk).c_str(), bytes_text(needs.free).c_str(),
                 clock_text(needs.seconds).c_str());
  };
  Progress progress("making " + what.name, what.walked_in.empty() ? "steps" : "steps and images");
  const CollectStats stats = make_dataset(what, path, options, [&](size_t done, size_t total) {
    if (interrupted()) throw Interrupted("interrupted; the same command goes on from the episodes that are finished");
    progress.update(done, total);
  });
  std::printf("%s: %s rows, and %s for validation beside it (made here, seed %" PRIu64 ")\n", path.c_str(),
              with_commas(stats.train_rows).c_str(), with_commas(stats.val_rows).c_str(), args.collect.seed);
  if (what.behaviour == Behaviour::kNavigate || what.behaviour == Behaviour::kStitch)
    std::printf("a goal was reached %s times, %.2f in an episode\n", with_commas(stats.goals_reached).c_str(),
                static_cast<double>(stats.goals_reached) / static_cast<double>(stats.episodes));
}

// where a body went, if the data set's name tells in which maze
void print_walk(const fs::path& path) {
  const std::string stem = path.stem().string();
  const Recipe* known = find_recipe(stem.ends_with("-val") ? stem.substr(0, stem.size() - 4) : stem);
  const CatalogEntry* entry = known != nullptr ? find_env(known->env) : nullptr;
  if (entry == nullptr || !entry->available) return;
  const auto env = make_env(entry->name);
  if (env->spec().image || maze_of(*env) == nullptr) return;
  const bool ant = known->expert == "ant";
  const WalkFigures f = walk_figures(load_dataset(path), *maze_of(*env), ant);
  std::printf("%zu of %zu cells visited, %.4f from row to row", f.visited, f.cells, f.stride);
  if (ant)
    std::printf("; on its back in %.2f %% of the rows, %.2f %% of the episodes' ends", 100 * f.on_back,
                100 * f.on_back_at_end);
  std::printf("\n");
}

// widens `ends` to the least and largest value; images are passed over piece by piece
void widen(std::pair<double, double>& ends, const NpzReader& file, const std::string& key) {
  const ArrayInfo info = file.info(key);
  auto& [low, high] = ends;
  auto look = [&]<class T>(std::span<const std::byte> bytes, T) {
    for (const T x : std::span(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T))) {
      low = std::min(low, static_cast<double>(x));
      high = std::max(high, static_cast<double>(x));
    }
  };
  const auto stream = file.stream(key);
  std::vector<std::byte> piece(size_t{1} << 20);
  for (size_t got; (got = stream->read(piece)) > 0;) {
    const std::span<const std::byte> bytes(piece.data(), got);
    switch (info.dtype) {
      case DType::kBool:
      case DType::kUInt8: look(bytes, uint8_t{}); break;
      case DType::kInt32: look(bytes, int32_t{}); break;
      case DType::kInt64: look(bytes, int64_t{}); break;
      case DType::kFloat32: look(bytes, float{}); break;
      case DType::kFloat64: look(bytes, double{}); break;
    }
  }
}

// the keys of the first file, over all files
void print_keys(const fs::path& path) {
  Table table({"key", "type", "shape", ">least", ">largest"});
  const std::vector<fs::path> files = files_of(path);
  for (const std::string& key : NpzReader(files[0]).keys()) {
    ArrayInfo whole = NpzReader(files[0]).info(key);
    std::pair<double, double> ends{INFINITY, -INFINITY};
    for (const fs::path& file : files) {
      throw_if_interrupted();
      const NpzReader reader(file);
      if (!reader.has(key)) continue;
      const ArrayInfo i = reader.info(key);
      if (file != files[0] && !i.shape.empty() && !whole.shape.empty()) whole.shape[0] += i.shape[0];
      if (i.fortran_order)
        ends = {NAN, NAN};
      else
        widen(ends, reader, key);
    }
    table.add({key, dtype_name(whole.dtype), shape_text(whole.shape), str(ends.first), str(ends.second)});
  }
  table.print();
}

// what would surface in training, or never; observations of states are read for it
std::vector<Finding> find_faults(const Dataset& data) {
  std::vector<Finding> all = check_image_shape(data);
  if (!data.image()) {
    const Dataset open = load_dataset(data.path, {.state = false});
    for (const auto check : {check_episodes, check_columns, check_actions})
      for (Finding& f : check(open)) all.push_back(std::move(f));
  }
  std::erase_if(all, [](const Finding& f) { return f.mark == Mark::kGood; });
  return all;
}

void info(const DataArgs& args) {
  const fs::path path = dataset_path(args.name, args.data_dir);
  const Dataset data = load_dataset(path, {.observations = false});  // runs the checks
  const size_t files = files_of(path).size();
  std::printf("%s (%s%s)\n\n", path.c_str(), megabytes(data.bytes).c_str(),
              files == 1 ? "" : str(" in ", files, " files").c_str());
  print_keys(path);

  size_t shortest = data.rows(), longest = 0;
  for (const Episode& e : data.episodes) {
    shortest = std::min(shortest, e.rows());
    longest = std::max(longest, e.rows());
  }
  std::printf("\n%s episodes of %s to %s rows, %s transitions; checks passed\n",
              with_commas(data.episodes.size()).c_str(), with_commas(shortest).c_str(), with_commas(longest).c_str(),
              with_commas(data.transitions()).c_str());
  print_walk(path);
  const std::vector<Finding> found = find_faults(data);
  for (const Finding& f : found)
    std::printf("%s: %s: %s; %s. To do: %s\n", mark_name(f.mark), f.what.c_str(), f.value.c_str(), f.meaning.c_str(),
                f.advice.c_str());
  if (!found.empty()) std::printf("alps check %s tells more\n", shell_quoted(args.name).c_str());
  for (const std::string& warning : data.warnings) std::fprintf(stderr, "alps: warning: %s\n", warning.c_str());
  if (!args.plot.empty()) {
    draw_dataset(path, args.plot);
    std::printf("drawn to %s\n", args.plot.c_str());
  }
}

void get(const DataArgs& args) {
  const fs::path path = dataset_path(args.name, args.data_dir);
  for (const fs::path& target : {validation_path(path), path}) {
    if (fs::exists(target)) {
      std::printf("%s is there already\n", target.c_str());
      continue;
    }
    std::vector<std::string> urls = official_urls(target.filename().string());
    if (!args.from.empty()) {
      urls.clear();
      for (const std::string& base : args.from) urls.push_back(base + "/" + target.filename().string());
    }
    Progress progress("fetching " + target.filename().string(), "bytes");
    download(urls, target, {.hint = "check the network, or make the data here with: alps data make " + args.name},
             [&](size_t done, size_t total) {
               throw_if_interrupted();
               progress.update(done, total);
             });
    std::printf("%s\n", target.c_str());
  }
}

}  // namespace

void add_data(CLI::App& app) {
  auto args = std::make_shared<DataArgs>();
  CLI::App* data = app.add_subcommand("data", "data sets: list, make, info, get, import");
  data->require_subcommand(1);
  auto add = [&](const char* name, const char* help, void (*run)(const DataArgs&)) {
    CLI::App* verb = data->add_subcommand(name, help);
    verb->add_option("--data_dir", args->data_dir, "folder of the data sets (default ~/.ogbench/data)");
    verb->callback([=] { run(*args); });
    return verb;
  };

  add("list", "known data sets, their size, and whether they are on disk", list);

  CLI::App* verb =
      add("make", "make a data set in the native environment, train and validation files; goes on where it was stopped",
          make);
  verb->add_option("NAME", args->name, "an OGBench data-set name, see alps data list")->required();
  verb->add_option("--episodes", args->collect.episodes,
                   "training episodes (Maze2D: thousands of steps); default: the full size")
      ->check(CLI::Range(1, 1000000000));
  verb->add_option("--seed", args->collect.seed, "seed of everything random: the same seed gives the same file")
      ->capture_default_str();
  verb->add_option("--threads", args->collect.threads,
                   "threads to make it with (default: all cores); the file does not depend on it")
      ->check(CLI::Range(1, 1024));
  verb->add_option("--expert", args->collect.expert, "other weights of the walking expert than those in experts/");
  verb->add_option("--part", args->part,
                   "make only share I of N, on one of several machines that share the folder; when all shares are "
                   "made, the same command without --part joins them")
      ->type_name("I/N");
  verb->add_flag("--overwrite", args->overwrite, "make the data set anew where it is on disk already");

  verb = add("info", "check a data set and tell what is in it", info);
  verb->add_option("NAME|FILE|FOLDER", args->name, "a data-set name, a path ending in .npz, or a folder of such files")
      ->required();
  verb->add_option("--plot", args->plot, "draw the maze and 20 trajectories to this .png or .svg");

  verb = add("get", "download a data set from OGBench's host or its mirrors; resumes where it was cut off", get);
  verb->add_option("NAME", args->name, "an OGBench data-set name")->required();
  verb->add_option("--from", args->from, "URLs of folders to fetch from instead of OGBench's host, tried in order");

  add_data_import(*data);
}

}  // namespace alps::cli
