#include "sim/report/page/html_page.h"

#include <fmt/format.h>

#include <boost/algorithm/string/replace.hpp>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/stall_cause.h"
#include "model/text.h"
#include "sim/formats/strict_json.h"
#include "sim/report/report_parts.h"

namespace flitscope {
namespace {

/// JSON in which no '<' is left: neither "</script" nor "<!--" can end or change the element.
std::string as_data(const nlohmann::ordered_json& data) {
  const std::string json = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return boost::algorithm::replace_all_copy(json, "<", "\\u003c");
}

/// kStallCauseTable, for the scripts.
nlohmann::ordered_json stall_causes() {
  return json_list(kStallCauseTable, [](const StallCauseInfo& cause) -> nlohmann::ordered_json {
    return {{"name", cause.name},
            {"text", cause.text},
            {"short_text", cause.short_text},
            {"colour", cause.colour}};
  });
}

}  // namespace

std::string html_page(const std::string& title, const nlohmann::ordered_json& data) {
  const auto d3 = page_assets::d3();
  if (!d3) {
    throw InputError(
        "flitscope report: this program was built without D3, which draws the charts; install Debian's "
        "package node-d3, configure with cmake and build again");
  }
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main id=\"page\"></main>\n"
      "<noscript>This report needs JavaScript; it runs in the page and loads nothing.</noscript>\n"
      "<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}</script>\n",
      escaped(printable(title)), page_assets::style(), as_data(data), *d3);
  page += fmt::format("<script>\nconst kStallCauses = {};\n</script>\n", as_data(stall_causes()));
  for (const page_assets::Script& script : page_assets::scripts()) {
    page += fmt::format("<script>\n{}</script>\n", script.text);
  }
  page += "</body>\n</html>\n";
  return page;
}

}  // namespace flitscope
