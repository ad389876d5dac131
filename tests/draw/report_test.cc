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
