#include "alps/lab/marks.h"

#include <algorithm>

#include "alps/base/error.h"

namespace alps {
namespace {

constexpr std::string_view kOpen = "<!-- table:", kClose = "<!-- /table -->", kEnd = "-->";

// a mark stands at the start of a line; elsewhere it is spoken about
size_t find_mark(const std::string& text, std::string_view mark, size_t from) {
  size_t at = text.find(mark, from);
  while (at != std::string::npos && at > 0 && text[at - 1] != '\n') at = text.find(mark, at + 1);
  return at;
}

}  // namespace

std::string with_tables(const std::string& text, const std::string& where,
                        const std::function<std::string(const std::string& options)>& make) {
  std::string out;
  size_t done = 0;
  for (size_t open; (open = find_mark(text, kOpen, done)) != std::string::npos;) {
    const size_t end = text.find(kEnd, open), close = find_mark(text, kClose, open);
    const size_t next = find_mark(text, kOpen, open + 1), line_end = text.find('\n', open);
    if (end == std::string::npos || line_end == std::string::npos || end > line_end || close == std::string::npos ||
        next < close)
      throw Error(where, ", line ",
                  1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(open), '\n'),
                  ": the table that begins here has no end; it needs a line ", kClose);
    const size_t options = open + kOpen.size();
    out += text.substr(done, line_end + 1 - done) + make(text.substr(options, end - options));
    done = close;
  }
  return out + text.substr(done);
}

}  // namespace alps
