// A report of one page: headings, paragraphs, tables and pictures in a single HTML file that needs nothing else,
// neither network nor scripts. Follows the reader's light or dark setting, fits phones (pictures that share a row of a
// wide page then lie below each other) and prints well. All texts are escaped.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace alps {

struct ReportPicture {
  std::string bytes = {};           // of a PNG or SVG file
  std::filesystem::path file = {};  // read when there are no bytes
  std::string caption = {};
  size_t columns = 1;    // 1 .. 5: pictures in a row of a wide page, if neighbours have the same number
  bool new_row = false;  // starts another row all the same
};

struct ReportTable {
  std::string caption = {};
  std::vector<std::string> header;             // (columns)
  std::vector<std::vector<std::string>> rows;  // (rows)(columns); columns of numbers are set to the right
};

struct ReportSection {
  std::string heading = {};
  std::vector<std::string> paragraphs = {};
  std::vector<std::pair<std::string, std::string>> facts = {};  // names and their values
  std::vector<ReportTable> tables = {};
  std::vector<ReportPicture> pictures = {};
  std::vector<std::pair<std::string, std::string>> links = {};  // texts, and files beside the report
};

struct Report {
  std::string title;
  std::string subtitle = {};
  std::vector<ReportSection> sections = {};
};

std::string html_escaped(const std::string& text);

// the whole page; throws Error for pictures that are neither PNG nor SVG and for rows of another length than the header
std::string report_html(const Report& report);

void write_report(const std::filesystem::path& path, const Report& report);  // atomic

}  // namespace alps
