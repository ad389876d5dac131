// A table or a figure of the paper, as a file of reproduce/ describes it: what it shows, the runs that it takes (a
// sweep, lab/sweep.h, in the same file), how it is shown, and what the paper's protocol makes of its runs.
//
//   title = "Number of eigenvectors"
//   label = "tab:eigenvector_ablation"         # in the paper
//   shows = "How many eigenfunctions psi needs."
//   order = 5                                  # place on the page
//   [show]
//   as = "table"                               # or curve, pictures, tests
//   rows = ["data_set"]
//   columns = ["setting"]
//   published = "eigenvector_ablation"         # column `table` of published.csv
//   [[protocol]]                               # --protocol paper
//   seeds = 8
//   [[runs]]                                   # the sweep
//
// A new table is a new file. docs/reproduce.md lists all keys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace alps {

// how the paper measured some data sets
struct Protocol {
  std::string begins;           // of the names of the data sets that it is for; empty: all others
  std::string preset;           // empty: the file's
  int seeds = 0, episodes = 0;  // 0: the file's
  std::vector<int64_t> steps;   // training steps of every part: one run for each of these checkpoints
};

struct Exhibit {
  enum class As { kTable, kCurve, kPictures, kTests };
  std::string name;  // of the file, and of the command line: "eigenvector_ablation"
  std::filesystem::path file;
  std::string title, label, shows;
  std::string note;  // what a reader must know besides; may be empty
  int order = 100;   // on the page
  As as = As::kTable;
  std::vector<std::string> rows, columns;  // fields of a cell (lab/compared.h)
  std::string published;                   // table of published.csv; empty: none
  std::string from;                        // tests: the exhibit whose results are tested
  std::vector<std::string> pictures;       // of RUN/plots, without .png
  std::vector<Protocol> protocol;
  bool runs = false;  // whether the file has a sweep
};

// The files of a folder in their order on the page. UsageError that names file, line and remedy for anything wrong.
std::vector<Exhibit> load_exhibits(const std::filesystem::path& folder);
Exhibit load_exhibit(const std::filesystem::path& file);

// the protocol of a data set: the first whose beginning its name has; null: none
const Protocol* protocol_for(const Exhibit& exhibit, std::string_view data_set);

// Those that the words name, by name or by label, or all without words; UsageError with the nearest name.
std::vector<Exhibit> chosen_exhibits(std::span<const Exhibit> all, std::span<const std::string> words);

}  // namespace alps
