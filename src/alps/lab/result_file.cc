#include "alps/lab/result_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "alps/base/error.h"
#include "alps/base/input_file.h"

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
  const InputFile file(path);
  std::string text;
  size_t episodes = std::string::npos;
  while (episodes == std::string::npos && text.size() < file.size()) {
    const size_t before = text.size(), from = before < kEpisodes.size() ? 0 : before - kEpisodes.size();
    text.resize(std::min<size_t>(file.size(), before + kHead));
    file.read_at(before, std::as_writable_bytes(std::span(text)).subspan(before));
    episodes = text.find(kEpisodes, from);
  }
  if (episodes == std::string::npos) return text;
  std::string end(4, '\0');
  file.read_at(file.size() - end.size(), std::as_writable_bytes(std::span(end)));
  if (end != "]\n}\n" && end != "\n ]\n}" && !end.ends_with("]\n}")) damaged(path);
  return text.substr(0, episodes) + "}";
}

// Without the values of settings, half of the text, which tables do not need: objects without objects in them.
std::string without_settings(std::string text) {
  for (const std::string_view key : {"\n  \"planner_settings\": {", "\n  \"settings\": {"}) {
    const size_t open = text.find(key);
    if (open == std::string::npos) continue;
    const size_t first = open + key.size(), close = text.find('}', first);
    if (close != std::string::npos) text.erase(first, close - first);
  }
  return text;
}

json parsed(const fs::path& path) {
  const std::string head = head_of(path);
  json root = json::parse(without_settings(head), nullptr, false);
  return root.is_discarded() ? json::parse(head) : root;  // a brace in a setting's text
}

std::string joined(const json& words) {
  std::string text;
  for (const json& word : words) text += (text.empty() ? "" : " ") + word.get<std::string>();
  return text;
}

// not a number in JSON: there was nothing to measure
double number(const json& value) { return value.is_number() ? value.get<double>() : NAN; }

// a count, or -1 where the file has something else
int count(const json& value) {
  const int64_t number = value.is_number_integer() ? value.get<int64_t>() : -1;
  return number >= 0 && number <= 1'000'000'000 ? static_cast<int>(number) : -1;
}

}  // namespace

bool is_result_name(const fs::path& path) {
  const std::string stem = path.stem().string();
  return path.extension() == ".json" && stem.size() == 16 &&
         stem.find_first_not_of("0123456789abcdef") == std::string::npos;
}

LedgerRow read_result_file(const fs::path& path) {
  LedgerRow row;
  try {
    const json root = parsed(path);
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
    row.clusters = count(c.at("clusters"));
    for (const json& task : totals.at("tasks"))
      row.per_task.emplace_back(count(task.at("successes")), count(task.at("episodes")));
    row.episodes = count(totals.at("episodes"));
    row.successes = count(totals.at("successes"));
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
  if (row.episodes <= 0 || row.successes < 0 || row.successes > row.episodes || row.clusters < 0) damaged(path);
  row.where = path.string();
  read_command(row);
  return row;
}

}  // namespace alps
