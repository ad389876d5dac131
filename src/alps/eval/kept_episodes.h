// Finished episodes of an evaluation that is not finished, kept in a folder, so that work that was stopped or killed
// goes on where it was. Episodes do not depend on each other, so the result is the one of an evaluation that nobody
// stopped.
//
// Each process writes to a file of its own, created exclusively and only appended to, and reads all files of the folder
// at its start; so no lock is needed, and several machines may share the folder. A record is its length, its hash and
// its bytes (MessagePack): whatever was cut off or damaged is left out, and that episode runs again. A file begins with
// the key of everything that the episodes depend on; files with another key do not count.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "alps/eval/outcomes.h"

namespace alps {

class KeptEpisodes {
 public:
  // reads what is there; writes nothing before the first episode
  KeptEpisodes(std::filesystem::path folder, std::string key);
  ~KeptEpisodes();
  KeptEpisodes(const KeptEpisodes&) = delete;
  KeptEpisodes& operator=(const KeptEpisodes&) = delete;

  const EpisodeRecord* find(int task, int index) const;  // of earlier processes; null: it must run
  size_t count() const { return found_.size(); }
  double seconds() const { return seconds_; }  // that earlier processes worked for
  void add(const EpisodeRecord& record);       // threads may call it at the same time
  void remove();                               // the result is written: the folder goes

 private:
  void read(const std::filesystem::path& file);
  void open();
  void write(const std::string& bytes);

  std::filesystem::path folder_, file_;
  std::string key_;
  std::map<std::pair<int, int>, EpisodeRecord> found_;
  double seconds_ = 0;
  std::chrono::steady_clock::time_point start_, synced_;
  std::mutex mutex_;
  int descriptor_ = -1;
};

}  // namespace alps
