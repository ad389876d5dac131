// Tables inside documents. What stands between
//
//   <!-- table: OPTIONS -->
//   <!-- /table -->
//
// is made by `alps table OPTIONS`, in Markdown; `alps table --write` makes it anew, and `--check` says whether it is
// what the ledger says today. The mark holds the question, so any document can hold any table.
#pragma once

#include <functional>
#include <string>

namespace alps {

// The text with every table made anew by `make(OPTIONS)`. Error that names `where` and the line for a mark without an
// end.
std::string with_tables(const std::string& text, const std::string& where,
                        const std::function<std::string(const std::string& options)>& make);

}  // namespace alps
