#include "alps/base/csv_file.h"

#include <gtest/gtest.h>

#include "alps/base/append.h"
#include "temp_folder.h"

namespace alps {
namespace {

TEST(CsvFile, CellsAndQuotes) {
  const CsvFile file = parse_csv("a,b\n1,\"x, \"\"y\"\"\"\r\n\n,\"two\nlines\"\nshort\n3,last");
  EXPECT_EQ(file.columns, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(file.rows.size(), 3u);
  EXPECT_EQ(file.text(0, 1), "x, \"y\"");
  EXPECT_EQ(file.text(1, 0), "");
  EXPECT_TRUE(std::isnan(file.number(1, 0)));
  EXPECT_EQ(file.text(1, 1), "two\nlines");
  EXPECT_EQ(file.number(2, file.find("a")), 3);
  EXPECT_EQ(file.find("c"), 2u);
  EXPECT_EQ(file.text(0, 2), "");
  EXPECT_TRUE(parse_csv("").columns.empty());
}

TEST(CsvFile, ReadsWhatIsAppended) {
  const TempFolder folder;
  append_row(folder / "a.csv", {{"plain", "1"}, {"odd", "a \"b\", c\nd"}});
  append_row(folder / "a.csv", {{"plain", "2"}, {"odd", ""}});
  const CsvFile file = read_csv(folder / "a.csv");
  ASSERT_EQ(file.rows.size(), 2u);
  EXPECT_EQ(file.text(0, 1), "a \"b\", c\nd");
  EXPECT_EQ(file.text(1, 1), "");
}

}  // namespace
}  // namespace alps
