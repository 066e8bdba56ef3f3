// Sections 4 to 7: scatter, gossip, total exchange, and networks whose size is no power.
#include <algorithm>

#include "algorithms/afsahi/closed_forms.h"
#include "sim/claims/papers/afsahi/cases.h"

namespace flitscope::claims::afsahi {

namespace {

using flitscope::afsahi::ceil_div;
using flitscope::afsahi::digit_exchange_time;
using flitscope::afsahi::offset_exchange_time;
using flitscope::afsahi::power;

std::uint64_t last_exchanged(Extent extent) {
  return extent == Extent::quick ? 30 : 130;
}

std::uint64_t most_power(Extent extent) {
  return extent == Extent::quick ? 32 : 128;
}

std::string powers_text(std::uint64_t most, const char* ports) {
  return fmt::format("k = {}, N = (k+1)^s <= {}, d = 0, 1, 3, 10", ports, most);
}

/// Of `times` (N-1)/k, which need not be whole; in the counterexample as a fraction.
Finding direct_time(Extent extent, const std::string& algorithm, const std::string& parameters = "") {
  Cases printed, repaired;
  for (const Size& size : sizes(last_exchanged(extent))) {
    const std::uint64_t time = checked_time(size, algorithm, parameters);
    const std::uint64_t k_fold = (size.d + 1) * (size.nodes - 1);
    printed.add(
        time * size.k == k_fold, name_of(size),
        fmt::format("{} units, not {:.4g}", time, static_cast<double>(k_fold) / static_cast<double>(size.k)));
    repaired.equal(name_of(size), "units", (size.d + 1) * ceil_div(size.nodes - 1, size.k), time);
  }
  return judge(printed, repaired, "(N-1)/k rounded up",
               fmt::format("N = 2..{}, k = 1..4, d = 0, 1, 3, 10", last_exchanged(extent)),
               fmt::format("{} schedules legal, of the time rounded up", repaired.tried()));
}

Finding one_port_direct_time(Extent extent, const std::string& algorithm,
                             const std::string& parameters = "") {
  Cases cases;
  for (const Size& size : sizes(last_exchanged(extent))) {
    if (size.k > 1) continue;
    cases.equal(name_of(size), "units", (size.d + 1) * (size.nodes - 1),
                checked_time(size, algorithm, parameters));
  }
  return judge(cases, fmt::format("N = 2..{}, k = 1, d = 0, 1, 3, 10", last_exchanged(extent)),
               fmt::format("{} schedules legal, of exactly that time", cases.tried()));
}

/// A time for powers of k+1: by `formula` of a size and s = log_{k+1} N.
template <typename Formula>
Finding power_time(Extent extent, bool one_port, const std::string& algorithm, const std::string& parameters,
                   Formula formula) {
  Cases cases;
  for (const Size& size : power_sizes(most_power(extent))) {
    if (one_port != (size.k == 1)) continue;
    cases.equal(name_of(size), "units", formula(size, std::uint64_t{ceil_log(size.k + 1, size.nodes)}),
                checked_time(size, algorithm, parameters));
  }
  return judge(cases, powers_text(most_power(extent), one_port ? "1" : "2..4"),
               fmt::format("{} schedules legal, of exactly that time", cases.tried()));
}

std::uint64_t combining_time(const Size& size, std::uint64_t s) {
  return (size.nodes - 1) / size.k + size.d * s;
}

/// The best of all i, by offsets.
std::uint64_t best_exchange(std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  std::uint64_t best = offset_exchange_time(n, k, d, 0);
  for (unsigned i = 1; i <= ceil_log(k + 1, n); ++i) best = std::min(best, offset_exchange_time(n, k, d, i));
  return best;
}

std::uint64_t combined_time(std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  return d * ceil_log(k + 1, n) + ceil_div(n - 1, k);
}

}  // namespace

Finding message_time(Extent) {
  Cases printed, repaired;
  std::string seen;
  for (const std::uint64_t units_of_data : {1, 2, 8, 32}) {
    // The first message of a scatter to 2M nodes carries M chunks, and no later one more.
    const Size size{2 * units_of_data, 1, 3};
    for (const std::uint64_t startup : {0, 7}) {
      const double units = longest_message(size, "afsahi-scatter", startup);
      const std::string name =
          fmt::format("M = {}, t_s = {} cycles, l tau = 1 cycle", units_of_data, startup);
      printed.equal(name, "units", static_cast<double>(units_of_data), units);
      if (startup == 0) repaired.equal(name, "units", static_cast<double>(units_of_data), units);
      repaired.at_most(name, "units", static_cast<double>(units_of_data), units);
      if (units_of_data == 32)
        seen += fmt::format("{}{} units with t_s = {}", seen.empty() ? "M = 32: " : ", ", units, startup);
    }
  }
  return judge(printed, repaired,
               "exact for t_s = 0, else an upper bound: a message is prepared once, not M times",
               "messages of afsahi-scatter on flits, M = 1, 2, 8, 32, over circuits that are there", seen);
}

Finding s1_one_port(Extent extent) {
  return one_port_direct_time(extent, "afsahi-scatter-direct");
}
Finding s1_time(Extent extent) {
  return direct_time(extent, "afsahi-scatter-direct");
}
Finding s2_one_port(Extent extent) {
  return power_time(extent, true, "afsahi-scatter", "", combining_time);
}
Finding s2_time(Extent extent) {
  return power_time(extent, false, "afsahi-scatter", "", combining_time);
}
Finding g1_time(Extent extent) {
  return direct_time(extent, "afsahi-gossip-direct");
}
Finding g2_one_port(Extent extent) {
  return power_time(extent, true, "afsahi-gossip", "form: groups", combining_time);
}
Finding g2_time(Extent extent) {
  return power_time(extent, false, "afsahi-gossip", "form: groups", combining_time);
}
Finding te1_one_port(Extent extent) {
  return one_port_direct_time(extent, "combined-total-exchange", "i: 0");
}
Finding te1_time(Extent extent) {
  return direct_time(extent, "combined-total-exchange", "i: 0");
}

Finding scatter_hiding(Extent extent) {
  Cases cases;
  const std::uint64_t last = extent == Extent::quick ? 40 : 130;
  for (const std::uint64_t d : {1, 2, 4, 16}) {
    for (std::uint64_t n = 2; n <= last; ++n) {
      const Size size{n, 1, d};
      const std::uint64_t equal = checked_time(size, "afsahi-scatter");
      const std::uint64_t unequal = checked_time(size, "afsahi-scatter-unequal", "start: cold");
      cases.add(
          unequal >= equal, name_of(size),
          fmt::format("{} units by afsahi-scatter-unequal from a cold start, too, not {}", unequal, equal));
    }
  }
  const Size eight{8, 1, 4};
  const Size many{64, 1, 16};
  return judge(
      cases, fmt::format("k = 1, N = 2..{}, d = 1, 2, 4, 16", last),
      fmt::format("unequal parts hide tuning: N = 8, d = 4: {} warm, {} cold against S2's {}; N = 64, d = "
                  "16: {} warm, {} cold against {}",
                  checked_time(eight, "afsahi-scatter-unequal"),
                  checked_time(eight, "afsahi-scatter-unequal", "start: cold"),
                  checked_time(eight, "afsahi-scatter"), checked_time(many, "afsahi-scatter-unequal"),
                  checked_time(many, "afsahi-scatter-unequal", "start: cold"),
                  checked_time(many, "afsahi-scatter")));
}

Finding te2_time(Extent extent) {
  Cases cases;
  for (const Size& size : power_sizes(most_power(extent))) {
    const std::uint64_t s = ceil_log(size.k + 1, size.nodes);
    cases.equal(name_of(size), "units", (size.d + size.nodes / (size.k + 1)) * s,
                checked_time(size, "combined-total-exchange", fmt::format("form: digit, i: {}", s)));
  }
  return judge(cases, powers_text(most_power(extent), "1..4"),
               fmt::format("{} schedules legal, of exactly that time", cases.tried()));
}

Finding te3_time(Extent extent) {
  Cases cases;
  for (const Size& size : power_sizes(most_power(extent))) {
    for (unsigned i = 0; i <= ceil_log(size.k + 1, size.nodes); ++i) {
      for (const char* const form : {"digit", "offset"}) {
        cases.equal(fmt::format("{}, i = {}, form {}", name_of(size), i, form), "units",
                    digit_exchange_time(size.nodes, size.k, size.d, i),
                    checked_time(size, "combined-total-exchange", fmt::format("form: {}, i: {}", form, i)));
      }
    }
  }
  return judge(cases, powers_text(most_power(extent), "1..4") + ", every i, by digits and by offsets",
               fmt::format("{} schedules legal, of exactly that time", cases.tried()));
}

Finding te3_example(Extent) {
  Cases cases;
  for (std::uint64_t d = 0; d <= 10; ++d) {
    const Size size{8, 1, d};
    cases.equal(name_of(size), "units on flits", static_cast<double>(4 * d + 10),
                time_on_flits(size, "combined-total-exchange", "form: digit, i: 1"));
  }
  return judge(cases, "d = 0..10, on flits",
               fmt::format("equal for {} of {} d", cases.tried() - cases.failed(), cases.tried()));
}

Finding te3_ends(Extent extent) {
  Cases cases;
  for (const Size& size : power_sizes(most_power(extent))) {
    const unsigned s = ceil_log(size.k + 1, size.nodes);
    cases.equal(name_of(size) + ", i = 0", "units", (size.d + 1) * ((size.nodes - 1) / size.k),
                checked_time(size, "combined-total-exchange", "form: digit, i: 0"));
    cases.equal(fmt::format("{}, i = {}", name_of(size), s), "units",
                (size.d + size.nodes / (size.k + 1)) * s,
                checked_time(size, "combined-total-exchange", fmt::format("form: digit, i: {}", s)));
  }
  return judge(cases, powers_text(most_power(extent), "1..4"), "legal, with the times of TE1 and TE2");
}

Finding conjecture(Extent extent) {
  Cases cases;
  std::uint64_t better = 0;
  double largest_gain = 0;
  std::string where;
  const std::uint64_t last_d = extent == Extent::quick ? 40 : 400;
  for (std::uint64_t k = 1; k <= 16; ++k) {
    for (unsigned s = 1; power(k + 1, s) <= 1U << 24; ++s) {
      const std::uint64_t n = power(k + 1, s);
      for (std::uint64_t d = 0; d <= last_d; ++d) {
        std::uint64_t best = digit_exchange_time(n, k, d, 0);
        for (unsigned i = 1; i <= s; ++i) best = std::min(best, digit_exchange_time(n, k, d, i));
        const std::uint64_t direct = (d + 1) * ((n - 1) / k);
        const std::uint64_t standard = (d + n / (k + 1)) * s;
        const std::uint64_t lesser = std::min(direct, standard);
        const Size size{n, k, d};
        cases.at_most(name_of(size), "units", lesser, best);
        if (best < lesser) ++better;
        const double gain = static_cast<double>(lesser) / static_cast<double>(best);
        if (gain > largest_gain) {
          largest_gain = gain;
          where = name_of(size);
        }
      }
    }
  }
  return judge(cases, fmt::format("k = 1..16, N = (k+1)^s <= 2^24, d = 0..{}, by the closed forms", last_d),
               fmt::format("better than both in {} of {} networks, at best {:.2f} times as fast ({})", better,
                           cases.tried(), largest_gain, where));
}

Finding best_i(Extent extent) {
  Cases cases;
  const std::uint64_t last_d = extent == Extent::quick ? 40 : 400;
  for (std::uint64_t k = 1; k <= 16; ++k) {
    for (unsigned s = 1; power(k + 1, s) <= 1U << 24; ++s) {
      const std::uint64_t n = power(k + 1, s);
      for (std::uint64_t d = 0; d <= last_d; ++d) {
        const unsigned guess = std::min(s, d <= 1 ? 0U : ceil_log(k + 1, d));
        std::uint64_t best = digit_exchange_time(n, k, d, 0);
        for (unsigned i = 1; i <= s; ++i) best = std::min(best, digit_exchange_time(n, k, d, i));
        const Size size{n, k, d};
        cases.equal(name_of(size), "units", best, digit_exchange_time(n, k, d, guess));
        const bool beats = best < digit_exchange_time(n, k, d, 0) && best < digit_exchange_time(n, k, d, s);
        cases.equal(name_of(size), "(1: better than both)", d > 1 && d * (k + 1) * (k + 1) < n, beats);
      }
    }
  }
  return judge(
      cases, fmt::format("k = 1..16, N = (k+1)^s <= 2^24, d = 0..{}, by the closed forms", last_d),
      fmt::format("as claimed in {} of {} comparisons", cases.tried() - cases.failed(), cases.tried()));
}

Finding dummy_nodes(Extent extent) {
  Cases printed, repaired;
  const auto compare = [&](const Size& size, const char* what, std::uint64_t padded, std::uint64_t ours) {
    printed.add(100 * padded <= (100 + kLittleLoss) * ours, name_of(size),
                fmt::format("{} takes {} units with dummy nodes, {} without", what, padded, ours));
  };
  const std::uint64_t last = extent == Extent::quick ? 200 : 2000;
  for (const Size& size : sizes(last)) {
    const auto [n, k, d] = size;
    const std::uint64_t padded = power(k + 1, ceil_log(k + 1, n));
    compare(size, "scatter or gossip", combined_time(padded, k, d), combined_time(n, k, d));
    compare(size, "total exchange", best_exchange(padded, k, d), best_exchange(n, k, d));
  }
  for (const Size& size : sizes(extent == Extent::quick ? 20 : 60)) {
    const auto [n, k, d] = size;
    repaired.equal(name_of(size), "units", combined_time(n, k, d), checked_time(size, "afsahi-gossip"));
    repaired.equal(name_of(size), "units", combined_time(n, k, d), checked_time(size, "afsahi-scatter"));
    repaired.equal(name_of(size), "units", best_exchange(n, k, d),
                   checked_time(size, "combined-total-exchange"));
  }
  return judge(printed, repaired,
               "the forms for any N: afsahi-scatter, gossip by shifts, exchange by offsets",
               fmt::format("N = 2..{}, k = 1..4, d = 0, 1, 3, 10", last),
               fmt::format("{} of {} sizes lose more than {} %; N = 65, k = 1, d = 4: gossip {} with "
                           "dummies, {} without; total exchange {}, {}",
                           printed.failed(), printed.tried(), kLittleLoss, combined_time(128, 1, 4),
                           combined_time(65, 1, 4), best_exchange(128, 1, 4), best_exchange(65, 1, 4)));
}

Finding conjecture_with_dummy_nodes(Extent extent) {
  Cases printed, repaired;
  for (const Size& size : sizes(extent == Extent::quick ? 200 : 2000)) {
    const auto [n, k, d] = size;
    const std::uint64_t direct = (d + 1) * ceil_div(n - 1, k);
    printed.at_most(name_of(size), "units", direct, best_exchange(power(k + 1, ceil_log(k + 1, n)), k, d));
    repaired.at_most(name_of(size), "units", direct, best_exchange(n, k, d));
  }
  return judge(printed, repaired, "by offsets, without dummy nodes, i = 0 is TE1 itself",
               fmt::format("N = 2..{}, k = 1..4, d = 0, 1, 3, 10", extent == Extent::quick ? 200 : 2000),
               fmt::format("with dummy nodes {} of {} sizes take longer than TE1 for every i",
                           printed.failed(), printed.tried()));
}

}  // namespace flitscope::claims::afsahi
