// A report of one page: headings, paragraphs, tables and pictures in a single HTML file that needs nothing else from
// the network. Follows the reader's light or dark setting, fits phones (pictures that share a row of a wide page then
// lie below each other) and prints well. All texts are escaped. A searchable page has a few lines of script: a box that
// leaves the rows that hold all typed words, and headers that sort; without script it shows everything.
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

// a text, or one with a second, small line, a link, a colour
struct ReportCell {
  enum class Tone { kPlain, kGood, kBad, kQuiet };
  ReportCell(std::string words = {}) : text(std::move(words)) {}  // a plain text is a cell
  ReportCell(const char* words) : text(words) {}
  std::string text;
  std::string note = {};  // below the text, in small letters
  std::string link = {};  // a file, from the folder of the report; empty: none
  Tone tone = Tone::kPlain;
};

struct ReportTable {
  std::string caption = {};
  std::vector<std::string> header;            // (columns)
  std::vector<std::vector<ReportCell>> rows;  // (rows)(columns); columns of numbers are set to the right
  std::string folded = {};                    // if not empty: hidden behind these words until they are clicked
};

struct ReportSection {
  std::string heading = {};
  std::string tag = {};  // beside the heading, in small letters
  std::vector<std::string> paragraphs = {};
  std::vector<std::pair<std::string, std::string>> facts = {};  // names and their values
  std::vector<ReportTable> tables = {};
  std::vector<ReportPicture> pictures = {};
  bool pictures_first = false;                                  // above the tables
  std::vector<std::pair<std::string, std::string>> links = {};  // texts, and files beside the report
};

struct Report {
  std::string title;
  std::string subtitle = {};
  std::vector<ReportSection> sections = {};
  bool searchable = false;  // for many wide tables: a box to search them, and more room
};

std::string html_escaped(const std::string& text);

// the whole page; throws Error for pictures that are neither PNG nor SVG and for rows of another length than the header
std::string report_html(const Report& report);

void write_report(const std::filesystem::path& path, const Report& report);  // atomic

}  // namespace alps
