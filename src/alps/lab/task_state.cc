#include "alps/lab/task_state.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "alps/base/error.h"
#include "alps/base/file.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* kEndings[] = {"done", "failed", "stopped"};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string first_line(const char* path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

double seconds_of(const timespec& t) { return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec); }

// the time of change of a file; nothing if it is not there
std::optional<double> changed(const fs::path& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) return {};
  return seconds_of(info.st_mtim);
}

// The clock of the file system: machines whose clocks differ agree on it.
double file_clock(const fs::path& folder) {
  static std::atomic<int> counter = 0;
  const fs::path probe = folder / str("clock.", this_process().host, ".", getpid(), ".", counter++, ".part");
  const int descriptor = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) throw Error(folder.string(), ": cannot be written: ", std::strerror(errno));
  ::close(descriptor);
  ::utimensat(AT_FDCWD, probe.c_str(), nullptr, 0);
  const double now = changed(probe).value_or(0);
  ::unlink(probe.c_str());
  return now;
}

json read_json(const fs::path& path) {
  json root = json::parse(read_text(path), nullptr, false);
  if (!root.is_object()) throw Error(path.string(), " is damaged; remove it and start the sweep again");
  return root;
}

json owner_json(const Owner& o) {
  return {{"host", o.host}, {"boot", o.boot}, {"pid", o.pid}, {"job", o.job}, {"restart", o.restart}};
}

}  // namespace

const char* task_status_name(TaskStatus status) {
  constexpr const char* kNames[] = {"waiting", "running", "done", "failed", "stopped"};
  return kNames[static_cast<int>(status)];
}

Owner this_process() {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  struct stat space;  // of process numbers: a container has its own
  const ino_t pids = ::stat("/proc/self/ns/pid", &space) == 0 ? space.st_ino : 0;
  Owner o{
      .host = host, .boot = str(first_line("/proc/sys/kernel/random/boot_id"), ".", pids), .pid = getpid(), .job = {}};
  if (const std::string array = environment("SLURM_ARRAY_JOB_ID"); !array.empty())
    o.job = array + "_" + environment("SLURM_ARRAY_TASK_ID");
  else
    o.job = environment("SLURM_JOB_ID");
  if (!o.job.empty()) o.restart = std::atoi(environment("SLURM_RESTART_COUNT").c_str());
  return o;
}

fs::path TaskFolder::file(int number, const char* what) const { return folder_ / str(number, ".", what, ".json"); }

void TaskFolder::write(const Task& task) const {
  const json root = {{"key", task.key},
                     {"kind", task_kind_name(task.kind)},
                     {"data", task.data},
                     {"command", task.command},
                     {"needs", task.needs},
                     {"cores", task.cores},
                     {"memory_mb", task.memory_mb},
                     {"units", task.units},
                     {"makes", task.makes.string()},
                     {"proof", static_cast<int>(task.proof)},
                     {"heartbeat", engine_.heartbeat},
                     {"stale", engine_.stale},
                     {"grace", engine_.grace}};
  const std::string text = root.dump(1) + "\n";
  const fs::path path = folder_ / "task.json";
  // written anew only where it changed: on a network file system thousands of writes take minutes
  if (fs::exists(path) && read_text(path) == text) return;
  write_text(path, text);
}

Task TaskFolder::read() const {
  const fs::path path = folder_ / "task.json";
  if (!fs::exists(path)) throw Error(path.string(), ": no such task; start the sweep again");
  const json root = read_json(path);
  try {
    Task task{.key = root.at("key"),
              .command = root.at("command"),
              .needs = root.at("needs"),
              .cores = root.at("cores"),
              .memory_mb = root.at("memory_mb"),
              .units = root.at("units")};
    task.data = root.at("data");
    task.makes = root.at("makes").get<std::string>();
    task.proof = static_cast<Proof>(root.at("proof").get<int>());
    for (const TaskKind kind : {TaskKind::kData, TaskKind::kTrain, TaskKind::kEval, TaskKind::kReport})
      if (root.at("kind") == task_kind_name(kind)) task.kind = kind;
    return task;
  } catch (const json::exception&) {
    throw Error(path.string(), " is damaged, or of another version; remove it and start the sweep again");
  }
}

EngineSettings engine_of_task(const fs::path& folder) {
  const json root = read_json(folder / "task.json");
  EngineSettings e;
  e.heartbeat = root.value("heartbeat", e.heartbeat);
  e.stale = root.value("stale", e.stale);
  e.grace = root.value("grace", e.grace);
  return e;
}

namespace {

bool proved(const Task& task, bool recorded) {
  switch (task.proof) {
    case Proof::kRecord: return recorded;
    case Proof::kFile: return fs::exists(task.makes);
    case Proof::kBoth: return recorded && fs::exists(task.makes);
    case Proof::kEither: return recorded || fs::exists(task.makes);
  }
  return false;
}

}  // namespace

TaskState TaskFolder::state(const Task& task) const {
  // one listing tells which attempts there are
  TaskState state;
  std::map<int, std::pair<bool, bool>> files;  // begin, end
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder_, code)) {
    const std::string name = entry.path().filename().string();
    const int number = std::atoi(name.c_str());
    if (number > 0 && name == str(number, ".begin.json")) files[number].first = true;
    if (number > 0 && name == str(number, ".end.json")) files[number].second = true;
  }
  std::optional<double> now;
  for (const auto& [number, there] : files) {
    if (!there.first) continue;
    AttemptRecord a{.number = number, .owner = {}, .ending = {}, .reason = {}};
    try {
      const json begin = read_json(file(number, "begin"));
      const json& o = begin.at("owner");
      a.owner = {.host = o.at("host"),
                 .boot = o.at("boot"),
                 .pid = o.at("pid"),
                 .job = o.at("job"),
                 .restart = o.at("restart")};
      if (there.second) {
        const json end = read_json(file(number, "end"));
        for (int i = 0; i < 3; ++i)
          if (end.at("ending") == kEndings[i]) a.ending = static_cast<Ending>(i);
        a.exit_code = end.at("exit_code");
        a.seconds = end.at("seconds");
        a.core_seconds = end.value("core_seconds", 0.0);
        a.peak_mb = end.at("peak_mb");
        a.reason = end.at("reason");
      }
    } catch (const json::exception&) {
      throw Error(folder_.string(), ": the record of attempt ", number,
                  " is damaged; remove the folder and start the sweep again");
    }
    if (!a.ending) {
      if (!now) now = file_clock(folder_);
      a.silent = *now - changed(file(number, "begin")).value_or(*now);
    }
    state.attempts.push_back(std::move(a));
  }
  const bool recorded =
      std::ranges::any_of(state.attempts, [](const AttemptRecord& a) { return a.ending == Ending::kDone; });
  if (proved(task, recorded))
    state.status = TaskStatus::kDone;
  else if (state.attempts.empty() || state.attempts.back().ending == Ending::kDone)  // or what it made is gone
    state.status = TaskStatus::kWaiting;
  else if (const AttemptRecord& last = state.attempts.back(); !last.ending)
    state.status = dead(last) ? TaskStatus::kStopped : TaskStatus::kRunning;
  else
    state.status = *last.ending == Ending::kFailed ? TaskStatus::kFailed : TaskStatus::kStopped;
  return state;
}

bool TaskFolder::dead(const AttemptRecord& attempt) const {
  if (attempt.silent > engine_.stale) return true;
  // on this machine one sees at once that its process is gone
  const Owner me = this_process();
  const bool here = attempt.owner.host == me.host && attempt.owner.boot == me.boot;
  return here && ::kill(attempt.owner.pid, 0) != 0 && errno == ESRCH;
}

std::optional<AttemptRecord> TaskFolder::claim(const TaskState& found) const {
  const int number = found.attempts.empty() ? 1 : found.attempts.back().number + 1;
  AttemptRecord mine{.number = number, .owner = this_process(), .ending = {}, .reason = {}};
  if (!found.attempts.empty()) {
    const AttemptRecord& last = found.attempts.back();
    // Slurm began our job again: the earlier one of the same job is over, or is about to notice that it is
    const bool before_us =
        !mine.owner.job.empty() && last.owner.job == mine.owner.job && last.owner.restart < mine.owner.restart;
    if (!last.ending && !before_us && !dead(last)) return {};
  }
  // a file of our own, then its name: link fails where the name is taken, on network file systems too
  static std::atomic<int> counter = 0;
  const fs::path own = folder_ / str("claim.", mine.owner.host, ".", mine.owner.pid, ".", counter++, ".part");
  {
    std::ofstream out(own);
    out << json{{"owner", owner_json(mine.owner)}}.dump(1) << "\n";
    if (!out.flush()) throw Error(own.string(), ": cannot be written (", std::strerror(errno), ")");
  }
  const bool linked = ::link(own.c_str(), file(number, "begin").c_str()) == 0;
  const int problem = errno;
  ::unlink(own.c_str());
  if (!linked && problem != EEXIST)
    throw Error(file(number, "begin").string(), ": cannot be made: ", std::strerror(problem));
  if (!linked) return {};
  return mine;
}

void TaskFolder::sign_of_life(const AttemptRecord& mine) const {
  ::utimensat(AT_FDCWD, file(mine.number, "begin").c_str(), nullptr, 0);
}

bool TaskFolder::overtaken(const AttemptRecord& mine) const { return fs::exists(file(mine.number + 1, "begin")); }

void TaskFolder::end(const AttemptRecord& mine) const {
  const json root = {{"ending", kEndings[static_cast<int>(mine.ending.value_or(Ending::kStopped))]},
                     {"exit_code", mine.exit_code},
                     {"seconds", mine.seconds},
                     {"core_seconds", mine.core_seconds},
                     {"peak_mb", mine.peak_mb},
                     {"reason", mine.reason}};
  write_text(file(mine.number, "end"), root.dump(1) + "\n");
}

}  // namespace alps
