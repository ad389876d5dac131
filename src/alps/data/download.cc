#include "alps/data/download.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <exception>
#include <memory>
#include <string_view>
#include <thread>

#include "alps/base/error.h"
#include "alps/data/partial_file.h"

namespace fs = std::filesystem;

namespace alps {

namespace {

size_t parse_size(std::string_view text) {
  size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// what the head of the last answer says; redirects and proxies send heads of their own before it
struct Head {
  int status = 0;
  std::string type, etag, modified;
  size_t length = 0;  // of this answer's body; 0: unknown
  size_t range_first = 0, range_total = 0;
  void read(std::string_view line);
  // what If-Range can be asked with: a strong ETag or a date
  std::string validator() const { return etag.starts_with('"') ? etag : modified; }
  bool contradicts(const std::string& validator) const {
    const std::string& mine = validator.starts_with('"') ? etag : modified;
    return !mine.empty() && mine != validator;
  }
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
  std::string name(line.substr(0, colon)),
      value(line.substr(std::min(line.find_first_not_of(" \t", colon + 1), line.size())));
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
  Request(PartialFile& part, const std::string& url, bool zip, const DownloadOptions& options,
          const ProgressFn& progress)
      : part_(part), url_(url), zip_(zip), options_(options), progress_(progress) {}

  std::string run(bool resume);  // what went wrong; empty: the file is complete
  size_t received() const { return received_; }
  bool range_refused() const { return range_refused_; }

 private:
  void set_options(CURL* curl, curl_slist* headers, char* message);
  std::string judge(CURLcode code, const char* message) const;
  size_t total() const { return part_.origin().total > 0 ? part_.origin().total : head_.range_total; }
  bool body(std::string_view bytes);
  bool begin();  // decides at the first bytes whether they are what we want
  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  static size_t on_header(char* data, size_t, size_t size, void* self);
  static size_t on_body(char* data, size_t, size_t size, void* self);
  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

  PartialFile& part_;
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

std::string Request::judge(CURLcode code, const char* message) const {
  if (!problem_.empty()) return problem_;
  if (code == CURLE_HTTP_RETURNED_ERROR) return str("the server answered HTTP ", head_.status);
  const std::string sizes =
      str(with_commas(part_.size()), " of ", total() > 0 ? with_commas(total()) : "unknown", " bytes");
  if (code != CURLE_OK) return begun_ ? str("the connection broke after ", sizes, " (", message, ")") : message;
  if (!begun_) return "the server sent nothing";
  if (total() > 0 && part_.size() != total()) return str("wrong length: ", sizes, " came");
  return "";
}

bool Request::begin() {
  if (head_.status == 206) {
    // a continuation must be one of our part: same version, same place, same whole
    const Origin& origin = part_.origin();
    range_refused_ = !resume_ || head_.range_first != part_.size() || head_.contradicts(origin.validator) ||
                     (origin.total > 0 && head_.range_total > 0 && head_.range_total != origin.total);
    return range_refused_ ? refuse("the server sent another part of the file than the one asked for") : true;
  }
  // an old part is given up only for something that looks like the file
  if (head_.status != 200) return refuse(str("the server answered HTTP ", head_.status));
  if (zip_ && head_.type.starts_with("text/html")) return refuse("the server sent a web page instead of the file");
  if (zip_ && !opening_.starts_with("PK")) return refuse("the server sent something else than an .npz (ZIP) file");
  part_.begin({url_, head_.validator(), head_.length});
  return true;
}

bool Request::body(std::string_view bytes) {
  if (!begun_) {
    opening_.append(bytes);
    if (opening_.size() < 2 && zip_ && head_.status == 200) return true;
    if (!begin()) return false;
    begun_ = true;
    bytes = opening_;
  }
  part_.append(bytes);
  received_ += bytes.size();
  return true;
}

size_t Request::on_header(char* data, size_t, size_t size, void* self) {
  static_cast<Request*>(self)->head_.read({data, size});
  return size;
}

size_t Request::on_body(char* data, size_t, size_t size, void* self) {
  Request& request = *static_cast<Request*>(self);
  try {
    return request.body({data, size}) ? size : 0;
  } catch (...) {
    request.error_ = std::current_exception();
    return 0;
  }
}

int Request::on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  Request& request = *static_cast<Request*>(self);
  try {
    if (request.progress_ && request.begun_ && request.total() > 0)
      request.progress_(request.part_.size(), request.total());
    return 0;
  } catch (...) {
    request.error_ = std::current_exception();
    return 1;
  }
}

// what went wrong with this URL; empty: the part is complete
std::string fetch(PartialFile& part, const std::string& url, bool zip, const DownloadOptions& options,
                  const ProgressFn& progress) {
  bool resume = true;
  for (int broken = 0;;) {
    Request request(part, url, zip, options, progress);
    std::string problem = request.run(resume);
    if (problem.empty()) return "";
    // a server that cannot continue our part is asked for the whole file
    if (request.range_refused() && resume) {
      resume = false;
      continue;
    }
    // what broke in the middle is worth another try, if we can go on from there
    if (request.received() == 0 || part.origin().validator.empty() || broken++ >= options.retries) return problem;
    resume = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

}  // namespace

void download(const std::vector<std::string>& urls, const fs::path& target, const DownloadOptions& options,
              const ProgressFn& progress) {
  if (fs::is_directory(target)) throw Error("cannot download to ", target.string(), ": it is a folder");
  PartialFile part(target);
  const auto done = [&] {
    part.finish();
    if (progress) progress(part.size(), part.size());
  };

  // go on with what was begun before, or just rename it if it lacks nothing
  std::vector<std::string> order = urls;
  const auto begun = std::find(order.begin(), order.end(), part.origin().url);
  if (begun != order.end() && part.size() > 0) {
    if (part.complete()) return done();
    std::rotate(order.begin(), begun, begun + 1);
  }
  std::string problems;
  for (const std::string& url : order) {
    const std::string problem = fetch(part, url, target.extension() == ".npz", options, progress);
    if (problem.empty()) return done();
    problems += str("\n  ", url, ": ", problem);
  }
  if (part.size() > 0 && !part.origin().validator.empty())
    problems += str("\n", with_commas(part.size()), " bytes are kept; the next try goes on from there");
  throw Error("cannot download ", target.filename().string(), ":", problems, options.hint.empty() ? "" : "\n",
              options.hint);
}

std::vector<std::string> official_urls(const std::string& name) {
  const std::string file = name.ends_with(".npz") ? name : name + ".npz";
  return {"https://rail.eecs.berkeley.edu/datasets/ogbench/" + file,
          "https://huggingface.co/datasets/zhouzypaul/ogbench_datasets/resolve/main/" + file};
}

}  // namespace alps
