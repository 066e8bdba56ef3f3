// The Slim Fly: McKay-Miller-Siran graphs, in which any two routers are two links apart at most.
#include <array>

#include "networks/grid.h"
#include "networks/network_family.h"

namespace flitscope::slim_fly {
namespace {

/// The field of q = p^m elements. Element e has the digits of e in base p as coefficients of a polynomial.
class Field {
 public:
  Field(std::uint32_t p, std::uint32_t m) : p_(p) {
    for (std::uint32_t i = 0; i < m; ++i) q_ *= p;
    // A monic polynomial of degree m modulo which some element has the order q-1: a field.
    for (lower_ = 0; lower_ < q_; ++lower_) {
      for (std::uint32_t element = 1; element < q_; ++element) {
        if (find_powers(element)) return;
      }
    }
  }

  /// e^0 .. e^(q-2) of a primitive element e.
  [[nodiscard]] const std::vector<std::uint32_t>& powers() const { return powers_; }
  [[nodiscard]] std::uint32_t plus(std::uint32_t a, std::uint32_t b) const {
    std::uint32_t sum = 0;
    for (std::uint32_t weight = 1; weight < q_; weight *= p_) {
      sum += (a / weight + b / weight) % p_ * weight;
    }
    return sum;
  }
  [[nodiscard]] std::uint32_t times(std::uint32_t a, std::uint32_t b) const {
    std::uint32_t product = 0;
    for (std::uint32_t weight = q_ / p_; weight > 0; weight /= p_) {
      product = times_x(product);
      for (std::uint32_t i = 0; i < a / weight % p_; ++i) product = plus(product, b);
    }
    return product;
  }

 private:
  /// Times the polynomial x; x^m = - the lower coefficients.
  [[nodiscard]] std::uint32_t times_x(std::uint32_t a) const {
    const std::uint32_t highest = a / (q_ / p_);
    std::uint32_t product = a % (q_ / p_) * p_;
    for (std::uint32_t i = 0; i < (p_ - highest) % p_; ++i) product = plus(product, lower_);
    return product;
  }
  bool find_powers(std::uint32_t element) {
    powers_.assign(1, 1);
    std::uint32_t power = element;
    while (power > 1 && powers_.size() < q_ - 1) {
      powers_.push_back(power);
      power = times(power, element);
    }
    return power == 1 && powers_.size() == q_ - 1;
  }

  std::uint32_t p_;
  std::uint32_t q_ = 1;
  std::uint32_t lower_ = 0;
  std::vector<std::uint32_t> powers_;
};

/// p and m of q = p^m; nothing if q is no power of a prime.
std::optional<std::pair<std::uint32_t, std::uint32_t>> prime_power(std::uint32_t q) {
  std::uint32_t p = 2;
  while (q % p != 0) ++p;
  std::uint32_t m = 0;
  while (q % p == 0) {
    q /= p;
    ++m;
  }
  return q == 1 ? std::optional(std::pair(p, m)) : std::nullopt;
}

/// Links within a row: positions apart by an element of the generator set of the row's half are linked.
std::array<std::vector<std::uint32_t>, 2> generators(const Field& field, std::uint32_t q) {
  const std::vector<std::uint32_t>& powers = field.powers();
  std::array<std::vector<std::uint32_t>, 2> sets;
  // Even and odd powers; with q = 4w - 1, where -1 is an odd one, so of the first half, and the others of the
  // second. Each set has -a for every a.
  const std::uint32_t w = (q + 1) / 4;
  for (std::uint32_t i = 0; i + 1 < q; ++i) {
    if (q % 4 != 3) {
      sets[i % 2].push_back(powers[i]);
      continue;
    }
    const bool upper = i >= 2 * w - 1;
    sets[(i % 2 == 0) != upper ? 0 : 1].push_back(powers[i]);
  }
  if (q % 4 != 1) sets[1].push_back(powers[0]);
  if (q % 4 == 3) sets[1].push_back(powers[2 * w - 1]);
  return sets;
}

/// Drawing: rows, as a group each, on a circle.
GraphPlan slim_fly(const Field& field, std::uint32_t q, std::uint32_t concentration) {
  GraphPlan plan{.name = fmt::format("Slim Fly of {} routers and {} nodes", 2 * q * q,
                                     std::uint64_t{2} * q * q * concentration)};
  const CircleOfGroups circle{2 * q, q};
  // Number, half, row and place of all routers.
  const auto for_each_router = [&](auto visit) {
    for (std::uint32_t number = 0; number < 2 * q * q; ++number) {
      visit(number, number / q / q, number / q % q, number % q);
    }
  };
  for_each_router([&](auto, std::uint32_t half, std::uint32_t x, std::uint32_t y) {
    plan.add_router({fmt::format("r{}.{}.{}", half, x, y),
                     false,
                     circle.at(2 * x + half, y, 0),
                     {half, x, y},
                     half * q + x});
  });
  const auto sets = generators(field, q);
  for_each_router([&](std::uint32_t number, std::uint32_t half, auto, std::uint32_t y) {
    for (const std::uint32_t apart : sets[half]) {
      const std::uint32_t other = field.plus(y, apart);
      if (y < other) plan.join(number, number - y + other, {.kind = "row"});
    }
  });
  for (std::uint32_t x = 0; x < q; ++x) {
    for (std::uint32_t m = 0; m < q; ++m) {
      for (std::uint32_t c = 0; c < q; ++c) {
        plan.join(x * q + field.plus(field.times(m, x), c), (q + m) * q + c, {.kind = "global"});
      }
    }
  }
  for_each_router([&](std::uint32_t number, std::uint32_t half, std::uint32_t x, std::uint32_t y) {
    circle.attach(plan, number, 2 * x + half, y, concentration);
  });
  return plan;
}

GraphPlan make(const ParameterValues& values) {
  const auto q = static_cast<std::uint32_t>(values.integer("q"));
  const auto concentration = static_cast<std::uint32_t>(values.integer("concentration"));
  const auto field = prime_power(q);
  refuse_if(
      !field || q % 4 == 2, "topology.q",
      "topology.q must be a power of a prime that is 4w-1, 4w or 4w+1, such as 5, 7, 8, 9, 11 or 13, not {}",
      q);
  const std::uint32_t row = q % 4 == 3 ? (q + 1) / 2 : q / 2;
  require_links("topology.concentration", std::uint64_t{q} + row + concentration);
  require_routers("topology.q", std::uint64_t{2} * q * q * (1 + concentration));
  return slim_fly(Field(field->first, field->second), q, concentration);
}

const FamilyRegistry::Entry entry{{
    .name = "slim-fly",
    .summary = "McKay-Miller-Siran graph of 2 q^2 routers, any two of which are at most two links apart; a "
               "router has q links to the other half and about q/2 in its row",
    .source = "M. Besta, T. Hoefler: Slim Fly: a cost effective low-diameter network topology, 2014; P. "
              "Hafner: Geometric realisation of the graphs of McKay-Miller-Siran, 2004",
    .coordinates = "half (0 or 1), row, place in the row, and of a node its place at the router",
    .parameters = {Parameter::integer("q", "routers of a row: a power of a prime, 4w-1, 4w or 4w+1", {3, 169},
                                      "routers"),
                   concentration_parameter("1")},
    .routing = "positive-hop",
    .make = make,
}};

}  // namespace
}  // namespace flitscope::slim_fly
