// A PNG made smaller, for pages that hold many pictures: a picture of a report is drawn for a whole column of a page,
// and takes three times the bytes that a third of it needs.
#pragma once

#include <filesystem>
#include <string>

namespace alps {

// The bytes of a PNG with the same content and at most `most` pixels along its longer side; a small one stays as it is.
// Error where the file is none.
std::string small_png(const std::filesystem::path& file, int most);

}  // namespace alps
