// Downloads over good and bad connections from good and bad servers: in the end the target is whole, or as before.
#include "alps/data/download.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "scripted_server.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

using Server = ScriptedServer;

class DownloadTest : public testing::Test {
 protected:
  DownloadTest() {
    setenv("no_proxy", "127.0.0.1", 1);
    fs::create_directories(folder_);
    for (size_t i = 2; i < content_.size(); i++) content_[i] = static_cast<char>(i * 7919 >> 5);
    options_.retries = 0;
    options_.hint = "or make the data with: alps data make a";
  }
  ~DownloadTest() override { fs::remove_all(folder_); }

  size_t files() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }
  void fetch(const std::vector<std::string>& urls, const ProgressFn& progress = {}) {
    download(urls, target_, options_, progress);
  }
  std::string failure(const std::vector<std::string>& urls) {
    try {
      fetch(urls);
    } catch (const Error& error) {
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }
  // leaves half of the content in the part, with this ETag
  void leave_half(Server::Answer& answer, const Server& server, const std::string& etag = "\"one\"") {
    answer = [this, etag](const std::string&) { return cut_answer(content_, etag, content_.size() / 2); };
    const std::string what = failure({server.url()});
    EXPECT_TRUE(contains(what, "broke after 100,000 of 200,000 bytes")) << what;
    EXPECT_TRUE(contains(what, "100,000 bytes are kept")) << what;
    EXPECT_FALSE(fs::exists(target_));
    EXPECT_EQ(fs::file_size(part_), content_.size() / 2);
  }

  fs::path folder_ = fs::temp_directory_path() / str("alps-download-", getpid());
  fs::path target_ = folder_ / "a.npz", part_ = folder_ / "a.npz.download";
  std::string content_ = "PK" + std::string(199998, 0);
  DownloadOptions options_;
};

TEST_F(DownloadTest, FetchesAWholeFile) {
  Server server([&](const std::string& request) { return good_answer(request, content_, "\"one\""); });
  size_t last = 0, total = 0;
  fetch({server.url()}, [&](size_t done, size_t all) { last = done, total = all; });
  EXPECT_EQ(read_text(target_), content_);
  EXPECT_EQ(last, content_.size());
  EXPECT_EQ(total, content_.size());
  EXPECT_EQ(files(), 1u);  // neither part nor note
  EXPECT_EQ(asked_from(server.request(0)), 0u);

  // an existing file is replaced
  content_.back() = 'x';
  fetch({server.url()});
  EXPECT_EQ(read_text(target_), content_);
}

TEST_F(DownloadTest, ResumesAfterACutConnection) {
  Server::Answer answer;
  Server server([&](const std::string& request) { return answer(request); });
  leave_half(answer, server);
  answer = [&](const std::string& request) { return good_answer(request, content_, "\"one\""); };
  size_t first = 0;
  fetch({server.url()}, [&](size_t done, size_t) { first = first ? first : done; });
  EXPECT_TRUE(contains(server.request(1), "Range: bytes=100000-\r\n"));
  EXPECT_TRUE(contains(server.request(1), "If-Range: \"one\"\r\n"));
  EXPECT_GE(first, 100000u);
  EXPECT_EQ(read_text(target_), content_);
  EXPECT_EQ(files(), 1u);
}

TEST_F(DownloadTest, RetriesWithinOneCall) {
  options_.retries = 2;
  Server server([&](const std::string& request) {
    if (asked_from(request) == 0) return cut_answer(content_, "\"one\"", 100000);
    const std::string whole = good_answer(request, content_, "\"one\"");
    return asked_from(request) == 100000 ? whole.substr(0, whole.size() - 30000) : whole;
  });
  fetch({server.url()});
  EXPECT_EQ(server.requests(), 3u);
  EXPECT_EQ(asked_from(server.request(2)), 170000u);
  EXPECT_EQ(read_text(target_), content_);
}

TEST_F(DownloadTest, ResumesByDateWhereThereIsNoStrongTag) {
  const std::string date = "Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT\r\n";
  Server server([&](const std::string& request) {
    const size_t from = asked_from(request);
    if (from == 0) return head("200 OK", content_.size(), "etag: W/\"weak\"\r\n" + date) + content_.substr(0, 50000);
    const std::string range = str("Content-Range: bytes ", from, "-199999/200000\r\n");
    return head("206 Partial Content", content_.size() - from, date + range) + content_.substr(from);
  });
  failure({server.url()});
  fetch({server.url()});
  EXPECT_TRUE(contains(server.request(1), "If-Range: Wed, 21 Oct 2015 07:28:00 GMT\r\n"));
  EXPECT_EQ(read_text(target_), content_);
}

TEST_F(DownloadTest, StartsAnewWhereTheServerIgnoresRanges) {
  Server::Answer answer;
  Server server([&](const std::string& request) { return answer(request); });
  leave_half(answer, server);
  answer = [&](const std::string&) { return cut_answer(content_, "\"one\"", content_.size()); };
  fetch({server.url()});
  EXPECT_EQ(asked_from(server.request(1)), 100000u);
  EXPECT_EQ(read_text(target_), content_);
}

TEST_F(DownloadTest, StartsAnewWhenTheFileChanged) {
  Server::Answer answer;
  Server server([&](const std::string& request) { return answer(request); });
  leave_half(answer, server);
  content_ = "PKnew" + std::string(150000, 'n');
  answer = [&](const std::string& request) { return good_answer(request, content_, "\"two\""); };
  fetch({server.url()});
  EXPECT_EQ(read_text(target_), content_);
}

TEST_F(DownloadTest, NeverMixesVersionsEvenWhereTheServerWould) {
  // it knows ranges but not If-Range, so that it sends the end of another version
  Server::Answer answer;
  Server server([&](const std::string& request) { return answer(request); });
  leave_half(answer, server);
  content_ = "PKnew" + std::string(199995, 'n');
  answer = [&](const std::string& request) {
    const size_t from = asked_from(request);
    if (from == 0) return good_answer(request, content_, "\"two\"");
    return head("206 Partial Content", content_.size() - from,
                str("ETag: \"two\"\r\nContent-Range: bytes ", from, "-199999/200000\r\n")) +
           content_.substr(from);
  };
  fetch({server.url()});
  EXPECT_EQ(server.requests(), 3u);
  EXPECT_EQ(read_text(target_), content_);
}

TEST_F(DownloadTest, StartsAnewWhenTheServerSendsAnotherRange) {
  Server::Answer answer;
  Server server([&](const std::string& request) { return answer(request); });
  leave_half(answer, server);
  answer = [&](const std::string& request) {
    if (asked_from(request) == 0) return good_answer(request, content_, "\"one\"");
    return head("206 Partial Content", 100000, "ETag: \"one\"\r\nContent-Range: bytes 50000-149999/200000\r\n") +
           content_.substr(50000, 100000);
  };
  fetch({server.url()});
  EXPECT_EQ(read_text(target_), content_);
}

TEST_F(DownloadTest, StartsAnewWhenThePartIsTooLong) {
  Server::Answer answer;
  Server server([&](const std::string& request) { return answer(request); });
  leave_half(answer, server);
  answer = [&](const std::string& request) { return good_answer(request, content_, "\"one\""); };
  fs::resize_file(part_, 300000);
  fetch({server.url()});  // 416, then the whole
  EXPECT_EQ(server.requests(), 3u);
  EXPECT_EQ(read_text(target_), content_);
}

TEST_F(DownloadTest, TakesACompletePartWithoutAsking) {
  Server::Answer answer;
  Server server([&](const std::string& request) { return answer(request); });
  leave_half(answer, server);
  write_text(part_, content_);  // as if the process had been killed just before the rename
  fetch({server.url()});
  EXPECT_EQ(server.requests(), 1u);
  EXPECT_EQ(read_text(target_), content_);
  EXPECT_EQ(files(), 1u);
}

TEST_F(DownloadTest, FallsBackToTheNextUrl) {
  Server server([&](const std::string& request) {
    return contains(request, "GET /gone") ? head("404 Not Found", 4) + "gone"
                                          : good_answer(request, content_, "\"one\"");
  });
  fetch({server.url("/gone"), server.url()});
  EXPECT_EQ(read_text(target_), content_);
}

TEST_F(DownloadTest, APartSurvivesOtherServersThatFailAndGoesFirst) {
  Server::Answer answer;
  Server server([&](const std::string& request) { return answer(request); });
  leave_half(answer, server);
  Server broken([](const std::string&) { return head("503 Service Unavailable", 0); });
  answer = [](const std::string&) { return head("500 Internal Server Error", 0); };
  const std::string what = failure({broken.url(), server.url()});
  EXPECT_TRUE(contains(what, "100,000 bytes are kept")) << what;

  answer = [&](const std::string& request) { return good_answer(request, content_, "\"one\""); };
  fetch({broken.url(), server.url()});
  EXPECT_EQ(broken.requests(), 1u);
  EXPECT_EQ(read_text(target_), content_);
}

TEST_F(DownloadTest, RefusesWhatIsNoNpz) {
  Server server([&](const std::string& request) {
    const std::string page = "<!DOCTYPE html><html>please log in</html>";
    if (contains(request, "GET /html"))
      return head("200 OK", 200000, "Content-Type: text/html; charset=utf-8\r\n") + content_;
    if (contains(request, "GET /empty")) return head("200 OK", 0);
    return head("200 OK", page.size()) + page;
  });
  const std::string what = failure({server.url("/html"), server.url("/page"), server.url("/empty")});
  EXPECT_TRUE(contains(what, "/html: the server sent a web page")) << what;
  EXPECT_TRUE(contains(what, "/page: the server sent something else")) << what;
  EXPECT_TRUE(contains(what, "/empty: the server sent nothing")) << what;
  EXPECT_EQ(std::count(what.begin(), what.end(), '\n'), 4) << what;
  EXPECT_TRUE(what.ends_with(options_.hint)) << what;
  EXPECT_EQ(files(), 0u);

  // other files may be anything
  download({server.url("/page")}, folder_ / "a.html", options_);
  EXPECT_TRUE(fs::exists(folder_ / "a.html"));
}

TEST_F(DownloadTest, RefusesTheWrongLength) {
  Server server([&](const std::string& request) {
    if (asked_from(request) == 0) return cut_answer(content_, "\"one\"", 100000);
    // says that it sends the rest, but announces and sends less
    return head("206 Partial Content", 10, "ETag: \"one\"\r\nContent-Range: bytes 100000-199999/200000\r\n") +
           content_.substr(100000, 10);
  });
  failure({server.url()});
  const std::string what = failure({server.url()});
  EXPECT_TRUE(contains(what, "wrong length: 100,010 of 200,000 bytes")) << what;
  EXPECT_FALSE(fs::exists(target_));
}

TEST_F(DownloadTest, WithoutAValidatorNothingIsKept) {
  Server server([&](const std::string&) { return head("200 OK", content_.size()) + content_.substr(0, 100000); });
  const std::string what = failure({server.url()});
  EXPECT_FALSE(contains(what, "are kept")) << what;
  EXPECT_EQ(files(), 0u);
}

TEST_F(DownloadTest, FailureLeavesTheOldFileAlone) {
  write_text(target_, "old");
  Server server([&](const std::string&) { return cut_answer(content_, "\"one\"", 1000); });
  failure({server.url()});
  EXPECT_EQ(read_text(target_), "old");
}

TEST_F(DownloadTest, RefusedConnectionsFailFast) {
  std::string url;
  { url = Server().url(); }
  const auto start = std::chrono::steady_clock::now();
  const std::string what = failure({url, "ftp://127.0.0.1/a.npz"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_TRUE(contains(what, "cannot download a.npz:\n  " + url + ": ")) << what;
  EXPECT_TRUE(contains(what, "connect")) << what;
  EXPECT_TRUE(contains(what, "\n  ftp://127.0.0.1/a.npz: Protocol \"ftp\" not supported")) << what;
  EXPECT_EQ(files(), 0u);
}

TEST_F(DownloadTest, GivesUpServersThatStall) {
  options_.stall_timeout = 1;
  Server server([&](const std::string&) { return cut_answer(content_, "\"one\"", 1000); });
  server.pause_ms = 20000;
  const std::string what = failure({server.url()});
  EXPECT_TRUE(contains(what, "too slow")) << what;
}

TEST_F(DownloadTest, FollowsRedirectsOnTheWebOnly) {
  Server server([&](const std::string& request) {
    const auto to = [](const std::string& place) {
      return head("302 Found", 4, "Location: " + place + "\r\n") + "PK..";
    };
    if (contains(request, "GET /moved")) return to("/a.npz");
    if (contains(request, "GET /loop")) return to("/loop");
    if (contains(request, "GET /file")) return to("file:///etc/passwd");
    return good_answer(request, content_, "\"one\"");
  });
  fetch({server.url("/moved")});
  EXPECT_EQ(read_text(target_), content_);
  fs::remove(target_);
  const std::string what = failure({server.url("/loop"), server.url("/file")});
  EXPECT_TRUE(contains(what, "redirects")) << what;
  EXPECT_TRUE(contains(what, "Protocol \"file\"")) << what;
  EXPECT_EQ(server.requests(), 2u + 6u + 1u);
}

TEST_F(DownloadTest, ProgressMayCancelAndThePartIsKept) {
  struct Cancelled {};
  Server server([&](const std::string& request) { return good_answer(request, content_, "\"one\""); });
  EXPECT_THROW(fetch({server.url(), server.url("/b")}, [](size_t, size_t) { throw Cancelled(); }), Cancelled);
  EXPECT_EQ(server.requests(), 1u);
  EXPECT_FALSE(fs::exists(target_));
  fetch({server.url()});
  EXPECT_EQ(read_text(target_), content_);
}

TEST_F(DownloadTest, ResumesAfterAKilledProcess) {
  Server server;
  // forked before the server's thread exists, as threads and fork do not mix
  const pid_t child = fork();
  if (child == 0) {
    try {
      fetch({server.url()});
    } catch (...) {
    }
    _exit(0);
  }
  std::atomic<bool> whole = false;
  server.pause_ms = 20000;
  server.start([&](const std::string& request) {
    return whole ? good_answer(request, content_, "\"one\"") : cut_answer(content_, "\"one\"", 120000);
  });
  std::error_code code;
  for (int i = 0; i < 2000 && fs::file_size(part_, code) != 120000; i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_EQ(fs::file_size(part_, code), 120000u);

  // while it runs, nobody else may write the same file
  EXPECT_TRUE(contains(failure({server.url()}), "being downloaded by another process"));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(fs::exists(target_));
  whole = true;
  server.pause_ms = 0;
  fetch({server.url()});
  EXPECT_EQ(asked_from(server.request(1)), 120000u);
  EXPECT_EQ(read_text(target_), content_);
}

TEST_F(DownloadTest, ManyAtOnce) {
  Server server([&](const std::string& request) { return good_answer(request, content_, "\"one\""); });
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; i++)
    threads.emplace_back([&, i] { download({server.url()}, folder_ / str(i, ".npz"), options_); });
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 8; i++) EXPECT_EQ(read_text(folder_ / str(i, ".npz")), content_);
}

TEST_F(DownloadTest, UnwritableFoldersAreErrorsBeforeAnyRequest) {
  Server server([&](const std::string& request) { return good_answer(request, content_, "\"one\""); });
  write_text(folder_ / "file", "");
  EXPECT_THROW(download({server.url()}, folder_ / "file" / "a.npz", options_), Error);
  EXPECT_THROW(download({server.url()}, folder_, options_), Error);
  EXPECT_EQ(server.requests(), 0u);
  // missing folders are made
  download({server.url()}, folder_ / "new" / "folder" / "a.npz", options_);
  EXPECT_EQ(read_text(folder_ / "new" / "folder" / "a.npz"), content_);
}

TEST(OfficialUrls, HostThenMirror) {
  const std::vector<std::string> expected = {
      "https://rail.eecs.berkeley.edu/datasets/ogbench/antmaze-large-stitch-v0.npz",
      "https://huggingface.co/datasets/zhouzypaul/ogbench_datasets/resolve/main/antmaze-large-stitch-v0.npz"};
  EXPECT_EQ(official_urls("antmaze-large-stitch-v0"), expected);
  EXPECT_EQ(official_urls("antmaze-large-stitch-v0.npz"), expected);
}

}  // namespace
}  // namespace alps
