// Section 4 of Seidel's paper: any node can be the source, at no cost.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/route.h"
#include "sim/claims/papers/seidel/cases.h"
#include "sim/claims/papers/seidel/claims.h"
#include "sim/run/workload.h"

namespace flitscope::claims::seidel {

namespace {

/// All nodes; of large meshes, unless everything is asked for, the corners and every seventh node.
std::vector<Coordinates> sources(const Shape& shape, bool all) {
  const std::uint32_t columns = 1U << shape.d2;
  const std::uint32_t rows = 1U << shape.d1;
  std::vector<Coordinates> list;
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t c = 0; c < columns; ++c) {
      const bool corner = (r == 0 || r + 1 == rows) && (c == 0 || c + 1 == columns);
      if (!all && !corner && (r * columns + c) % 7 != 3) continue;
      list.push_back(shape.linear() ? Coordinates{c} : Coordinates{c, r});
    }
  }
  return list;
}

/// Every source costs what node 0 costs, and is as legal.
Finding any_source(Extent extent, const std::vector<std::string>& algorithms,
                   const std::vector<Shape>& shapes) {
  Cases cases;
  for (const std::string& algorithm : algorithms) {
    const Formula& each = formula(algorithm);
    for (const Shape& shape : shapes) {
      if (shape.nu > 0 && !each.takes_nu) continue;
      const bool all = shape.d1 + shape.d2 <= (extent == Extent::quick ? 5U : each.halving ? 6U : 7U);
      for (const Coordinates& source : sources(shape, all)) {
        const ExperimentConfig config = broadcast(each, shape, source);
        const std::string size =
            fmt::format("{} on {} from [{}]", each.label, shape.name(), fmt::join(source, ", "));
        const std::string wrong = objection(*make_schedule(config));
        cases.add(wrong.empty(), size, wrong);
        cases.equal(size, "in fact", text_of(each.right(shape)),
                    text_of(step_cost(*make_schedule(config), shape.nu)));
      }
    }
  }
  return judge(cases, sizes_of(shapes),
               fmt::format("{} schedules, from every node of up to {} and from some of larger ones: legal, "
                           "same cost, same bound on "
                           "the links",
                           cases.tried() / 2, extent == Extent::quick ? "32" : "128"));
}

/// The bits in which senders and receivers of every step of a schedule differ, on a linear array.
template <typename Visit>
void for_each_step(Schedule& schedule, const Visit& visit) {
  unsigned number = 0;
  for (Step step; schedule.next(step);) visit(++number, step);
}

Finding same_bit(Extent extent) {
  Cases printed;
  Cases repaired;
  Cases directions;
  const auto shapes = arrays(extent, 0, 0);
  for (const Shape& shape : shapes) {
    for (const Coordinates& source : sources(shape, true)) {
      const auto schedule = make_schedule(broadcast(formula("seidel-st-linear"), shape, source));
      for_each_step(*schedule, [&](unsigned i, const Step& step) {
        const auto agree = [&](unsigned bit) {
          std::set<NodeId> values;
          for (const Message& message : step.messages()) values.insert(message.source >> bit & 1);
          return values.size() == 1;
        };
        const std::string size = fmt::format("{} from [{}], step {}", shape.name(), source[0], i);
        if (i < shape.d2) printed.add(agree(i), size, fmt::format("bit {} of the senders differs", i));
        repaired.add(agree(shape.d2 - i), size, fmt::format("bit {} of the senders differs", shape.d2 - i));
      });
    }
  }
  return judge(printed, repaired, "the (d-i)-th bit, and so all messages of a step go the same way",
               sizes_of(shapes), "in step i the (d-i)-th bit is the same in all senders");
}

Finding one_metanode(Extent extent) {
  Cases printed;
  Cases repaired;
  const auto shapes = arrays(extent, 1, 2);
  for (const Shape& shape : shapes) {
    const unsigned nu = shape.nu;
    const auto schedule = make_schedule(broadcast(formula("seidel-st-linear"), shape));
    for_each_step(*schedule, [&](unsigned i, const Step& step) {
      if (i <= nu || i > shape.d2) return;  // distribution and exchange
      std::map<NodeId, std::set<NodeId>> leads_to;
      for (const Message& message : step.messages())
        leads_to[message.source >> nu].insert(message.destination >> nu);
      const std::string size = fmt::format("{}, step {}", shape.name(), i);
      for (const auto& [from, to] : leads_to) {
        printed.add(to == std::set<NodeId>{from}, size,
                    fmt::format("metanode {} sends to metanode {}", from, *to.begin()));
        repaired.add(to.size() == 1, size, fmt::format("metanode {} sends to {} metanodes", from, to.size()));
      }
    });
  }
  return judge(printed, repaired, "read as: all have destinations in one metanode, not in metanode j itself",
               sizes_of(shapes), "every metanode sends to one other metanode in a step");
}

}  // namespace

std::vector<Claim> source_claims() {
  return {
      {"any-source-linear", "Sections 4.1 to 4.4",
       "On linear arrays ST, BST and RH cost the same from every source.", "legal, cost equal",
       [](Extent extent) {
         return any_source(extent, {"seidel-st-linear", "seidel-bst-linear", "seidel-rh-linear"},
                           arrays(extent, 0, 2));
       }},
      {"same-bit", "Section 4.1", "In step i of ST from any source the i-th bit of each sender is the same.",
       "no exception", same_bit},
      {"one-metanode", "Section 4.2",
       "All messages sent by nodes in metanode j have destinations in the same metanode.", "no exception",
       one_metanode},
      {"any-source-rh-mesh", "Section 4.4", "On meshes RH costs the same from every source.",
       "legal, cost equal",
       [](Extent extent) { return any_source(extent, {"seidel-rh-mesh"}, meshes(extent, 0, 2)); }},
      {"any-source-mesh", "Sections 4.2 and 4.3, conjecture",
       "ST and BST on meshes, too, can be extended to every source at no cost.", "legal, cost equal",
       [](Extent extent) {
         return any_source(
             extent,
             {"seidel-st-mesh-simple", "seidel-st-mesh-columns", "seidel-st-mesh-five-phase",
              "seidel-st-mesh", "seidel-bst-mesh-rows", "seidel-bst-mesh-line", "seidel-bst-mesh"},
             meshes(extent, 0, 2));
       }},
  };
}

}  // namespace flitscope::claims::seidel
