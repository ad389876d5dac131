#include "alps/lab/ledger_row.h"

#include <algorithm>

#include "alps/base/profile.h"
#include "alps/base/shell_quoted.h"

namespace alps {
namespace {

std::string text_of(const std::string& value) { return value; }
std::string text_of(uint64_t value) { return std::to_string(value); }
std::string text_of(int value) { return value == 0 ? "" : std::to_string(value); }
std::string text_of(double value) { return std::isfinite(value) ? number_text(value) : ""; }
std::string text_of(const std::vector<std::pair<int, int>>& tasks) {
  std::string text;
  for (const auto& [successes, episodes] : tasks) text += str(text.empty() ? "" : " ", successes, "/", episodes);
  return text;
}

}  // namespace

const std::vector<std::string>& ledger_columns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> names;
    LedgerRow row;
    LedgerRow::fields(row, [&](const char* name, auto&) { names.push_back(name); });
    return names;
  }();
  return columns;
}

bool is_ledger_column(const std::string& column) {
  return std::ranges::find(ledger_columns(), column) != ledger_columns().end();
}

const std::vector<std::string>& question_columns() {
  static const std::vector<std::string> columns = {"data_set",  "method", "variant", "planner", "preset",
                                                   "train_set", "set",    "asked",   "backend"};
  return columns;
}

void read_command(LedgerRow& row) {
  const std::vector<std::string> words = shell_words(row.command);
  const auto add = [](std::string& list, const std::string& word) { list += (list.empty() ? "" : " ") + word; };
  std::string set;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string &option = words[i], &value = words[i + 1];
    if (option == "--clusters" || option == "--tasks" || option == "--budget_ms")
      add(row.asked, option.substr(2) + "=" + value);
    else if (option == "--set")
      add(set, value);
    else if (option == "--variant" && row.variant.empty())
      row.variant = value;
    else if (option == "--planner" && row.planner.empty())
      row.planner = value;
  }
  if (row.set.empty()) row.set = set;
  if (row.planner == "run") row.planner = row.preset;
}

std::string value_of(const std::string& settings, const std::string& key) {
  for (size_t first = 0; first < settings.size();) {
    const size_t end = std::min(settings.find(' ', first), settings.size());
    if (settings.compare(first, key.size() + 1, key + "=") == 0)
      return settings.substr(first + key.size() + 1, end - first - key.size() - 1);
    first = end + 1;
  }
  return {};
}

std::string ledger_cell(const LedgerRow& row, const std::string& column) {
  std::string cell;
  bool found = false;
  LedgerRow::fields(row, [&](const char* name, const auto& value) {
    if (column != name) return;
    found = true;
    cell = column == "successes" ? std::to_string(row.successes) : text_of(value);
  });
  if (found) return cell;
  for (const std::string& settings : {row.train_set, row.set, row.asked})
    if (const std::string value = value_of(settings, column); !value.empty()) return value;
  return {};
}

}  // namespace alps
