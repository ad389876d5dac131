#include "alps/base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "alps/base/threads.h"
#include "temp_folder.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(AtomicFile, AppearsWholeAtCommit) {
  const TempFolder folder;
  AtomicFile file(folder / "a" / "b.txt");
  file.write("hello ");
  file.write("world");
  file.write_at(0, bytes_of("J"));
  EXPECT_FALSE(fs::exists(folder / "a" / "b.txt"));
  EXPECT_TRUE(fs::exists(file.part()));
  file.commit();
  EXPECT_FALSE(fs::exists(file.part()));
  EXPECT_EQ(read_text(folder / "a" / "b.txt"), "Jello world");
}

TEST(AtomicFile, LeavesTheOldFileAndNothingElseOnAnException) {
  const TempFolder folder;
  write_text(folder / "x", "old");
  try {
    AtomicFile file(folder / "x");
    file.write("new");
    throw std::runtime_error("half way");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(read_text(folder / "x"), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(AtomicFile, WritersOfTheSameFileDoNotMeet) {
  const TempFolder folder;
  parallel_for(200, 8, [&](size_t i) { write_text(folder / "x", std::string(100'000, static_cast<char>('a' + i % 26))); });
  const std::string text = read_text(folder / "x");
  EXPECT_EQ(text, std::string(100'000, text[0]));
  EXPECT_EQ(folder.entries(), 1u);
}

// a number that no process has: one that has just ended
pid_t ended_process() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return child;
}

TEST(AtomicFile, RemovesWhatKilledProcessesLeft) {
  const TempFolder folder;
  const std::string dead = str(ended_process()), host = host_name();
  const std::vector<std::string> abandoned = {str("x.", host, ".", dead, ".0.part"),
                                              str("y.npz.", host, ".", dead, ".12.part")};
  // somebody else's machine, a living process, names of others; and one that is still written to, as its lock says
  const std::vector<std::string> others = {
      str("x.not-", host, ".", dead, ".0.part"), str("x.", host, ".", getppid(), ".0.part"),
      str("x.", host, ".", dead, ".part"),       str("x.", host, ".", dead, ".y.part"),
      str("x.", host, ".", dead, ".0"),          "x.part"};
  for (const auto& names : {abandoned, others})
    for (const std::string& name : names) std::ofstream(folder / name) << "half";
  const fs::path locked = folder / str("z.", host, ".", dead, ".0.part");
  const int descriptor = open(locked.c_str(), O_WRONLY | O_CREAT, 0644);
  ASSERT_EQ(flock(descriptor, LOCK_EX), 0);
  AtomicFile other(folder / "other");  // of this process, not committed yet
  write_text(folder / "w", "whole");
  for (const std::string& name : abandoned) EXPECT_FALSE(fs::exists(folder / name)) << name;
  for (const std::string& name : others) EXPECT_TRUE(fs::exists(folder / name)) << name;
  EXPECT_TRUE(fs::exists(locked));
  other.write("also");
  other.commit();
  EXPECT_EQ(read_text(folder / "other"), "also");
  close(descriptor);
  write_text(folder / "w", "again");
  EXPECT_FALSE(fs::exists(locked));
}

TEST(AtomicFile, SaysWhyItCannotWrite) {
  const TempFolder folder;
  write_text(folder / "file", "");
  EXPECT_NE(error_of([&] { AtomicFile file(folder / "file" / "below"); }).find("file"), std::string::npos);

  // the target is a folder: the part must not stay behind
  fs::create_directories(folder / "folder" / "full");
  EXPECT_NE(error_of([&] { write_text(folder / "folder", "x"); }).find("cannot write"), std::string::npos);
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(ReadText, ReadsEveryByteOrSaysWhy) {
  const TempFolder folder;
  const std::string text("a\0b\r\n\xff", 6);
  write_text(folder / "x", text);
  EXPECT_EQ(read_text(folder / "x"), text);
  EXPECT_NE(error_of([&] { read_text(folder / "missing"); }).find("missing"), std::string::npos);
}

TEST(ExpandUser, KnowsTheHomeFolder) {
  EXPECT_EQ(expand_user("~/x/y"), home_folder() / "x/y");
  EXPECT_EQ(expand_user("~"), home_folder());
  EXPECT_EQ(expand_user("/a/~"), fs::path("/a/~"));
  EXPECT_EQ(expand_user("a/b"), fs::path("a/b"));
}

}  // namespace
}  // namespace alps
