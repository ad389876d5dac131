// Files over HTTP(S). A download grows in `TARGET.download`, beside a note `TARGET.download.from` that says which
// version of which URL it is (ETag or Last-Modified); it survives broken connections and killed processes, goes on
// where it stopped (Range with If-Range, so that two versions never mix), and is renamed to TARGET only when it is
// complete.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "alps/base/progress.h"

namespace alps {

struct DownloadOptions {
  double connect_timeout = 15;  // seconds in which a server must accept the connection
  double stall_timeout = 30;    // seconds below `stall_speed` after which a server is given up
  long stall_speed = 1024;      // bytes a second
  int max_redirects = 5;
  int retries = 3;        // how often a connection that broke in the middle is taken up again
  std::string hint = {};  // what else the user can do; the last line of an error
};

// Fetches the first of `urls` that works; one that has a partial download comes before the others. Reports bytes where
// the size is known; an exception of `progress` cancels and keeps the part. A TARGET ending in .npz must be a ZIP.
// Throws Error with one line for each URL and why it failed; then TARGET is as it was before. Thread-safe; a second
// download of the same file at the same time is refused.
void download(const std::vector<std::string>& urls, const std::filesystem::path& target,
              const DownloadOptions& options = {}, const ProgressFn& progress = {});

// where OGBench's data set "antmaze-large-stitch-v0" (or "antmaze-large-stitch-v0-val.npz") can be had: host and mirror
std::vector<std::string> official_urls(const std::string& name);

}  // namespace alps
