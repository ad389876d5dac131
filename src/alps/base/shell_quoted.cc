#include "alps/base/shell_quoted.h"

#include <algorithm>

namespace alps {

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  const bool plain = std::ranges::all_of(word, [&](char c) { return kPlain.find(c) != std::string_view::npos; });
  if (plain && !word.empty()) return std::string(word);
  // nothing is special between single quotes but their end: a quote goes between two quoted pieces
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string shell_command(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_quoted(word);
  return line;
}

std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    const bool escapes = c == '\\' && i + 1 < line.size() &&
                         (quote == 0 || (quote == '"' && (line[i + 1] == '"' || line[i + 1] == '\\')));
    if (escapes)
      words.back() += line[++i];
    else if (quote != 0 ? c == quote : c == '\'' || c == '"')
      quote = quote != 0 ? 0 : c;
    else
      words.back() += c;
  }
  return words;
}

}  // namespace alps
