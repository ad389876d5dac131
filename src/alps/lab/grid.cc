#include "alps/lab/grid.h"

#include <algorithm>

namespace alps {
namespace {

std::string csv_cell(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

// a bar would end the cell
std::string markdown_cell(const std::string& cell) {
  std::string text;
  for (const char c : cell) text += c == '|' ? "\\|" : c == '\n' ? " " : std::string(1, c);
  return text.empty() ? "-" : text;
}

}  // namespace

std::string Grid::text() const {
  std::vector<size_t> width(header.size());
  const auto measure = [&](const std::vector<std::string>& row) {
    for (size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  };
  measure(header);
  std::ranges::for_each(rows, measure);
  std::string all;
  const auto print = [&](const std::vector<std::string>& row) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string pad(width[c] - row[c].size(), ' ');
      line += (c > 0 ? "  " : "") + (c < keys ? row[c] + pad : pad + row[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    all += line + "\n";
  };
  print(header);
  std::ranges::for_each(rows, print);
  return all;
}

std::string Grid::markdown() const {
  std::string all;
  for (const std::string& name : header) all += "| " + markdown_cell(name) + " ";
  all += "|\n";
  for (size_t c = 0; c < header.size(); ++c) all += "|---";
  all += "|\n";
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t c = 0; c < rows[r].size(); ++c) {
      const std::string mark = bold.contains({r, c}) ? "**" : "";
      all += "| " + mark + markdown_cell(rows[r][c]) + mark + " ";
    }
    all += "|\n";
  }
  return all;
}

std::string Grid::csv() const {
  std::string all;
  const auto print = [&](const std::vector<std::string>& row) {
    for (size_t c = 0; c < row.size(); ++c) all += (c > 0 ? "," : "") + csv_cell(row[c]);
    all += "\n";
  };
  print(header);
  std::ranges::for_each(rows, print);
  return all;
}

}  // namespace alps
