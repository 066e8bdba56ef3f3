#include "sim/formats/yaml_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "model/text.h"

namespace flitscope {

namespace {

/// More lists and maps in one another than any configuration has.
constexpr std::size_t kMaxDepth = 64;
constexpr std::string_view kNull = "null";
constexpr std::array<std::string_view, 3> kNulls{kNull, "Null", "NULL"};
/// Characters of a plain text behind its first letter.
constexpr std::string_view kInnerMarks = "._/+-";
constexpr auto kTooDeep = "lists and maps are nested too deeply";

/// Turns positions in a text into places. The text and its origin must outlive it.
struct Locator {
  std::string_view text;
  const SourceLocation& origin;

  [[nodiscard]] SourceLocation at(std::size_t offset) const {
    return origin.line == 0 ? origin : SourceLocation::in(origin.source, text, offset);
  }
  [[nodiscard]] SourceLocation at(const YAML::Mark& mark) const {
    if (mark.is_null() || origin.line == 0) return origin;
    return {origin.source, static_cast<std::uint64_t>(mark.line) + 1,
            static_cast<std::uint32_t>(mark.column) + 1};
  }
};

/// Builds the tree out of the parser's events.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const Locator& locator, Diagnostics& diagnostics)
      : locator_(locator), diagnostics_(diagnostics) {}

  [[nodiscard]] YamlNode take_root() { return std::move(root_); }
  [[nodiscard]] unsigned documents() const { return documents_; }
  /// Where it begins, if there are two.
  [[nodiscard]] const YAML::Mark& second_document() const { return second_document_; }
  /// Where the innermost open list or map begins, if one is open.
  [[nodiscard]] std::optional<SourceLocation> innermost(YamlNode::Kind kind) const {
    const auto at = std::find_if(open_.rbegin(), open_.rend(), [&](const Open& open) {
      return open.node.kind == kind || open.node.kind == YamlNode::Kind::refused;
    });
    return at == open_.rend() ? std::nullopt : std::optional(at->node.place);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 2) second_document_ = mark;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(made(YamlNode::Kind::null, mark, "", anchor));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    add(made(YamlNode::Kind::refused, mark, "", 0));  // its anchor has been reported
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = made(YamlNode::Kind::scalar, mark, tag, anchor);
    node.text = value;
    node.quoted = tag == kQuoted;
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(made(YamlNode::Kind::sequence, mark, tag, anchor), mark);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(made(YamlNode::Kind::map, mark, tag, anchor), mark);
  }
  void OnMapEnd() override { close(); }

 private:
  /// Tags that the parser gives to values that were written without one.
  static constexpr std::string_view kPlain = "?";
  static constexpr std::string_view kQuoted = "!";

  /// A list or map that is still open.
  struct Open {
    YamlNode node;
    /// In a map: the key of the next value.
    std::optional<YamlNode> key;
    /// In a map: keys so far.
    std::map<std::string, SourceLocation> keys;
  };

  YamlNode made(YamlNode::Kind kind, const YAML::Mark& mark, std::string_view tag, YAML::anchor_t anchor) {
    YamlNode node{.kind = kind, .place = locator_.at(mark)};
    if (anchor != 0) {
      diagnostics_.add(node.place, "anchors and aliases (& and *) are not supported; write the value out");
      node.kind = YamlNode::Kind::refused;
    }
    if (!tag.empty() && tag != kPlain && tag != kQuoted) {
      diagnostics_.add(node.place, "tags such as {} are not supported; leave it out", in_quotes(tag));
      node.kind = YamlNode::Kind::refused;
    }
    return node;
  }

  /// Refuses early what the parser itself would call an unclosed bracket.
  void open(YamlNode node, const YAML::Mark& mark) {
    if (open_.size() == kMaxDepth) throw YAML::ParserException(mark, kTooDeep);
    open_.push_back({std::move(node), {}, {}});
  }

  void close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  /// Puts a complete value where it belongs.
  void add(YamlNode node) {
    if (open_.empty()) {
      if (documents_ == 1) root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    const bool in_map = parent.node.kind == YamlNode::Kind::map;
    if (!in_map) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.key) {
      parent.key = std::move(node);
    } else {
      add_pair(parent, std::move(node));
      parent.key.reset();
    }
  }

  void add_pair(Open& map, YamlNode value) {
    const YamlNode& key = *map.key;
    if (key.kind != YamlNode::Kind::scalar) {
      if (key.kind != YamlNode::Kind::refused) diagnostics_.add(key.place, "a key must be a word");
      return;
    }
    const auto [first, is_new] = map.keys.try_emplace(key.text, key.place);
    if (!is_new) {
      diagnostics_.add(key.place, "duplicate key {}, first given at {}", in_quotes(key.text),
                       first->second.text());
      return;
    }
    if (value.kind == YamlNode::Kind::null) value.place = key.place;  // the parser's mark is further on
    value.key = key.text;
    value.key_place = key.place;
    map.node.items.push_back(std::move(value));
  }

  const Locator& locator_;
  Diagnostics& diagnostics_;
  YamlNode root_;
  std::vector<Open> open_;
  unsigned documents_ = 0;
  YAML::Mark second_document_;
};

bool is_text(const Locator& locator, Diagnostics& diagnostics) {
  const auto bad = first_non_text(locator.text);
  if (!bad) return true;
  const auto byte = static_cast<unsigned char>(locator.text[*bad]);
  const bool is_control = byte < 0x20 || byte == 0x7f;
  diagnostics.add(locator.at(*bad), "byte 0x{:02x} is {}", byte,
                  is_control ? "a control character, not text" : "not UTF-8 text");
  return false;
}

/// Of broken text: the bracket that is one too many in others. The parser calls some of these unclosed.
std::optional<std::size_t> too_deep_bracket(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[' || text[at] == '{') ++depth;
    if ((text[at] == ']' || text[at] == '}') && depth > 0) --depth;
    if (depth > kMaxDepth) return at;
  }
  return std::nullopt;
}

/// The text of an argument, without lines, has a value and more behind it; that of a file a second document.
std::nullopt_t add_second_document(const TreeBuilder& builder, const Locator& locator,
                                   Diagnostics& diagnostics) {
  const auto& [text, origin] = locator;
  const YAML::Mark& mark = builder.second_document();
  if (origin.line != 0)
    return diagnostics.add(locator.at(mark), "a second document begins here; there must be only one");
  const auto behind = std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text.size());
  return diagnostics.add(origin, "the value ends before {}; write it in quotes, '{}'",
                         in_quotes(text.substr(behind)), printable(std::string(text)));
}

/// What the parser objects to, in our words where its own do not help.
std::nullopt_t add_syntax_error(const YAML::Exception& error, const TreeBuilder& builder,
                                const Locator& locator, Diagnostics& diagnostics) {
  if (const auto bracket = too_deep_bracket(locator.text))
    return diagnostics.add(locator.at(*bracket), "broken YAML: {}", kTooDeep);
  const auto unclosed = [&](YamlNode::Kind kind, std::string_view bracket) {
    return diagnostics.add(builder.innermost(kind).value_or(locator.at(error.mark)),
                           "broken YAML: '{}' is never closed", bracket);
  };
  if (error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW) return unclosed(YamlNode::Kind::sequence, "[");
  if (error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW) return unclosed(YamlNode::Kind::map, "{");
  const bool too_deep = dynamic_cast<const YAML::DeepRecursion*>(&error) != nullptr;
  return diagnostics.add(locator.at(error.mark), "broken YAML: {}", too_deep ? kTooDeep : error.msg);
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view name) const {
  if (kind != Kind::map) return nullptr;
  const auto at = std::ranges::find(items, name, &YamlNode::key);
  return at == items.end() ? nullptr : &*at;
}

YamlNode* YamlNode::find(std::string_view name) {
  return const_cast<YamlNode*>(std::as_const(*this).find(name));
}

bool is_plain_text(std::string_view text) {
  if (!is_word_of(text, kInnerMarks)) return false;
  if (text.front() != '/' && kInnerMarks.find(text.front()) != std::string_view::npos) return false;
  return text.size() != kNull.size() || std::ranges::count(kNulls, text) == 0;
}

std::string quoted_for_yaml(const std::string& text) {
  YAML::Emitter out;
  out << YAML::DoubleQuoted << text;
  return out.c_str();
}

std::string flow_yaml(const YamlNode& node, bool has_quotes) {
  const auto line_of = [&](const YamlNode& item) { return flow_yaml(item, has_quotes); };
  switch (node.kind) {
    case YamlNode::Kind::scalar:
      return has_quotes && (node.quoted || !is_plain_text(node.text)) ? quoted_for_yaml(node.text)
                                                                      : node.text;
    case YamlNode::Kind::sequence:
      return fmt::format("[{}]", fmt::join(texts_of(node.items, line_of), ", "));
    case YamlNode::Kind::map: {
      const auto entry = [&](const YamlNode& item) {
        return fmt::format("{}: {}", has_quotes ? quoted_for_yaml(item.key) : item.key, line_of(item));
      };
      return fmt::format("{{{}}}", fmt::join(texts_of(node.items, entry), ", "));
    }
    case YamlNode::Kind::null:
    case YamlNode::Kind::refused:
      break;
  }
  return "null";
}

std::optional<YamlNode> parse_yaml(std::string_view text, const SourceLocation& origin,
                                   Diagnostics& diagnostics) {
  const Locator locator{text, origin};
  if (is_plain_text(text))
    return YamlNode{.kind = YamlNode::Kind::scalar, .place = locator.at(0), .text = std::string(text)};
  if (text == kNull) return YamlNode{.place = locator.at(0)};
  if (!is_text(locator, diagnostics)) return std::nullopt;
  TreeBuilder builder(locator, diagnostics);
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    while (builder.documents() < 2 && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    return add_syntax_error(error, builder, locator, diagnostics);
  }
  if (builder.documents() > 1) return add_second_document(builder, locator, diagnostics);
  YamlNode root = builder.take_root();
  if (builder.documents() == 0) root.place = origin;
  return root;
}

std::optional<YamlNode> parse_yaml_map(std::string_view text, const std::string& file,
                                       const std::string& otherwise, Diagnostics& diagnostics) {
  auto root = parse_yaml(text, {file, 1, 1}, diagnostics);
  if (!root || root->kind == YamlNode::Kind::map) return root;
  return diagnostics.add(root->place, otherwise);
}

}  // namespace flitscope
