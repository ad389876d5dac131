#include "alps/lab/filter.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <tuple>

#include "alps/base/error.h"
#include "alps/plan/planner_settings.h"

namespace alps {
namespace {

// the length of a column's name at the start of a text that goes on with = or !=; 0 if there is none
size_t column_length(std::string_view text) {
  size_t n = 0;
  while (n < text.size() && (std::isalnum(static_cast<unsigned char>(text[n])) || text[n] == '_')) ++n;
  const std::string_view rest = text.substr(n);
  return rest.starts_with("=") || rest.starts_with("!=") ? n : 0;
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

Condition condition_of(std::string_view term) {
  const size_t n = column_length(term);
  if (n == 0)
    throw UsageError("'", term, "' is no condition; write column=value, for example preset=fast,variant=alps|cem");
  Condition c{.column = std::string(term.substr(0, n)), .patterns = {}, .negated = term[n] == '!'};
  c.patterns = split(term.substr(n + (c.negated ? 2 : 1)), '|');
  return c;
}

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (size_t i = star; i <= text.size(); ++i)
    if (matches(rest, text.substr(i))) return true;
  return false;
}

bool Condition::holds(const std::string& cell) const {
  return negated != std::ranges::any_of(patterns, [&](const std::string& p) { return matches(p, cell); });
}

std::vector<Condition> parse_conditions(const std::string& list) {
  // a comma ends a condition only where another one begins: asked=tasks=1,3,variant=alps has two
  std::vector<std::string> terms;
  for (const std::string& piece : split(list, ',')) {
    if (terms.empty() || piece == "default" || column_length(piece) > 0)
      terms.push_back(piece);
    else
      terms.back() += "," + piece;
  }
  std::vector<Condition> conditions;
  for (const std::string& term : terms) {
    if (term == "default")
      for (const char* each : {"train_set=", "set=", "asked=", "backend=native"})
        conditions.push_back(condition_of(each));
    else
      conditions.push_back(condition_of(term));
  }
  return conditions;
}

bool all_hold(const std::vector<Condition>& conditions, const LedgerRow& row) {
  return std::ranges::all_of(conditions, [&](const Condition& c) { return c.holds(ledger_cell(row, c.column)); });
}

bool in_reading_order(const std::string& a, const std::string& b) {
  // nothing, numbers, variants, then words
  const std::vector<std::string>& variants = variant_names();
  const auto place = [&](const std::string& text) {
    const double value = number(text).value_or(0);
    const auto variant = std::ranges::find(variants, text) - variants.begin();
    const int kind = text.empty() ? 0 : number(text) ? 1 : 2;
    return std::make_tuple(kind, value, variant, text);
  };
  return place(a) < place(b);
}

}  // namespace alps
