// Tables I to V, cell by cell.
#include <array>
#include <optional>

#include "algorithms/afsahi/closed_forms.h"
#include "sim/claims/papers/afsahi/cases.h"
#include "sim/claims/papers/afsahi/claims.h"

namespace flitscope::claims::afsahi {

namespace {

/// More nodes are not simulated.
constexpr std::uint64_t kMaxNodes = 120'000;

/// A row of Tables I to III. For one port the paper prints no B3.
struct BroadcastRow {
  std::uint64_t nodes = 2;
  std::uint64_t b2 = 0;
  std::optional<std::uint64_t> b3;
  std::uint64_t b4 = 0;
  std::uint64_t logarithm = 0;
};

/// On flits; in a quick run large networks by the schedule checker, and beyond kMaxNodes by the closed form.
std::uint64_t broadcast_time(Extent extent, const Size& size, const std::string& algorithm) {
  const auto [n, k, d] = size;
  if (n > kMaxNodes) {
    if (algorithm == "afsahi-b2") return (d + 1) * ceil_log(k + 1, n);
    if (algorithm == "afsahi-b3") return d + flitscope::afsahi::tree_depth(n, k);
    return flitscope::afsahi::b4_time(n, k, d);
  }
  if (extent == Extent::quick && n > 2'000) return checked_time(size, algorithm);
  return static_cast<std::uint64_t>(time_on_flits(size, algorithm));
}

Finding broadcast_table(Extent extent, std::uint64_t k, std::uint64_t d, std::span<const BroadcastRow> rows) {
  Cases cases;
  bool by_form = false;
  for (const BroadcastRow& row : rows) {
    const Size size{row.nodes, k, d};
    by_form |= row.nodes > kMaxNodes;
    cases.equal(name_of(size) + ", B2", "units", row.b2, broadcast_time(extent, size, "afsahi-b2"));
    if (row.b3)
      cases.equal(name_of(size) + ", B3", "units", *row.b3, broadcast_time(extent, size, "afsahi-b3"));
    cases.equal(name_of(size) + ", B4", "units", row.b4, broadcast_time(extent, size, "afsahi-b4"));
    cases.equal(name_of(size) + ", logarithm rounded up", "", row.logarithm,
                std::uint64_t{ceil_log(k + 1, row.nodes)});
  }
  std::vector<std::uint64_t> nodes;
  for (const BroadcastRow& row : rows) nodes.push_back(row.nodes);
  return judge(
      cases,
      fmt::format(
          "N = {}, k = {}, d = {}; {}{}", ranges(nodes), k, d,
          extent == Extent::quick ? "N <= 2000 on flits, more by the schedule checker" : "on flits",
          by_form ? fmt::format(", more than {} nodes by recurrence and closed form", kMaxNodes) : ""),
      fmt::format("{} of {} cells equal, B4 from a warm start, the others from a cold one",
                  cases.tried() - cases.failed(), cases.tried()));
}

/// A row of Tables IV and V, with the i printed beside TE3.
struct ExchangeRow {
  std::uint64_t d = 0;
  std::uint64_t te1 = 0;
  std::uint64_t te2 = 0;
  std::uint64_t te3 = 0;
  std::vector<unsigned> best;
};

/// The first row in a quick run by the schedule checker, others by the closed form; in a full run all on
/// flits.
std::uint64_t exchange_time(Extent extent, bool first_row, const Size& size, unsigned i) {
  if (extent == Extent::full) {
    return static_cast<std::uint64_t>(
        time_on_flits(size, "combined-total-exchange", fmt::format("form: digit, i: {}", i)));
  }
  if (first_row) return checked_time(size, "combined-total-exchange", fmt::format("form: digit, i: {}", i));
  return flitscope::afsahi::digit_exchange_time(size.nodes, size.k, size.d, i);
}

Finding exchange_table(Extent extent, std::uint64_t n, std::uint64_t k, std::span<const ExchangeRow> rows) {
  Cases cases;
  const unsigned s = ceil_log(k + 1, n);
  for (const ExchangeRow& row : rows) {
    const Size size{n, k, row.d};
    const auto time = [&](unsigned i) { return exchange_time(extent, &row == rows.data(), size, i); };
    cases.equal(name_of(size) + ", TE1", "units", row.te1, time(0));
    cases.equal(name_of(size) + ", TE2", "units", row.te2, time(s));
    for (const unsigned i : row.best) {
      cases.equal(fmt::format("{}, TE3, i = {}", name_of(size), i), "units", row.te3, time(i));
    }
    std::vector<unsigned> best;
    for (unsigned i = 0; i <= s; ++i) {
      const std::uint64_t units = flitscope::afsahi::digit_exchange_time(n, k, row.d, i);
      cases.add(units >= row.te3, fmt::format("{}, TE3, i = {}", name_of(size), i),
                fmt::format("{} units, less than the best printed", units));
      if (units == row.te3) best.push_back(i);
    }
    cases.add(best == row.best, name_of(size), "other i are the best");
  }
  return judge(cases,
               fmt::format("N = {}, k = {}, d = {}..{}; {}; other i by the closed form", n, k, rows.front().d,
                           rows.back().d,
                           extent == Extent::quick
                               ? "d's first value by the schedule checker, the others by the closed form"
                               : "all cells on flits"),
               fmt::format("{} of {} comparisons as printed", cases.tried() - cases.failed(), cases.tried()));
}

const std::array<BroadcastRow, 4> kTable1{
    {{99, 10, 7, 5, 5}, {1393, 14, 11, 8, 7}, {114'243, 22, 17, 13, 11}, {1'607'520, 28, 21, 16, 14}}};
const std::array<BroadcastRow, 4> kTable2{
    {{85, 12, 6, 3, 3}, {1369, 20, 9, 5, 5}, {88'633, 32, 12, 8, 8}, {1'429'100, 36, 14, 10, 9}}};
const std::array<BroadcastRow, 3> kTable3{
    {{69, 28, std::nullopt, 12, 7}, {1252, 44, std::nullopt, 21, 11}, {82'629, 68, std::nullopt, 34, 17}}};
const std::array<ExchangeRow, 4> kTable4{{{2, 3069, 5140, 2558, {1, 2}},
                                          {3, 4092, 5150, 2815, {2}},
                                          {4, 5115, 5160, 3072, {2, 3}},
                                          {5, 6138, 5170, 3202, {3}}}};
const std::array<ExchangeRow, 4> kTable5{{{1, 728, 1464, 728, {0, 1}},
                                          {2, 1092, 1470, 850, {1}},
                                          {3, 1456, 1476, 972, {1, 2}},
                                          {4, 1820, 1482, 1014, {2}}}};

}  // namespace

Finding table_1(Extent extent) {
  return broadcast_table(extent, 2, 1, kTable1);
}
Finding table_2(Extent extent) {
  return broadcast_table(extent, 4, 3, kTable2);
}
Finding table_3(Extent extent) {
  return broadcast_table(extent, 1, 3, kTable3);
}
Finding table_4(Extent extent) {
  return exchange_table(extent, 1024, 1, kTable4);
}
Finding table_5(Extent extent) {
  return exchange_table(extent, 729, 2, kTable5);
}

std::vector<std::vector<std::string>> broadcast_times(Extent extent) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::uint64_t k, std::uint64_t d, std::span<const BroadcastRow> table) {
    for (const BroadcastRow& row : table) {
      const Size size{row.nodes, k, d};
      const std::uint64_t b4 = broadcast_time(extent, size, "afsahi-b4");
      rows.push_back({std::to_string(k), std::to_string(d), std::to_string(row.nodes),
                      std::to_string(broadcast_time(extent, size, "afsahi-b2")),
                      std::to_string(broadcast_time(extent, size, "afsahi-b3")), std::to_string(b4),
                      std::to_string(b4 + d), std::to_string(ceil_log(k + 1, row.nodes))});
    }
  };
  add(2, 1, kTable1);
  add(4, 3, kTable2);
  add(1, 3, kTable3);
  return rows;
}

std::vector<std::vector<std::string>> exchange_times(Extent) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::uint64_t n, std::uint64_t k, std::span<const ExchangeRow> table) {
    for (const ExchangeRow& row : table) {
      rows.push_back({std::to_string(n), std::to_string(k), std::to_string(row.d)});
      for (unsigned i = 0; i <= 10; ++i) {
        const bool possible = i <= ceil_log(k + 1, n);
        rows.back().push_back(
            possible ? std::to_string(flitscope::afsahi::digit_exchange_time(n, k, row.d, i)) : "");
      }
    }
  };
  add(1024, 1, kTable4);
  add(729, 2, kTable5);
  return rows;
}

}  // namespace flitscope::claims::afsahi
