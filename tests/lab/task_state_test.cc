// Claims of tasks: one attempt at a time, whoever asks; dead and overtaken owners; what the folder tells afterwards.
#include "alps/lab/task_state.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "alps/base/error.h"
#include "alps/base/file.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

class TaskFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  void TearDown() override { fs::remove_all(path_); }

  // the record of an attempt by another process
  void write_begin(int number, const Owner& o) const {
    write_text(path_ / str(number, ".begin.json"),
               str(R"({"owner": {"host": ")", o.host, R"(", "boot": ")", o.boot, R"(", "pid": )", o.pid,
                   R"(, "job": ")", o.job, R"(", "restart": )", o.restart, "}}"));
  }
  // as if its last sign of life were long ago
  void age(int number, double seconds) const {
    const fs::path file = path_ / str(number, ".begin.json");
    struct stat info;
    ASSERT_EQ(::stat(file.c_str(), &info), 0);
    timespec times[2] = {info.st_mtim, info.st_mtim};
    for (timespec& t : times) t.tv_sec -= static_cast<time_t>(seconds);
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  }

  // a process that has ended: its number belongs to nobody
  static int ended_process() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    return child;
  }

  const fs::path path_ = fs::temp_directory_path() / str("alps_task_", ::getpid());
  const EngineSettings engine_{.heartbeat = 1, .stale = 50, .grace = 1};
  const TaskFolder folder_{path_, engine_};
};

TEST_F(TaskFolderTest, IsWaitingAtFirstAndRemembersItsTask) {
  EXPECT_EQ(folder_.state().status, TaskStatus::kWaiting);
  const Task task{.key = "k",
                  .kind = TaskKind::kEval,
                  .data = "d",
                  .command = {"eval", "a b"},
                  .needs = {"x"},
                  .cores = 3,
                  .memory_mb = 7,
                  .units = 9};
  folder_.write(task);
  const Task read = folder_.read();
  EXPECT_EQ(read.key, "k");
  EXPECT_EQ(read.kind, TaskKind::kEval);
  EXPECT_EQ(read.command, task.command);
  EXPECT_EQ(read.needs, task.needs);
  EXPECT_EQ(read.cores, 3);
  EXPECT_EQ(read.memory_mb, 7);
  EXPECT_EQ(read.units, 9);
  EXPECT_EQ(engine_of_task(path_).stale, 50);
}

TEST_F(TaskFolderTest, OfManyWhoClaimAtOnceOneGetsIt) {
  for (int round = 1; round <= 20; ++round) {
    std::atomic<int> got = 0;
    const TaskState found = folder_.state();
    std::vector<std::thread> threads;
    std::atomic<bool> go = false;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        while (!go) std::this_thread::yield();
        // processes of one machine differ in their numbers; here the folder of each is another object
        got += TaskFolder(path_, engine_).claim(found).has_value();
      });
    go = true;
    for (std::thread& t : threads) t.join();
    ASSERT_EQ(got, 1) << "round " << round;
    const TaskState now = folder_.state();
    ASSERT_EQ(now.attempts.size(), static_cast<size_t>(round));
    AttemptRecord mine = now.attempts.back();
    mine.ending = Ending::kStopped;
    folder_.end(mine);
  }
}

TEST_F(TaskFolderTest, ALivingOwnerKeepsIt) {
  ASSERT_TRUE(folder_.claim(folder_.state()));
  EXPECT_EQ(folder_.state().status, TaskStatus::kRunning);
  EXPECT_FALSE(folder_.claim(folder_.state()));
}

TEST_F(TaskFolderTest, TheNextAttemptFollowsAnEnd) {
  AttemptRecord first = *folder_.claim(folder_.state());
  first.ending = Ending::kFailed;
  first.exit_code = 3;
  first.reason = "no disk";
  folder_.end(first);
  const TaskState failed = folder_.state();
  EXPECT_EQ(failed.status, TaskStatus::kFailed);
  EXPECT_EQ(failed.attempts.back().exit_code, 3);
  EXPECT_EQ(failed.attempts.back().reason, "no disk");
  AttemptRecord second = *folder_.claim(failed);
  EXPECT_EQ(second.number, 2);
  EXPECT_TRUE(folder_.overtaken(first));
  EXPECT_FALSE(folder_.overtaken(second));
  second.ending = Ending::kDone;
  folder_.end(second);
  EXPECT_EQ(folder_.state().status, TaskStatus::kDone);
}

TEST_F(TaskFolderTest, AnOwnerWhoseProcessIsGoneIsDead) {
  Owner gone = this_process();
  gone.pid = ended_process();
  write_begin(1, gone);
  const TaskState found = folder_.state();
  EXPECT_EQ(found.status, TaskStatus::kStopped);
  EXPECT_TRUE(folder_.claim(found));
}

TEST_F(TaskFolderTest, AnOwnerElsewhereIsDeadAfterALongSilenceOnly) {
  write_begin(1, {.host = "elsewhere", .boot = "b", .pid = ended_process(), .job = {}});
  EXPECT_EQ(folder_.state().status, TaskStatus::kRunning) << "its process number means nothing here";
  EXPECT_FALSE(folder_.claim(folder_.state()));
  age(1, 49);
  EXPECT_FALSE(folder_.claim(folder_.state()));
  age(1, 10);
  EXPECT_EQ(folder_.state().status, TaskStatus::kStopped);
  EXPECT_TRUE(folder_.claim(folder_.state()));
}

TEST_F(TaskFolderTest, ASignOfLifeEndsASilence) {
  const AttemptRecord mine = *folder_.claim(folder_.state());
  age(1, 1000);
  EXPECT_EQ(folder_.state().status, TaskStatus::kStopped) << "silent for long, though its process is there";
  folder_.sign_of_life(mine);
  EXPECT_EQ(folder_.state().status, TaskStatus::kRunning);
}

TEST_F(TaskFolderTest, AJobThatSlurmBeganAgainTakesOver) {
  ::setenv("SLURM_ARRAY_JOB_ID", "12", 1);
  ::setenv("SLURM_ARRAY_TASK_ID", "3", 1);
  ::setenv("SLURM_RESTART_COUNT", "1", 1);
  write_begin(1, {.host = "elsewhere", .boot = "b", .pid = 1, .job = "12_4", .restart = 0});
  EXPECT_FALSE(folder_.claim(folder_.state())) << "another element of the array";
  write_begin(2, {.host = "elsewhere", .boot = "b", .pid = 1, .job = "12_3", .restart = 1});
  EXPECT_FALSE(folder_.claim(folder_.state())) << "the same start of the job";
  write_begin(3, {.host = "elsewhere", .boot = "b", .pid = 1, .job = "12_3", .restart = 0});
  EXPECT_TRUE(folder_.claim(folder_.state()));
  for (const char* name : {"SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_RESTART_COUNT"}) ::unsetenv(name);
}

TEST_F(TaskFolderTest, ADamagedRecordIsNamed) {
  std::ofstream(path_ / "1.begin.json") << "{";
  try {
    folder_.state();
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("1.begin.json"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace alps
