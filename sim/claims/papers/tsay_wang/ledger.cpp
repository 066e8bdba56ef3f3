// Tsay and Wang: broadcast on the d-dimensional all-port wormhole torus. P is 2d+1, K(n) is ceil(log_P n).
#include <fmt/format.h>

#include "sim/claims/papers/tsay_wang/claims.h"

namespace flitscope::claims::tsay_wang {
namespace {

const PaperRegistry::Entry entry{{
    .name = "tsay-wang",
    .citation = "Jyh-Jong Tsay and Wen-Tsong Wang: Nearly Optimal Algorithms for Broadcast on d-Dimensional "
                "All-Port and Wormhole-Routed Torus",
    .claims =
        {
            {"insensitive-to-distance", "Section 2",
             "Without congestion, latency hardly depends on path length, so that "
             "steps "
             "are the cost.",
             fmt::format("the longest step less than {:.0f} % longer than a message to a neighbour",
                         100 * kHardly),
             distance},
            {"lower-bound", "Lemma 1", "Every broadcast takes at least ceil(d log_{2d+1} n) steps.",
             "no fewer steps; no more than 2d new nodes for each informed one in a step", lower_bound},
            {"ring-growth", "Lemma 2, gaps",
             "Adding 2d classes to every gap, measured as index difference plus 1, informs a ring of n "
             "classes "
             "in K(n) steps.",
             "all n classes informed after K(n) steps", lone_source},
            {"ring-offsets", "Lemma 2, offsets",
             "A gap is divided by 2d new classes at running sums of the two roundings of gap / (2d+1).",
             "2d different offsets, all less than the gap", few_free_nodes},
            {"new-destinations", "Section 3",
             "In every step every source informs 2d new destinations: nobody receives twice.",
             "no redundant message", new_destinations},
            {"all-nodes", "Section 3", "D_{r+1,0} is the set of all nodes.", "equal numbers of nodes",
             all_nodes_at_the_end},
            {"phase-1", "Theorem 1", "Phase 1 takes r steps for n = (2d+1)^r, without congestion.",
             "at most r steps, n - 1 messages, no shared link", first_phase},
            {"one-per-subtorus", "Lemma 4, Corollary 1",
             "D_{h,0} has n^(h-1) nodes, one in each (d-h+1)-dimensional subtorus.",
             "n^(h-1) nodes and as many subtori", one_in_each_subtorus},
            {"diagonal-distance", "Lemma 5", "Two nodes of a diagonal differ in at least two dimensions.",
             "no pair that differs in one dimension only", same_diagonal},
            {"set-distance", "Lemma 6", "For odd n two nodes of D_{h,0} differ in at least two dimensions.",
             "no pair that differs in one dimension only", two_dimensions_apart},
            {"unique-look-up", "Lemma 7",
             "The coordinates of a node of D_{h+1,0} but for x_j determine x_j (no condition on n).",
             "exactly one node with these coordinates", unique_look_up},
            {"distinct-targets", "Section 5.2",
             "N_1 to N_4 choose no node twice (the closed forms; the recursion before them shifts its "
             "indices).",
             "as many nodes as messages, n^(d-1) with the source", distinct_targets},
            {"row-groups", "Section 5.2", "D_{h,k} falls into n^(h-1) (2d+1)^(k-1) row groups.", "equal",
             row_groups},
            {"two-edges", "Section 5.2", "The paths to N_3 and N_4 have exactly two edges.",
             "2 links on the longest path", two_edges},
            {"phases-2-to-d-1", "Lemma 8",
             "No two paths of a step share an edge in phases 2 to d-1 (printed with P_1 from s_1 to s_2, and "
             "a "
             "reference that is missing).",
             "at most K(n) steps a phase, no shared link", no_congestion},
            {"phase-h", "Theorem 2", "Phase h, 0 <= h <= d-1, takes r steps for n = (2d+1)^r.",
             "there is such a phase, at most r steps, no shared link", middle_phases},
            {"alignment", "Section 6", "The last phase begins with a step that aligns D_{d,0}.",
             "a node of D_{d,0} outside S", alignment},
            {"plane-diagonals", "Lemmas 9 and 10",
             "The nodes of S of one rank in a plane x_1 x_j form a diagonal of it.",
             "n nodes and one difference x_1 - x_j in every plane", diagonals_of_planes},
            {"final-sets", "Section 6", "S_{k+1} is made from S_k by steps of l_k.", "(2d+1)^k ranks in S_k",
             sets_of_final_phase},
            {"final-phase", "Lemma 11, Theorem 3",
             "The last phase takes r+1 steps for n = (2d+1)^r, informs everybody once and shares no edge "
             "(printed for n = (2d+1)^k).",
             "at most r+1 steps, n^d - n^(d-1) messages, no shared link", final_phase},
            {"powers-of-p", "Theorem 4", "Broadcast takes dr+1 steps for n = (2d+1)^r.",
             "legal, no shared link, at most that many steps", powers_of_p},
            {"selection-by-rank", "Section 7, odd n",
             "For other odd n the j-th target of a source is the j-th node by rank on that side.",
             "legal, no shared link, at most d K(n) + 1 steps", selection_by_rank},
            {"odd-n", "Theorem 5", "Broadcast takes d K(n) + 1 steps for odd n.",
             "legal, no shared link, at most that many steps", odd_sides},
            {"subtorus-steps", "Section 7, even n",
             "The subtorus of side n-1 takes ceil(d log_{2d+1} (n-1)) + 1 steps.", "at most that many steps",
             subtorus_steps},
            {"extra-phase", "Section 7, even n",
             "Then ceil(d/2) steps without conflict: one new coordinate from n-2, two from 0 and 0.",
             "legal, no shared link, at most d K(n-1) + ceil(d/2) + 1 steps in all", extra_phase},
            {"extra-sources", "Section 7, even n",
             "Targets with k+1 or k+2 new coordinates are reached from nodes with k-1 or k.",
             "at most 2 dimensions between source and target", extra_sources},
            {"even-n", "Theorem 6", "Broadcast takes d K(n) + ceil(d/2) + 1 steps for even n.",
             "legal, no shared link, at most that many steps", even_sides},
            {"even-n-abstract", "Abstract", "Broadcast takes d K(n-1) + ceil(d/2) + 1 steps for even n.",
             "legal, no shared link, at most that many steps", even_sides_of_the_abstract},
            {"two-and-three-d", "Abstract, Section 8", "For d = 2 and 3, d K(n) steps suffice for every n.",
             "legal, no shared link, at most that many steps", two_and_three_dimensions},
            {"no-extra-phase-3d", "Section 8", "For d = 3 even n needs no extra phase.",
             "legal, no shared link, at most 3 K(n) + 1 steps", three_dimensions_without_extra},
            {"no-extra-phase", "Section 8", "The extra phase can be expected to go for every d.",
             "every look-up of the phases has exactly one answer", no_extra_phase},
            {"nearly-optimal", "Title, Section 8", "The steps are optimal up to a constant, for fixed d.",
             "at most d + ceil(d/2) steps above Lemma 1", nearly_optimal},
            {"no-stalls", "Section 2, on flits",
             "The steps are free of congestion: with a barrier between them no flit waits, and a step costs "
             "its "
             "longest path and the message's length.",
             "no stalled flit-cycle; the cycles of every step equal", nobody_waits},
            {"overlap", "not in the paper",
             "Edge-disjointness within each step would survive without barriers, when steps overlap.",
             "no stalled flit-cycle", overlap, Origin::ours},
        },
    .figures = figures(),
}};

}  // namespace
}  // namespace flitscope::claims::tsay_wang
