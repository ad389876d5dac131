// Files that nobody ever sees half of: `AtomicFile` writes to `PATH.HOST.PID.N.part` and renames on commit. Without one,
// or after an exception, the part is removed; what a killed process left, at the next commit of its machine to that
// folder. Several machines may write to one folder: each part has a name of its own; a rename is atomic on NFS too.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

namespace alps {

class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path target);  // creates missing parent folders
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void write_at(size_t offset, std::span<const std::byte> bytes);  // over bytes already written
  void commit();                                                   // flush, fsync, rename

  const std::filesystem::path& part() const { return part_; }  // for libraries that write by name

 private:
  std::filesystem::path target_, part_;
  int descriptor_;
};

// One process at a time writes to a folder: holds a lock on it while it lives, or throws that another one does. The
// system lets go of it when a process ends, however it ends. A lock protects people from their own second command on
// the same machine, no more: where a file system cannot lock (many network file systems), work goes on without.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);  // creates the folder
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

// whether the error of flock() says that this file system does not lock, rather than that somebody holds the lock
bool cannot_lock(int code);

std::string host_name();  // of this machine, without its domain; fit for names of files

std::string read_text(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, std::string_view text);

std::filesystem::path home_folder();
// ~/x and ~ become paths under the home folder
std::filesystem::path expand_user(const std::filesystem::path& path);

}  // namespace alps
