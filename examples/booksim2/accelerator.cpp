// A simulator of an accelerator that calls BookSim2's class: cores read blocks of a memory.
#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>

#include "sim/booksim2/interconnect.h"

namespace {

constexpr unsigned kCores = 56;
constexpr unsigned kMemories = 8;
constexpr unsigned kReads = 20;  // of each core

/// A read; the memory sends it back with the data.
struct Access {
  unsigned core = 0;
  unsigned memory = 0;
};

}  // namespace

int main(int, char* words[]) {
  using booksim2::Interconnect;
  Interconnect network(std::string(words[1]), kCores + kMemories);
  std::deque<Access> accesses;
  std::deque<Access*> answers[kMemories];
  unsigned asked[kCores] = {};
  unsigned done = 0;
  while (done < kCores * kReads) {
    for (unsigned core = 0; core < kCores; ++core) {
      if (asked[core] == kReads || network.is_full(core, 0, 8)) continue;
      accesses.push_back({core, (core + asked[core]++) % kMemories});
      network.push(&accesses.back(), 0, 0, 8, Interconnect::Type::READ, core,
                   kCores + accesses.back().memory);
    }
    for (unsigned memory = 0; memory < kMemories; ++memory) {
      const unsigned node = kCores + memory;
      if (!answers[memory].empty() && !network.is_full(node, 1, 128)) {
        Access* const access = answers[memory].front();
        answers[memory].pop_front();
        network.push(access, 1, 0, 128, Interconnect::Type::READ_REPLY, node, access->core);
      }
      if (network.is_empty(node, 0)) continue;
      answers[memory].push_back(static_cast<Access*>(network.top(node, 0)));
      network.pop(node, 0);
    }
    for (unsigned core = 0; core < kCores; ++core) {
      if (network.is_empty(core, 1)) continue;
      network.pop(core, 1);
      ++done;
    }
    network.run();
  }
  std::printf("%u reads of 128 bytes in %llu cycles\n", done,
              static_cast<unsigned long long>(network.get_cycle()));
  network.print_stats();
}
