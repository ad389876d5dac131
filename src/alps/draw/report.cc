#include "alps/draw/report.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "alps/base/error.h"
#include "alps/base/file.h"

namespace alps {

namespace {

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --paper: #fff; --ink: #1d2126; --grey: #656c75; --line: #dfe3e8; --soft: #f6f7f9;
  --accent: #1e6fc0; --good: #1a7f37; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171b; --ink: #e4e7eb; --grey: #9aa2ac; --line: #2d333a; --soft: #1c2025; --accent: #7db4ee;
    --good: #6cc784; --bad: #f2887f; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 60rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; overflow-wrap: break-word; }
header { border-bottom: 3px solid var(--accent); margin-bottom: 2rem; padding-bottom: .75rem; }
h1 { font-size: clamp(1.5rem, 5vw, 2rem); line-height: 1.2; margin: 0; letter-spacing: -.01em; }
.subtitle { color: var(--grey); margin: .4rem 0 0; }
nav { margin: -.75rem 0 0; font-size: .875rem; line-height: 2; }
nav a { color: var(--grey); text-decoration: none; margin-right: 1.1rem; white-space: nowrap; }
a { color: var(--accent); }
nav a:hover { color: var(--accent); }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.75rem 0 .75rem; }
p { margin: .75rem 0; max-width: 46rem; text-wrap: pretty; }
dl { display: flex; flex-wrap: wrap; gap: 1px; margin: 1rem 0; background: var(--line); border: 1px solid var(--line);
  border-radius: 6px; overflow: hidden; }
dl > div { flex: 1 1 9rem; background: var(--soft); padding: .55rem .8rem; }
dt { color: var(--grey); font-size: .8rem; }
dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; min-width: 50%; font-size: .925rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--grey); font-size: .875rem; padding-bottom: .4rem; }
th, td { padding: .35rem .9rem .35rem 0; text-align: left; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; color: var(--grey); border-bottom-width: 2px; }
td:not(.number) { white-space: normal; min-width: 7rem; }
td.long { min-width: 16rem; }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; }
figure { width: fit-content; max-width: 100%; margin: 1.25rem auto; break-inside: avoid; }
.row { display: grid; gap: 1.25rem; margin: 1.25rem 0; align-items: start;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, var(--least)), 1fr)); }
.row2 { --least: 22rem; } .row3 { --least: 16rem; } .row4 { --least: min(46%, 12rem); } .row5 { --least: min(46%, 9.5rem); }
.row figure { width: auto; margin: 0; }
.row img { width: 100%; }
figure img { display: block; max-width: 100%; height: auto; background: #fff; border: 1px solid var(--line);
  border-radius: 6px; }
figcaption { color: var(--grey); font-size: .875rem; margin-top: .5rem; }
@media (prefers-color-scheme: dark) { figure img { filter: brightness(.92); } }
h2 span { color: var(--grey); font-size: .85rem; font-weight: 400; }
.wide { max-width: 84rem; } .wide section { scroll-margin-top: 3.5rem; } .wide td:first-child { white-space: nowrap; }
small { display: block; white-space: normal; color: var(--grey); font-size: .78rem; font-weight: 400; line-height: 1.3; }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; } .quiet { color: var(--grey); }
summary { color: var(--accent); cursor: pointer; font-size: .925rem; }
.search { position: sticky; top: 0; z-index: 1; padding: .6rem 0; background: var(--paper); display: flex; gap: .8rem;
  align-items: baseline; flex-wrap: wrap; }
.search input { flex: 1 1 14rem; max-width: 30rem; padding: .45rem .7rem; font: inherit; color: inherit;
  background: var(--soft); border: 1px solid var(--line); border-radius: 6px; }
.search output { color: var(--grey); font-size: .875rem; }
.sortable th { cursor: pointer; }
th[aria-sort=ascending]::after { content: " \\2191"; } th[aria-sort=descending]::after { content: " \\2193"; }
[hidden] { display: none; }
@media print {
  :root { --paper: #fff; --ink: #000; --grey: #555; --line: #ccc; --soft: #fff; --accent: #000; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  h2 { break-after: avoid; margin-top: 1.5rem; }
  nav, .search { display: none; }
  .row2 { grid-template-columns: 1fr 1fr; } .row3 { grid-template-columns: 1fr 1fr 1fr; }
  .row4 { grid-template-columns: repeat(4, 1fr); } .row5 { grid-template-columns: repeat(5, 1fr); }
  tr, dl > div { break-inside: avoid; }
  .table { overflow: visible; }
  table { font-size: 8.5pt; }
  th, td { white-space: normal; padding-right: .6rem; }
  figure img { max-height: 20cm; border: 0; filter: none; }
}
)css";

// The box leaves the rows that hold every typed word, in themselves or in the heading above; a click on a header sorts.
constexpr std::string_view kScript = R"js(
const box = document.querySelector('.search input'), told = document.querySelector('.search output');
const rows = [...document.querySelectorAll('tbody tr')].map(row => ({row, text:
  (row.textContent + ' ' + row.closest('section').querySelector('h2')?.textContent).toLowerCase()}));
function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const {row, text} of rows) {
    row.hidden = !words.every(word => text.includes(word));
    if (!row.hidden) shown++;
  }
  for (const section of document.querySelectorAll('section')) {
    const found = section.querySelector('tbody tr:not([hidden])');
    for (const folded of section.querySelectorAll('details')) {
      folded.hidden = words.length > 0 && !folded.querySelector('tbody tr:not([hidden])');
      if (words.length > 0) folded.open = !folded.hidden;
    }
    for (const table of section.querySelectorAll('.table'))
      table.hidden = words.length > 0 && !table.querySelector('tbody tr:not([hidden])');
    section.hidden = words.length > 0 && !found &&
      !words.every(word => section.querySelector('h2')?.textContent.toLowerCase().includes(word));
  }
  told.textContent = words.length ? shown + (shown == 1 ? ' row' : ' rows') : '';
}
box.addEventListener('input', search);
for (const table of document.querySelectorAll('table')) table.classList.add('sortable');
for (const th of document.querySelectorAll('th')) th.addEventListener('click', () => {
  const at = th.cellIndex, body = th.closest('table').tBodies[0], up = th.getAttribute('aria-sort') != 'ascending';
  const key = row => row.cells[at].firstChild?.textContent ?? '';
  const number = text => { const n = parseFloat(text.replace(/,/g, '').replace('\u2212', '-')); return isNaN(n) ? -Infinity : n; };
  const numeric = th.classList.contains('number');
  [...body.rows].sort((a, b) => (up ? 1 : -1) * (numeric ? number(key(a)) - number(key(b)) || 0 :
    key(a).localeCompare(key(b), undefined, {numeric: true}))).forEach(row => body.append(row));
  for (const other of th.parentNode.cells) other.removeAttribute('aria-sort');
  th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
});
)js";

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t word = 0;
    for (size_t k = 0; k < 3; k++) word = word << 8 | (i + k < bytes.size() ? static_cast<uint8_t>(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; k++) out += i + k <= bytes.size() ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

// Width and height in points, at which a PNG of ours looks as it was drawn: two pixels each. Phones shrink it further.
std::string png_size(const std::string& bytes) {
  const auto number = [&](size_t at) {
    uint32_t value = 0;
    for (size_t i = at; i < at + 4; i++) value = value << 8 | static_cast<uint8_t>(bytes[i]);
    return value;
  };
  return str(" width=\"", (number(16) + 1) / 2, "\" height=\"", (number(20) + 1) / 2, "\"");
}

std::string picture_html(const ReportPicture& picture) {
  const std::string bytes = picture.bytes.empty() ? read_text(picture.file) : picture.bytes;
  const bool png = bytes.starts_with("\x89PNG\r\n\x1a\n") && bytes.size() >= 24;
  const bool svg = bytes.starts_with("<?xml") || bytes.starts_with("<svg");
  if (!png && !svg)
    throw Error("cannot put ",
                picture.bytes.empty() ? picture.file.string() : "a picture of " + str(bytes.size(), " bytes"),
                " into the report: it is neither PNG nor SVG");
  const std::string caption = html_escaped(picture.caption);
  return str("<figure><img alt=\"", caption, "\"", png ? png_size(bytes) : "", " src=\"data:image/",
             png ? "png" : "svg+xml", ";base64,", base64(bytes), "\">",
             caption.empty() ? "" : "<figcaption>" + caption + "</figcaption>", "</figure>\n");
}

// digits with whatever surrounds numbers: "97.2 %", "-0.5 ± 0.1", "1,000,000", "9/10", "3e-4", "-"
bool looks_like_number(std::string_view text) {
  if (text.empty() || text == "-" || text == "\u2013" || text == "\u2014") return true;
  const bool digit = std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
  const size_t letters = std::count_if(text.begin(), text.end(), [](unsigned char c) { return std::isalpha(c); });
  return digit && letters <= 2 && !std::isalpha(static_cast<unsigned char>(text.front()));
}

// a file beside the report or in a folder there: anything special in a name is percent-encoded, so that it is no
// address of elsewhere
std::string link_target(const std::string& file) {
  std::string out = "./";
  for (size_t i = 0; i < file.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(file[i]);
    const bool between = c == '/' && i > 0 && file[i - 1] != '/' && i + 1 < file.size() && file[i + 1] != '/';
    char code[4];
    std::snprintf(code, sizeof code, "%%%02X", c);
    out += std::isalnum(c) || c == '.' || c == '-' || c == '_' || between ? std::string(1, static_cast<char>(c)) : code;
  }
  return out;
}

std::string cell_html(const ReportCell& cell, const char* tag, bool number) {
  static constexpr const char* kTones[] = {"", "good", "bad", "quiet"};
  std::string kind = number ? "number" : cell.text.size() > 28 ? "long" : "";
  if (cell.tone != ReportCell::Tone::kPlain)
    kind += str(kind.empty() ? "" : " ", kTones[static_cast<size_t>(cell.tone)]);
  std::string out = str("<", tag, kind.empty() ? "" : " class=\"" + kind + "\"", ">");
  const std::string text = html_escaped(cell.text);
  out += cell.link.empty() ? text : str("<a href=\"", link_target(cell.link), "\">", text, "</a>");
  if (!cell.note.empty()) out += "<small>" + html_escaped(cell.note) + "</small>";
  return out + str("</", tag, ">");
}

std::string table_html(const ReportTable& table) {
  std::vector<bool> numbers(table.header.size(), true);
  for (const auto& row : table.rows) {
    if (row.size() != table.header.size())
      throw Error("a row of the report's table '", table.caption, "' has ", row.size(), " cells under ",
                  table.header.size(), " headers");
    for (size_t i = 0; i < row.size(); i++) numbers[i] = numbers[i] && looks_like_number(row[i].text);
  }
  const auto line = [&](const auto& cells, const char* tag) {
    std::string out = "<tr>";
    for (size_t i = 0; i < cells.size(); i++) out += cell_html(cells[i], tag, numbers[i]);
    return out + "</tr>\n";
  };
  std::string out = "<div class=\"table\"><table>\n";
  if (!table.caption.empty()) out += "<caption>" + html_escaped(table.caption) + "</caption>\n";
  out += "<thead>" + line(table.header, "th") + "</thead>\n<tbody>\n";
  for (const auto& row : table.rows) out += line(row, "td");
  out += "</tbody></table></div>\n";
  if (table.folded.empty()) return out;
  return "<details><summary>" + html_escaped(table.folded) + "</summary>\n" + out + "</details>\n";
}

// pictures, those with neighbours in rows
std::string pictures_html(const ReportSection& section) {
  std::string out;
  for (size_t i = 0; i < section.pictures.size();) {
    const size_t columns = std::clamp<size_t>(section.pictures[i].columns, 1, 5);
    if (columns > 1) out += str("<div class=\"row row", columns, "\">\n");
    const size_t first = i, same = section.pictures[i].columns;
    for (; i < section.pictures.size() && section.pictures[i].columns == same; i++) {
      if (i > first && section.pictures[i].new_row) break;
      out += picture_html(section.pictures[i]);
    }
    if (columns > 1) out += "</div>\n";
  }
  return out;
}

std::string section_html(const ReportSection& section, size_t number) {
  std::string out = str("<section id=\"s", number, "\">\n");
  if (!section.heading.empty())
    out += str("<h2>", html_escaped(section.heading),
               section.tag.empty() ? "" : " <span>" + html_escaped(section.tag) + "</span>", "</h2>\n");
  for (const std::string& paragraph : section.paragraphs) out += "<p>" + html_escaped(paragraph) + "</p>\n";
  if (!section.facts.empty()) {
    out += "<dl>\n";
    for (const auto& [name, value] : section.facts)
      out += "<div><dt>" + html_escaped(name) + "</dt><dd>" + html_escaped(value) + "</dd></div>\n";
    out += "</dl>\n";
  }
  if (section.pictures_first) out += pictures_html(section);
  for (const ReportTable& table : section.tables) out += table_html(table);
  if (!section.pictures_first) out += pictures_html(section);
  for (const auto& [text, file] : section.links)
    out += "<p><a href=\"" + link_target(file) + "\">" + html_escaped(text) + "</a></p>\n";
  return out + "</section>\n";
}

}  // namespace

std::string html_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else if (static_cast<unsigned char>(c) >= 32 || c == '\n' || c == '\t')
      out += c;  // no control characters
  }
  return out;
}

std::string report_html(const Report& report) {
  const std::string title = html_escaped(report.title);
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'";
  if (report.searchable) out += "; script-src 'unsafe-inline'";
  out += "\">\n";
  out += str("<title>", title, "</title>\n<style>", kStyle, "</style>\n</head>\n<body",
             report.searchable ? " class=\"wide\"" : "", ">\n<header>\n<h1>", title, "</h1>\n");
  if (!report.subtitle.empty()) out += "<p class=\"subtitle\">" + html_escaped(report.subtitle) + "</p>\n";
  out += "</header>\n";
  std::string contents;
  for (size_t i = 0; i < report.sections.size(); i++)
    if (!report.sections[i].heading.empty())
      contents += str("<a href=\"#s", i + 1, "\">", html_escaped(report.sections[i].heading), "</a>\n");
  if (report.sections.size() > 3) out += "<nav>\n" + contents + "</nav>\n";
  if (report.searchable)
    out +=
        "<div class=\"search\"><input type=\"search\" aria-label=\"search\" placeholder=\"search the tables\">"
        "<output></output></div>\n";
  out += "<main>\n";
  for (size_t i = 0; i < report.sections.size(); i++) out += section_html(report.sections[i], i + 1);
  out += "</main>\n";
  if (report.searchable) out += str("<script>", kScript, "</script>\n");
  return out + "</body>\n</html>\n";
}

void write_report(const std::filesystem::path& path, const Report& report) { write_text(path, report_html(report)); }

}  // namespace alps
