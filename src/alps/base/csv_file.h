// A small CSV file that the program itself has written (train.csv): numbers and plain words, no quotes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "alps/base/file.h"

namespace alps {

struct CsvFile {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // those of another length than the head are left out

  // an index, or columns.size()
  size_t find(const std::string& name) const {
    return std::find(columns.begin(), columns.end(), name) - columns.begin();
  }
  std::string text(size_t row, size_t column) const { return column < columns.size() ? rows[row][column] : ""; }
  double number(size_t row, size_t column) const {  // not-a-number where there is none
    const std::string cell = text(row, column);
    return cell.empty() ? std::nan("") : std::strtod(cell.c_str(), nullptr);
  }
};

inline CsvFile read_csv(const std::filesystem::path& path) {
  CsvFile file;
  std::istringstream lines(read_text(path));
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    for (size_t first = 0; first <= line.size();) {
      const size_t end = std::min(line.find(',', first), line.size());
      cells.push_back(line.substr(first, end - first));
      first = end + 1;
    }
    if (file.columns.empty())
      file.columns = std::move(cells);
    else if (cells.size() == file.columns.size())
      file.rows.push_back(std::move(cells));
  }
  return file;
}

}  // namespace alps
