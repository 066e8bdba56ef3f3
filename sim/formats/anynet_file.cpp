// The text of BookSim's anynet networks. A line names a router or node and then what it has a link to, each
// with the link's latency behind it if that is not 1: "router 0 node 0 router 1 15 router 2". A link leads
// in both directions; the opposite one has a latency of its own if its own line says so.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "sim/formats/graph_file.h"
#include "sim/formats/text_lines.h"

namespace flitscope {

namespace {

class AnynetReader : DiagnosingReader {
 public:
  AnynetReader(std::string_view text, const std::string& name, Diagnostics& diagnostics)
      : DiagnosingReader(diagnostics), text_(text), name_(name) {
    places_.whole = {name, 1, 1};
  }

  std::optional<GraphPlan> read() {
    for_each_line(text_, name_, [this](std::vector<Word> words) {
      words_ = std::move(words);
      read_line();
    });
    if (!sound_) return std::nullopt;
    auto plan = this->plan();
    if (!plan || !places_.check(fault_of(*plan), diagnostics_)) return std::nullopt;
    return plan;
  }

 private:
  enum class Kind : std::uint8_t { node, router };
  using End = std::pair<Kind, std::uint32_t>;

  struct Link {
    std::optional<std::uint32_t> latency;
    SourceLocation place;
  };

  static std::string label(const End& end) {
    return fmt::format("{} {}", end.first == Kind::node ? "node" : "router", end.second);
  }

  /// "router 3" or "node 3" at word `at`, which moves on behind it.
  std::optional<End> end(std::size_t& at) {
    const Word& word = words_[at];
    if (word.text != "router" && word.text != "node")
      return refuse(word.place, "expected 'router' or 'node', not '{}'", word.text);
    const std::string_view number = at + 1 < words_.size() ? words_[at + 1].text : std::string_view();
    const auto value = whole_number<std::uint32_t>(number, 0, 0xFFFFFFFF);
    if (!value) {
      const Word& wrong = at + 1 < words_.size() ? words_[at + 1] : word;
      return refuse(wrong.place, "'{}' must be followed by its number, such as '{} 0'", word.text, word.text);
    }
    at += 2;
    return End{word.text == "node" ? Kind::node : Kind::router, *value};
  }

  void read_line() {
    std::size_t at = 0;
    const SourceLocation start = words_.front().place;
    const auto from = end(at);
    if (!from) return;
    ends_.emplace(*from, start);
    if (at == words_.size())
      return fail(start, "{} has no link; a line names what it is joined to", label(*from));
    while (at < words_.size()) {
      const SourceLocation place = words_[at].place;
      const auto to = end(at);
      if (!to) return;
      Link link{std::nullopt, place};
      if (at < words_.size() && words_[at].text != "router" && words_[at].text != "node") {
        link.latency = whole_number<std::uint32_t>(words_[at].text, 1, 65'535);
        if (!link.latency) {
          return fail(words_[at].place, "a latency must be a whole number from 1 to 65535, not '{}'",
                      words_[at].text);
        }
        ++at;
      }
      ends_.emplace(*to, place);
      add(*from, *to, link);
    }
  }

  void add(const End& from, const End& to, const Link& link) {
    if (from.first == Kind::node && to.first == Kind::node) {
      return fail(link.place, "{} is joined to {}; a node is joined to a router", label(from), label(to));
    }
    if (links_.contains({from, to})) {
      return fail(link.place, "{} is joined to {} already; there is one link each way between two",
                  label(from), label(to));
    }
    for (const auto& [node, router] : {std::pair{from, to}, std::pair{to, from}}) {
      if (node.first != Kind::node) continue;
      const auto [at, is_new] = router_of_.emplace(node.second, router.second);
      if (!is_new && at->second != router.second) {
        return fail(link.place, "{} is joined to router {} already; a node has one router", label(node),
                    at->second);
      }
    }
    links_.emplace(std::pair{from, to}, link);
  }

  std::optional<GraphPlan> plan() {
    GraphPlan plan;
    std::map<End, std::uint32_t> place_of;
    for (const auto& [end, place] : ends_) {
      place_of.emplace(end, static_cast<std::uint32_t>(plan.routers.size()));
      const bool node = end.first == Kind::node;
      plan.routers.push_back({fmt::format("{}{}", node ? 'n' : 'r', end.second), node});
      places_.routers.push_back(place);
    }
    for (const auto& [ends, link] : links_) {
      const auto back = links_.find({ends.second, ends.first});
      const bool of_node = ends.first.first == Kind::node || ends.second.first == Kind::node;
      GraphPlan::Link like{.delay = link.latency, .kind = of_node ? "node" : GraphPlan::Link().kind};
      like.from = place_of.at(ends.first);
      like.to = place_of.at(ends.second);
      plan.links.push_back(like);
      places_.links.push_back(link.place);
      if (back != links_.end()) continue;
      std::swap(like.from, like.to);
      plan.links.push_back(like);
      places_.links.push_back(link.place);
    }
    return plan;
  }

  std::string_view text_;
  const std::string& name_;
  PlanPlaces places_;
  std::vector<Word> words_;
  std::map<End, SourceLocation> ends_;
  std::map<std::pair<End, End>, Link> links_;
  std::map<std::uint32_t, std::uint32_t> router_of_;
};

}  // namespace

std::optional<GraphPlan> read_anynet(std::string_view text, const std::string& name,
                                     Diagnostics& diagnostics) {
  return AnynetReader(text, name, diagnostics).read();
}

}  // namespace flitscope
