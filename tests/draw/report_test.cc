#include "alps/draw/report.h"

#include "alps/draw/canvas.h"
#include "picture.h"

namespace alps {
namespace {

using ReportTest = PictureTest;

TEST_F(ReportTest, EscapesEverything) {
  const std::string evil = "<script>alert('x' & \"y\")</script>";
  EXPECT_EQ(html_escaped(evil), "&lt;script&gt;alert(&#39;x&#39; &amp; &quot;y&quot;)&lt;/script&gt;");
  EXPECT_EQ(html_escaped(std::string("a\0b\x1b\n", 5)), "ab\n");
  Canvas canvas(folder_ / "a.png", {});
  canvas.save();
  ReportSection section{.heading = evil, .paragraphs = {evil}, .facts = {{evil, evil}}};
  section.tables = {{evil, {evil}, {{evil}}}};
  section.pictures = {{.file = folder_ / "a.png", .caption = evil}};
  const std::string html = report_html({.title = evil, .subtitle = evil, .sections = {section}});
  EXPECT_EQ(html.find("<script"), std::string::npos);
  size_t count = 0;
  for (size_t at = html.find("&lt;script"); at != std::string::npos; at = html.find("&lt;script", at + 1)) count++;
  EXPECT_EQ(count, 12u);  // the title twice, and so is the caption of a picture
}

TEST_F(ReportTest, HoldsItsPicturesAndNeedsNoNetwork) {
  for (const char* name : {"a.png", "a.svg"}) {
    Canvas canvas(folder_ / name, {});
    canvas.save();
  }
  ReportSection section{.heading = "h"};
  section.pictures = {{.bytes = read_text(folder_ / "a.png")}, {.file = folder_ / "a.svg", .caption = "c"}};
  const Report report{.title = "t", .sections = {section}};
  write_report(folder_ / "r.html", report);
  const std::string html = read_text(folder_ / "r.html");
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(html.ends_with("</html>\n"));
  EXPECT_NE(html.find("src=\"data:image/png;base64,iVBORw0KGgo"), std::string::npos);
  EXPECT_NE(html.find("src=\"data:image/svg+xml;base64,PD94bWwg"), std::string::npos);
  EXPECT_NE(html.find("prefers-color-scheme"), std::string::npos);
  EXPECT_NE(html.find("viewport"), std::string::npos);
  for (const char* remote : {"http://", "https://", "<script", "<link", "url("})
    EXPECT_EQ(html.find(remote), std::string::npos) << remote;
  EXPECT_EQ(html, report_html(report));
}

TEST_F(ReportTest, Base64OfEveryLength) {
  // an SVG may have any length, so all three ends of base64 occur
  const auto data = [](const std::string& bytes) {
    const std::string html = report_html({.title = "", .sections = {{.pictures = {{.bytes = bytes}}}}});
    const size_t first = html.find("base64,") + 7;
    return html.substr(first, html.find('"', first) - first);
  };
  EXPECT_EQ(data("<svg/>"), "PHN2Zy8+");
  EXPECT_EQ(data("<svg/>a"), "PHN2Zy8+YQ==");
  EXPECT_EQ(data("<svg/>\xff\xfe"), "PHN2Zy8+//4=");
}

TEST_F(ReportTest, NumbersStandAtTheRight) {
  const std::string html = report_html(
      {.title = "", .sections = {{.tables = {{"", {"task", "rate"}, {{"task 1", "97.2 %"}, {"task 2", "9/10"}}}}}}});
  EXPECT_NE(html.find("<td>task 1</td><td class=\"number\">97.2 %</td>"), std::string::npos);
  EXPECT_NE(html.find("<th class=\"number\">rate</th>"), std::string::npos);
}

TEST_F(ReportTest, PicturesShareRows) {
  const auto picture = [](size_t columns, bool new_row = false) {
    return ReportPicture{.bytes = "<svg/>", .columns = columns, .new_row = new_row};
  };
  ReportSection section;
  section.pictures = {picture(1), picture(3), picture(3), picture(3, true), picture(2)};
  const std::string html = report_html({.title = "", .sections = {section}});
  std::string order;
  for (size_t at = html.find("<main>"); at != std::string::npos; at = html.find('<', at + 1))
    for (const auto& [tag, letter] : {std::pair{"<figure>", 'f'},
                                      {"<div class=\"row row3\">", '3'},
                                      {"<div class=\"row row2\">", '2'},
                                      {"</div>", '.'}})
      if (html.compare(at, std::string_view(tag).size(), tag) == 0) order += letter;
  EXPECT_EQ(order, "f3ff.3f.2f.");
}

TEST_F(ReportTest, LinksStayBesideThePage) {
  ReportSection section{.heading = "Videos"};
  section.links = {{"a <film>", "video.mp4"}, {"evil", "javascript:alert(1)"}, {"far", "//host/x\"y"}};
  const std::string html = report_html({.title = "", .sections = {section}});
  EXPECT_NE(html.find("<a href=\"./video.mp4\">a &lt;film&gt;</a>"), std::string::npos);
  EXPECT_NE(html.find("<a href=\"./javascript%3Aalert%281%29\">evil</a>"), std::string::npos);
  EXPECT_NE(html.find("<a href=\"./%2F%2Fhost/x%22y\">far</a>"), std::string::npos);
}

TEST_F(ReportTest, CellsHaveNotesLinksAndTones) {
  ReportCell cell = "97";
  cell.note = "paper <82>";
  cell.link = "runs/a b/report.html";
  cell.tone = ReportCell::Tone::kGood;
  ReportSection section{.heading = "h", .tag = "tab:<x>"};
  section.tables = {{.header = {"n", "word"}, .rows = {{cell, "w"}}, .folded = "all <rows>"}};
  const std::string html = report_html({.title = "", .sections = {section}});
  EXPECT_NE(html.find("<td class=\"number good\"><a href=\"./runs/a%20b/report.html\">97</a>"
                      "<small>paper &lt;82&gt;</small></td><td>w</td>"),
            std::string::npos)
      << html;
  EXPECT_NE(html.find("<h2>h <span>tab:&lt;x&gt;</span></h2>"), std::string::npos);
  EXPECT_NE(html.find("<details><summary>all &lt;rows&gt;</summary>"), std::string::npos);
}

TEST_F(ReportTest, OnlySearchablePagesHaveScripts) {
  const ReportSection section{.heading = "h"};
  const std::string plain = report_html({.title = "", .sections = {section}});
  EXPECT_EQ(plain.find("<script"), std::string::npos);
  EXPECT_EQ(plain.find("script-src"), std::string::npos);
  const std::string searchable = report_html({.title = "", .sections = {section}, .searchable = true});
  EXPECT_NE(searchable.find("<script>"), std::string::npos);
  EXPECT_NE(searchable.find("<input type=\"search\""), std::string::npos);
  EXPECT_NE(searchable.find("default-src 'none'"), std::string::npos);
}

TEST_F(ReportTest, LongReportsHaveAListOfContents) {
  std::vector<ReportSection> sections(4);
  for (size_t i = 0; i < 4; ++i) sections[i].heading = str("part ", i + 1);
  const std::string html = report_html({.title = "", .sections = sections});
  EXPECT_NE(html.find("<a href=\"#s3\">part 3</a>"), std::string::npos);
  EXPECT_NE(html.find("<section id=\"s3\">\n<h2>part 3</h2>"), std::string::npos);
  sections.pop_back();
  EXPECT_EQ(report_html({.title = "", .sections = sections}).find("<nav>"), std::string::npos);
}

TEST_F(ReportTest, RefusesWhatItCannotHold) {
  write_text(folder_ / "a.png", "not a picture");
  const auto with = [&](ReportSection section) {
    write_report(folder_ / "r.html", {.title = "t", .sections = {section}});
  };
  EXPECT_THROW(with({.pictures = {{.file = folder_ / "a.png"}}}), Error);
  EXPECT_THROW(with({.pictures = {{.file = folder_ / "missing.png"}}}), Error);
  EXPECT_THROW(with({.pictures = {{.bytes = "\x89PNG\r\n\x1a\n"}}}), Error);
  EXPECT_THROW(with({.tables = {{"", {"a", "b"}, {{"1"}}}}}), Error);
  EXPECT_EQ(files(), 1u);
  with({});
  EXPECT_EQ(files(), 2u);
}

}  // namespace
}  // namespace alps
