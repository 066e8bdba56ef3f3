// The phases that Seidel's broadcasts are put together from.
#pragma once

#include <vector>

#include "algorithms/seidel/holders.h"
#include "algorithms/seidel/plan.h"

namespace flitscope::seidel {

using Bits = std::vector<Address>;

/// One list after another.
[[nodiscard]] Bits joined(const std::vector<Bits>& lists);
[[nodiscard]] Bits reversed(Bits bits);

/// A step for each bit, in the order given (Section 3.1.1). A distribute operation, or a spanning tree, takes
/// the most significant bit first; a dimensional exchange in the reverse order leaves the atoms in order.
void distribute(Plan& plan, Holders& holders, const Bits& bits);
void spanning_tree(Plan& plan, Holders& holders, const Bits& bits);
void dimensional_exchange(Plan& plan, Holders& holders, const Bits& bits);

/// The bidirectional spanning tree over `bits`, of which there is at least one, the most significant first
/// (Section 3.3.1): half of the atoms go to the complement of the root; both roots act as roots of trees; in
/// the end neighbours swap. The numbering must have kOppositeTree.
void bidirectional_tree(Plan& plan, Holders& holders, const Bits& bits);

/// The members of `holders` by the class (a, b) of their row and column: four sets, in which the bits `row`
/// and `column` do not vary.
[[nodiscard]] std::vector<Holders> by_class(const Holders& holders, Address row, Address column);

/// When a tree starts along the shorter one of two axes.
enum class Start : std::uint8_t {
  late,          ///< so that it ends with the longer one, as printed
  at_once,       ///< with the longer one; as good
  back_to_back,  ///< when the tree's own first axis is done; then links are shared
};

/// Spanning trees of all sets at once, over the bits above `nu` (Sections 3.2.1 and 3.4.1, Figures 5 and 9).
/// Red classes (a + b even) go down their columns first and then along their rows, black ones the other way
/// round. Each of the two halves lasts as long as the longer axis needs.
void red_black_trees(Plan& plan, std::vector<Holders>& sets, const Setting& setting,
                     Start start = Start::late);

/// The better ST broadcast on a mesh (Sections 3.2.1 and 3.2.2).
[[nodiscard]] Plan better_st(const Setting& setting, Start start = Start::late);

}  // namespace flitscope::seidel
