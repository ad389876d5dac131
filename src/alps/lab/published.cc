#include "alps/lab/published.h"

#include <algorithm>
#include <set>

#include "alps/base/csv_file.h"
#include "alps/base/error.h"
#include "alps/base/own_folder.h"

namespace fs = std::filesystem;

namespace alps {

fs::path published_folder() {
  const char* chosen = std::getenv("ALPS_REPRODUCE");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  const fs::path installed = own_folder() / "reproduce";  // in the Python package
  return fs::exists(installed) ? installed : fs::path(ALPS_REPRODUCE_DEFAULT);
}

std::vector<PublishedFigure> read_published(const fs::path& folder) {
  std::vector<PublishedFigure> figures;
  for (const char* name : {"published.csv", "best.csv"}) {
    const fs::path path = folder / name;
    if (!fs::exists(path))
      throw Error(path.string(), ": no such file; it holds published figures, set $ALPS_REPRODUCE to its folder");
    const CsvFile file = read_csv(path);
    for (const char* column :
         {"source", "table", "data_set", "method", "variant", "clusters", "setting", "success", "deviation"})
      if (file.find(column) == file.columns.size()) throw Error(path.string(), ": lacks the column ", column);
    for (size_t i = 0; i < file.rows.size(); ++i) {
      const auto text = [&](const char* column) { return file.text(i, file.find(column)); };
      PublishedFigure f{.source = text("source"),
                        .table = text("table"),
                        .data_set = text("data_set"),
                        .method = text("method"),
                        .variant = text("variant"),
                        .clusters = text("clusters"),
                        .setting = text("setting"),
                        .success = file.number(i, file.find("success")),
                        .deviation = file.number(i, file.find("deviation"))};
      if (!(f.success >= 0 && f.success <= 100))
        throw Error(path.string(), ", row ", i + 1, ": success is '", text("success"), "', not a number of per cent");
      figures.push_back(std::move(f));
    }
  }
  return figures;
}

std::vector<PublishedFigure> figures_of(const std::vector<PublishedFigure>& all, const std::string& table) {
  std::vector<PublishedFigure> figures;
  std::set<std::string> tables;
  for (const PublishedFigure& f : all) {
    tables.insert(f.table);
    if (f.table == table) figures.push_back(f);
  }
  if (!figures.empty()) return figures;
  std::string names;
  for (const std::string& name : tables) names += (names.empty() ? "" : ", ") + name;
  throw UsageError("no published table '", table, "'; there are: ", names);
}

}  // namespace alps
