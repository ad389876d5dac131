// Reading and writing .npz: `bench_npz FILE` reads every key of FILE with one thread and with all of them, writes the
// arrays again to FILE.bench and removes that. Prints one JSON object; bytes are those of the arrays, the peak of
// resident memory is that of reading. Its peer is numpy.load.
#include "alps/base/npz.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "alps/base/threads.h"

namespace {

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// the most memory this process ever held; getrusage would count what the parent held when it forked
size_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6)) * 1024;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: bench_npz FILE\n"), 2;
  try {
    const alps::NpzReader reader(argv[1]);
    const auto keys = reader.keys();
    std::vector<alps::Array> arrays;
    const auto read = [&](int threads) {
      arrays.clear();
      return seconds_of([&] { arrays = reader.read(keys, threads); });
    };
    const double one_thread = read(1), all_threads = read(0);
    const size_t peak = peak_memory();
    size_t bytes = 0;
    for (const auto& array : arrays) bytes += array.byte_size();

    const std::string copy = std::string(argv[1]) + ".bench";
    const double writing = seconds_of([&] {
      alps::NpzWriter writer(copy);
      for (size_t i = 0; i < keys.size(); ++i) writer.add(keys[i], arrays[i]);
      writer.finish();
    });
    const auto copy_bytes = std::filesystem::file_size(copy);
    std::filesystem::remove(copy);
    std::printf(
        "{\"seconds\": %.4f, \"seconds_all_threads\": %.4f, \"threads\": %d, \"bytes\": %zu, "
        "\"peak_rss_bytes\": %zu, \"write_seconds\": %.4f, \"file_bytes\": %zu, \"written_bytes\": %zu}\n",
        one_thread, all_threads, alps::default_threads(), bytes, peak, writing,
        static_cast<size_t>(std::filesystem::file_size(argv[1])), static_cast<size_t>(copy_bytes));
  } catch (const alps::Error& error) {
    return std::fprintf(stderr, "error: %s\n", error.what()), error.exit_code();
  }
  return 0;
}
