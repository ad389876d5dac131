// The sources of the rooms as text, for tests that read them: without comments, and what is left of each line.
#pragma once

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace alps {

struct SourceFile {
  std::string path;  // below src/alps: "plan/cem.cc"
  std::string room;  // "plan"
  std::string text;
};

inline std::string read_source(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::vector<SourceFile> sources() {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(ALPS_SOURCE_DIR) / "src/alps";
  std::vector<SourceFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string ending = entry.path().extension();
    if (!entry.is_regular_file() || (ending != ".cc" && ending != ".h")) continue;
    const fs::path path = fs::relative(entry.path(), root);
    files.push_back({path.string(), path.begin()->string(), read_source(entry.path())});
  }
  return files;
}

// the string literals of C++ code; comments, characters and the names in #include lines are none
inline std::vector<std::string> string_literals(std::string_view code) {
  std::vector<std::string> found;
  const auto after = [&](std::string_view end, size_t from) {  // just after the next `end`
    const size_t at = code.find(end, from);
    return at == std::string_view::npos ? code.size() : at + end.size();
  };
  size_t i = 0;
  bool line_begins = true;
  while (i < code.size()) {
    const std::string_view rest = code.substr(i);
    if (rest.starts_with("//") || (line_begins && rest.starts_with("#include"))) {
      i = after("\n", i);
      line_begins = true;
    } else if (rest.starts_with("/*")) {
      i = after("*/", i);
    } else if (rest.starts_with("R\"")) {
      const size_t open = code.find('(', i);
      const std::string close = ")" + std::string(code.substr(i + 2, open - i - 2)) + "\"";
      const size_t end = after(close, open);
      found.emplace_back(code.substr(open + 1, end - close.size() - open - 1));
      i = end;
    } else if (rest.front() == '\'' && (i == 0 || !std::isalnum(static_cast<unsigned char>(code[i - 1])))) {
      i += rest.starts_with("'\\") ? 2 : 1;  // a character; 1'000 is a number
      i = after("'", i + 1);
    } else if (rest.front() == '"') {
      std::string literal;
      for (++i; i < code.size() && code[i] != '"'; ++i) {
        if (code[i] == '\\') ++i;
        literal += code[i];
      }
      ++i;
      found.push_back(literal);
    } else {
      line_begins = rest.front() == '\n';
      ++i;
    }
  }
  return found;
}

}  // namespace alps
