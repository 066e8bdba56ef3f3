// Network interfaces that read the flits of longer messages from the memories of their nodes: banks, and
// intervals of reads (docs/timing.md, "Network interfaces").
#include <array>

#include "model/bits.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

/// Injectors whose present message has several flits.
Plane RouterGroups::puts_several(GroupRef group, unsigned number) const {
  Plane several = ~group.planes(layout_.put_head)[number] | group.planes(layout_.put_more)[number];
  for (unsigned i = 1; i < left_bits_; ++i)
    several |= group.planes(layout_.to_put)[number + i * layout_.injector_words];
  return several;
}

/// Injectors that may put a flit of a longer message, and have not read it.
Plane RouterGroups::needs_read(GroupRef group, unsigned number) const {
  return group.planes(layout_.due)[number] & puts_several(group, number) &
         ~group.planes(layout_.has_read)[number];
}

/// Of `routers`, those in which another injector keeps the bank of an injector's next flit.
Plane RouterGroups::same_bank(GroupRef group, unsigned number, unsigned other, Plane routers) const {
  const Plane* const left = group.planes(layout_.to_put);
  Plane same = group.planes(layout_.has_read)[other] & routers;
  for (unsigned i = 0; bit(i) < shape().banks && same != 0; ++i)
    same &= ~(left[number + i * layout_.injector_words] ^ left[other + i * layout_.injector_words]);
  for_each_bit(same, [&](unsigned router) {
    if (now_ - read_at_[injector_row(group.node(router), other)] >= bank_hold_) same &= ~(Plane{1} << router);
  });
  return same;
}

/// Injectors read their next flits, those that have none cannot put one.
void RouterGroups::read_flits(GroupRef group, Plane* could_put) {
  std::array<Plane, kMaxVirtualChannels> could_read;  // by injector
  for (unsigned number = 0; number < shape().injectors(); ++number)
    could_read[number] = needs_read(group, number);
  if (!reads_.empty()) keep_pace(group, could_read.data());
  for (unsigned number = 0; number < shape().injectors(); ++number) {
    Plane reads = could_read[number];
    for (unsigned other = 0; other < shape().injectors() && reads != 0; ++other) {
      if (network_ports(other % shape().queues).network != network_ports(number % shape().queues).network)
        reads &= ~same_bank(group, number, other, reads);
    }
    group.planes(layout_.has_read)[number] |= reads;
    could_put[number] &= ~needs_read(group, number);
    for_each_bit(reads, [&](unsigned router) { read_at_[injector_row(group.node(router), number)] = now_; });
  }
}

/// Calls visit(its reads, puts[injector], router) for injectors that are in `puts` with a longer message.
template <typename Visit>
void RouterGroups::for_each_paced(GroupRef group, Plane* puts, Visit visit) {
  for (unsigned number = 0; number < shape().injectors(); ++number) {
    for_each_bit(puts[number] & puts_several(group, number), [&](unsigned router) {
      visit(reads_[injector_row(group.node(router), number)], puts[number], Plane{1} << router);
    });
  }
}

/// Injectors whose memory cannot read the next flit of a longer message yet do not read or put it.
void RouterGroups::keep_pace(GroupRef group, Plane* could_put) {
  for_each_paced(group, could_put, [&](const LinkInterval& reads, Plane& puts, Plane router) {
    if (reads.free_from > now_) puts &= ~router;
  });
}

/// Injectors put the flits that their memories have read, and read the next ones later.
void RouterGroups::take_reads(GroupRef group, Plane* puts) {
  for_each_paced(group, puts, [&](LinkInterval& reads, auto&&...) { reads.take(now_, 0); });
}

}  // namespace flitscope
