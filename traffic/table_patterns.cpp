// Patterns from files: a matrix of rates, a permutation.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/numbers.h"
#include "model/random.h"
#include "model/text.h"
#include "model/units.h"
#include "traffic/traffic_pattern.h"

namespace flitscope::table_patterns {

namespace {

/// A line of numbers, and its number in the file, from 1.
struct NumberLine {
  std::size_t line = 0;
  std::vector<double> numbers;
};

/// The lines of a text that are neither empty nor comments (`#`). `file` is its name in messages. Throws
/// InputError ("file:line: ..") for what is no number of at least 0.
std::vector<NumberLine> number_lines(std::string_view text, const std::string& file) {
  constexpr std::string_view kSeparators = ", \t\r";
  std::vector<NumberLine> lines;
  text = without_byte_order_mark(text);
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view rest = text.substr(0, end);
    rest = rest.substr(0, rest.find('#'));
    text.remove_prefix(std::min(end + 1, text.size()));
    NumberLine numbers{line, {}};
    while (true) {
      rest.remove_prefix(std::min(rest.find_first_not_of(kSeparators), rest.size()));
      if (rest.empty()) break;
      const std::string_view word = rest.substr(0, rest.find_first_of(kSeparators));
      rest.remove_prefix(word.size());
      const auto number = parse_decimal(word);
      if (!number.value) {
        throw InputError("{}:{}: {} is no number: {}", printable(file), line, in_quotes(std::string(word)),
                         number.problem);
      }
      numbers.numbers.push_back(number.value->approximate());
    }
    if (!numbers.numbers.empty()) lines.push_back(std::move(numbers));
  }
  return lines;
}

// matrix: from every node to every other as much as a table says.

class Matrix final : public TrafficPattern {
 public:
  explicit Matrix(const std::vector<NumberLine>& rows) : rows_(rows.size()) {
    double total = 0;
    for (std::size_t source = 0; source < rows.size(); ++source) {
      const std::vector<double>& weights = rows[source].numbers;
      Row& row = rows_[source];
      row.weight = std::accumulate(weights.begin(), weights.end(), 0.0);
      total += row.weight;
      double below = 0;
      for (std::size_t to = 0; to < weights.size(); ++to) {
        if (weights[to] == 0) continue;
        below += weights[to];
        row.entries.push_back(
            {static_cast<NodeId>(to), weights[to] / row.weight, probability_bits(below / row.weight)});
      }
      if (!row.entries.empty()) row.entries.back().below = ~std::uint64_t{0};
    }
    for (Row& row : rows_) row.weight *= static_cast<double>(rows.size()) / total;
  }

  NodeId destination(NodeId source, std::uint64_t /*index*/, RandomStream& random) const override {
    const std::vector<Entry>& entries = rows_[source].entries;
    const auto at = std::ranges::upper_bound(entries, random.next(), {}, &Entry::below);
    return (at == entries.end() ? entries.back() : *at).destination;
  }
  void for_each_share(NodeId source, const std::function<void(NodeId, double)>& visit) const override {
    for (const Entry& entry : rows_[source].entries) visit(entry.destination, entry.share);
  }
  double rate(NodeId source) const override { return rows_[source].weight; }

 private:
  struct Entry {
    NodeId destination = 0;
    double share = 0;
    std::uint64_t below = 0;  ///< random numbers below are for this destination or one before
  };
  struct Row {
    double weight = 0;
    std::vector<Entry> entries;
  };
  std::vector<Row> rows_;
};

std::unique_ptr<TrafficPattern> make_matrix(const PatternInput& in) {
  const std::string& file = in.values.text("rates");
  const auto rows = number_lines(in.text_of(file), file);
  bool any = false;
  for (const NumberLine& row : rows) {
    if (row.numbers.size() != in.topology.nodes()) {
      throw InputError("{}:{}: {} rates; a row must have one for each of the {} nodes of the {}",
                       printable(file), row.line, row.numbers.size(), in.topology.nodes(),
                       in.topology.name());
    }
    any = any || std::ranges::any_of(row.numbers, [](double rate) { return rate > 0; });
  }
  if (rows.size() != in.topology.nodes()) {
    throw InputError("{}: {} rows of rates; there must be one for each of the {} nodes of the {}",
                     printable(file), rows.size(), in.topology.nodes(), in.topology.name());
  }
  if (!any) throw InputError("{}: all rates are 0", printable(file));
  return std::make_unique<Matrix>(rows);
}

const TrafficRegistry::Entry matrix_entry{{
    .name = "matrix",
    .summary =
        "from node to node in the proportion of a table's rates, scaled so that their mean is the load",
    .source = "common knowledge",
    .admissible = "any",
    .parameters = {Parameter::of(ParameterType::file, "rates",
                                 "CSV: a row for each source, in it a rate for each destination")},
    .make = make_matrix,
}};

// permutation: every node sends to one node and is sent to by one, as a file says or drawn at random.

/// All permutations are equally likely.
std::vector<NodeId> drawn(NodeId nodes, std::uint64_t seed) {
  auto partners = numbers_below<NodeId>(nodes);
  std::mt19937_64 random(seed);
  shuffle(partners, random);
  return partners;
}

std::vector<NodeId> read(const Topology& topology, const std::string& file, const FileReader& text_of) {
  std::vector<NodeId> partners;
  std::vector<bool> taken(topology.nodes(), false);
  for (const NumberLine& line : number_lines(text_of(file), file)) {
    for (const double number : line.numbers) {
      const auto node = static_cast<NodeId>(std::min<double>(number, topology.nodes()));
      if (number != node || node >= topology.nodes() || taken[node]) {
        const bool twice = number == node && node < topology.nodes();
        throw InputError(
            "{}:{}: {} {}", printable(file), line.line, number,
            twice ? "is named twice; a permutation names every node once"
                  : fmt::format("is no node; nodes have the numbers 0 to {}", topology.nodes() - 1));
      }
      taken[node] = true;
      partners.push_back(node);
    }
  }
  if (partners.size() != topology.nodes()) {
    throw InputError("{}: it names {} destinations; the {} has {} nodes", printable(file), partners.size(),
                     topology.name(), topology.nodes());
  }
  return partners;
}

const TrafficRegistry::Entry permutation_entry{{
    .name = "permutation",
    .summary = "every node to one node and from one node, drawn at random or from a file",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, section 3.2",
    .admissible = "any",
    .parameters =
        {Parameter::of(ParameterType::file, "destinations",
                       "file with the number of each node's destination, node 0's first")
             .or_else("null"),
         Parameter::integer("permutation_seed", "draws the permutation, if no file is given").or_else("1")},
    .make =
        [](const PatternInput& in) {
          return std::make_unique<FixedPattern>(
              in.values.has("destinations")
                  ? read(in.topology, in.values.text("destinations"), in.text_of)
                  : drawn(in.topology.nodes(),
                          static_cast<std::uint64_t>(in.values.integer("permutation_seed"))));
        },
}};

}  // namespace

}  // namespace flitscope::table_patterns
