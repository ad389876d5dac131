#include "alps/lab/csv_ledger.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "alps/base/csv_file.h"
#include "alps/base/error.h"
#include "alps/base/shell_quoted.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

const char* const kNeeded[] = {"data_set", "episodes", "successes", "command"};

bool has_columns(const CsvFile& file) {
  return std::ranges::all_of(kNeeded, [&](const char* name) { return file.find(name) < file.columns.size(); });
}

// "10/10 9/10"
std::vector<std::pair<int, int>> tasks_of(const std::string& text) {
  std::vector<std::pair<int, int>> tasks;
  std::istringstream in(text);
  int successes = 0, episodes = 0;
  for (char slash = 0; in >> successes >> slash >> episodes;) tasks.emplace_back(successes, episodes);
  return tasks;
}

uint64_t seed_in(const std::string& command) {
  const std::vector<std::string> words = shell_words(command);
  const auto at = std::ranges::find(words, "--seed");
  return at == words.end() || at + 1 == words.end() ? 0 : std::strtoull((at + 1)->c_str(), nullptr, 10);
}

LedgerRow row_of(const CsvFile& file, size_t i) {
  const auto text = [&](const char* column) { return file.text(i, file.find(column)); };
  const auto number = [&](const char* column) { return file.number(i, file.find(column)); };
  const auto count = [&](const char* column) {  // -1 where there is none
    const double n = number(column);
    return n >= 0 && n <= 1e9 ? static_cast<int>(n) : -1;
  };
  LedgerRow row;
  LedgerRow::fields(row, [&](const char* name, auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>)
      if (const std::string cell = text(name); !cell.empty()) value = cell;
  });
  // the preset once carried the method: "fast method=pclast"
  const std::string preset = text("train_preset"), word = " method=";
  const size_t at = preset.find(word);
  row.preset = preset.empty() ? "fast" : preset.substr(0, at);
  if (row.method.empty()) row.method = at == std::string::npos ? "alps" : preset.substr(at + word.size());
  // ablations name the setting and its value
  if (const std::string what = text("what"); !what.empty() && what != "clusters")
    row.train_set = what + "=" + text("value");
  // trials of the search name it by its size: "30 x 10 x 3"
  if (std::string setting = text("setting"); !setting.empty()) {
    std::erase(setting, ' ');
    row.asked = "setting=" + setting;
  }
  row.seed = std::strtoull(text("seed").c_str(), nullptr, 10);
  row.eval_seed =
      text("eval_seed").empty() ? seed_in(row.command) : std::strtoull(text("eval_seed").c_str(), nullptr, 10);
  row.clusters = std::max(0, count("clusters"));
  row.per_task = tasks_of(text("per_task"));
  row.episodes = count("episodes");
  row.successes = count("successes");
  row.mean_steps = number("mean_steps");
  row.decision_ms = number("decision_ms");
  read_command(row);
  if (row.clusters == 0) row.clusters = std::atoi(value_of(row.asked, "clusters").c_str());
  const bool plans = row.method == "alps" || row.method == "pclast";
  if (row.variant.empty() && plans) row.variant = "alps";
  if (row.planner.empty() && plans) row.planner = row.preset;
  return row;
}

}  // namespace

bool is_csv_ledger(const fs::path& path) {
  std::ifstream in(path);
  std::string header;
  std::getline(in, header);
  return has_columns(parse_csv(header));
}

std::vector<LedgerRow> read_csv_ledger(const fs::path& path) {
  const CsvFile file = read_csv(path);
  if (!has_columns(file))
    throw Error(path.string(), " is no ledger: it lacks one of the columns data_set, episodes, successes, command");
  std::vector<LedgerRow> rows;
  for (size_t i = 0; i < file.rows.size(); ++i) {
    LedgerRow row = row_of(file, i);
    if (row.data_set.empty() || row.episodes <= 0 || row.successes < 0 || row.successes > row.episodes)
      throw Error(path.string(), ", row ", i + 1, ": has no data set, or its episodes and successes make no sense (",
                  file.text(i, file.find("episodes")), ", ", file.text(i, file.find("successes")),
                  "); mend or remove it");
    row.where = path.string();
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace alps
