// A small CSV file, such as those that the program itself has written: train.csv, ledgers of results.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
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

// cells may be quoted as RFC 4180 says; blank lines do not count
inline CsvFile parse_csv(const std::string& text) {
  CsvFile file;
  std::vector<std::string> cells(1);
  bool quoted = false;
  const auto end_row = [&] {
    if (cells.size() > 1 || !cells[0].empty()) {
      if (file.columns.empty())
        file.columns = cells;
      else if (cells.size() == file.columns.size())
        file.rows.push_back(cells);
    }
    cells.assign(1, "");
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
      cells.back() += text[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (quoted)
      cells.back() += c;
    else if (c == ',')
      cells.emplace_back();
    else if (c == '\n')
      end_row();
    else if (c != '\r')
      cells.back() += c;
  }
  end_row();
  return file;
}

inline CsvFile read_csv(const std::filesystem::path& path) { return parse_csv(read_text(path)); }

}  // namespace alps
