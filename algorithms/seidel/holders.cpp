#include "algorithms/seidel/holders.h"

#include <algorithm>

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

void Numbering::let(Address bit, ChunkId image) {
  std::ranges::find(parts_, bit, &Part::bit)->image = image;
}

ChunkId Numbering::one_of(Address address, Address agree) const {
  ChunkId atom = 0;
  for (const Part& part : parts_) {
    if ((address & agree & part.bit) != 0) atom ^= part.image;
  }
  return atom;
}

std::uint64_t Numbering::count(Address agree) const {
  const auto fixed = std::ranges::count_if(parts_, [&](const Part& part) { return (agree & part.bit) != 0; });
  return atoms() >> fixed;
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

Transfer Holders::distribute(Address bit) {
  const Transfer made{numbering, first, varying, bit, agree | bit, bit};
  varying |= bit;
  agree |= bit;
  return made;
}

Transfer Holders::part_with(Address bit, Address across, Holders& others) {
  const Transfer made{numbering, first, varying, across & ~kOppositeTree, agree | bit, across | bit};
  agree |= bit;
  others = *this;
  others.first ^= across | bit;
  return made;
}

Transfer Holders::copy(Address bit) {
  const Transfer made = swap(bit);
  varying |= bit;
  return made;
}

Transfer Holders::swap(Address bit) const {
  return {numbering, first, varying, bit, agree, 0};
}

Transfer Holders::exchange(Address bit) {
  const Transfer made = swap(bit);
  agree &= ~bit;
  return made;
}

Holders united(const Holders& part, Address varying, Address settled) {
  return {part.numbering, part.first & ~kOppositeTree, varying, part.agree & ~settled};
}

}  // namespace flitscope::seidel
