#include "alps/data/download.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <sstream>
#include <string_view>
#include <thread>

#include "alps/base/error.h"
#include "alps/base/file.h"

namespace fs = std::filesystem;

namespace alps {

namespace {

size_t parse_size(std::string_view text) {
  size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// which version of which file a part belongs to
struct Origin {
  std::string url;
  std::string validator;  // a strong ETag or a date, for If-Range; empty: the part cannot be continued
  size_t total = 0;       // bytes of the whole; 0: unknown
};

// The partial download and its note. Locked while it is open, so that two processes never write into one file.
class PartFile {
 public:
  explicit PartFile(const fs::path& target);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const Origin& origin() const { return origin_; }
  size_t size() const { return size_; }
  bool complete() const { return origin_.total > 0 && size_ == origin_.total; }

  void begin(Origin origin);  // forgets all bytes
  void append(std::string_view bytes);
  void finish();  // becomes the target

 private:
  void open_locked();
  [[noreturn]] void fail() const { throw Error("cannot write ", part_.string(), ": ", std::strerror(errno)); }

  fs::path target_, part_, note_;
  int descriptor_ = -1;
  size_t size_ = 0;
  Origin origin_;
};

PartFile::PartFile(const fs::path& target) : target_(target), part_(target), note_(target) {
  part_ += ".download";
  note_ += ".download.from";
  std::error_code code;
  if (target_.has_parent_path()) fs::create_directories(target_.parent_path(), code);
  if (code) throw Error("cannot create folder ", target_.parent_path().string(), ": ", code.message());
  open_locked();

  // a note that cannot be read is as good as none: the part starts anew
  size_ = lseek(descriptor_, 0, SEEK_END);
  if (!fs::exists(note_, code)) return;
  std::istringstream lines(read_text(note_));
  std::string total;
  if (std::getline(lines, origin_.url) && std::getline(lines, origin_.validator) && std::getline(lines, total))
    origin_.total = parse_size(total);
  else
    origin_ = {};
}

void PartFile::open_locked() {
  while (descriptor_ < 0) {
    descriptor_ = open(part_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0) fail();
    const bool busy = flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    // whoever held the lock before may have renamed or removed the file since it was opened
    struct stat held {}, named {};
    fstat(descriptor_, &held);
    const bool same = stat(part_.c_str(), &named) == 0 && held.st_ino == named.st_ino && held.st_dev == named.st_dev;
    if (same && !busy) return;
    close(std::exchange(descriptor_, -1));
    if (busy) throw Error(target_.string(), " is being downloaded by another process; wait for it, or stop it");
  }
}

PartFile::~PartFile() {
  if (descriptor_ < 0) return;
  if (size_ == 0) {
    unlink(note_.c_str());
    unlink(part_.c_str());
  }
  close(descriptor_);
}

// the note comes before the first byte: there is never a byte of which nobody knows the origin
void PartFile::begin(Origin origin) {
  if (ftruncate(descriptor_, 0) != 0 || lseek(descriptor_, 0, SEEK_SET) != 0) fail();
  size_ = 0;
  origin_ = std::move(origin);
  write_text(note_, str(origin_.url, "\n", origin_.validator, "\n", origin_.total, "\n"));
}

void PartFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail();
    bytes.remove_prefix(done);
    size_ += done;
  }
}

void PartFile::finish() {
  if (fsync(descriptor_) != 0) fail();
  if (rename(part_.c_str(), target_.c_str()) != 0)
    throw Error("cannot rename ", part_.string(), " to ", target_.string(), ": ", std::strerror(errno));
  unlink(note_.c_str());
  close(std::exchange(descriptor_, -1));
}

// what the head of the last answer says; redirects and proxies send heads of their own before it
struct Head {
  int status = 0;
  std::string type, etag, modified;
  size_t length = 0;                   // of this answer's body; 0: unknown
  size_t range_first = 0, range_total = 0;
  void read(std::string_view line);
  std::string validator() const { return etag.empty() || etag.starts_with("W/") ? modified : etag; }
};

void Head::read(std::string_view line) {
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
  if (line.starts_with("HTTP/")) {
    *this = {};
    status = static_cast<int>(parse_size(line.substr(std::min(line.find(' ') + 1, line.size()))));
    return;
  }
  const size_t colon = line.find(':');
  if (colon == line.npos) return;
  std::string name(line.substr(0, colon)), value(line.substr(std::min(line.find_first_not_of(" \t", colon + 1), line.size())));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name == "content-type") type = value;
  if (name == "etag") etag = value;
  if (name == "last-modified") modified = value;
  if (name == "content-length") length = parse_size(value);
  // "bytes 500-999/1000"
  if (name == "content-range" && value.starts_with("bytes ")) {
    range_first = parse_size(std::string_view(value).substr(6));
    range_total = parse_size(std::string_view(value).substr(std::min(value.find('/') + 1, value.size())));
  }
}

// One request, from the beginning of the file or from the end of the part.
class Request {
 public:
  Request(PartFile& part, const std::string& url, bool zip, const DownloadOptions& options, const ProgressFn& progress)
      : part_(part), url_(url), zip_(zip), options_(options), progress_(progress) {}

  std::string run(bool resume);  // what went wrong; empty: the file is complete
  size_t received() const { return received_; }
  bool range_refused() const { return range_refused_; }

 private:
  void set_options(CURL* curl, curl_slist* headers, char* message);
  std::string judge(CURLcode code, const char* message) const;
  bool body(std::string_view bytes);
  bool begin();
  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  static size_t on_header(char* data, size_t, size_t size, void* self);
  static size_t on_body(char* data, size_t, size_t size, void* self);
  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

  PartFile& part_;
  const std::string& url_;
  const bool zip_;
  const DownloadOptions& options_;
  const ProgressFn& progress_;

  Head head_;
  std::string opening_;  // the first bytes, until there are enough to recognise a ZIP
  bool resume_ = false, begun_ = false, range_refused_ = false;
  size_t received_ = 0;
  std::string problem_;       // with this server
  std::exception_ptr error_;  // of ours (disk full) or of the progress callback; must not pass through curl
};

std::string Request::run(bool resume) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), curl_easy_cleanup);
  if (ready != CURLE_OK || !curl) throw Error("cannot start libcurl: ", curl_easy_strerror(ready));
  resume_ = resume && part_.size() > 0 && part_.origin().url == url_ && !part_.origin().validator.empty();

  // the range is only honoured for the version that we have a part of
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(nullptr, curl_slist_free_all);
  headers.reset(curl_slist_append(nullptr, "Accept-Encoding: identity"));
  const std::string range = str(part_.size(), "-");
  if (resume_) {
    curl_slist_append(headers.get(), ("If-Range: " + part_.origin().validator).c_str());
    curl_easy_setopt(curl.get(), CURLOPT_RANGE, range.c_str());
  }
  char message[CURL_ERROR_SIZE] = "";
  set_options(curl.get(), headers.get(), message);
  const CURLcode code = curl_easy_perform(curl.get());
  if (error_) std::rethrow_exception(error_);
  range_refused_ = range_refused_ || (resume_ && head_.status == 416);
  return judge(code, *message ? message : curl_easy_strerror(code));
}

void Request::set_options(CURL* curl, curl_slist* headers, char* message) {
  curl_easy_setopt(curl, CURLOPT_URL, url_.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, message);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "alps");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);  // signals and threads do not mix
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);

  // redirects stay on the web, and what began encrypted stays encrypted
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, url_.starts_with("https:") ? "https" : "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, static_cast<long>(options_.max_redirects));

  const long seconds = std::max(1L, std::lround(options_.stall_timeout));
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, std::lround(1000 * options_.connect_timeout));
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, seconds);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, options_.stall_speed);

  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, this);
}
