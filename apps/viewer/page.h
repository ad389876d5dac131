// The files of the page, which the build puts into the program (cmake/EmbedFiles.cmake).
#pragma once

#include <span>
#include <string_view>

namespace alps::viewer {

struct PageFile {
  std::string_view name;  // "index.html"
  std::string_view bytes;
};

std::span<const PageFile> page_files();

}  // namespace alps::viewer
