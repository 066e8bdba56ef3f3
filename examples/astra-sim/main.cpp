// A ring all-reduce over ASTRA-sim's interface, as its system layer would send it: every rank passes a chunk
// on to its right neighbour 2 (p - 1) times, and combines the first p - 1 of them.
#include <cstdio>
#include <cstdlib>
#include <deque>

#include "flitscope_network.h"

namespace {

struct Rank {
  FlitscopeNetwork* network = nullptr;
  int ranks = 0;
  std::uint64_t chunk = 0;
  int steps = 0;  ///< chunks received
  long double done = 0;
};

void combined(void* rank);

void pass_on(Rank& rank) {
  const int self = rank.network->rank;
  const int last = 2 * (rank.ranks - 1);
  if (rank.steps == last) {
    rank.done = rank.network->sim_get_time().time_val;
    return;
  }
  const auto received = [](void* argument) {
    auto& its = *static_cast<Rank*>(argument);
    // 1 ns for 64 bytes to combine, nothing to copy.
    const long double time = ++its.steps < its.ranks ? static_cast<long double>(its.chunk) / 64 : 0;
    its.network->sim_schedule({AstraSim::NS, time}, combined, &its);
  };
  rank.network->sim_recv(nullptr, rank.chunk, 0, (self + rank.ranks - 1) % rank.ranks, rank.steps, nullptr,
                         received, &rank);
  rank.network->sim_send(nullptr, rank.chunk, 0, (self + 1) % rank.ranks, rank.steps, nullptr, nullptr,
                         nullptr);
}

void combined(void* rank) {
  pass_on(*static_cast<Rank*>(rank));
}

}  // namespace

int main(int, char* words[]) {
  FlitscopeFabric fabric(words[1]);
  const int ranks = static_cast<int>(fabric.ranks());
  const std::uint64_t bytes = std::strtoull(words[2], nullptr, 10);
  std::deque<FlitscopeNetwork> networks;
  std::deque<Rank> all;
  for (int rank = 0; rank < ranks; ++rank) {
    networks.emplace_back(rank, fabric);
    all.push_back({&networks.back(), ranks, bytes / static_cast<unsigned>(ranks)});
  }
  for (Rank& rank : all) pass_on(rank);
  if (!fabric.run()) {
    std::printf("%s", fabric.state().c_str());
    return 1;
  }
  long double end = 0;
  for (const Rank& rank : all) end = std::max(end, rank.done);
  std::printf("all-reduce of %llu bytes on %d ranks: %.0Lf ns\n", static_cast<unsigned long long>(bytes),
              ranks, end);
}
