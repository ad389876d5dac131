// The settings of a run as one table. A room keeps its settings in a plain struct whose static function `fields` names
// each field once, with its range and a line of help:
//
//   struct ModelSettings {
//     int model_steps = 1000;
//     template <class Self, class Visit>
//     static void fields(Self& s, Visit&& visit) {
//       visit("model_steps", s.model_steps, Range{1, 1e9}, "training steps of the forward model");
//     }
//   };
//
// A Profile is made of such structs (`add`) and gives them back (`get`). Each value carries where it came from: the
// struct's default, a preset, a measurement of the data, or the user. Parsing of key=value, --help, config.json, result
// rows, Python keywords and the page's controls are all made from this table and nothing else.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "alps/base/error.h"

namespace alps {

enum class Origin { kDefault, kPreset, kMeasured, kUser };
const char* origin_name(Origin origin);  // "default", "preset", "measured", "user"

std::string number_text(double value);  // the shortest that is read back as the same number: "0.1"

struct Range {
  double least, most;  // both included
};
using Choices = std::vector<std::string>;

struct Setting {
  using Value = std::variant<bool, int, double, std::string>;
  std::string key, group;
  Value value;
  Range range{0, 0};  // of numbers
  Choices choices;    // of words
  std::string help;
  Origin origin = Origin::kDefault;
  std::string reason;  // for a measured value: what was measured

  std::string text() const;  // "128", "0.6", "true", "allo"
};

class Profile {
 public:
  // appends the fields of a struct, with the values that it holds; a key that is there already is an internal error
  template <class S>
  void add(const std::string& group, S values = {}) {
    S::fields(values, [&](const char* key, auto& field, auto&& bound, const char* help) {
      Setting s{.key = key, .group = group, .value = field, .choices = {}, .help = help, .reason = {}};
      if constexpr (std::is_convertible_v<decltype(bound), Range>)
        s.range = bound;
      else
        s.choices = bound;
      append(std::move(s));
    });
  }

  // the struct with the values of this table; keys that are not in it keep the struct's defaults
  template <class S>
  S get() const {
    S values;
    S::fields(values, [&](const char* key, auto& field, auto&&, const char*) {
      using Field = std::decay_t<decltype(field)>;
      if (const Setting* s = find(key)) field = std::get<Field>(s->value);
    });
    return values;
  }

  // The fields of `values` that differ from the table's take their values from it, with this origin and reason.
  template <class S>
  void put(S values, Origin origin, const std::string& reason = {}) {
    S::fields(values, [&](const char* key, auto& field, auto&&, const char*) {
      if (std::get<std::decay_t<decltype(field)>>(at(key).value) != field) set(key, field, origin, reason);
    });
  }

  bool has(std::string_view key) const { return find(key) != nullptr; }
  const Setting* find(std::string_view key) const;
  const Setting& at(std::string_view key) const;  // UsageError with the nearest key
  const std::vector<Setting>& settings() const { return settings_; }

  // A value that is out of range or not among the choices is a UsageError that names the key. A value that a user gave
  // is replaced by another user's value only.
  void set(std::string_view key, Setting::Value value, Origin origin, std::string reason = {});
  void parse(std::string_view assignment, Origin origin = Origin::kUser);  // "key=value"

  // {"key": value, ...} and {"key": {"origin": "measured", "reason": "..."}, ...} of the fields that are not defaults
  std::string values_json() const;
  std::string origins_json() const;
  // Takes over the values (and origins) of such objects. Keys that the table does not know are appended as they are, in
  // group "other"; a wrong type or range is an Error that names `where`.
  void read_json(const std::string& values, const std::string& origins, const std::string& where);

 private:
  void append(Setting setting);
  std::vector<Setting> settings_;
};

// the table as text, one line for each field: key, value, what it does; without some keys
std::string settings_help(const Profile& profile, const std::set<std::string>& without = {});

}  // namespace alps
