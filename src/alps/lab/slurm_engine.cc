#include "alps/lab/slurm_engine.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/base/shell_quoted.h"
#include "alps/lab/attempt.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr size_t kArray = 1000;  // elements of an array; Slurm's usual limit is 1001

struct Answer {
  int code = 0;
  std::string text;  // both of its outputs
};

Answer ask(const std::vector<std::string>& words) {
  FILE* pipe = ::popen((shell_command(words) + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw Error("cannot start ", words.front());
  Answer answer;
  char piece[4096];
  for (size_t got; (got = std::fread(piece, 1, sizeof piece, pipe)) > 0;) answer.text.append(piece, got);
  const int status = ::pclose(pipe);
  answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  while (answer.text.ends_with('\n')) answer.text.pop_back();
  return answer;
}

constexpr int kNotFound = 127;  // what a shell says of a command that is not there

// every element of this user that Slurm holds: "123_4" -> "RUNNING"
std::map<std::string, std::string> held() {
  const Answer answer = ask({"squeue", "--me", "--noheader", "--array", "--format=%i %T"});
  if (answer.code == kNotFound)
    throw Error("there is no squeue here; run this on a machine of the cluster, or with --on local");
  if (answer.code != 0) throw Error("squeue: ", answer.text);
  std::map<std::string, std::string> elements;
  std::istringstream in(answer.text);
  for (std::string id, state; in >> id >> state;) elements[id] = state;
  return elements;
}

fs::path job_file(const LabPaths& paths, const std::string& key) { return paths.tasks() / key / "job"; }

// the element that a task was last sent to; empty: none
std::string job_of(const LabPaths& paths, const std::string& key) {
  return fs::exists(job_file(paths, key)) ? read_text(job_file(paths, key)) : "";
}

// an array: tasks of one kind and size that wait for the same ones
struct Group {
  std::vector<const Task*> tasks;
};

std::vector<Group> groups_of(const std::vector<const Task*>& tasks) {
  std::vector<Group> groups;
  const auto alike = [](const Task& a, const Task& b) {
    return a.kind == b.kind && a.cores == b.cores && a.memory_mb == b.memory_mb && a.needs == b.needs;
  };
  for (const Task* task : tasks) {
    const auto found = std::ranges::find_if(
        groups, [&](const Group& g) { return g.tasks.size() < kArray && alike(*g.tasks.front(), *task); });
    if (found != groups.end())
      found->tasks.push_back(task);
    else
      groups.push_back({{task}});
  }
  return groups;
}

// The element's script. No trap: a job that was cancelled must not put itself back into the queue, so bash has to die
// of the signal. 130 is the program's word for "stopped, goes on"; more is a killed program, which gets a few more
// tries.
std::string script(const fs::path& list) {
  const std::vector<std::string> task = {fs::read_symlink("/proc/self/exe").string(), "sweep", "--tasks", list.string(),
                                         "--index"};
  // SLURM_JOB_ID of the last element is the number of the whole array, so elements are named by both numbers
  return "#!/bin/bash\n"
         "me=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\n"
         "srun --ntasks=1 " +
         shell_command(task) +
         " $SLURM_ARRAY_TASK_ID\n"
         "status=$?\n"
         "if [ $status = 130 ] || { [ $status -gt 130 ] && [ ${SLURM_RESTART_COUNT:-0} -lt 3 ]; }; then\n"
         "  # not when it was cancelled\n"
         "  if [ \"$(squeue --noheader --jobs $me --format %T)\" = RUNNING ]; then scontrol requeue $me && sleep 60; "
         "fi\n"
         "fi\n"
         "exit $status\n";
}

fs::path next_submission(const LabPaths& paths) {
  fs::create_directories(paths.lab / "slurm");
  for (int n = 1;; ++n)
    if (const fs::path folder = paths.lab / "slurm" / std::to_string(n); fs::create_directory(folder)) return folder;
}

// sends an array; returns its number
std::string send(const Group& group, const std::string& name, size_t number, const fs::path& folder,
                 const EngineSettings& engine, const std::map<std::string, std::string>& jobs) {
  const Task& first = *group.tasks.front();
  const fs::path list = folder / str(number, ".list"), file = folder / str(number, ".sh");
  std::string keys;
  for (const Task* task : group.tasks) keys += task->key + "\n";
  write_text(list, keys);
  write_text(file, script(list));

  std::vector<std::string> words = {"sbatch",
                                    "--parsable",
                                    "--requeue",
                                    "--open-mode=append",
                                    "--ntasks=1",
                                    str("--job-name=", name, "-", task_kind_name(first.kind)),
                                    str("--array=0-", group.tasks.size() - 1),
                                    str("--cpus-per-task=", first.cores),
                                    str("--mem=", first.memory_mb),
                                    "--time=" + engine.time,
                                    str("--signal=TERM@", static_cast<int>(engine.grace) + 60),
                                    str("--output=", (folder / str(number, "-%a.out")).string())};
  std::string after;
  for (const std::string& need : first.needs)
    if (jobs.contains(need)) after += ":" + jobs.at(need);
  // any end: whether what it needs is done, the task sees in the folder; a failure elsewhere leaves nothing in the
  // queue
  if (!after.empty()) words.push_back("--dependency=afterany" + after);
  words.insert(words.end(), engine.sbatch_options.begin(), engine.sbatch_options.end());
  words.push_back(file.string());
  const Answer answer = ask(words);
  if (answer.code != 0)
    throw Error("sbatch refused an array of ", group.tasks.size(), " tasks: ", answer.text, "\n", shell_command(words));
  // warnings may stand before it; on some sites ";CLUSTER" behind it
  const std::string id = answer.text.substr(answer.text.rfind('\n') + 1);
  return id.substr(0, id.find(';'));
}

}  // namespace

SlurmSubmission submit_slurm(const std::vector<Task>& tasks, const LabPaths& paths, const EngineSettings& engine,
                             const std::string& name) {
  const std::map<std::string, std::string> elements = held();
  SlurmSubmission sent;
  std::map<std::string, std::string> jobs;  // of tasks that are not done
  std::vector<const Task*> left;
  for (const Task& task : tasks) {
    const TaskFolder folder(paths.tasks() / task.key, engine);
    folder.write(task);
    if (folder.state(task).status == TaskStatus::kDone) {
      ++sent.done;
    } else if (const std::string job = job_of(paths, task.key); elements.contains(job)) {
      jobs[task.key] = job;
      ++sent.queued;
    } else {
      left.push_back(&task);
    }
  }
  if (left.empty()) return sent;
  const fs::path folder = next_submission(paths);
  // tasks come after those that they need, so their jobs are known by then
  for (const TaskKind kind : {TaskKind::kData, TaskKind::kTrain, TaskKind::kEval, TaskKind::kReport}) {
    for (const bool waits : {false, true}) {  // data sets are joined after their parts
      std::vector<const Task*> some;
      for (const Task* task : left)
        if (task->kind == kind && (kind != TaskKind::kData ? waits : waits != task->needs.empty()))
          some.push_back(task);
      for (const Group& group : groups_of(some)) {
        const std::string id = send(group, name, sent.arrays++, folder, engine, jobs);
        for (size_t i = 0; i < group.tasks.size(); ++i) {
          const std::string& key = group.tasks[i]->key;
          jobs[key] = str(id, "_", i);
          write_text(job_file(paths, key), jobs[key]);
        }
        sent.tasks += group.tasks.size();
      }
    }
  }
  return sent;
}

std::map<std::string, std::string> slurm_states(const std::vector<Task>& tasks, const LabPaths& paths) {
  std::map<std::string, std::string> states;
  // a lab that never was on a cluster is not asked about one
  if (!fs::exists(paths.lab / "slurm")) return states;
  const std::map<std::string, std::string> elements = held();
  for (const Task& task : tasks)
    if (const auto found = elements.find(job_of(paths, task.key)); found != elements.end())
      states[task.key] = found->second;
  return states;
}

size_t cancel_slurm(const std::vector<Task>& tasks, const LabPaths& paths) {
  const auto states = slurm_states(tasks, paths);
  std::vector<std::string> words = {"scancel"};
  for (const auto& [key, state] : states) words.push_back(job_of(paths, key));
  if (states.empty()) return 0;
  const Answer answer = ask(words);
  if (answer.code != 0) throw Error("scancel: ", answer.text);
  return states.size();
}

void run_listed_task(const fs::path& list, int index) {
  std::istringstream in(read_text(list));
  std::string key;
  for (int i = 0; i <= index; ++i)
    if (!std::getline(in, key)) throw UsageError(list.string(), ": has no line ", index + 1);
  // LAB/slurm/N/K.list
  run_task(fs::absolute(list).parent_path().parent_path().parent_path(), key);
}

}  // namespace alps
