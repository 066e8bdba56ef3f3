#include "algorithms/seidel/plan.h"

#include <bit>
#include <cstddef>
#include <iterator>

namespace flitscope::seidel {

std::vector<Address> bits_down(const Axis& axis, unsigned lowest, unsigned end) {
  std::vector<Address> bits;
  for (unsigned b = end; b > lowest; --b) bits.push_back(axis.bit(b - 1));
  return bits;
}

Numbering::Numbering(const std::vector<Address>& bits) {
  for (std::size_t i = 0; i < bits.size(); ++i) {
    parts_.push_back({bits[i], ChunkId{1} << (bits.size() - 1 - i)});
  }
}

ChunkId Numbering::one_of(Address address, Address agree) const {
  ChunkId atom = 0;
  for (const Part& part : parts_) {
    if ((address & agree & part.bit) != 0) atom ^= part.image;
  }
  return atom;
}

std::vector<ChunkId> Numbering::differences(Address agree) const {
  std::vector<ChunkId> result{0};
  for (const Part& part : parts_) {
    if ((agree & part.bit) != 0) continue;
    const std::size_t count = result.size();
    for (std::size_t i = 0; i < count; ++i) result.push_back(result[i] ^ part.image);
  }
  std::ranges::sort(result);
  return result;
}

Holders united(const Holders& part, Address varying, Address settled) {
  return {part.numbering, part.first & ~kOppositeTree, varying, part.agree & ~settled};
}

Bits joined(const std::vector<Bits>& lists) {
  Bits all;
  for (const Bits& list : lists) std::ranges::copy(list, std::back_inserter(all));
  return all;
}

Bits reversed(Bits bits) {
  std::ranges::reverse(bits);
  return bits;
}

void distribute(Plan& plan, Holders& holders, const Bits& bits) {
  plan.phase("distribute");
  for (const Address bit : bits) plan.step({holders.distribute(bit)});
}

void spanning_tree(Plan& plan, Holders& holders, const Bits& bits) {
  plan.phase("broadcast");
  for (const Address bit : bits) plan.step({holders.copy(bit)});
}

void dimensional_exchange(Plan& plan, Holders& holders, const Bits& bits) {
  plan.phase("exchange");
  for (const Address bit : bits) plan.step({holders.exchange(bit)});
}

void bidirectional_tree(Plan& plan, Holders& holders, const Bits& bits) {
  plan.phase("broadcast");
  Address all = 0;
  for (const Address bit : bits) all |= bit;
  Holders opposite;
  plan.step({holders.part_with(kOppositeTree, all, opposite)});
  for (std::size_t i = 0; i + 1 < bits.size(); ++i) {
    plan.step({holders.copy(bits[i]), opposite.copy(bits[i])});
  }
  plan.step({holders.swap(bits.back()), opposite.swap(bits.back())});
  holders = united(holders, holders.varying | all, kOppositeTree);
}

std::vector<Holders> by_class(const Holders& holders, Address row, Address column) {
  std::vector<Holders> classes;
  for (const Address bits : {Address{0}, column, row, row | column}) {
    Holders one = holders;
    one.first = (holders.first & ~(row | column)) | bits;
    one.varying &= ~(row | column);
    classes.push_back(std::move(one));
  }
  return classes;
}

void red_black_trees(Plan& plan, std::vector<Holders>& sets, const Setting& setting, Start start) {
  plan.phase("broadcast");
  const unsigned nu = setting.nu;
  const Address class_bits = setting.rows().bit(nu) | setting.columns().bit(nu);
  const Bits down = bits_down(setting.rows(), nu + 1, setting.rows().bits);
  const Bits along = bits_down(setting.columns(), nu + 1, setting.columns().bits);
  const std::size_t half = std::max(down.size(), along.size());
  // The bit that a tree over `bits` from step `begin` on copies across in step t, or 0.
  const auto bit_at = [](const Bits& bits, std::size_t begin, std::size_t t) {
    return t >= begin && t - begin < bits.size() ? bits[t - begin] : 0;
  };
  for (std::size_t t = 0; t < 2 * half; ++t) {
    std::vector<Transfer> transfers;
    for (Holders& set : sets) {
      const bool red = std::popcount(set.first & class_bits) % 2 == 0;
      const Bits& first = red ? down : along;
      const Bits& second = red ? along : down;
      const std::size_t first_late = start == Start::late ? half - first.size() : 0;
      const std::size_t second_late = start == Start::late ? half - second.size() : 0;
      const std::size_t second_begin = start == Start::back_to_back ? first.size() : half + second_late;
      const Address bit = bit_at(first, first_late, t) | bit_at(second, second_begin, t);
      if (bit != 0) transfers.push_back(set.copy(bit));
    }
    if (!transfers.empty()) plan.step(std::move(transfers));
  }
}

Plan better_st(const Setting& setting, Start start) {
  const Axis& r = setting.rows();
  const Axis& c = setting.columns();
  const unsigned nu = setting.nu;
  // Packet xL + y for place (x, y) of a block of L * L nodes, L = 2^nu; of its four parts 2a + b for class
  // (a, b).
  const Bits places = joined({bits_down(r, 0, nu), bits_down(c, 0, nu), {r.bit(nu), c.bit(nu)}});
  Plan plan;
  Holders holders = setting.start(Numbering(places));
  distribute(plan, holders, places);
  std::vector<Holders> classes = by_class(holders, r.bit(nu), c.bit(nu));
  red_black_trees(plan, classes, setting, start);
  holders = united(classes[0], setting.everything(), 0);
  // Horizontal, then vertical swap; then within the blocks, columns first.
  dimensional_exchange(
      plan, holders,
      joined({{c.bit(nu), r.bit(nu)}, reversed(bits_down(c, 0, nu)), reversed(bits_down(r, 0, nu))}));
  return plan;
}

}  // namespace flitscope::seidel
