// csv: a line for every message, with the cycle in which it is sent and what it waits for.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string.hpp>
#include <map>
#include <optional>
#include <ranges>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/numbers.h"
#include "model/text.h"
#include "params/diagnostics.h"
#include "sim/formats/foreign/format.h"
#include "sim/formats/foreign/rank_program.h"

namespace flitscope::csv_trace_format {
namespace {

constexpr std::uint64_t kMaxRank = (1U << 24) - 1;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t kMaxKind = 0xFFFFFFFF;

enum Name : std::uint8_t { cycle, src, dst, bytes, id, after, wait, kind, arrived };
constexpr std::array<std::string_view, 9> kColumns{"cycle", "src",  "dst",  "bytes",  "id",
                                                   "after", "wait", "kind", "arrived"};
constexpr std::size_t kRequired = 4;  ///< columns, the first ones

struct Line {
  std::uint64_t cycle = 0;
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint64_t bytes = 0;
  std::uint64_t wait = 0;
  std::uint32_t kind = 0;       ///< 0: none
  std::size_t after_end = 0;    ///< in `after_`; they begin where those of the line before end
  std::size_t arrived_end = 0;  ///< likewise in `arrived_`
};

class Reader {
 public:
  Reader(const ImportFile& file, const ImportOptions& options)
      : file_(file), options_(options), text_(without_byte_order_mark(file.text)) {}

  std::unique_ptr<Schedule> read() {
    bool is_header = true;
    for (const auto part : std::views::split(text_, '\n')) {
      std::string_view line(part.begin(), part.end());
      if (line.ends_with('\r')) line.remove_suffix(1);
      boost::split(cells_, line, boost::is_any_of(","));
      if (std::exchange(is_header, false)) {
        take_header(line);
      } else if (!line.empty()) {
        take_line(line);
      }
    }
    if (lines_.empty()) throw InputError(printable(file_.name) + ": has no messages");
    return make();
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(std::string_view at, fmt::format_string<Args...> what, Args&&... args) const {
    throw InputError("{}: {}", place(at), fmt::format(what, std::forward<Args>(args)...));
  }
  [[nodiscard]] std::string place(std::string_view at) const {
    const auto offset = static_cast<std::size_t>(at.data() - text_.data());
    return SourceLocation::in(file_.name, text_, offset).text();
  }

  void take_header(std::string_view line) {
    for (std::size_t place = 0; place < cells_.size(); ++place) {
      const auto* const found = std::ranges::find(kColumns, cells_[place]);
      if (found == kColumns.end()) {
        fail(cells_[place], "{} is no column; there are {}", in_quotes(cells_[place]),
             fmt::join(kColumns, ", "));
      }
      auto& column = places_[static_cast<std::size_t>(found - kColumns.begin())];
      if (column) fail(cells_[place], "duplicate column '{}'", *found);
      column = place;
    }
    for (std::size_t name = 0; name < kRequired; ++name) {
      if (places_[name]) continue;
      fail(line,
           "column '{}' is missing; the first line must be cycle,src,dst,bytes, if wanted "
           "with id, after, wait, kind and arrived",
           kColumns[name]);
    }
    width_ = cells_.size();
  }

  [[nodiscard]] std::string_view cell(Name name) const {
    return places_[name] ? cells_[*places_[name]] : std::string_view();
  }

  [[nodiscard]] std::uint64_t number(Name name, std::uint64_t minimum, std::uint64_t maximum) const {
    const std::string_view text = cell(name);
    if (const auto value = whole_number(text, minimum, maximum)) return *value;
    fail(text, "{} must be a whole number from {} to {}, not {}", kColumns[name], minimum, maximum,
         in_quotes(text));
  }

  void take_line(std::string_view line) {
    if (cells_.size() != width_) {
      fail(line, "has {}, and the first line {}", counted(cells_.size(), "cell"), width_);
    }
    Line message;
    message.cycle = number(cycle, 0, kMaxWait);
    message.source = static_cast<std::uint32_t>(number(src, 0, kMaxRank));
    message.destination = static_cast<std::uint32_t>(number(dst, 0, kMaxRank));
    message.bytes = number(bytes, 1, kMaxBytes);
    if (const std::uint32_t most = std::max(message.source, message.destination); most >= ranks_) {
      ranks_ = most + 1;
      last_rank_ = cell(message.source == most ? src : dst);
    }
    take_after();
    take_arrived(message.source);
    if (!cell(kind).empty()) {
      message.kind = static_cast<std::uint32_t>(number(kind, 1, kMaxKind));
      ++arrivals_[{message.destination, message.kind}];
    }
    if (!cell(wait).empty()) {
      message.wait = number(wait, 0, kMaxWait);
      const bool has_none = after_.size() == begin_of(lines_.size(), &Line::after_end) &&
                            arrived_.size() == begin_of(lines_.size(), &Line::arrived_end);
      if (message.wait != 0 && has_none) {
        fail(cell(wait), "'wait' counts from the last message of 'after', and there is none; raise 'cycle'");
      }
    }
    if (cell(id).find(' ') != std::string_view::npos) {
      fail(cell(id), "an id must have no blanks, which separate ids in 'after'; not {}", in_quotes(cell(id)));
    }
    if (!cell(id).empty() && !ids_.emplace(cell(id), lines_.size()).second) {
      fail(cell(id), "duplicate id {}", in_quotes(cell(id)));
    }
    message.after_end = after_.size();
    message.arrived_end = arrived_.size();
    lines_.push_back(message);
  }

  /// Calls visit(word) for the words of a cell, with blanks between them.
  template <typename Visit>
  void for_each_word(Name name, Visit visit) const {
    for (const auto word : std::views::split(cell(name), ' ')) {
      if (!word.empty()) visit(std::string_view(word.begin(), word.end()));
    }
  }

  /// Ids.
  void take_after() {
    for_each_word(after, [&](std::string_view name) {
      const auto found = ids_.find(name);
      if (found == ids_.end()) {
        fail(name, "no line above has the id {}", in_quotes(name));
      }
      after_.push_back(found->second);
    });
  }

  /// Kinds and numbers, "3:12", of messages to the line's source.
  void take_arrived(std::uint32_t source) {
    for_each_word(arrived, [&](std::string_view word) {
      const std::size_t colon = std::min(word.find(':'), word.size());
      const auto of = whole_number(word.substr(0, colon), std::uint64_t{1}, kMaxKind);
      const auto count =
          whole_number(word.substr(std::min(colon + 1, word.size())), std::uint64_t{1}, kMessageNumbers - 1);
      if (!of || !count) {
        fail(word, "{} must be a kind and a number of messages, such as 3:12", in_quotes(word));
      }
      const auto above = arrivals_.find({source, *of});
      const std::uint64_t most = above == arrivals_.end() ? 0 : above->second;
      if (*count > most) {
        fail(word, "{} waits for more messages than there are: the lines above have {} of kind {} to {}",
             in_quotes(word), most, *of, source);
      }
      arrived_.push_back({.message = *of, .count = *count});
    });
  }

  /// Where what a line waits for begins, by where it ends in `end`.
  [[nodiscard]] std::size_t begin_of(std::size_t line, std::size_t Line::*end) const {
    return line == 0 ? 0 : lines_[line - 1].*end;
  }

  [[nodiscard]] std::vector<NodeId> nodes() const {
    std::vector<RankTraffic> traffic;
    traffic.reserve(lines_.size());
    for (const Line& line : lines_) traffic.push_back({line.source, line.destination, line.bytes});
    return map_ranks(options_, place(last_rank_), ranks_, traffic);
  }

  /// One step, in which every message has a chunk of its own.
  std::unique_ptr<Schedule> make() {
    const std::vector<NodeId> nodes = this->nodes();
    std::vector<bool> is_awaited(lines_.size());
    for (const std::size_t line : after_) is_awaited[line] = true;
    auto schedule = std::make_unique<CollectedSchedule>(import_facts(options_, "csv"));
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Line& line = lines_[i];
      if (line.cycle > 0) schedule->waits.push_back({.message = 0, .wait = line.cycle});
      for (std::size_t k = begin_of(i, &Line::after_end); k < line.after_end; ++k) {
        schedule->waits.push_back({.message = message_id(1, after_[k]), .wait = line.wait});
      }
      for (std::size_t k = begin_of(i, &Line::arrived_end); k < line.arrived_end; ++k) {
        schedule->waits.push_back(arrived_[k]);
        schedule->waits.back().wait = line.wait;
      }
      CollectedSchedule::Entry& entry = schedule->add(1, nodes[line.source], nodes[line.destination], {});
      entry.bytes = line.bytes;
      entry.awaited = is_awaited[i];
      entry.kind = line.kind;
    }
    schedule->deliver_own_chunks();
    schedule->complete_facts();
    return schedule;
  }

  const ImportFile& file_;
  const ImportOptions& options_;
  std::string_view text_;
  std::array<std::optional<std::size_t>, kColumns.size()> places_{};
  std::size_t width_ = 0;
  std::vector<std::string_view> cells_;  ///< of the present line
  std::vector<Line> lines_;
  std::uint32_t ranks_ = 0;
  std::string_view last_rank_;  ///< the first cell that has it
  std::vector<std::size_t> after_;
  std::vector<Dependency> arrived_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> arrivals_;  ///< by destination and kind
  std::unordered_map<std::string_view, std::size_t> ids_;
};

std::unique_ptr<Schedule> read(std::vector<ImportFile>& files, const ImportOptions& options) {
  return Reader(only_file(files, "csv: all messages are in one file"), options).read();
}

const FormatRegistry::Entry entry{{
    .name = "csv",
    .summary = "text: messages with the cycle in which they are sent, and what they wait for",
    .source = "ours: cycle,src,dst,bytes and, if wanted, id,after,wait,kind,arrived",
    .read = read,
}};

}  // namespace
}  // namespace flitscope::csv_trace_format
