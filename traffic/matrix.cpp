// matrix: from every node to every other as much as a table says.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "model/error.h"
#include "model/text.h"
#include "traffic/number_table.h"
#include "traffic/traffic_pattern.h"

namespace flitscope::traffic_matrix {
namespace {

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

std::unique_ptr<TrafficPattern> make(const PatternInput& in) {
  const std::string& file = in.values.text("rates");
  const auto rows = number_lines(in.text_of(file), file);
  bool any = false;
  for (const NumberLine& row : rows) {
    if (row.numbers.size() != in.topology.nodes()) {
      throw InputError(fmt::format("{}:{}: {} rates; a row must have one for each of the {} nodes of the {}",
                                   printable(file), row.line, row.numbers.size(), in.topology.nodes(),
                                   in.topology.name()));
    }
    any = any || std::ranges::any_of(row.numbers, [](double rate) { return rate > 0; });
  }
  if (rows.size() != in.topology.nodes()) {
    throw InputError(fmt::format("{}: {} rows of rates; there must be one for each of the {} nodes of the {}",
                                 printable(file), rows.size(), in.topology.nodes(), in.topology.name()));
  }
  if (!any) throw InputError(fmt::format("{}: all rates are 0", printable(file)));
  return std::make_unique<Matrix>(rows);
}

const TrafficRegistry::Entry entry{{
    .name = "matrix",
    .summary =
        "from node to node in the proportion of a table's rates, scaled so that their mean is the load",
    .source = "common knowledge",
    .admissible = "any",
    .parameters = {{.name = "rates",
                    .type = ParameterType::file,
                    .summary = "CSV: a row for each source, in it a rate for each destination"}},
    .make = make,
}};

}  // namespace
}  // namespace flitscope::traffic_matrix
