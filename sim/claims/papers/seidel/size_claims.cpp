// Section 5 of Seidel's paper: sides that are no powers of two.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "algorithms/seidel/plan.h"
#include "sim/analysis/schedule_checker.h"
#include "sim/claims/papers/seidel/cases.h"
#include "sim/run/workload.h"

namespace flitscope::claims::seidel {

namespace {

using flitscope::seidel::bits_down;
using flitscope::seidel::Holders;
using flitscope::seidel::Numbering;
using flitscope::seidel::Plan;
using flitscope::seidel::Setting;

unsigned floor_log(std::uint32_t n) {
  return static_cast<unsigned>(std::bit_width(n)) - 1;
}
unsigned ceil_log(std::uint32_t n) {
  return static_cast<unsigned>(std::bit_width(n - 1));
}

Shape padded(const Coordinates& sides) {
  return {sides.size() == 2 ? ceil_log(sides[1]) : 0, ceil_log(sides[0]), 0};
}
Shape full_sized(const Coordinates& sides, unsigned nu) {
  return {sides.size() == 2 ? floor_log(sides[1]) : 0, floor_log(sides[0]), nu};
}

/// "11", "3 x 5": rows before columns.
std::string name_of(const Coordinates& sides) {
  return sides.size() == 1 ? fmt::format("n = {}", sides[0]) : fmt::format("{} x {}", sides[1], sides[0]);
}

std::vector<Coordinates> lines(Extent extent) {
  std::vector<Coordinates> list;
  for (std::uint32_t n = 2; n <= (extent == Extent::quick ? 33U : 64U); ++n) list.push_back({n});
  return list;
}

std::vector<Coordinates> rectangles(Extent extent) {
  std::vector<Coordinates> list;
  const std::uint32_t most = extent == Extent::quick ? 9 : 17;
  for (std::uint32_t rows = 2; rows <= most; ++rows) {
    for (std::uint32_t columns = 2; columns <= most; ++columns) list.push_back({columns, rows});
  }
  std::ranges::stable_sort(list, {}, [](const Coordinates& sides) { return sides[0] * sides[1]; });
  return list;
}

std::string sizes_of(Extent extent, bool linear) {
  if (linear) return fmt::format("n = 2..{}", extent == Extent::quick ? 33 : 64);
  return fmt::format("2 x 2 .. {0} x {0}", extent == Extent::quick ? 9 : 17);
}

std::unique_ptr<Schedule> resized(const std::string& algorithm, const Coordinates& sides,
                                  const std::string& how) {
  return make_schedule(experiment(fmt::format("{{kind: mesh, shape: [{}]}}", fmt::join(sides, ", ")),
                                  fmt::format("{{algorithm: {}, message: 1MiB, {}}}", algorithm, how)));
}

Finding virtual_nodes(Extent extent, const std::vector<std::string>& algorithms, bool linear) {
  Cases cases;
  for (const Coordinates& sides : linear ? lines(extent) : rectangles(extent)) {
    for (const std::string& algorithm : algorithms) {
      const std::string size = fmt::format("{} on {}", formula(algorithm).label, name_of(sides));
      const std::string wrong = objection(*resized(algorithm, sides, "resize: virtual"));
      cases.add(wrong.empty(), size, wrong);
      cases.equal(size, "in fact", text_of(formula(algorithm).right(padded(sides))),
                  text_of(step_cost(*resized(algorithm, sides, "resize: virtual"), 0)));
    }
  }
  return judge(cases, sizes_of(extent, linear), "legal, at the cost of the padded array or mesh, exactly");
}

Plan rh(const Setting& setting) {
  const auto bits = bits_down(setting.columns(), 0, setting.columns().bits);
  Plan plan;
  Holders holders = setting.start(Numbering(bits));
  flitscope::seidel::distribute(plan, holders, bits);
  flitscope::seidel::dimensional_exchange(plan, holders, bits);
  return plan;
}

Finding rh_with_virtual_nodes(Extent) {
  Cases cases;
  const auto schedule = with_virtual_nodes({5}, rh);
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  unsigned number = 0;
  for (Step step; schedule->next(step);) {
    if (++number != 4) continue;
    for (const Message& message : step.messages()) {
      sent += message.source == 4 ? 1 : 0;
      received += message.destination == 4 ? 1 : 0;
    }
  }
  cases.equal("n = 5, step 4", "messages sent by node 4", 4, sent);
  cases.equal("n = 5, step 4", "messages received by node 4", 4, received);
  return judge(cases, "n = 5", "node 4 sends 4 messages and receives 4 in step 4");
}

Finding corner(Extent extent) {
  Cases printed, repaired;
  for (const Coordinates& sides : rectangles(extent)) {
    if (std::has_single_bit(sides[0]) || std::has_single_bit(sides[1])) continue;
    const Topology topology(TopologyKind::mesh, sides);
    const flitscope::seidel::Placement placement(flitscope::seidel::Resize::virtual_nodes,
                                                 flitscope::seidel::Tail::st, topology, 0);
    const std::int64_t missing_rows = (std::int64_t{1} << ceil_log(sides[1])) - sides[1];
    const std::int64_t missing_columns = (std::int64_t{1} << ceil_log(sides[0])) - sides[0];
    const auto plays = [&](const Coordinates& place) {
      std::int64_t count = -1;  // itself
      for (flitscope::seidel::Address address = 0; address < placement.addresses(); ++address) {
        if (placement.node(address) == topology.node(place)) ++count;
      }
      return count;
    };
    const std::int64_t claimed = (missing_rows + 1) * (missing_columns + 1) - 1;
    printed.equal(name_of(sides), "virtual nodes played by (n1 - 1, n2 - 2)", claimed,
                  plays({sides[0] - 2, sides[1] - 1}));
    repaired.equal(name_of(sides), "virtual nodes played by (n1 - 1, n2 - 1)", claimed,
                   plays({sides[0] - 1, sides[1] - 1}));
  }
  return judge(printed, repaired, "node (n1 - 1, n2 - 1)", sizes_of(extent, false),
               "the corner (n1 - 1, n2 - 1) plays that many nodes");
}

StepCost operator+(const StepCost& one, const StepCost& other) {
  return {one.transmission + other.transmission, one.steps + other.steps};
}

Finding companions(Extent extent, bool linear) {
  Cases printed, repaired;
  for (const Coordinates& sides : linear ? lines(extent) : rectangles(extent)) {
    const auto uneven = std::ranges::count_if(sides, [](std::uint32_t n) { return !std::has_single_bit(n); });
    if (uneven == 0) continue;
    for (const Formula& each : formulas()) {
      if (each.linear != linear) continue;
      for (const std::string tail : {"st", "bst"}) {
        if (linear && tail == "bst") continue;
        const auto of = [&](std::int64_t sides_resized) {
          return tail == "st" ? StepCost{Fraction(sides_resized), sides_resized}
                              : StepCost{Fraction(sides_resized + 1, 2), sides_resized + 1};
        };
        const StepCost alone = each.right(full_sized(sides, 0));
        const std::string size = fmt::format("{} on {}, tail {}", each.label, name_of(sides), tail);
        const std::string how = fmt::format("resize: companions, tail: {}", tail);
        const std::string wrong = objection(*resized(each.algorithm, sides, how));
        const std::string measured = text_of(step_cost(*resized(each.algorithm, sides, how), 0));
        for (Cases* const cases : {&printed, &repaired}) cases->add(wrong.empty(), size, wrong);
        printed.equal(size, "in fact", text_of(alone + of(linear ? 1 : 2)), measured);
        repaired.equal(size, "in fact", text_of(alone + of(uneven)), measured);
      }
    }
  }
  return judge(
      printed, repaired, "(m a + b) or 2 (m a/2 + b) if only one side is no power of two",
      sizes_of(extent, linear) + ", sides no powers of two",
      linear ? "m a + b more, exactly" : "2(m a + b) or 3(m a/2 + b) more if neither side is a power of two");
}

Finding rh_on_2x2(Extent) {
  const Shape two{1, 1, 0};
  Cases cases;
  const Formula& halving = formula("seidel-rh-mesh");
  const Formula& tree = formula("seidel-st-mesh-simple");
  const Formula& line = formula("seidel-bst-mesh-line");
  const double against_st = crossover(tree, halving, two);
  const double against_bst = crossover(line, halving, two);
  cases.add(against_st < 0, "2 x 2, Table II",
            fmt::format("RH costs less than ST from {} bytes on", rounded(against_st)));
  cases.add(against_bst < 0, "2 x 2, Table II",
            fmt::format("RH costs less than BST from {} bytes on", rounded(against_bst)));
  const auto less_from = [](double bytes) {
    return bytes < 0 ? std::string("at no length") : fmt::format("from {} bytes on", rounded(bytes));
  };
  return judge(cases, "2 x 2, Table II",
               fmt::format("RH costs less than ST {}, less than BST {}", less_from(against_st),
                           less_from(against_bst)));
}

double with_tail(double bytes, unsigned uneven_sides) {
  const double whole = uneven_sides * (bytes * kByte + kStart);
  const double halves = (uneven_sides + 1) * (bytes / 2 * kByte + kStart);
  return uneven_sides == 0 ? 0 : std::min(whole, halves);
}

/// Predicted times on the Delta; `uneven` sides are no powers of two.
double by_companions(const std::string& algorithm, const Coordinates& sides, double bytes) {
  const auto uneven = std::ranges::count_if(sides, [](std::uint32_t n) { return !std::has_single_bit(n); });
  return predicted(formula(algorithm), full_sized(sides, 0), bytes) +
         with_tail(bytes, static_cast<unsigned>(uneven));
}
double by_virtual_nodes(const std::string& algorithm, const Coordinates& sides, double bytes) {
  return predicted(formula(algorithm), padded(sides), bytes);
}

const std::vector<double> kLengths{8, 64, 512, 1000, 4096, 16384, 65536};

Finding linear_st_either_way(Extent extent) {
  Cases cases;
  for (const Coordinates& sides : lines(extent)) {
    if (std::has_single_bit(sides[0])) continue;
    const StepCost companions = formula("seidel-st-linear").right(full_sized(sides, 0)) + StepCost{1, 1};
    cases.equal(name_of(sides), "with companions", text_of(formula("seidel-st-linear").right(padded(sides))),
                text_of(companions));
  }
  return judge(cases, sizes_of(extent, true) + ", no powers of two", "the same cost either way");
}

Finding linear_bst_virtual(Extent extent) {
  Cases cases;
  for (const Coordinates& sides : lines(extent)) {
    if (std::has_single_bit(sides[0])) continue;
    const StepCost ours = formula("seidel-bst-linear").right(padded(sides));
    const StepCost other = formula("seidel-bst-linear").right(full_sized(sides, 0)) + StepCost{1, 1};
    cases.add(ours.transmission < other.transmission && ours.steps <= other.steps, name_of(sides),
              fmt::format("{} against {}", text_of(ours), text_of(other)));
  }
  return judge(cases, sizes_of(extent, true) + ", no powers of two", "half a message less, in as many steps");
}

Finding simple_mesh_virtual(Extent extent) {
  Cases printed, repaired;
  for (const Coordinates& sides : rectangles(extent)) {
    for (const double bytes : kLengths) {
      for (const std::string algorithm : {"seidel-st-mesh-simple", "seidel-bst-mesh-rows"}) {
        const double ours = by_virtual_nodes(algorithm, sides, bytes);
        const double other = by_companions(algorithm, sides, bytes);
        const std::string seen =
            fmt::format("{} us with virtual nodes, {} with companions", rounded(ours), rounded(other));
        const std::string size =
            fmt::format("{} on {}, {} bytes", formula(algorithm).label, name_of(sides), bytes);
        printed.add(ours <= other + 1e-6, size, seen);
        if (algorithm != "seidel-st-mesh-simple" || bytes * kByte <= 2 * kStart)
          repaired.add(ours <= other + 1e-6, size, seen);
      }
    }
  }
  return judge(printed, repaired,
               "true for BST, and for ST unless m a > 2b: then the BST tail of the companions is cheaper",
               sizes_of(extent, false) + ", 8 bytes .. 64 KiB, Table II",
               "BST never costs more with virtual nodes");
}

Finding only_case(Extent extent) {
  Cases cases;
  for (const Coordinates& sides : rectangles(extent)) {
    for (const double bytes : kLengths) {
      const double ours = by_virtual_nodes("seidel-bst-mesh-rows", sides, bytes);
      const double other = by_companions("seidel-bst-mesh-rows", sides, bytes);
      cases.add(ours >= other - 1e-6, fmt::format("BST rows on {}, {} bytes", name_of(sides), bytes),
                fmt::format("{} us with virtual nodes, {} with companions", rounded(ours), rounded(other)));
    }
  }
  return judge(cases, sizes_of(extent, false) + ", 8 bytes .. 64 KiB, Table II",
               fmt::format("BST by rows takes less time with virtual nodes in {} of {} cases", cases.failed(),
                           cases.tried()));
}

Finding better_with_companions(Extent extent) {
  Cases cases;
  for (const Coordinates& sides : rectangles(extent)) {
    if (std::has_single_bit(sides[0]) && std::has_single_bit(sides[1])) continue;
    for (const double bytes : kLengths) {
      const double better = std::min(by_companions("seidel-st-mesh", sides, bytes),
                                     by_companions("seidel-bst-mesh", sides, bytes));
      for (const std::string algorithm :
           {"seidel-st-mesh-simple", "seidel-bst-mesh-rows", "seidel-bst-mesh-line"}) {
        const double other = by_virtual_nodes(algorithm, sides, bytes);
        cases.add(better <= other + 1e-6, fmt::format("{}, {} bytes", name_of(sides), bytes),
                  fmt::format("{} us with {} and virtual nodes, {} us with the better ones and companions",
                              rounded(other), formula(algorithm).label, rounded(better)));
      }
    }
  }
  return judge(cases, sizes_of(extent, false) + ", 8 bytes .. 64 KiB, Table II",
               fmt::format("false for {} of {} cases; at 3 x 3 and 1000 bytes BST line with virtual nodes "
                           "takes {} us, ST simple {}, the better ST with companions {}",
                           cases.failed(), cases.tried(),
                           rounded(by_virtual_nodes("seidel-bst-mesh-line", {3, 3}, 1000)),
                           rounded(by_virtual_nodes("seidel-st-mesh-simple", {3, 3}, 1000)),
                           rounded(by_companions("seidel-st-mesh", {3, 3}, 1000))));
}

}  // namespace

std::vector<Claim> size_claims() {
  return {
      {"virtual-linear", "Section 5.1",
       "With virtual nodes linear ST and BST cost what the padded array costs, nu = 0.", "legal, cost equal",
       [](Extent extent) {
         return virtual_nodes(extent, {"seidel-st-linear", "seidel-bst-linear"}, true);
       }},
      {"virtual-rh", "Section 5.1",
       "In RH on 5 nodes node 4 would have to send to and receive from four nodes in step 4.", "equal",
       rh_with_virtual_nodes},
      {"virtual-mesh", "Section 5.1",
       "With virtual nodes the simple ST and BST on meshes cost what the padded mesh costs.",
       "legal, cost equal",
       [](Extent extent) {
         return virtual_nodes(
             extent, {"seidel-st-mesh-simple", "seidel-bst-mesh-rows", "seidel-bst-mesh-line"}, false);
       }},
      {"virtual-corner", "Section 5.1",
       "Node (n1 - 1, n2 - 2), the bottom rightmost, plays the virtual nodes of the corner.",
       "(2^ceil(log n1) - n1 + 1)(2^ceil(log n2) - n2 + 1) - 1 nodes, equal", corner},
      {"companions-linear", "Section 5.2", "Companions cost linear arrays m a + b more.", "legal, cost equal",
       [](Extent extent) { return companions(extent, true); }},
      {"companions-mesh", "Section 5.2", "Companions cost meshes min(2(m a + b), 3(m a/2 + b)) more.",
       "legal, cost equal", [](Extent extent) { return companions(extent, false); }},
      {"rh-2x2", "Section 5.2", "On a 2 x 2 mesh RH always does worse than ST and BST.",
       "no length from which RH costs less", rh_on_2x2},
      {"st-either-way", "Section 5.3", "Linear ST costs the same with virtual nodes and with companions.",
       "cost equal", linear_st_either_way},
      {"bst-virtual", "Section 5.3", "Linear BST costs less with virtual nodes than with companions.",
       "less transmission, no more steps", linear_bst_virtual},
      {"simple-virtual", "Section 5.3",
       "The simple mesh broadcasts cost no more with virtual nodes than with companions.",
       "no more time at any length", simple_mesh_virtual},
      {"only-case", "Section 5.3", "Linear BST is the only known case in which virtual nodes cost less.",
       "BST by rows never takes less time with virtual nodes", only_case},
      {"better-companions", "Section 5.3",
       "On meshes the better broadcasts with companions cost least overall.",
       "no more time than any of the others at any length", better_with_companions},
  };
}

}  // namespace flitscope::claims::seidel
