// Commands that we print for people to paste into a shell: a path with a space or a quote in it must arrive as one
// word.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alps {

// the word as a POSIX shell reads it back: itself if it holds nothing special, else in single quotes
std::string shell_quoted(std::string_view word);

// several words as one command line
std::string shell_command(std::span<const std::string> words);

// The words of such a line again: between spaces, with single and double quotes and backslashes as a POSIX shell reads
// them; nothing is expanded.
std::vector<std::string> shell_words(std::string_view line);

}  // namespace alps
