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

}  // namespace alps
