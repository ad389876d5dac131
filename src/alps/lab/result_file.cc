#include "alps/lab/result_file.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "alps/base/error.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

using json = nlohmann::json;

constexpr std::string_view kEpisodes = ",\n \"episodes\": [";  // as save_result writes it: the last of the whole object
constexpr size_t kHead = 1 << 14;

[[noreturn]] void damaged(const fs::path& path) {
  throw Error(path.string(), " is damaged, or of another version; remove it and evaluate again with alps eval");
}

// The file up to its episodes, closed again; the whole file where they are not where we write them. What comes after is
// looked at only at its end: a file that was cut off has none.
std::string head_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(kHead, '\0');
  size_t size = 0, episodes = std::string::npos;
  while (in && episodes == std::string::npos) {
    if (size == text.size()) text.resize(2 * text.size());
    in.read(text.data() + size, static_cast<std::streamsize>(text.size() - size));
    const size_t from = size < kEpisodes.size() ? 0 : size - kEpisodes.size();
    size += static_cast<size_t>(in.gcount());
    episodes = std::string_view(text).substr(0, size).find(kEpisodes, from);
  }
  text.resize(size);
  if (episodes == std::string::npos) return text;
  in.clear();
  char tail[6] = {};
  in.seekg(-5, std::ios::end);
  in.read(tail, 5);
  const std::string_view end = tail;
  if (end != "]\n}\n" && !end.ends_with("]\n}\n") && !end.ends_with("]\n}")) damaged(path);
  return text.substr(0, episodes) + "}";
}

std::string joined(const json& words) {
  std::string text;
  for (const json& word : words) text += (text.empty() ? "" : " ") + word.get<std::string>();
  return text;
}

// not a number in JSON: there was nothing to measure
double number(const json& value) { return value.is_number() ? value.get<double>() : NAN; }

}  // namespace

bool is_result_name(const fs::path& path) {
  const std::string stem = path.stem().string();
  return path.extension() == ".json" && stem.size() == 16 &&
         stem.find_first_not_of("0123456789abcdef") == std::string::npos;
}

LedgerRow read_result_file(const fs::path& path) {
  LedgerRow row;
  try {
    const json root = json::parse(head_of(path));
    const json &c = root.at("configuration"), &totals = root.at("totals");
    row.config = root.at("config");
    row.data_set = c.at("data").at("name");
    row.method = c.at("method");
    row.variant = c.at("variant");
    row.preset = c.at("preset");
    row.planner = c.at("planner");
    row.seed = c.at("train_seed");
    row.eval_seed = c.at("seed");
    row.set = joined(root.at("set"));
    row.backend = c.at("backend");
    row.clusters = c.at("clusters");
    for (const json& task : totals.at("tasks")) row.per_task.emplace_back(task.at("successes"), task.at("episodes"));
    row.episodes = totals.at("episodes");
    row.successes = totals.at("successes");
    row.mean_steps = number(totals.at("mean_steps"));
    row.decision_ms = number(totals.at("decision_ms").at("mean"));
    row.seconds = number(totals.at("seconds"));
    if (root.contains("training")) {  // not in results of version 0.1.0
      const json& training = root["training"];
      row.train_set = joined(training.at("set"));
      if (training.contains("seconds")) row.train_seconds = number(training["seconds"]);
    }
    row.version = root.at("versions").at("alps");
    row.commit = root.at("commit");
    row.command = root.at("command");
    row.finished = root.at("finished");
  } catch (const json::exception&) {
    damaged(path);
  }
  if (row.episodes <= 0 || row.successes < 0 || row.successes > row.episodes) damaged(path);
  row.where = path.string();
  read_command(row);
  return row;
}

}  // namespace alps
