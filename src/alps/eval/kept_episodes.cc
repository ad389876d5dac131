#include "alps/eval/kept_episodes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/base/hash.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

using json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr const char* kFormat = "alps episodes 1 ";
constexpr auto kSyncEvery = std::chrono::seconds(1);

struct RecordHead {
  uint64_t size, hash;
};

std::vector<double> flat(const std::vector<Point2>& points) {
  std::vector<double> numbers;
  for (const Point2 p : points) numbers.insert(numbers.end(), {p.x, p.y});
  return numbers;
}

std::vector<Point2> points(const std::vector<double>& numbers) {
  std::vector<Point2> list;
  for (size_t i = 0; i + 1 < numbers.size(); i += 2) list.push_back({numbers[i], numbers[i + 1]});
  return list;
}

// everything but `success`, which the outcome tells
json to_json(const EpisodeRecord& e, double seconds) {
  return {e.task,
          e.index,
          static_cast<int>(e.outcome),
          e.steps,
          e.replans,
          e.no_routes,
          e.goal_distance,
          flat({e.start, e.goal}),
          flat(e.path),
          e.decision_ms,
          e.goal_distances,
          e.clusters,
          e.replanned,
          e.first_route,
          e.goal_cluster,
          e.still,
          seconds};
}

std::pair<EpisodeRecord, double> from_json(const json& j) {
  EpisodeRecord e;
  e.task = j.at(0);
  e.index = j.at(1);
  e.outcome = static_cast<Outcome>(j.at(2).get<int>());
  e.success = e.outcome == Outcome::kSuccess;
  e.steps = j.at(3);
  e.replans = j.at(4);
  e.no_routes = j.at(5);
  e.goal_distance = j.at(6);
  const std::vector<Point2> ends = points(j.at(7));
  e.start = ends.at(0);
  e.goal = ends.at(1);
  e.path = points(j.at(8));
  e.decision_ms = j.at(9).get<std::vector<float>>();
  e.goal_distances = j.at(10).get<std::vector<float>>();
  e.clusters = j.at(11).get<std::vector<int>>();
  e.replanned = j.at(12).get<std::vector<bool>>();
  e.first_route = j.at(13).get<std::vector<int>>();
  e.goal_cluster = j.at(14);
  e.still = j.at(15);
  return {std::move(e), j.at(16)};
}

}  // namespace

KeptEpisodes::KeptEpisodes(fs::path folder, std::string key)
    : folder_(std::move(folder)), key_(std::move(key)), start_(Clock::now()), synced_(start_) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder_, none)) files.push_back(entry.path());
  // should an episode be there twice, every process takes the same one
  std::ranges::sort(files);
  for (const fs::path& file : files) read(file);
}

KeptEpisodes::~KeptEpisodes() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void KeptEpisodes::read(const fs::path& file) {
  std::string text;
  try {
    text = read_text(file);
  } catch (const Error&) {
    return;  // another process has finished the evaluation meanwhile
  }
  std::string_view rest = text;
  const std::string head = kFormat + key_ + "\n";
  if (!rest.starts_with(head)) return;
  rest.remove_prefix(head.size());
  double seconds = 0;
  RecordHead record;
  while (rest.size() >= sizeof record) {
    std::memcpy(&record, rest.data(), sizeof record);
    const std::string_view bytes = rest.substr(sizeof record, record.size);
    if (bytes.size() != record.size || hash_of(bytes) != record.hash) break;
    auto [episode, worked] = from_json(json::from_msgpack(bytes.begin(), bytes.end()));
    found_.try_emplace({episode.task, episode.index}, std::move(episode));
    seconds = worked;
    rest.remove_prefix(sizeof record + record.size);
  }
  seconds_ += seconds;
}

const EpisodeRecord* KeptEpisodes::find(int task, int index) const {
  const auto at = found_.find({task, index});
  return at == found_.end() ? nullptr : &at->second;
}

void KeptEpisodes::open() {
  std::error_code code;
  fs::create_directories(folder_, code);
  if (code) throw Error("cannot create folder ", folder_.string(), ": ", code.message());
  // nobody else writes to this file: names of machine and process, and a number where a process id comes again
  for (int number = 0; descriptor_ < 0; ++number) {
    file_ = folder_ / str(host_name(), ".", getpid(), ".", number, ".bin");
    descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
    if (descriptor_ < 0 && errno != EEXIST) throw Error("cannot write ", file_.string(), ": ", std::strerror(errno));
  }
  write(kFormat + key_ + "\n");
}

void KeptEpisodes::write(const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t wrote = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) throw Error("cannot write ", file_.string(), ": ", std::strerror(errno));
    done += static_cast<size_t>(wrote);
  }
}

void KeptEpisodes::add(const EpisodeRecord& record) {
  const std::scoped_lock lock(mutex_);
  if (descriptor_ < 0) open();
  const auto now = Clock::now();
  std::string bytes;
  json::to_msgpack(to_json(record, std::chrono::duration<double>(now - start_).count()), bytes);
  const RecordHead head{bytes.size(), hash_of(bytes)};
  write(std::string(reinterpret_cast<const char*>(&head), sizeof head) + bytes);
  // a process that dies loses nothing of this; only a machine that dies loses the last second
  if (now - synced_ < kSyncEvery) return;
  ::fdatasync(descriptor_);
  synced_ = now;
}

void KeptEpisodes::remove() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  std::error_code ignored;  // on NFS, a file that another process holds open leaves a trace until it lets go
  fs::remove_all(folder_, ignored);
}

}  // namespace alps
