// A reader of value change dumps that shares nothing with the program's writer.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace flitscope::test {

/// Signals by full name ("flitscope.node_0.in_plus0.vc0.state"), each with its changes by time.
class Vcd {
 public:
  using Changes = std::map<std::uint64_t, std::uint64_t>;

  explicit Vcd(const std::string& text) : words_(text) {
    std::string word;
    while (words_ >> word && word != "$enddefinitions") declare(word);
    skip();
    while (words_ >> word) change(word);
  }

  [[nodiscard]] const std::map<std::string, Changes>& signals() const { return signals_; }
  [[nodiscard]] bool has(const std::string& name) const { return signals_.contains(name); }
  /// The value at a time: that of the last change before or at it.
  [[nodiscard]] std::uint64_t at(const std::string& name, std::uint64_t time) const {
    const Changes& changes = signals_.at(name);
    const auto next = changes.upper_bound(time);
    if (next == changes.begin()) throw std::runtime_error(name + " has no value at " + std::to_string(time));
    return std::prev(next)->second;
  }
  [[nodiscard]] std::uint64_t end() const { return time_; }
  [[nodiscard]] const std::string& timescale() const { return timescale_; }

 private:
  std::string skip() {
    std::string text;
    for (std::string word; words_ >> word && word != "$end";) text += word;
    return text;
  }

  void declare(const std::string& keyword) {
    if (keyword == "$scope") {
      std::string kind;
      std::string name;
      words_ >> kind >> name;
      scopes_.push_back(name);
      skip();
    } else if (keyword == "$upscope") {
      scopes_.pop_back();
      skip();
    } else if (keyword == "$var") {
      std::string type;
      std::string width;
      std::string code;
      std::string name;
      words_ >> type >> width >> code >> name;
      skip();
      std::string full;
      for (const std::string& scope : scopes_) full += scope + ".";
      full += name.substr(0, name.find('['));
      if (!signals_.emplace(full, Changes()).second) throw std::runtime_error("declared twice: " + full);
      named_[code].push_back(full);
    } else if (keyword == "$timescale") {
      timescale_ = skip();
    } else {
      skip();
    }
  }

  void change(const std::string& word) {
    if (word[0] == '$') return;  // $dumpvars, $end
    if (word[0] == '#') {
      const std::uint64_t time = std::stoull(word.substr(1));
      if (time < time_) throw std::runtime_error("time runs backwards at " + word);
      time_ = time;
      return;
    }
    std::uint64_t value = 0;
    std::string code;
    if (word[0] == 'b') {
      value = std::stoull(word.substr(1), nullptr, 2);
      words_ >> code;
    } else {
      if (word[0] != '0' && word[0] != '1') throw std::runtime_error("no value: " + word);
      value = word[0] == '1' ? 1 : 0;
      code = word.substr(1);
    }
    const auto names = named_.find(code);
    if (names == named_.end()) throw std::runtime_error("never declared: " + code);
    for (const std::string& name : names->second) {
      Changes& changes = signals_[name];
      // Of several in one event the last one counts; a value that is set again is no change.
      changes[time_] = value;
    }
  }

  std::istringstream words_;
  std::vector<std::string> scopes_;
  std::map<std::string, std::vector<std::string>> named_;
  std::map<std::string, Changes> signals_;
  std::uint64_t time_ = 0;
  std::string timescale_;
};

}  // namespace flitscope::test
