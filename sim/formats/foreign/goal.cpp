// goal: text, a block of operations for each rank, as LogGOPSim and Schedgen have it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "model/error.h"
#include "model/numbers.h"
#include "model/text.h"
#include "params/diagnostics.h"
#include "sim/formats/foreign/format.h"
#include "sim/formats/foreign/rank_program.h"

namespace flitscope::goal_format {
namespace {

constexpr std::uint64_t kMaxRanks = std::uint64_t{1} << 24;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;
/// Comments carry what the format cannot say; other programs skip them.
constexpr std::string_view kStepComment = "// flitscope step ";
constexpr std::string_view kCyclesComment = "// flitscope cycles ";

/// A word, a number or a single sign.
struct Token {
  std::string_view text;
  std::size_t offset = 0;
};

class Reader {
 public:
  Reader(const ImportFile& file, const ImportOptions& options)
      : file_(file), options_(options), text_(without_byte_order_mark(file.text)) {}

  RankProgram read() {
    advance();
    expect("num_ranks", "a GOAL file begins with num_ranks N");
    ranks_place_ = token_.offset;
    const std::uint64_t ranks = number(1, kMaxRanks);
    RankProgram program(static_cast<std::uint32_t>(ranks),
                        [this](const Operation& one) { return place(one.place) + ": "; });
    std::vector<bool> seen(ranks);
    while (!token_.text.empty()) {
      expect("rank", "a block is rank N { ... }");
      const std::size_t offset = token_.offset;
      const std::uint64_t rank = number(0, ranks - 1);
      if (seen[rank]) fail(offset, "rank {} has a second block", rank);
      seen[rank] = true;
      expect("{", "a block is rank N { ... }");
      read_block(program, static_cast<std::uint32_t>(rank));
    }
    return program;
  }

  /// Where the file says how many ranks there are.
  [[nodiscard]] std::string ranks_place() const { return place(ranks_place_); }

 private:
  struct Requirement {
    Token operation;
    Token on;
    bool start = false;
  };

  template <typename... Args>
  [[noreturn]] void fail(std::size_t offset, fmt::format_string<Args...> reason, Args&&... args) const {
    throw InputError("{}: {}", place(offset), fmt::format(reason, std::forward<Args>(args)...));
  }
  [[nodiscard]] std::string place(std::size_t offset) const {
    return SourceLocation::in(file_.name, text_, offset).text();
  }

  // --- Tokens ----------------------------------------------------------------------------------------------

  static bool is_digit(char one) { return one >= '0' && one <= '9'; }
  static bool is_letter(char one) {
    return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || one == '_';
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r') {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        note(text_.substr(at_, end - at_));
        at_ = end;
      } else if (text_.substr(at_, 2) == "/*") {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) fail(at_, "this comment does not end");
        at_ = end + 2;
      } else {
        return;
      }
    }
  }

  /// A comment of ours says to which step the next send belongs, or how long the next calculation takes.
  void note(std::string_view comment) {
    const auto number = [&](std::string_view words, auto minimum, decltype(minimum) maximum) {
      comment.remove_prefix(words.size());
      return whole_number(comment.substr(0, comment.find_last_not_of(" \t\r") + 1), minimum, maximum);
    };
    if (comment.starts_with(kStepComment)) {
      const auto step = number(kStepComment, 1U, std::numeric_limits<std::uint32_t>::max());
      if (!step) fail(at_, "a step is a whole number from 1, not {}", in_quotes(comment));
      step_ = *step;
    } else if (comment.starts_with(kCyclesComment)) {
      cycles_ = number(kCyclesComment, Cycle{0}, kMaxWait);
      if (!cycles_) {
        fail(at_, "cycles are a whole number from 0 to {}, not {}", kMaxWait, in_quotes(comment));
      }
    }
  }

  /// The next token; an empty one at the end.
  void advance() {
    skip_blanks();
    const std::size_t start = at_;
    if (at_ < text_.size()) {
      const auto run = [&](auto belongs) {
        while (at_ < text_.size() && belongs(text_[at_])) ++at_;
      };
      if (is_digit(text_[at_])) {
        run(is_digit);
      } else if (is_letter(text_[at_])) {
        run([](char one) { return is_letter(one) || is_digit(one); });
      } else {
        ++at_;
      }
    }
    token_ = {text_.substr(start, at_ - start), start};
  }

  void expect(std::string_view text, std::string_view wanted) {
    if (token_.text != text) fail(token_.offset, "{}, not {}", wanted, shown());
    advance();
  }
  [[nodiscard]] std::string shown() const {
    return token_.text.empty() ? std::string("the end of the file") : in_quotes(token_.text);
  }

  std::uint64_t number(std::uint64_t minimum, std::uint64_t maximum) {
    const auto value = whole_number(token_.text, minimum, maximum);
    if (!value) {
      fail(token_.offset, "expected a whole number from {} to {}, not {}", minimum, maximum, shown());
    }
    advance();
    return *value;
  }

  // --- Operations ------------------------------------------------------------------------------------------

  void read_block(RankProgram& program, std::uint32_t rank) {
    labels_.clear();
    requirements_.clear();
    while (token_.text != "}") {
      const Token first = token_;
      if (first.text.empty()) fail(first.offset, "the block of rank {} does not end", rank);
      if (!is_letter(first.text.front())) {
        fail(first.offset, "expected an operation or a label, not {}", shown());
      }
      if (is_operation()) {
        program.add(operation(rank));
        continue;
      }
      advance();
      if (token_.text == ":") {
        advance();
        if (!is_operation()) {
          fail(token_.offset, "expected send, recv or calc, not {}", shown());
        }
        if (!labels_.emplace(first.text, program.add(operation(rank))).second) {
          fail(first.offset, "rank {} has label {} twice", rank, in_quotes(first.text));
        }
      } else if (token_.text == "requires" || token_.text == "irequires") {
        const bool start = token_.text == "irequires";
        advance();
        requirements_.push_back({first, token_, start});
        if (token_.text.empty() || !is_letter(token_.text.front())) {
          fail(token_.offset, "expected a label, not {}", shown());
        }
        advance();
      } else {
        fail(token_.offset, "':', requires or irequires must follow {}, not {}", in_quotes(first.text),
             shown());
      }
    }
    advance();
    for (const Requirement& one : requirements_) {
      const OperationId operation = labelled(one.operation, rank);
      if (one.start) {
        program.depend_on_start(operation, labelled(one.on, rank));
      } else {
        program.depend(operation, labelled(one.on, rank));
      }
    }
  }

  [[nodiscard]] OperationId labelled(const Token& label, std::uint32_t rank) const {
    const auto found = labels_.find(label.text);
    if (found != labels_.end()) return found->second;
    fail(label.offset, "rank {} has no operation with label {}", rank, in_quotes(label.text));
  }

  [[nodiscard]] bool is_operation() const {
    return token_.text == "send" || token_.text == "recv" || token_.text == "calc";
  }

  Operation operation(std::uint32_t rank) {
    Operation one{.rank = rank, .place = token_.offset};
    const bool sends = token_.text == "send";
    const bool calculates = token_.text == "calc";
    // Comments of the next operation are read ahead.
    if (sends) one.step = std::exchange(step_, 0);
    const auto cycles = calculates ? std::exchange(cycles_, std::nullopt) : std::nullopt;
    advance();
    if (calculates) {
      const Cycle wait = cycles_of_nanoseconds(number(0, kMaxWait), options_.clock);
      one.wait = cycles.value_or(wait);
    } else {
      one.kind = sends ? Operation::Kind::send : Operation::Kind::receive;
      one.bytes = number(0, kMaxBytes);
      expect("b", "a size is a number of bytes and b, such as 64b");
      expect(sends ? "to" : "from", sends ? "send ..b to RANK" : "recv ..b from RANK");
      if (token_.text == "-") {
        fail(token_.offset,
             "a receive from any rank is not understood: the message it receives depends on times");
      }
      one.peer = static_cast<std::uint32_t>(number(0, kMaxRanks));
    }
    while (token_.text == "tag" || token_.text == "cpu" || token_.text == "nic") {
      const bool tag = token_.text == "tag";
      advance();
      if (tag && token_.text == "-") {
        fail(token_.offset, "any tag is not understood: the message it receives depends on times");
      }
      const std::uint64_t value = number(0, 0xFFFFFFFF);
      if (tag) one.tag = value;
    }
    return one;
  }

  const ImportFile& file_;
  const ImportOptions& options_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t ranks_place_ = 0;
  Token token_;
  std::uint32_t step_ = 0;       ///< of the next send; 0: not said
  std::optional<Cycle> cycles_;  ///< of the next calculation, if said
  std::unordered_map<std::string_view, OperationId> labels_;
  std::vector<Requirement> requirements_;
};

std::unique_ptr<Schedule> read(std::vector<ImportFile>& files, const ImportOptions& options) {
  const ImportFile& file = only_file(files, "goal: all ranks are in one file");
  Reader reader(file, options);
  RankProgram program = reader.read();
  program.complete();
  return schedule_of(program, reader.ranks_place(), options, "goal");
}

std::vector<ExportedFile> write(Schedule& schedule) {
  const auto ranks = exported_operations(schedule);
  std::string text = fmt::format("num_ranks {}\n", ranks.size());
  const auto out = std::back_inserter(text);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    fmt::format_to(out, "\nrank {} {{\n", rank);
    for (std::size_t i = 0; i < ranks[rank].size(); ++i) {
      const auto& [one, after] = ranks[rank][i];
      switch (one.kind) {
        case Operation::Kind::send:
          fmt::format_to(out, "{}{}\nl{}: send {}b to {} tag 0\n", kStepComment, one.step, i + 1, one.bytes,
                         one.peer);
          break;
        case Operation::Kind::receive:
          fmt::format_to(out, "l{}: recv {}b from {} tag 0\n", i + 1, one.bytes, one.peer);
          break;
        case Operation::Kind::local:
          if (one.wait != 0) fmt::format_to(out, "{}{}\n", kCyclesComment, one.wait);
          fmt::format_to(out, "l{}: calc {}\n", i + 1, one.wait);
          break;
      }
      for (const std::uint64_t on : after) fmt::format_to(out, "l{} requires l{}\n", i + 1, on + 1);
    }
    text += "}\n";
  }
  return {{"", std::move(text)}};
}

const FormatRegistry::Entry entry{{
    .name = "goal",
    .summary = "text: sends, receives and calculations of ranks with their dependencies",
    .source = "GOAL, as of LogGOPSim and Schedgen (Hoefler, Siebert, Lumsdaine: Group operation assembly "
              "language, 2009)",
    .read = read,
    .write = write,
}};

}  // namespace
}  // namespace flitscope::goal_format
