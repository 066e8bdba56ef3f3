// Chen, Chiang and Chen, Section 2: the networks into which the torus is divided.
#include <fmt/format.h>

#include <set>

#include "algorithms/chen/partition.h"
#include "sim/claims/papers/chen_multinode/cases.h"

namespace flitscope::claims::chen_multinode {

namespace {

using chen::mod;
using chen::Partition;

Sizes<Size> partition_sizes(Extent extent) {
  return sizes_between(3, extent == Extent::quick ? 10 : 18);
}

/// The measurement of a claim of Properties 2 to 5: what check_properties says.
Measure property(std::size_t number, const char* kept = "kept") {
  return [=](Trial& t) {
    for (const Size size : t.over(partition_sizes)) {
      const auto each = check_properties(Partition(size.n, size.h))[number - 1];
      t.printed.add(each.holds(), size, each.counterexample);
    }
    t.measured = fmt::format("{} in {} partitions", kept, t.printed.share_held());
  };
}

/// Channels by the letter of C_{u,v}: along x where x = u + v, along y where y = v, along z where z = u, all
/// mod h. The DDNs that have the channels from node (x, y, z) along a dimension.
int ddns_as_printed(Size size, int x, int y, int z, unsigned dimension) {
  int count = 0;
  for (int u = 0; u < size.h; ++u) {
    for (int v = 0; v < size.h; ++v) {
      const int difference = dimension == 0 ? x - u - v : dimension == 1 ? y - v : z - u;
      if (mod(difference, size.h) == 0) ++count;
    }
  }
  return count;
}

/// DDNs and blocks by the definitions with ceil(n/h), for an h that need not divide n: nodes beyond n - 1
/// are left out.
struct Rounded {
  std::set<int> ddn_sizes;
  int whole_blocks = 0;
  int blocks = 0;
  int meeting_pairs = 0;
  int pairs = 0;
};

Rounded rounded(int n, int h) {
  const int side = (n + h - 1) / h;
  Rounded result;
  result.blocks = side * side * side;
  result.pairs = h * h * result.blocks;
  const auto along = [&](int offset) {  // coordinates a h + offset < n
    return (n - offset + h - 1) / h;
  };
  for (int u = 0; u < h; ++u) {
    for (int v = 0; v < h; ++v) {
      const int nodes = along((u + v) % h) * along(v) * along(u);
      result.ddn_sizes.insert(nodes);
      result.meeting_pairs += nodes;  // one node a block
    }
  }
  result.whole_blocks = (n / h) * (n / h) * (n / h);
  return result;
}

}  // namespace

const Claims partition_claims{
    {"ddns-independent", "Section 2.2, Property 1",
     "The h^2 DDNs are mutually independent: no node and no channel belongs to two of them.",
     "every channel in at most one DDN", partition_sizes,
     [](Trial& t, const Size& size) {
       int most = 0;
       for (int x = 0; x < size.h; ++x) {
         for (int y = 0; y < size.h; ++y) {
           for (unsigned dimension = 0; dimension < 3; ++dimension) {
             most = std::max(most, ddns_as_printed(size, x, y, 0, dimension));
           }
         }
       }
       t.printed.add(most == 1, size, fmt::format("a channel belongs to {} DDNs", most));
       const auto property = check_properties(Partition(size.n, size.h)).front();
       t.repaired.add(property.holds(), size, property.counterexample);
     },
     "by the repaired channels every channel belongs to exactly one DDN",
     "C_{u,v} is the full lines through the nodes of V_{u,v}: along x those with (y, z) = (v, u), along y "
     "(x, z) = (u+v, u), along z (x, y) = (u+v, v), mod h"},
    {"dcn-indices", "Section 2.2",
     "The indices a, b, c of the data-collecting networks run from 0 to n-1; Section 3.2.1 counts h^2/h^3.",
     "all blocks lie in the torus",
     [](Trial& t) {
       // The index ranges of V_{a,b,c} as printed, 0 .. n-1, and as they must be, 0 .. n/h - 1.
       for (const Size size : t.over(partition_sizes)) {
         const auto inside = [&](int indices) {
           std::uint64_t count = 0;
           for (int a = 0; a < indices; ++a) count += a * size.h + size.h - 1 < size.n ? 1U : 0U;
           return count * count * count;
         };
         const auto cubed = [](int number) { return static_cast<std::uint64_t>(number) * number * number; };
         t.printed.equal(size, "of the blocks lie in the torus", cubed(size.n), inside(size.n));
         t.repaired.equal(size, "of the blocks lie in the torus", cubed(size.blocks()),
                          inside(size.blocks()));
       }
       t.repair = "a, b, c = 0 .. n/h - 1, and k = n^3/h^3 in Section 3.2.1 too";
       t.measured = "n^3/h^3 blocks, as the text says itself";
     }},
    {"dcns-independent", "Section 2.2, Property 2",
     "The DCNs are mutually independent and together contain all nodes.", "every node in exactly one DCN",
     property(2)},
    {"ddn-meets-dcn", "Section 2.2, Property 3", "Every DDN intersects every DCN in at least one node.",
     "exactly one node in common, more than is claimed", property(3, "exactly one node in common")},
    {"ddns-isomorphic", "Section 2.2, Property 4", "The DDNs are isomorphic: tori of dilation h.",
     "no exception", property(4)},
    {"dcns-isomorphic", "Section 2.2, Property 5", "The DCNs are isomorphic.", "no exception", property(5)},
    {"diagonal-span", "Section 3.2.1",
     "The diagonal plane of a block is the span of its corner by (1,0,1) and (1,1,0) over h by h points.",
     "every point of the span inside of the block",
     [](Trial& t) {
       // SPAN of the corner of block 0 by (1,0,1) and (1,1,0), h points in each direction.
       for (const Size size : t.over(partition_sizes)) {
         const Partition partition(size.n, size.h);
         std::string outside;
         std::set<NodeId> folded;
         for (int a = 0; a < size.h; ++a) {
           for (int b = 0; b < size.h; ++b) {
             if (a + b >= size.h && outside.empty()) {
               outside = fmt::format("[{}, {}, {}] lies outside of the block", a + b, b, a);
             }
             folded.insert(partition.cube().node((a + b) % size.h, b, a));
           }
         }
         t.printed.faultless(size, outside);
         std::set<NodeId> wanted;
         for (int ddn = 0; ddn < partition.ddn_count(); ++ddn)
           wanted.insert(partition.ddn_node(ddn, 0, 0, 0));
         t.repaired.add(folded == wanted, size, "not the nodes of the DDNs");
       }
       t.repair = "x is taken mod h inside the block";
       t.measured = "then the span has one node of every DDN";
     }},
    {"simulated-sizes", "Section 4.2", "The scheme is simulated on 16^3 with h = 7 and h = 14.",
     "h divides n and every DDN meets every DCN",
     [](Trial& t) {
       for (const int h : {7, 14}) {
         const Rounded torus = rounded(16, h);
         std::string sizes;
         for (auto size = torus.ddn_sizes.rbegin(); size != torus.ddn_sizes.rend(); ++size) {
           append(sizes, ", ", fmt::format("{}", *size));
         }
         append(t.measured, "; ",
                fmt::format(
                    "h = {}: DDNs of {} nodes, {} of {} blocks whole, {} of {} pairs of DDN and DCN meet", h,
                    sizes, torus.whole_blocks, torus.blocks, torus.meeting_pairs, torus.pairs));
         t.printed.add(16 % h == 0 && torus.meeting_pairs == torus.pairs, fmt::format("n = 16, h = {}", h),
                       fmt::format("{} does not divide 16, and {} of {} pairs of DDN and DCN do not meet", h,
                                   torus.pairs - torus.meeting_pairs, torus.pairs));
       }
       t.sizes = "n = 16, h = 7 and 14";
       t.measured +=
           "; Figures 7 and 8 cannot be reproduced. Here: n = 14 with h = 2, 7, 14, n = 16 with h = "
           "2, 4, 8, 16";
     }},
};

}  // namespace flitscope::claims::chen_multinode
