#include "alps/lab/attempt.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <thread>

#include "alps/base/error.h"
#include "alps/base/interrupt.h"
#include "alps/base/shell_quoted.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double seconds_of(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

fs::path program() { return fs::read_symlink("/proc/self/exe"); }

}  // namespace

namespace {

// the lines of the end of a file; of a line that a progress bar wrote over, each state
std::vector<std::string> last_lines(const fs::path& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return {};
  constexpr std::streamoff kTail = 4096;
  const std::streamoff size = in.tellg();
  in.seekg(std::max<std::streamoff>(0, size - kTail));
  const std::string tail{std::istreambuf_iterator<char>(in), {}};
  std::string line;
  std::vector<std::string> lines;
  for (const char c : tail + "\n")
    if (c == '\n' || c == '\r') {
      if (!line.empty()) lines.push_back(line);
      line.clear();
    } else {
      line += c;
    }
  return lines;
}

// what a failed program said was wrong, else its last words
std::string last_error(const fs::path& log) {
  constexpr std::string_view kMark = "alps: error: ";
  const std::vector<std::string> lines = last_lines(log);
  for (size_t i = lines.size(); i-- > 0;)
    if (lines[i].starts_with(kMark)) return lines[i].substr(kMark.size());
  return lines.empty() ? "" : lines.back();
}

}  // namespace

std::string last_line(const fs::path& path) {
  const std::vector<std::string> lines = last_lines(path);
  return lines.empty() ? "" : lines.back();
}

std::unique_ptr<Attempt> Attempt::begin(const Task& task, const TaskFolder& folder) {
  const TaskState found = folder.state(task);
  if (found.status == TaskStatus::kDone) return nullptr;
  const std::optional<AttemptRecord> mine = folder.claim(found);
  if (!mine) return nullptr;
  std::unique_ptr<Attempt> attempt(new Attempt(task, folder, *mine));
  // an earlier attempt that did not end may still be there for a moment: it sees ours and saves its work
  if (!found.attempts.empty() && !found.attempts.back().ending && !folder.dead(found.attempts.back())) {
    const Clock::time_point taken = Clock::now();
    const double patience = 2 * folder.engine().heartbeat + folder.engine().grace;
    for (bool over = false; !over && since(taken) < patience && !interrupted();) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      folder.sign_of_life(*mine);
      const TaskState now = folder.state();
      for (const AttemptRecord& a : now.attempts)
        if (a.number == mine->number - 1) over = a.ending.has_value() || folder.dead(a);
    }
  }
  attempt->start();
  return attempt;
}

Attempt::Attempt(Task task, TaskFolder folder, AttemptRecord mine)
    : task_(std::move(task)),
      folder_(std::move(folder)),
      mine_(std::move(mine)),
      start_(Clock::now()),
      beat_(start_),
      stop_(start_) {}

void Attempt::start() {
  const int log = ::open(folder_.log().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log < 0) throw Error(folder_.log().string(), ": cannot be written: ", std::strerror(errno));
  std::vector<std::string> words = {program().string()};
  words.insert(words.end(), task_.command.begin(), task_.command.end());
  const std::string line = "$ " + shell_command(words) + "\n";
  if (::write(log, line.data(), line.size()) < 0)
    throw Error(folder_.log().string(), ": cannot be written: ", std::strerror(errno));
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ < 0) throw Error("cannot start a process: ", std::strerror(errno));
  if (child_ == 0) {
    // a group of its own: Ctrl-C reaches the owner, who tells it; and if the owner is killed, it is told too
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(127);
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, 0);
    ::dup2(log, 1);
    ::dup2(log, 2);
    ::execv("/proc/self/exe", argv.data());  // the very program that runs, even where it was built anew meanwhile
    ::_exit(127);
  }
  ::close(log);
}

Attempt::~Attempt() {
  if (child_ <= 0) return;
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

double Attempt::seconds() const { return since(start_); }
std::string Attempt::last_words() const { return last_line(folder_.log()); }

void Attempt::stop() {
  if (stopping_ || child_ <= 0) return;
  stopping_ = true;
  stop_ = Clock::now();
  ::kill(child_, SIGTERM);
}

// signs of life, and whether a later attempt has begun
void Attempt::watch() {
  if (since(beat_) < folder_.engine().heartbeat) return;
  beat_ = Clock::now();
  folder_.sign_of_life(mine_);
  if (folder_.overtaken(mine_)) {
    overtaken_ = true;
    stop();
  }
}

// Killed from outside, by a person or for want of memory: worth another attempt, but not for ever.
bool Attempt::killed_by_chance() const {
  constexpr int kPatience = 2;
  const auto killed = [](int code) { return code == 128 + SIGKILL || code == 128 + SIGTERM; };
  if (!killed(mine_.exit_code)) return false;
  int before = 0;
  for (const AttemptRecord& a : folder_.state().attempts) before += a.ending.has_value() && killed(a.exit_code);
  return before < kPatience;
}

std::optional<AttemptRecord> Attempt::poll() {
  int status = 0;
  rusage used{};
  const pid_t ended = ::wait4(child_, &status, WNOHANG, &used);
  if (ended == 0) {
    watch();
    if (stopping_ && since(stop_) > folder_.engine().grace) ::kill(child_, SIGKILL);
    return {};
  }
  child_ = 0;
  mine_.seconds = seconds();
  mine_.core_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  mine_.peak_mb = used.ru_maxrss / 1024;
  mine_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (mine_.exit_code == 0)
    mine_.ending = Ending::kDone;
  else if (stopping_ || mine_.exit_code == Interrupted("").exit_code() || killed_by_chance())
    mine_.ending = Ending::kStopped;
  else
    mine_.ending = Ending::kFailed;
  if (WIFSIGNALED(status))
    mine_.reason = str("killed by signal ", WTERMSIG(status), "; last words: ", last_words());
  else if (mine_.ending == Ending::kFailed)
    mine_.reason = last_error(folder_.log());
  if (overtaken_) mine_.reason = "a later attempt took over";
  folder_.end(mine_);
  return mine_;
}

void run_task(const fs::path& lab, const std::string& key) {
  const fs::path path = lab / "tasks" / key;
  const TaskFolder folder(path, engine_of_task(path));
  const Task task = folder.read();
  for (const std::string& need : task.needs)
    if (const TaskFolder other(lab / "tasks" / need, folder.engine());
        other.state(other.read()).status != TaskStatus::kDone)
      throw Error(key, ": needs ", need, ", which is not done");
  const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); };
  std::unique_ptr<Attempt> attempt;
  while (!attempt) {
    throw_if_interrupted();
    if (folder.state(task).status == TaskStatus::kDone) return;
    attempt = Attempt::begin(task, folder);
    if (!attempt) pause();
  }
  std::optional<AttemptRecord> end;
  while (!(end = attempt->poll())) {
    if (interrupted()) attempt->stop();
    pause();
  }
  if (*end->ending == Ending::kStopped) throw Interrupted(key, ": stopped; it goes on when it is started again");
  if (*end->ending == Ending::kFailed) throw Error(key, ": failed: ", end->reason, " (", folder.log().string(), ")");
}

}  // namespace alps
