// A table of a TOML file, read key by key: sweeps (sweep.h) and exhibits (exhibit.h) are such files. What is wrong is
// told with file, line and remedy, and so are keys that nobody asked for.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <string>
#include <vector>

#include "alps/base/error.h"

namespace alps {

// UsageError with the line where the file is not TOML
toml::table parse_toml(const std::filesystem::path& file);

// "a, b, c"
std::string listed(const std::vector<std::string>& words);

class TomlBlock {
 public:
  // `name` as messages call it: "[[runs]]"; both others must outlive the block
  TomlBlock(const std::filesystem::path& file, const toml::table& table, std::string name)
      : file_(file), table_(table), name_(std::move(name)) {}

  template <class... Words>
  [[noreturn]] void refuse(const toml::node& at, const Words&... words) const {
    throw UsageError(file_.string(), ":", at.source().begin.line, ": ", words...);
  }

  const toml::node* find(const char* key);      // or nullptr; from now on the key is known
  const toml::node& at(const char* key) const;  // where to point at: the key's value, or the block without it
  void refuse_unknown_keys() const;

  std::string word(const char* key, std::string otherwise = {});
  std::string needed_word(const char* key);
  int64_t whole(const char* key, int64_t otherwise, int64_t least, int64_t most);
  double seconds(const char* key, double otherwise);
  bool flag(const char* key, bool otherwise);

  // a list, or the one value that stands alone
  std::vector<const toml::node*> list(const char* key);
  std::vector<std::string> words(const char* key, std::vector<std::string> otherwise = {});
  std::vector<std::string> words_of(const char* key, const std::vector<std::string>& choices);
  std::vector<int64_t> numbers(const char* key, std::vector<int64_t> otherwise, int64_t least, int64_t most);
  std::vector<int64_t> seeds(const char* key);                              // `seeds = 3` is 0, 1, 2
  std::vector<TomlBlock> blocks(const char* key, const std::string& name);  // [[key]]

  // every combination of the values of a table of settings, each as a list of key=value in alphabetical order
  std::vector<std::vector<std::string>> settings(const char* key);

  // does what `check` does, and tells its errors with the line of `key`
  template <class Check>
  void check_at(const char* key, Check&& check) const {
    try {
      check();
    } catch (const Error& e) {
      refuse(at(key), e.what());
    }
  }

  const toml::table& table() const { return table_; }

 private:
  int64_t whole(const toml::node& node, const char* key, int64_t least, int64_t most) const;
  std::string text(const toml::node& node) const;  // of a setting

  const std::filesystem::path& file_;
  const toml::table& table_;
  std::string name_;
  std::vector<std::string> known_;
};

}  // namespace alps
