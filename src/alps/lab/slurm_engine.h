// Runs the tasks of a sweep on a Slurm cluster, by its own commands (sbatch, squeue, scancel). Tasks with the same
// needs become one array; an array waits for the array elements that make what it needs. Each element runs one task as
// one step (srun). Before its time limit, or when it is preempted, Slurm sends SIGTERM: the task saves its work and the
// element goes back into the queue. A task that fails is not put back, and what needs it is taken out of the queue.
//
//   LAB/slurm/N/K.list   keys of the tasks of array K of submission N, a line each
//   LAB/slurm/N/K.sh     the script of that array
//   LAB/tasks/KEY/job    "123_4": the element that runs the task
#pragma once

#include <map>

#include "alps/lab/task_state.h"

namespace alps {

struct SlurmSubmission {
  size_t tasks = 0, arrays = 0, done = 0, queued = 0;
};

// Tasks that are done or in the queue are left alone. Error where Slurm refuses, with its words.
SlurmSubmission submit_slurm(const std::vector<Task>& tasks, const LabPaths& paths, const EngineSettings& engine,
                             const std::string& name);

// the state of the tasks that Slurm holds: key -> "PENDING", "RUNNING" ...; empty for a lab that Slurm never saw
std::map<std::string, std::string> slurm_states(const std::vector<Task>& tasks, const LabPaths& paths);

size_t cancel_slurm(const std::vector<Task>& tasks, const LabPaths& paths);  // how many

// An element's part, on a node: the task of a line of a list. Interrupted where it should go back into the queue.
void run_listed_task(const std::filesystem::path& list, int index);

}  // namespace alps
