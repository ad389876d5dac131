// Rows of a CSV file that several processes append to at once, such as a ledger of results: `append_row` locks the file
// (flock), writes the names of the columns if it is new, and adds the whole row in one write, which it waits for to be
// on disk. No process sees half of a row and no row is lost. Cells with a comma, a quote or a line break are quoted as
// RFC 4180 says.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace alps {

struct CsvCell {
  std::string column, value;
};
using CsvRow = std::vector<CsvCell>;

// Error where the file is there and begins with other columns; says what to do
void check_columns(const std::filesystem::path& path, const CsvRow& row);

// Creates the file and its folder if need be. Error as check_columns; then the file stays as it was.
void append_row(const std::filesystem::path& path, const CsvRow& row);

}  // namespace alps
