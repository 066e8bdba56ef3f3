// Tables as text: names and cells come from files and databases of others.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/sweep/table.h"

namespace flitscope::test::table_test {
namespace {

constexpr auto kHostile =
    "\x1b[2J\xc2\x9b"
    "31m\xe2\x80\xaelegal\r";

TEST(Table, ControlCharacters_DoNotReachTheTerminal) {
  const flitscope::Table table{{kHostile}, {{kHostile}}};
  for (const std::string& text : {to_text(table), to_csv(table), to_markdown(table), to_json_text(table)}) {
    for (const char* const part : {"\x1b", "\xc2\x9b", "\xe2\x80\xae", "\r"}) {
      EXPECT_EQ(text.find(part), std::string::npos) << text;
    }
  }
  const auto json = nlohmann::json::parse(to_json_text(table));
  EXPECT_EQ(json.at(0).at(kHostile), kHostile);
}

TEST(Table, DelInACell_StaysJson) {
  const flitscope::Table table{{"name"}, {{"a\x7f"}}};
  EXPECT_EQ(nlohmann::json::parse(to_json_text(table)).at(0).at("name"), "a\x7f");
}

TEST(Table, TagInACell_IsTextInMarkdown) {
  EXPECT_EQ(to_markdown(flitscope::Table{{"name"}, {{"<b>|"}}}), "| name |\n| --- |\n| &lt;b>\\| |\n");
}

TEST(Table, MarkupInACell_IsTextInMarkdown) {
  EXPECT_EQ(to_markdown(flitscope::Table{{"[a](b)"}, {{"*a* `b` &amp; ~~c~~"}, {"[0, 1]+0"}}}),
            "| [a]\\(b) |\n| --- |\n| \\*a\\* \\`b\\` &amp;amp; \\~\\~c\\~\\~ |\n| [0, 1]+0 |\n");
}

TEST(Table, TextLikeAFormula_IsQuotedInCsv) {
  EXPECT_EQ(to_csv(flitscope::Table{{"=1+1", "b"}, {{"@SUM(1)", -1}}}), "'=1+1,b\n'@SUM(1),-1\n");
}

TEST(Table, LineBreakInCell_IsKeptInCsvOnly) {
  const flitscope::Table table{{"a\nb"}, {{"c\nd"}}};
  EXPECT_EQ(to_csv(table), "\"a\nb\"\n\"c\nd\"\n");
  EXPECT_EQ(to_text(table), "a\\x0ab\nc\\x0ad\n");
}

}  // namespace
}  // namespace flitscope::test::table_test
