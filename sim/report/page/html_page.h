// A report as one HTML file that needs nothing else.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace flitscope {

/// A page that shows `data` with the program's scripts. It loads nothing, and its policy forbids it to. Texts
/// in `data` stay texts: they stand in a script element of JSON, in which no text can end the element, and
/// the scripts put them into the page as text. Throws InputError if the program was built without D3.
[[nodiscard]] std::string html_page(const std::string& title, const nlohmann::ordered_json& data);

}  // namespace flitscope
