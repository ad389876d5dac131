#include "alps/lab/exhibit.h"

#include <algorithm>
#include <set>

#include "alps/base/error.h"
#include "alps/base/names.h"
#include "alps/lab/toml_block.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr int64_t kMost = 1'000'000'000;
const std::vector<std::string> kFields = {"data_set", "method", "variant", "clusters", "setting", "task"};
const std::vector<std::string> kShapes = {"table", "curve", "pictures", "tests"};
const std::vector<std::string> kPictures = {"distance", "regions", "landscape", "spectrum"};

void read_show(Exhibit& exhibit, TomlBlock show) {
  const std::string shape = show.needed_word("as");
  const auto found = std::ranges::find(kShapes, shape);
  if (found == kShapes.end())
    show.refuse(show.at("as"), "nothing is shown as '", shape, "'", nearest_hint(shape, kShapes), "; there are ",
                listed(kShapes));
  exhibit.as = static_cast<Exhibit::As>(found - kShapes.begin());
  exhibit.rows = show.words_of("rows", kFields);
  exhibit.columns = show.words_of("columns", kFields);
  exhibit.pictures = show.words_of("pictures", kPictures);
  const bool tests = exhibit.as == Exhibit::As::kTests;
  exhibit.published = tests ? show.needed_word("published") : show.word("published");
  exhibit.from = tests ? show.needed_word("from") : show.word("from");
  show.refuse_unknown_keys();
  const bool pivot = exhibit.as == Exhibit::As::kTable || exhibit.as == Exhibit::As::kCurve;
  if (pivot && (exhibit.rows.empty() || exhibit.columns.empty()))
    show.refuse(show.at("as"), "a ", shape,
                " needs rows and columns, such as rows = [\"data_set\"] and columns = ", "[\"variant\"]");
  if (exhibit.as == Exhibit::As::kPictures && exhibit.pictures.empty())
    show.refuse(show.at("as"), "name the pictures: pictures = [\"distance\", \"regions\"]");
}

Protocol read_protocol(TomlBlock reader) {
  Protocol protocol{.begins = reader.word("begins"), .preset = reader.word("preset")};
  if (!protocol.preset.empty() && protocol.preset != "fast" && protocol.preset != "paper")
    reader.refuse(reader.at("preset"), "there is no preset '", protocol.preset, "'; there are fast, paper");
  protocol.seeds = static_cast<int>(reader.whole("seeds", 0, 1, kMost));
  protocol.episodes = static_cast<int>(reader.whole("episodes", 0, 1, kMost));
  protocol.steps = reader.numbers("steps", {}, 1, kMost);
  reader.refuse_unknown_keys();
  return protocol;
}

}  // namespace

Exhibit load_exhibit(const fs::path& file) {
  if (!fs::is_regular_file(file)) throw UsageError(file.string(), ": no such file; docs/reproduce.md has the format");
  const toml::table root = parse_toml(file);
  TomlBlock top(file, root, "the file");
  Exhibit exhibit;
  exhibit.name = file.stem().string();
  exhibit.file = file;
  exhibit.title = top.needed_word("title");
  exhibit.label = top.needed_word("label");
  exhibit.shows = top.needed_word("shows");
  exhibit.note = top.word("note");
  exhibit.order = static_cast<int>(top.whole("order", exhibit.order, 1, kMost));
  std::vector<TomlBlock> show = top.blocks("show", "[show]");
  if (show.size() != 1) top.refuse(root, "the file lacks [show], which says how it is shown");
  read_show(exhibit, show.front());
  for (const TomlBlock& block : top.blocks("protocol", "[[protocol]]"))
    exhibit.protocol.push_back(read_protocol(block));
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
