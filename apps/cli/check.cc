// alps check: a page of plain advice on a data set or a run.
#include "alps/run/check.h"

#include <nlohmann/json.hpp>

#include "cli/verbs.h"

namespace alps::cli {
namespace {

struct CheckArgs {
  std::string what, data_dir;
  int threads = 0;
  bool json = false;
};

// words in lines of at most 100 characters, all but the first one indented
void print_wrapped(const std::string& text, const char* indent) {
  constexpr size_t kWidth = 100;
  std::string line = indent;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (line.size() + 1 + word.size() > kWidth && line.find_first_not_of(' ') != std::string::npos) {
      std::printf("%s\n", line.c_str());
      line = indent;
    }
    if (line.find_first_not_of(' ') != std::string::npos) line += ' ';
    line += word;
    at = end + 1;
  }
  std::printf("%s\n", line.c_str());
}

void run_check(const CheckArgs& args) {
  const Checked checked = check(args.what, args.data_dir, args.threads);
  if (args.json) {
    using json = nlohmann::ordered_json;
    const json page = {{"path", checked.path.string()},
                       {"kind", checked.run ? "run" : "data"},
                       {"worst", mark_name(worst(checked.findings))},
                       {"findings", json::parse(findings_json(checked.findings))}};
    std::printf("%s\n", page.dump(1).c_str());
    return;
  }
  std::printf("%s\n", checked.path.c_str());
  size_t counts[3] = {};
  for (const Finding& f : checked.findings) {
    ++counts[static_cast<int>(f.mark)];
    std::printf("\n%-4s  ", mark_name(f.mark));
    std::printf("%s: %s\n", f.what.c_str(), f.value.c_str());
    print_wrapped(f.meaning + ".", "      ");
    if (!f.advice.empty()) print_wrapped("To do: " + f.advice + ".", "      ");
  }
  std::printf("\n%zu good, %zu to look at, %zu bad\n", counts[0], counts[1], counts[2]);
}

}  // namespace

void add_check(CLI::App& app) {
  auto args = std::make_shared<CheckArgs>();
  CLI::App* verb = app.add_subcommand(
      "check", "plain advice on a data set before training, or on a run after it: what was measured, what it means");
  verb->add_option("FILE|RUN", args->what, "a data-set name, a path ending in .npz, or a run folder")->required();
  verb->add_option("--data_dir", args->data_dir, "folder of the data sets (default ~/.ogbench/data)");
  verb->add_option("--threads", args->threads, "threads (default: all cores); the page does not depend on it")
      ->check(CLI::Range(1, 1024));
  verb->add_flag("--json", args->json, "print the lines as JSON");
  verb->callback([=] { run_check(*args); });
}

}  // namespace alps::cli
