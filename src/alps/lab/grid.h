// A finished table of words and numbers, and its three forms: aligned text for a terminal, Markdown for documents, CSV
// for other programs. Every table of the lab ends as one of these.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace alps {

struct Grid {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;     // each as long as the header
  size_t keys = 1;                                // leading columns that name the row; aligned to the left
  std::set<std::pair<size_t, size_t>> bold = {};  // cells, by row and column; shown in Markdown
  std::vector<std::string> notes;                 // what a reader must know, one line each; not part of the forms

  std::string text() const;
  std::string markdown() const;
  std::string csv() const;  // quoted as RFC 4180 says
};

}  // namespace alps
