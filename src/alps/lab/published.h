// Success rates that others have published, to stand beside measured ones: reproduce/published.csv holds every cell of
// the paper's tables, reproduce/best.csv the highest figures that we know of, whoever published them. Figures are data,
// not code: a new paper is a few more lines in a file. Columns of both: source, table, data_set, method, variant,
// clusters, setting, success, deviation.
#pragma once

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace alps {

struct PublishedFigure {
  std::string source, table;  // "paper", or "best"; the label of the table in the paper without tab:
  std::string data_set, method, variant;
  std::string clusters, setting;          // empty unless the table varies them; "eigenvectors=8"
  double success = NAN, deviation = NAN;  // per cent; the deviation over seeds, where it was published
};

std::filesystem::path published_folder();  // $ALPS_REPRODUCE, beside the installed program, or of the source tree

// All figures of the folder's files, those of the same table in the paper's order. Error that names file and row.
std::vector<PublishedFigure> read_published(const std::filesystem::path& folder = published_folder());

// the figures of one table; UsageError with the tables that there are
std::vector<PublishedFigure> figures_of(const std::vector<PublishedFigure>& all, const std::string& table);

}  // namespace alps
