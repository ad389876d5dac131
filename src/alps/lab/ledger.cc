#include "alps/lab/ledger.h"

#include <algorithm>
#include <map>
#include <optional>

#include "alps/base/error.h"
#include "alps/base/threads.h"
#include "alps/lab/csv_ledger.h"
#include "alps/lab/result_file.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

struct Files {
  std::vector<fs::path> results, tables;
};

void add_folder(const fs::path& folder, Files& files) {
  for (auto it = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied);
       it != fs::recursive_directory_iterator(); ++it) {
    const fs::path& path = it->path();
    const std::string extension = path.extension().string();
    if (extension == ".json" && is_result_name(path)) {
      const fs::path parent = path.parent_path().filename();
      if (it.depth() == 0 || parent == "results" || parent == "ledger") files.results.push_back(path);
    } else if (extension == ".csv" && !path.stem().string().ends_with("-earlier") && is_csv_ledger(path)) {
      files.tables.push_back(path);
    }
  }
}

Files files_of(std::span<const fs::path> paths) {
  Files files;
  for (const fs::path& path : paths) {
    if (fs::is_directory(path))
      add_folder(path, files);
    else if (!fs::exists(path))
      throw Error(path.string(), ": no such file or folder; name runs, ledgers or folders that hold them");
    else if (path.extension() == ".csv")
      files.tables.push_back(path);
    else
      files.results.push_back(path);
  }
  // the order of a folder is the file system's
  std::ranges::sort(files.results);
  std::ranges::sort(files.tables);
  return files;
}

// rows of CSV ledgers do not tell when; those that name their configuration are newer than those that do not
bool older(const LedgerRow& a, const LedgerRow& b) {
  return std::make_tuple(std::cref(a.finished), !a.config.empty()) <
         std::make_tuple(std::cref(b.finished), !b.config.empty());
}

// of rows with the same key, which are sorted by age, the last
template <class Key>
std::vector<LedgerRow> last_of_each(std::vector<LedgerRow> rows, Key&& key) {
  std::map<std::string, size_t> last;
  std::vector<std::string> keys;
  for (size_t i = 0; i < rows.size(); ++i) last[keys.emplace_back(key(rows[i], i))] = i;
  std::vector<LedgerRow> kept;
  for (size_t i = 0; i < rows.size(); ++i)
    if (last[keys[i]] == i) kept.push_back(std::move(rows[i]));
  return kept;
}

}  // namespace

Ledger read_ledger(std::span<const fs::path> paths, const LedgerOptions& options) {
  const Files files = files_of(paths);
  const size_t results = files.results.size(), count = results + files.tables.size();
  std::vector<std::vector<LedgerRow>> parts(count);
  std::vector<std::string> wrong(count);
  parallel_for(count, options.threads, [&](size_t i) {
    try {
      if (i < results)
        parts[i].push_back(read_result_file(files.results[i]));
      else
        parts[i] = read_csv_ledger(files.tables[i - results]);
    } catch (const Error& e) {
      if (!options.skip_damaged) throw Error(e.what(), ", or leave such files out with --skip_damaged");
      wrong[i] = e.what();
    }
  });
  Ledger ledger;
  for (auto& part : parts) std::ranges::move(part, std::back_inserter(ledger.rows));
  for (std::string& what : wrong)
    if (!what.empty()) ledger.damaged.push_back(std::move(what));
  std::ranges::stable_sort(ledger.rows, older);
  ledger.rows = last_of_each(std::move(ledger.rows),
                             [](const LedgerRow& r, size_t i) { return r.config.empty() ? str(i) : r.config; });
  return ledger;
}

std::vector<LedgerRow> newest_of_each_question(std::vector<LedgerRow> rows) {
  return last_of_each(std::move(rows), [](const LedgerRow& row, size_t) {
    std::string key = str(row.seed, " ", row.eval_seed);
    for (const std::string& column : question_columns()) key += "\n" + ledger_cell(row, column);
    return key;
  });
}

}  // namespace alps
