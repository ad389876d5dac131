#include "alps/lab/exhibit.h"

#include <toml++/toml.h>

#include <algorithm>
#include <set>

#include "alps/base/error.h"
#include "alps/base/names.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

const std::vector<std::string> kFields = {"data_set", "method", "variant", "clusters", "setting", "task"};
const std::vector<std::string> kShapes = {"table", "curve", "pictures", "tests"};
const std::vector<std::string> kPictures = {"distance", "regions", "landscape", "spectrum"};

std::string listed(std::span<const std::string> words) {
  std::string all;
  for (const std::string& w : words) all += (all.empty() ? "" : ", ") + w;
  return all;
}

// a table of the file, read key by key; what is wrong is told with its line, and so are keys that nobody asked for
class Reader {
 public:
  Reader(const fs::path& file, const toml::table& table, std::string name)
      : file_(file), table_(table), name_(std::move(name)) {}

  template <class... Words>
  [[noreturn]] void refuse(const toml::node& at, const Words&... words) const {
    throw UsageError(file_.string(), ":", at.source().begin.line, ": ", words...);
  }

  const toml::node* find(const char* key) {
    known_.push_back(key);
    return table_.get(key);
  }

  std::string word(const char* key, bool needed = false) {
    const toml::node* node = find(key);
    if (node == nullptr && needed) refuse(table_, name_, " lacks ", key, " = \"...\"");
    if (node == nullptr) return {};
    if (!node->is_string()) refuse(*node, key, " takes a text in quotes: ", key, " = \"...\"");
    return node->ref<std::string>();
  }

  int whole(const char* key, int otherwise) {
    const toml::node* node = find(key);
    return node == nullptr ? otherwise : static_cast<int>(number_of(*node, key));
  }

  std::vector<int64_t> numbers(const char* key) {
    std::vector<int64_t> all;
    for (const toml::node* node : list(key)) all.push_back(number_of(*node, key));
    return all;
  }

  // words out of a known set
  std::vector<std::string> words(const char* key, const std::vector<std::string>& choices) {
    std::vector<std::string> all;
    for (const toml::node* node : list(key)) {
      if (!node->is_string()) refuse(*node, key, " takes texts in quotes: ", key, " = [\"", choices.front(), "\"]");
      const std::string& word = node->ref<std::string>();
      if (std::ranges::find(choices, word) == choices.end())
        refuse(*node, key, " knows no '", word, "'", nearest_hint(word, choices), "; it takes ", listed(choices));
      all.push_back(word);
    }
    return all;
  }

  void refuse_unknown_keys() const {
    for (const auto& [key, node] : table_)
      if (const std::string name(key.str()); std::ranges::find(known_, name) == known_.end())
        refuse(node, "there is no key '", name, "' in ", name_, nearest_hint(name, known_), "; keys are ",
               listed(known_));
  }

  std::vector<const toml::node*> list(const char* key) {
    const toml::node* node = find(key);
    if (node == nullptr) return {};
    if (!node->is_array()) return {node};
    std::vector<const toml::node*> all;
    for (const toml::node& one : *node->as_array()) all.push_back(&one);
    return all;
  }

  const toml::node& at(const char* key) const { return *table_.get(key); }

 private:
  int64_t number_of(const toml::node& node, const char* key) const {
    constexpr int64_t kMost = 1'000'000'000;
    if (!node.is_integer() || node.ref<int64_t>() < 1 || node.ref<int64_t>() > kMost)
      refuse(node, key, " takes a whole number from 1 to ", kMost);
    return node.ref<int64_t>();
  }

  const fs::path& file_;
  const toml::table& table_;
  std::string name_;
  std::vector<std::string> known_;
};

void read_show(Exhibit& exhibit, Reader show) {
  const std::string shape = show.word("as", true);
  const auto found = std::ranges::find(kShapes, shape);
  if (found == kShapes.end())
    show.refuse(show.at("as"), "nothing is shown as '", shape, "'", nearest_hint(shape, kShapes), "; there are ",
                listed(kShapes));
  exhibit.as = static_cast<Exhibit::As>(found - kShapes.begin());
  exhibit.rows = show.words("rows", kFields);
  exhibit.columns = show.words("columns", kFields);
  exhibit.pictures = show.words("pictures", kPictures);
  exhibit.published = show.word("published", exhibit.as == Exhibit::As::kTests);
  exhibit.from = show.word("from", exhibit.as == Exhibit::As::kTests);
  show.refuse_unknown_keys();
  const bool pivot = exhibit.as == Exhibit::As::kTable || exhibit.as == Exhibit::As::kCurve;
  if (pivot && (exhibit.rows.empty() || exhibit.columns.empty()))
    show.refuse(show.at("as"), "a ", shape,
                " needs rows and columns, such as rows = [\"data_set\"] and columns = ", "[\"variant\"]");
  if (exhibit.as == Exhibit::As::kPictures && exhibit.pictures.empty())
    show.refuse(show.at("as"), "name the pictures: pictures = [\"distance\", \"regions\"]");
}

Protocol read_protocol(Reader reader) {
  Protocol protocol{.begins = reader.word("begins"), .preset = reader.word("preset")};
  if (!protocol.preset.empty() && protocol.preset != "fast" && protocol.preset != "paper")
    reader.refuse(reader.at("preset"), "there is no preset '", protocol.preset, "'; there are fast, paper");
  protocol.seeds = reader.whole("seeds", 0);
  protocol.episodes = reader.whole("episodes", 0);
  protocol.steps = reader.numbers("steps");
  reader.refuse_unknown_keys();
  return protocol;
}

}  // namespace

Exhibit load_exhibit(const fs::path& file) {
  if (!fs::is_regular_file(file)) throw UsageError(file.string(), ": no such file; docs/reproduce.md has the format");
  toml::table root;
  try {
    root = toml::parse_file(file.string());
  } catch (const toml::parse_error& e) {
    throw UsageError(file.string(), ":", e.source().begin.line, ": is not TOML: ", e.description());
  }
  Reader top(file, root, "the file");
  Exhibit exhibit;
  exhibit.name = file.stem().string();
  exhibit.file = file;
  exhibit.title = top.word("title", true);
  exhibit.label = top.word("label", true);
  exhibit.shows = top.word("shows", true);
  exhibit.note = top.word("note");
  exhibit.order = top.whole("order", exhibit.order);
  const toml::node* show = top.find("show");
  if (show == nullptr || !show->is_table()) top.refuse(root, "the file lacks [show], which says how it is shown");
  read_show(exhibit, Reader(file, *show->as_table(), "[show]"));
  for (const toml::node* node : top.list("protocol")) {
    if (!node->is_table()) top.refuse(*node, "write a protocol as [[protocol]]");
    exhibit.protocol.push_back(read_protocol(Reader(file, *node->as_table(), "[[protocol]]")));
  }
  exhibit.runs = top.find("runs") != nullptr;
  top.find("engine");
  top.refuse_unknown_keys();
  if (!exhibit.runs && exhibit.as != Exhibit::As::kTests)
    top.refuse(root, "the file has no [[runs]]; docs/reproduce.md shows one");
  return exhibit;
}

std::vector<Exhibit> load_exhibits(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw UsageError(folder.string(), ": no such folder; name the one with the tables with --tables FOLDER");
  std::vector<Exhibit> all;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".toml") all.push_back(load_exhibit(entry.path()));
  if (all.empty()) throw UsageError(folder.string(), " holds no tables (files *.toml); docs/reproduce.md shows one");
  std::ranges::sort(
      all, [](const Exhibit& a, const Exhibit& b) { return std::tie(a.order, a.name) < std::tie(b.order, b.name); });
  return all;
}

const Protocol* protocol_for(const Exhibit& exhibit, std::string_view data_set) {
  for (const Protocol& p : exhibit.protocol)
    if (data_set.starts_with(p.begins)) return &p;
  return nullptr;
}

std::vector<Exhibit> chosen_exhibits(std::span<const Exhibit> all, std::span<const std::string> words) {
  if (words.empty()) return {all.begin(), all.end()};
  std::vector<std::string> names;
  for (const Exhibit& e : all) names.push_back(e.name);
  std::vector<Exhibit> chosen;
  std::set<std::string> seen;
  for (const std::string& word : words) {
    const auto found = std::ranges::find_if(all, [&](const Exhibit& e) { return e.name == word || e.label == word; });
    if (found == all.end())
      throw UsageError("there is no table or figure '", word, "'", nearest_hint(word, names), "; there are ",
                       listed(names));
    if (seen.insert(found->name).second) chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace alps
