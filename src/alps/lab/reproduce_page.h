// One page that shows the paper's tables and figures beside ours: searchable tables, curves, pictures, tests. It is
// made from files alone (published.csv, results, run folders), so it can be made again at any time, whatever has been
// measured until then. What is missing is shown as missing.
#pragma once

#include "alps/lab/compared.h"
#include "alps/lab/reproduce.h"

namespace alps {

// a p-value that the paper prints
struct PublishedTest {
  std::string table, method, against;
  double p_value = 1;
};
std::vector<PublishedTest> load_published_tests(const std::filesystem::path& file);

struct PageSource {
  std::vector<PlannedExhibit> planned;
  std::vector<PublishedFigure> published;
  std::vector<PublishedTest> tests;
  std::vector<LedgerRow> ledger;
  LabPaths paths;              // for pictures and reports of runs
  std::filesystem::path page;  // links lead to files in its folder and below, or nowhere
};

void write_reproduce_page(const PageSource& source);  // atomic

}  // namespace alps
