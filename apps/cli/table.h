// Tables on the terminal: columns as wide as their widest cell, numbers to the right.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace alps::cli {

class Table {
 public:
  // a header that starts with '>' is a column of numbers
  explicit Table(std::vector<std::string> header) {
    for (std::string& cell : header) {
      right_.push_back(cell.starts_with('>'));
      if (right_.back()) cell.erase(0, 1);
    }
    rows_.push_back(std::move(header));
  }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void print() const {
    std::vector<size_t> width(right_.size());
    for (const auto& row : rows_)
      for (size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
    for (const auto& row : rows_) {
      std::string line;
      for (size_t c = 0; c < row.size(); ++c) {
        const std::string pad(width[c] - row[c].size(), ' ');
        line += (c ? "  " : "") + (right_[c] ? pad + row[c] : row[c] + pad);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      std::printf("%s\n", line.c_str());
    }
  }

 private:
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace alps::cli
