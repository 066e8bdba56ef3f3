// Afsahi and Dimopoulos: collectives on a reconfigurable optical network, complete. N nodes, k ports, d
// units.
#include <fmt/format.h>

#include "sim/claims/papers/afsahi/claims.h"

namespace flitscope::claims::afsahi {
namespace {

const PaperRegistry::Entry entry{{
    .name = "afsahi",
    .citation =
        "Ahmad Afsahi and Nikitas J. Dimopoulos: Collective Communications on a Reconfigurable Optical "
        "Interconnect",
    .claims =
        {
            {"message-time", "Section 2",
             "A combined message of M units takes d + M, where a unit takes t_m = t_s + l tau = 1.", "equal",
             message_time},
            {"b1-time", "Section 3.1, B1", "B1 takes (d+1)(ceil(log_k(N(k-1)+1)) - 1).",
             "legal, equal, for every k", b1_time},
            {"b2-time", "Section 3.1, B2", "B2 takes (d+1) ceil(log_{k+1} N).", "legal, equal", b2_time},
            {"b3-time", "Section 3.1, B3", "B3 takes d + ceil(log_k(N(k-1)+1)) - 1.",
             "legal, equal, for every k", b3_time},
            {"reach-while-tuning", "Section 3.1",
             "A message leaving a node reaches 1 + k + .. + k^d nodes while that node tunes.", "equal",
             reach_while_tuning},
            {"figure-2-delay", "Section 3.1, text at Figure 2",
             "B4 informs 41 nodes in 4 units with k = 2 and d = 2.", "equal", figure_2_delay},
            {"figure-2-sets", "Figure 2",
             "With d = 1 the first tree has 31 of 41 nodes, node 0's second set is 15 and 16, and only nodes "
             "0, 1, 2 "
             "have two sets.",
             "equal, nodes and sets", figure_2_sets},
            {"multi-broadcast", "Abstract, Section 3.1",
             "Nodes reconnect to their first sets, so that broadcasts can follow each other.",
             "r broadcasts in r - 1 periods and the time of one; one unit less is illegal", multi_broadcast},
            {"recurrence", "Section 3.1.1",
             "N(S) = k N(S-1) + 1 up to S = d+1, then k N(S-1) + N(S-d-1), nodes are informed at time S.",
             "equal", recurrence},
            {"generation-depth", "Lemma 1, proof", "A tree of generation i-1 is rooted at depth (i-1)(d+1).",
             "equal", generation_depth},
            {"generation-sizes", "Lemma 1",
             "Generation i+1 has sum over j of C(j+i-2, i-1) (k^(S-i(d+1)+1) - k^j)/(k-1) nodes.", "equal",
             generation_sizes},
            {"last-generation", "Section 3.1.1, before EQ 1", "N = N_1 + .. + N_{ceil(S/(d+1)) - 1}.",
             "equal", last_generation},
            {"equation-1", "EQ 1",
             "The sum over all generations, printed without the division by k-1, is N(S).", "equal",
             equation_1},
            {"equation-2", "EQ 2", "The sum for a single port is N(S).", "equal", equation_2},
            {"table-1", "Table I", "Broadcasting times for k = 2, d = 1.", "every cell equal", table_1},
            {"table-2", "Table II", "Broadcasting times for k = 4, d = 3.", "every cell equal", table_2},
            {"table-3", "Table III", "Broadcasting times for one port, d = 3.", "every cell equal", table_3},
            {"much-faster", "Section 3.1.1", "B4 takes much less time than the known algorithms.",
             "less time than B3 for every N, both from a cold start", faster_broadcast},
            {"s1-one-port", "Section 4, S1", "S1 takes (N-1)(d+1) with a single port.", "legal, equal",
             s1_one_port},
            {"s1-time", "Section 4, S1", "S1 takes (d+1)(N-1)/k.", "legal, equal", s1_time},
            {"s2-one-port", "Section 4, S2", "S2 takes N-1 + d log_2 N with a single port.", "legal, equal",
             s2_one_port},
            {"s2-time", "Section 4, S2", "S2 takes (N-1)/k + d log_{k+1} N.", "legal, equal", s2_time},
            {"scatter-hiding", "Section 4", "Latency hiding does not improve the time of a scatter.",
             "afsahi-scatter-unequal from a cold start nowhere faster than S2", scatter_hiding},
            {"g1-time", "Section 5, G1", "G1 takes (d+1)(N-1)/k.", "legal, equal", g1_time},
            {"g2-time", "Section 5, G2", "G2 takes (N-1)/k + d log_{k+1} N, in groups of k+1 nodes.",
             "legal, equal", g2_time},
            {"g2-one-port", "Section 5, G2", "G2 takes N-1 + d log_2 N with a single port.", "legal, equal",
             g2_one_port},
            {"te1-one-port", "Section 6, TE1", "TE1 takes (N-1)(d+1) with a single port.", "legal, equal",
             te1_one_port},
            {"te1-time", "Section 6, TE1", "TE1 takes (d+1)(N-1)/k.", "legal, equal", te1_time},
            {"te2-time", "Section 6, TE2", "TE2 takes (d + N/(k+1)) log_{k+1} N.", "legal, equal", te2_time},
            {"te3-time", "Section 6, TE3", "TE3 takes i(d + N/(k+1)) + (N/(k+1)^i - 1)(d + (k+1)^i)/k.",
             "legal, equal", te3_time},
            {"te3-example", "Section 6, Figure 4", "For N = 8, k = 1, i = 1 that is 4d + 10.", "equal",
             te3_example},
            {"te3-ends", "Section 6", "TE3 is TE1 for i = 0, and TE2 for i = log_{k+1} N.", "legal, equal",
             te3_ends},
            {"conjecture", "Section 6, conjecture", "For some i, TE3 takes no longer than TE1 and than TE2.",
             "the best i at most the lesser of TE1 and TE2", conjecture},
            {"best-i", "not in the paper",
             "The best i is the least with (k+1)^i >= d, at most log_{k+1} N; TE3 beats both TE1 and TE2 if "
             "and only if "
             "1 < d < N/(k+1)^2.",
             "equal time; better than both exactly there", best_i, Origin::ours},
            {"table-4", "Table IV", "Total exchange times for N = 1024, k = 1.",
             "every cell equal; no other i as good", table_4},
            {"table-5", "Table V", "Total exchange times for N = 729, k = 2.",
             "every cell equal; no other i as good", table_5},
            {"dummy-nodes", "Section 7",
             "Other numbers of nodes are filled up with dummy nodes at little loss.",
             fmt::format("at most {} % more time", kLittleLoss), dummy_nodes},
            {"conjecture-with-dummy-nodes", "Sections 6 and 7",
             "With dummy nodes, too, TE3 takes no longer than TE1 for some i.", "the best i at most TE1",
             conjecture_with_dummy_nodes},
        },
    .figures =
        {
            {"broadcast-times",
             "Tables I to III: units of t_m until all are informed, B4 from a warm and from a cold start.",
             {"k", "d", "N", "B2", "B3", "B4", "B4 cold", "lower bound"},
             broadcast_times},
            {"exchange-times",
             "Tables IV and V for every i: units of t_m of TE3 by the closed form.",
             {"N", "k", "d", "i = 0 (TE1)", "1", "2", "3", "4", "5", "6 (TE2 of N = 729)", "7", "8", "9",
              "10 (TE2 of N = 1024)"},
             exchange_times},
        },
}};

}  // namespace
}  // namespace flitscope::claims::afsahi
