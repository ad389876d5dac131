#include "alps/base/profile.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "alps/base/names.h"

namespace alps {
namespace {

using json = nlohmann::ordered_json;
using Value = Setting::Value;

template <class T>
T parse_number(const std::string& key, const std::string& text) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || text.empty())
    throw UsageError(key, ": '", text, "' is not a", std::is_integral_v<T> ? " whole" : "", " number");
  return value;
}

bool parse_switch(const std::string& key, const std::string& text) {
  if (text == "true" || text == "1" || text == "on") return true;
  if (text == "false" || text == "0" || text == "off") return false;
  throw UsageError(key, ": '", text, "' is neither true nor false");
}

void check(const Setting& s, const Value& value) {
  if (const auto* word = std::get_if<std::string>(&value)) {
    if (s.choices.empty() || std::ranges::find(s.choices, *word) != s.choices.end()) return;
    std::string list;
    for (const std::string& choice : s.choices) list += (list.empty() ? "" : ", ") + choice;
    throw UsageError(s.key, ": there is no '", *word, "'", nearest_hint(*word, s.choices), "; there are ", list);
  }
  const auto inside = [&](double number) {
    if (!(number >= s.range.least && number <= s.range.most))
      throw UsageError(s.key, ": ", number_text(number), " is outside ", number_text(s.range.least), " .. ",
                       number_text(s.range.most));
  };
  if (const auto* number = std::get_if<int>(&value)) inside(*number);
  if (const auto* number = std::get_if<double>(&value)) inside(*number);
}

json to_json(const Value& value) {
  return std::visit([](const auto& v) { return json(v); }, value);
}

// a value of JSON as one of the kind that `like` holds
Value from_json(const json& value, const Value& like, const std::string& key, const std::string& where) {
  const auto wrong = [&]() -> Error {
    return Error(where, ": the setting '", key, "' is ", value.dump().substr(0, 40), ", which has the wrong type");
  };
  if (std::holds_alternative<std::string>(like) && value.is_string()) return value.get<std::string>();
  if (std::holds_alternative<bool>(like) && value.is_boolean()) return value.get<bool>();
  if (std::holds_alternative<int>(like) && value.is_number_integer()) return value.get<int>();
  if (std::holds_alternative<double>(like) && value.is_number()) return value.get<double>();
  throw wrong();
}

Value any_from_json(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<int>();
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Origin origin_named(const std::string& name) {
  for (const Origin o : {Origin::kPreset, Origin::kMeasured, Origin::kUser})
    if (name == origin_name(o)) return o;
  return Origin::kDefault;
}

// words in lines of at most 118 columns, of which the first `indent` stay free
std::string wrapped(const std::string& words, size_t indent) {
  constexpr size_t kWidth = 118;
  std::istringstream in(words);
  std::string text;
  size_t column = indent;
  for (std::string word; in >> word;) {
    if (column > indent && column + 1 + word.size() > kWidth) {
      text += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text;
}

}  // namespace

std::string number_text(double value) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

const char* origin_name(Origin origin) {
  static constexpr const char* kNames[] = {"default", "preset", "measured", "user"};
  return kNames[static_cast<int>(origin)];
}

std::string Setting::text() const {
  if (const auto* on = std::get_if<bool>(&value)) return *on ? "true" : "false";
  if (const auto* number = std::get_if<int>(&value)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value)) return number_text(*number);
  return std::get<std::string>(value);
}

void Profile::append(Setting setting) {
  ALPS_CHECK(!has(setting.key));
  settings_.push_back(std::move(setting));
}

const Setting* Profile::find(std::string_view key) const {
  const auto found = std::ranges::find(settings_, key, &Setting::key);
  return found == settings_.end() ? nullptr : &*found;
}

const Setting& Profile::at(std::string_view key) const {
  if (const Setting* found = find(key)) return *found;
  std::vector<std::string> keys;
  std::string all;
  for (const Setting& s : settings_) {
    keys.push_back(s.key);
    all += (all.empty() ? "" : ", ") + s.key;
  }
  const std::string hint = nearest_hint(key, keys);
  throw UsageError("no setting '", key, "'", hint, hint.empty() ? "; there are " + all : "");
}

void Profile::set(std::string_view key, Value value, Origin origin, std::string reason) {
  Setting& s = settings_[&at(key) - settings_.data()];
  ALPS_CHECK(s.value.index() == value.index());
  if (s.origin == Origin::kUser && origin != Origin::kUser) return;
  check(s, value);
  s.value = std::move(value);
  s.origin = origin;
  s.reason = std::move(reason);
}

void Profile::parse(std::string_view assignment, Origin origin) {
  const size_t equal = assignment.find('=');
  if (equal == std::string_view::npos) throw UsageError("'", assignment, "' is not of the form key=value");
  const std::string key(assignment.substr(0, equal)), text(assignment.substr(equal + 1));
  Value value = at(key).value;
  if (std::holds_alternative<bool>(value)) value = parse_switch(key, text);
  if (std::holds_alternative<int>(value)) value = parse_number<int>(key, text);
  if (std::holds_alternative<double>(value)) value = parse_number<double>(key, text);
  if (std::holds_alternative<std::string>(value)) value = text;
  set(key, std::move(value), origin);
}

std::string Profile::values_json() const {
  json object = json::object();
  for (const Setting& s : settings_) object[s.key] = to_json(s.value);
  return object.dump();
}

std::string Profile::origins_json() const {
  json object = json::object();
  for (const Setting& s : settings_) {
    if (s.origin == Origin::kDefault) continue;
    object[s.key] = {{"origin", origin_name(s.origin)}};
    if (!s.reason.empty()) object[s.key]["reason"] = s.reason;
  }
  return object.dump();
}

void Profile::read_json(const std::string& values, const std::string& origins, const std::string& where) {
  const json object = json::parse(values, nullptr, false), from = json::parse(origins, nullptr, false);
  if (!object.is_object() || !from.is_object()) throw Error(where, ": the settings are not a JSON object");
  for (const auto& [key, value] : object.items()) {
    if (!has(key)) {
      append({.key = key,
              .group = "other",
              .value = any_from_json(value),
              .range = {-1e300, 1e300},
              .choices = {},
              .help = {},
              .reason = {}});
    } else {
      try {
        const Value next = from_json(value, at(key).value, key, where);
        check(at(key), next);
        settings_[&at(key) - settings_.data()].value = next;
      } catch (const UsageError& e) {
        throw Error(where, ": ", e.what());
      }
    }
    Setting& s = settings_[&at(key) - settings_.data()];
    if (!from.contains(key) || !from[key].is_object()) continue;
    s.origin = origin_named(from[key].value("origin", ""));
    s.reason = from[key].value("reason", "");
  }
}

std::string settings_help(const Profile& profile, const std::set<std::string>& without) {
  std::string text, group;
  for (const Setting& s : profile.settings()) {
    if (without.contains(s.key)) continue;
    if (s.group != group) text += str(group.empty() ? "" : "\n", s.group, "\n");
    group = s.group;
    std::string words = s.help;
    if (!s.choices.empty()) {
      words += words.empty() ? "" : ": ";
      for (const std::string& choice : s.choices) words += str(&choice == &s.choices.front() ? "" : " | ", choice);
    }
    char head[80];
    std::snprintf(head, sizeof head, "  %-22s %10s  ", s.key.c_str(), s.text().c_str());
    text += head + wrapped(words, std::string(head).size()) + "\n";
  }
  return text;
}

}  // namespace alps
