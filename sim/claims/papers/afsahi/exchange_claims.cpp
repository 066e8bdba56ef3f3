// Sections 4 to 7: scatter, gossip, total exchange, and networks whose size is no power.
#include <algorithm>

#include "sim/claims/papers/afsahi/cases.h"

namespace flitscope::claims::afsahi {

namespace {

using flitscope::afsahi::digit_exchange_time;
using flitscope::afsahi::offset_exchange_time;

constexpr auto kExchange = "combined-total-exchange";

/// "Little loss" for dummy nodes: at most so many per cent more time.
constexpr std::uint64_t kLittleLoss = 10;

Sizes<Size> any_size(Extent extent) {
  return sizes(extent == Extent::quick ? 30 : 130);
}
Sizes<Size> one_port(Extent extent) {
  return sizes(extent == Extent::quick ? 30 : 130, 1);
}
std::uint64_t most_power(Extent extent) {
  return extent == Extent::quick ? 32 : 128;
}
Sizes<Size> any_power(Extent extent) {
  return power_sizes(most_power(extent));
}
Sizes<Size> one_port_powers(Extent extent) {
  return power_sizes(most_power(extent), 1, 1);
}
Sizes<Size> several_port_powers(Extent extent) {
  return power_sizes(most_power(extent), 2);
}

std::uint64_t direct_time(const Size& size) {
  return (size.d + 1) * ceil_div(size.nodes - 1, size.k);
}
/// Of whole (N-1)/k and log_{k+1} N, or both rounded up.
std::uint64_t combining_time(const Size& size) {
  return ceil_div(size.nodes - 1, size.k) + size.d * log_of(size);
}
std::uint64_t standard_exchange_time(const Size& size) {
  return (size.d + size.nodes / (size.k + 1)) * log_of(size);
}

/// The measurement of a claim of (d+1)(N-1)/k units, where (N-1)/k need not be whole; in the counterexample
/// it is a fraction.
Measure takes_direct_time(const std::string& algorithm, const std::string& parameters = "") {
  const auto test = [=](Trial& t, const Size& size) {
    const std::uint64_t time = checked_time(size, algorithm, parameters);
    const std::uint64_t k_fold = (size.d + 1) * (size.nodes - 1);
    t.printed.add(time * size.k == k_fold, size, "{} units, not {:.4g}", time, quotient(k_fold, size.k));
    t.repaired.equal(size, "units", direct_time(size), time);
  };
  return trying(any_size, test, "{tried} schedules legal, of the time rounded up", "(N-1)/k rounded up");
}

/// The time of TE3 for i steps, by digits or by offsets.
std::uint64_t exchange_time(const Size& size, unsigned i, const char* form = "digit") {
  return checked_time(size, kExchange, fmt::format("form: {}, i: {}", form, i));
}
std::uint64_t by_closed_form(const Size& size, unsigned i) {
  return digit_exchange_time(size.nodes, size.k, size.d, i);
}

/// The best of all i.
template <typename Time>
std::uint64_t best_exchange(const Size& size, const Time& time) {
  std::uint64_t best = time(size.nodes, size.k, size.d, 0U);
  for (unsigned i = 1; i <= log_of(size); ++i) best = std::min(best, time(size.nodes, size.k, size.d, i));
  return best;
}
std::uint64_t best_by_offsets(const Size& size) {
  return best_exchange(size, offset_exchange_time);
}

/// The network with dummy nodes up to a power of k+1.
Size padded(const Size& size) {
  return {power(size.k + 1, log_of(size)), size.k, size.d};
}

/// k = 1..16, d up to 40 or 400, and powers N up to 2^24.
Sizes<Size> many_powers(Extent extent) {
  const std::uint64_t last_d = extent == Extent::quick ? 40 : 400;
  Sizes<Size> all{{}, fmt::format("k = 1..16, N = (k+1)^s <= 2^24, d = 0..{}, by the closed forms", last_d)};
  for (std::uint64_t k = 1; k <= 16; ++k) {
    for (std::uint64_t n = k + 1; n <= 1U << 24; n *= k + 1) {
      for (std::uint64_t d = 0; d <= last_d; ++d) all.list.push_back({n, k, d});
    }
  }
  return all;
}

void scatter_hiding(Trial& t) {
  const auto plain = [](const Size& size) { return checked_time(size, "afsahi-scatter"); };
  const auto warm = [](const Size& size) { return checked_time(size, "afsahi-scatter-unequal"); };
  const auto cold = [](const Size& size) {
    return checked_time(size, "afsahi-scatter-unequal", "start: cold");
  };
  const std::uint64_t last = t.up_to(40, 130);
  for (const std::uint64_t d : {1, 2, 4, 16}) {
    for (std::uint64_t n = 2; n <= last; ++n) {
      const Size size{n, 1, d};
      t.printed.add(cold(size) >= plain(size), size,
                    "{} units by afsahi-scatter-unequal from a cold start, too, not {}", cold(size),
                    plain(size));
    }
  }
  const Size eight{8, 1, 4};
  const Size many{64, 1, 16};
  t.sizes = fmt::format("k = 1, N = 2..{}, d = 1, 2, 4, 16", last);
  t.measured = fmt::format(
      "unequal parts hide tuning: N = 8, d = 4: {} warm, {} cold against S2's {}; N = 64, d = 16: {} warm, "
      "{} cold against {}",
      warm(eight), cold(eight), plain(eight), warm(many), cold(many), plain(many));
}

void conjecture(Trial& t) {
  std::uint64_t better = 0;
  double largest_gain = 0;
  std::string where;
  for (const Size& size : t.over(many_powers)) {
    const std::uint64_t best = best_exchange(size, digit_exchange_time);
    const std::uint64_t lesser = std::min(direct_time(size), standard_exchange_time(size));
    t.printed.at_most(size, "units", lesser, best);
    if (best < lesser) ++better;
    if (const double gain = quotient(lesser, best); gain > largest_gain) {
      largest_gain = gain;
      where = name_of(size);
    }
  }
  t.measured = fmt::format("better than both in {} of {} networks, at best {:.2f} times as fast ({})", better,
                           t.printed.tried(), largest_gain, where);
}

void best_i(Trial& t, const Size& size) {
  const auto [n, k, d] = size;
  const auto s = static_cast<unsigned>(log_of(size));
  const std::uint64_t best = best_exchange(size, digit_exchange_time);
  t.printed.equal(size, "units", best, by_closed_form(size, std::min(s, d <= 1 ? 0U : ceil_log(k + 1, d))));
  const bool beats = best < by_closed_form(size, 0) && best < by_closed_form(size, s);
  t.printed.equal(size, "(1: better than both)", d > 1 && d * (k + 1) * (k + 1) < n, beats);
}

void dummy_nodes(Trial& t) {
  const auto compare = [&](const Size& size, const char* what, std::uint64_t (*time)(const Size&)) {
    const std::uint64_t with = time(padded(size));
    const std::uint64_t without = time(size);
    t.printed.add(100 * with <= (100 + kLittleLoss) * without, size,
                  "{} takes {} units with dummy nodes, {} without", what, with, without);
  };
  for (const Size& size : t.over(sizes(t.up_to(200, 2000)))) {
    compare(size, "scatter or gossip", combining_time);
    compare(size, "total exchange", best_by_offsets);
  }
  for (const Size& size : sizes(t.up_to(20, 60))) {
    t.repaired.equal(size, "units", combining_time(size), checked_time(size, "afsahi-gossip"));
    t.repaired.equal(size, "units", combining_time(size), checked_time(size, "afsahi-scatter"));
    t.repaired.equal(size, "units", best_by_offsets(size), checked_time(size, kExchange));
  }
  const Size example{65, 1, 4};
  t.repair = "the forms for any N: afsahi-scatter, gossip by shifts, exchange by offsets";
  t.measured = fmt::format(
      "{} sizes lose more than {} %; N = 65, k = 1, d = 4: gossip {} with dummies, {} without; total "
      "exchange {}, {}",
      t.printed.share_failed(), kLittleLoss, combining_time(padded(example)), combining_time(example),
      best_by_offsets(padded(example)), best_by_offsets(example));
}

/// A row of Tables IV and V, with the i printed beside TE3.
struct ExchangeRow {
  std::uint64_t d = 0;
  std::uint64_t te1 = 0;
  std::uint64_t te2 = 0;
  std::uint64_t te3 = 0;
  std::vector<unsigned> best;
};

struct ExchangeTable {
  std::uint64_t n = 2;
  std::uint64_t k = 1;
  std::vector<ExchangeRow> rows;
};

const ExchangeTable kTable4{1024,
                            1,
                            {{2, 3069, 5140, 2558, {1, 2}},
                             {3, 4092, 5150, 2815, {2}},
                             {4, 5115, 5160, 3072, {2, 3}},
                             {5, 6138, 5170, 3202, {3}}}};
const ExchangeTable kTable5{729,
                            2,
                            {{1, 728, 1464, 728, {0, 1}},
                             {2, 1092, 1470, 850, {1}},
                             {3, 1456, 1476, 972, {1, 2}},
                             {4, 1820, 1482, 1014, {2}}}};

/// The first row in a quick run by the schedule checker, others by the closed form; in a full run all on
/// flits.
void exchange_table(Trial& t, const ExchangeTable& table) {
  const auto& [n, k, rows] = table;
  for (const ExchangeRow& row : rows) {
    const Size size{n, k, row.d};
    const auto s = static_cast<unsigned>(log_of(size));
    const auto equal = [&](const std::string& name, std::uint64_t claimed, unsigned i) {
      const std::uint64_t units = t.extent == Extent::full
                                      ? static_cast<std::uint64_t>(time_on_flits(
                                            size, kExchange, fmt::format("form: digit, i: {}", i)))
                                  : &row == rows.data() ? exchange_time(size, i)
                                                        : by_closed_form(size, i);
      t.printed.equal(fmt::format("{}, {}", name_of(size), name), "units", claimed, units);
    };
    equal("TE1", row.te1, 0);
    equal("TE2", row.te2, s);
    for (const unsigned i : row.best) equal(fmt::format("TE3, i = {}", i), row.te3, i);
    std::vector<unsigned> best;
    for (unsigned i = 0; i <= s; ++i) {
      const std::uint64_t units = by_closed_form(size, i);
      t.printed.add(units >= row.te3, fmt::format("{}, TE3, i = {}", name_of(size), i),
                    "{} units, less than the best printed", units);
      if (units == row.te3) best.push_back(i);
    }
    t.printed.add(best == row.best, size, "other i are the best");
  }
  t.sizes = fmt::format(
      "N = {}, k = {}, d = {}..{}; {}; other i by the closed form", n, k, rows.front().d, rows.back().d,
      t.text("d's first value by the schedule checker, the others by the closed form", "all cells on flits"));
  t.measured = fmt::format("{} comparisons as printed", t.printed.share_held());
}

Rows exchange_times(Extent) {
  Rows rows;
  for (const auto& [n, k, table] : {kTable4, kTable5}) {
    for (const ExchangeRow& row : table) {
      const Size size{n, k, row.d};
      rows.push_back({std::to_string(n), std::to_string(k), std::to_string(row.d)});
      for (unsigned i = 0; i <= 10; ++i)
        rows.back().push_back(i <= log_of(size) ? std::to_string(by_closed_form(size, i)) : "");
    }
  }
  return rows;
}

}  // namespace

const Claims exchange_claims{
    {"s1-one-port", "Section 4, S1", "S1 takes (N-1)(d+1) with a single port.", "legal, equal",
     takes(one_port, direct_time, "afsahi-scatter-direct")},
    {"s1-time", "Section 4, S1", "S1 takes (d+1)(N-1)/k.", "legal, equal",
     takes_direct_time("afsahi-scatter-direct")},
    {"s2-one-port", "Section 4, S2", "S2 takes N-1 + d log_2 N with a single port.", "legal, equal",
     takes(one_port_powers, combining_time, "afsahi-scatter")},
    {"s2-time", "Section 4, S2", "S2 takes (N-1)/k + d log_{k+1} N.", "legal, equal",
     takes(several_port_powers, combining_time, "afsahi-scatter")},
    {"scatter-hiding", "Section 4", "Latency hiding does not improve the time of a scatter.",
     "afsahi-scatter-unequal from a cold start nowhere faster than S2", scatter_hiding},
    {"g1-time", "Section 5, G1", "G1 takes (d+1)(N-1)/k.", "legal, equal",
     takes_direct_time("afsahi-gossip-direct")},
    {"g2-time", "Section 5, G2", "G2 takes (N-1)/k + d log_{k+1} N, in groups of k+1 nodes.", "legal, equal",
     takes(several_port_powers, combining_time, "afsahi-gossip", "form: groups")},
    {"g2-one-port", "Section 5, G2", "G2 takes N-1 + d log_2 N with a single port.", "legal, equal",
     takes(one_port_powers, combining_time, "afsahi-gossip", "form: groups")},
    {"te1-one-port", "Section 6, TE1", "TE1 takes (N-1)(d+1) with a single port.", "legal, equal",
     takes(one_port, direct_time, kExchange, "i: 0")},
    {"te1-time", "Section 6, TE1", "TE1 takes (d+1)(N-1)/k.", "legal, equal",
     takes_direct_time(kExchange, "i: 0")},
    {"te2-time", "Section 6, TE2", "TE2 takes (d + N/(k+1)) log_{k+1} N.", "legal, equal",
     takes(any_power, standard_exchange_time, kExchange, "form: digit, i: {}")},
    {"te3-time", "Section 6, TE3", "TE3 takes i(d + N/(k+1)) + (N/(k+1)^i - 1)(d + (k+1)^i)/k.",
     "legal, equal", any_power,
     [](Trial& t, const Size& size) {
       for (unsigned i = 0; i <= log_of(size); ++i) {
         for (const char* const form : {"digit", "offset"}) {
           t.printed.equal(fmt::format("{}, i = {}, form {}", name_of(size), i, form), "units",
                           by_closed_form(size, i), exchange_time(size, i, form));
         }
       }
     },
     "{tried} schedules legal, of exactly that time", "", ", every i, by digits and by offsets"},
    {"te3-example", "Section 6, Figure 4", "For N = 8, k = 1, i = 1 that is 4d + 10.", "equal",
     [](Trial& t) {
       for (std::uint64_t d = 0; d <= 10; ++d) {
         t.printed.equal(Size{8, 1, d}, "units on flits", static_cast<double>(4 * d + 10),
                         time_on_flits({8, 1, d}, kExchange, "form: digit, i: 1"));
       }
       t.sizes = "d = 0..10, on flits";
       t.measured = fmt::format("equal for {} d", t.printed.share_held());
     }},
    {"te3-ends", "Section 6", "TE3 is TE1 for i = 0, and TE2 for i = log_{k+1} N.", "legal, equal", any_power,
     [](Trial& t, const Size& size) {
       const auto s = static_cast<unsigned>(log_of(size));
       t.printed.equal(name_of(size) + ", i = 0", "units", direct_time(size), exchange_time(size, 0));
       t.printed.equal(fmt::format("{}, i = {}", name_of(size), s), "units", standard_exchange_time(size),
                       exchange_time(size, s));
     },
     "legal, with the times of TE1 and TE2"},
    {"conjecture", "Section 6, conjecture", "For some i, TE3 takes no longer than TE1 and than TE2.",
     "the best i at most the lesser of TE1 and TE2", conjecture},
    {"best-i", "not in the paper",
     "The best i is the least with (k+1)^i >= d, at most log_{k+1} N; TE3 beats both TE1 and TE2 if and only "
     "if 1 < d < N/(k+1)^2.",
     "equal time; better than both exactly there",
     trying(many_powers, best_i, "as claimed in {held} comparisons"), Origin::ours},
    {"table-4", "Table IV", "Total exchange times for N = 1024, k = 1.",
     "every cell equal; no other i as good", [](Trial& t) { exchange_table(t, kTable4); }},
    {"table-5", "Table V", "Total exchange times for N = 729, k = 2.", "every cell equal; no other i as good",
     [](Trial& t) { exchange_table(t, kTable5); }},
    {"dummy-nodes", "Section 7", "Other numbers of nodes are filled up with dummy nodes at little loss.",
     fmt::format("at most {} % more time", kLittleLoss), dummy_nodes},
    {"conjecture-with-dummy-nodes", "Sections 6 and 7",
     "With dummy nodes, too, TE3 takes no longer than TE1 for some i.", "the best i at most TE1",
     [](const Trial& t) { return sizes(t.up_to(200, 2000)); },
     [](Trial& t, const Size& size) {
       t.printed.at_most(size, "units", direct_time(size), best_by_offsets(padded(size)));
       t.repaired.at_most(size, "units", direct_time(size), best_by_offsets(size));
     },
     "with dummy nodes {failed} sizes take longer than TE1 for every i",
     "by offsets, without dummy nodes, i = 0 is TE1 itself"},
};

const Figures exchange_figures{
    {"exchange-times",
     "Tables IV and V for every i: units of t_m of TE3 by the closed form.",
     {"N", "k", "d", "i = 0 (TE1)", "1", "2", "3", "4", "5", "6 (TE2 of N = 729)", "7", "8", "9",
      "10 (TE2 of N = 1024)"},
     exchange_times},
};

}  // namespace flitscope::claims::afsahi
