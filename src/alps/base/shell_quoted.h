// Commands that we print for people to paste into a shell: a path with a space or a quote in it must arrive as one
// word.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace alps {

// the word as a POSIX shell reads it back: itself if it holds nothing special, else in single quotes
std::string shell_quoted(std::string_view word);

// several words as one command line
std::string shell_command(std::span<const std::string> words);

}  // namespace alps
