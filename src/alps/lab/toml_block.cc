#include "alps/lab/toml_block.h"

#include <algorithm>

#include "alps/base/names.h"
#include "alps/base/profile.h"

namespace fs = std::filesystem;

namespace alps {

toml::table parse_toml(const fs::path& file) {
  try {
    return toml::parse_file(file.string());
  } catch (const toml::parse_error& e) {
    throw UsageError(file.string(), ":", e.source().begin.line, ": is not TOML: ", e.description());
  }
}

std::string listed(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

const toml::node* TomlBlock::find(const char* key) {
  if (!std::ranges::count(known_, key)) known_.push_back(key);
  return table_.get(key);
}

const toml::node& TomlBlock::at(const char* key) const {
  const toml::node* node = table_.get(key);
  return node != nullptr ? *node : static_cast<const toml::node&>(table_);
}

void TomlBlock::refuse_unknown_keys() const {
  for (const auto& [key, node] : table_)
    if (const std::string name(key.str()); !std::ranges::count(known_, name))
      refuse(node, "there is no key '", name, "' in ", name_, nearest_hint(name, known_), "; keys are ",
             listed(known_));
}

std::string TomlBlock::word(const char* key, std::string otherwise) {
  const toml::node* node = find(key);
  if (node == nullptr) return otherwise;
  if (!node->is_string()) refuse(*node, key, " takes a text in quotes: ", key, " = \"...\"");
  return node->ref<std::string>();
}

std::string TomlBlock::needed_word(const char* key) {
  if (find(key) == nullptr) refuse(table_, name_, " lacks ", key, " = \"...\"");
  return word(key);
}

int64_t TomlBlock::whole(const toml::node& node, const char* key, int64_t least, int64_t most) const {
  if (!node.is_integer() || node.ref<int64_t>() < least || node.ref<int64_t>() > most)
    refuse(node, key, " takes a whole number from ", least, " to ", most);
  return node.ref<int64_t>();
}

int64_t TomlBlock::whole(const char* key, int64_t otherwise, int64_t least, int64_t most) {
  const toml::node* node = find(key);
  return node != nullptr ? whole(*node, key, least, most) : otherwise;
}

double TomlBlock::seconds(const char* key, double otherwise) {
  const toml::node* node = find(key);
  if (node == nullptr) return otherwise;
  const std::optional<double> value = node->value<double>();
  if (!value || !(*value > 0)) refuse(*node, key, " takes a number of seconds above 0");
  return *value;
}

bool TomlBlock::flag(const char* key, bool otherwise) {
  const toml::node* node = find(key);
  if (node == nullptr) return otherwise;
  if (!node->is_boolean()) refuse(*node, key, " takes true or false");
  return node->ref<bool>();
}

std::vector<const toml::node*> TomlBlock::list(const char* key) {
  const toml::node* node = find(key);
  if (node == nullptr) return {};
  if (!node->is_array()) return {node};
  if (node->as_array()->empty()) refuse(*node, key, " is an empty list; leave it out, or name something");
  std::vector<const toml::node*> nodes;
  for (const toml::node& one : *node->as_array()) nodes.push_back(&one);
  return nodes;
}

std::vector<std::string> TomlBlock::words(const char* key, std::vector<std::string> otherwise) {
  std::vector<std::string> all;
  for (const toml::node* node : list(key)) {
    if (!node->is_string()) refuse(*node, key, " takes texts in quotes: ", key, " = [\"...\"]");
    all.push_back(node->ref<std::string>());
  }
  return all.empty() ? otherwise : all;
}

std::vector<std::string> TomlBlock::words_of(const char* key, const std::vector<std::string>& choices) {
  const std::vector<std::string> all = words(key);
  for (const std::string& word : all)
    if (!std::ranges::count(choices, word))
      refuse(at(key), key, " knows no '", word, "'", nearest_hint(word, choices), "; it takes ", listed(choices));
  return all;
}

std::vector<int64_t> TomlBlock::numbers(const char* key, std::vector<int64_t> otherwise, int64_t least, int64_t most) {
  std::vector<int64_t> all;
  for (const toml::node* node : list(key)) all.push_back(whole(*node, key, least, most));
  return all.empty() ? otherwise : all;
}

std::vector<int64_t> TomlBlock::seeds(const char* key) {
  const toml::node* node = find(key);
  if (node == nullptr || node->is_array()) return numbers(key, {0}, 0, INT64_MAX);
  std::vector<int64_t> all;
  for (int64_t i = 0; i < whole(*node, key, 1, 10000); ++i) all.push_back(i);
  return all;
}

std::vector<TomlBlock> TomlBlock::blocks(const char* key, const std::string& name) {
  std::vector<TomlBlock> all;
  for (const toml::node* node : list(key)) {
    if (!node->is_table()) refuse(*node, "write this as ", name);
    all.emplace_back(file_, *node->as_table(), name);
  }
  return all;
}

std::string TomlBlock::text(const toml::node& node) const {
  if (node.is_string()) return node.ref<std::string>();
  if (node.is_integer()) return str(node.ref<int64_t>());
  if (node.is_floating_point()) return number_text(node.ref<double>());
  if (node.is_boolean()) return node.ref<bool>() ? "true" : "false";
  refuse(node, "a setting takes a number, a text in quotes, true or false, or a list of these");
}

std::vector<std::vector<std::string>> TomlBlock::settings(const char* key) {
  std::vector<std::vector<std::string>> product = {{}};
  const toml::node* node = find(key);
  if (node == nullptr) return product;
  if (!node->is_table()) refuse(*node, key, " takes a table: ", key, " = { key = value, other = [1, 2] }");
  for (const auto& [name, value] : *node->as_table()) {
    std::vector<std::string> texts;
    if (const toml::array* array = value.as_array())
      for (const toml::node& one : *array) texts.push_back(text(one));
    else
      texts.push_back(text(value));
    if (texts.empty()) refuse(value, key, ".", std::string(name.str()), " is an empty list");
    std::vector<std::vector<std::string>> more;
    for (const auto& before : product)
      for (const std::string& t : texts) {
        more.push_back(before);
        more.back().push_back(str(name.str(), "=", t));
      }
    product = std::move(more);
  }
  return product;
}

}  // namespace alps
