// The tables of the reproduction page: what was compared (lab/compared.h) as a pivot like the paper's, and row by
// row.
#pragma once

#include "alps/draw/report.h"
#include "alps/lab/compared.h"
#include "alps/lab/reproduce_page.h"

namespace alps {

// rows and columns as the exhibit says; a cell holds our figure, below it the paper's and the difference
ReportTable pivot_table(const Exhibit& exhibit, const std::vector<Compared>& cells);
// a row for each way in which a cell was measured, with interval, seeds, episodes and a link to a report; folded
ReportTable long_table(const PageSource& source, const Exhibit& exhibit, const std::vector<Compared>& cells);
// how much was measured, means of both where both are known, and whether they differ (Wilcoxon over cells)
std::vector<std::pair<std::string, std::string>> facts_of(const std::vector<Compared>& cells);

// from the page's folder to RUN/report.html; empty where there is none, or where it lies elsewhere
std::string report_link(const PageSource& source, const std::filesystem::path& run);

ReportCell quiet(std::string text);
std::string join(const std::vector<std::string>& words, const char* between);
std::string fields_text(const Cell& cell, const std::vector<std::string>& fields);  // of a row or a column
std::string percent_text(double value);                                             // "97.3", "100"
std::string p_text(double p);                                                       // "0.000031", "0.04"

}  // namespace alps
