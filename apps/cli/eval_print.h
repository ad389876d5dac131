// What alps eval prints: a table for people, or JSON for other programs.
#pragma once

#include <filesystem>

#include "alps/eval/evaluate.h"

namespace alps::cli {

void print_result(const EvalResult& result);
// with the name of the file that holds the whole result
void print_json(const EvalResult& result, const std::filesystem::path& file);

}  // namespace alps::cli
