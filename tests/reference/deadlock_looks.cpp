#include "tests/reference/deadlock_looks.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/network/network.h"
#include "sim/observe/deadlock/deadlock.h"
#include "sim/run/experiment.h"
#include "tests/reference/timed_driver.h"

namespace flitscope::reference {

std::set<InputVcName> DeadlockLook::input_vcs() const {
  std::set<InputVcName> result;
  for (const auto& [input_vc, flit] : deadlocked) result.insert(input_vc);
  return result;
}

std::optional<Cycle> DeadlockLooks::after_cycle(Cycle now) {
  look();
  return now + 1;
}

namespace {

/// Throws std::logic_error if a worm is said to hold a link's VC that neither has it as its holder nor has
/// one of its flits at the front of the buffer behind.
void require_holders(const Deadlock& deadlock, const ClockDomain& clock) {
  const RouterGroups& routers = clock.core();
  const auto is_at = [&](const DeadlockedWorm& worm, NodeId node, unsigned vc) {
    const MessageSlot message = routers.input_state(node, vc).message;
    return message != kNoMessage && clock.messages()[message].id == worm.message;
  };
  for (const DeadlockedWorm& worm : deadlock.dependency_cycle) {
    for (const HeldChannel& held : worm.holds) {
      if (held.injects || held.port >= routers.link_ports()) continue;
      const unsigned output = routers.first_vc(held.port) + held.vc;
      const auto holder = routers.holder(held.node, output);
      if (holder && is_at(worm, held.node, *holder)) continue;
      if (!is_at(worm, routers.receiver(held.node, output), output))
        throw std::logic_error("a worm does not hold a channel of the dependency cycle");
    }
  }
}

}  // namespace

void DeadlockLooks::look() {
  const WaitForGraph graph(clock_);
  const std::vector<VcPlace> deadlocked = graph.deadlocked();
  text_ << clock_.last_cycle() << ' ' << deadlocked.size();
  for (const auto& [node, vc] : deadlocked) {
    const RouterGroups::InputState front = clock_.core().input_state(node, vc);
    text_ << ' ' << node << ' ' << vc << ' ' << clock_.messages()[front.message].id << ' ' << front.index;
  }
  const std::vector<VcPlace> dependency_cycle = graph.shortest_cycle();
  text_ << ' ' << dependency_cycle.size();
  for (const auto& [node, vc] : dependency_cycle) text_ << ' ' << node << ' ' << vc;
  const std::optional<Deadlock> deadlock = find_deadlock(clock_);
  if (deadlock.has_value() == deadlocked.empty()) throw std::logic_error("find_deadlock() disagrees");
  if (deadlock) require_holders(*deadlock, clock_);
  text_ << ' ' << (deadlock ? deadlock->standstill : 0) << '\n';
}

std::vector<DeadlockLook> DeadlockLooks::read(const std::string& text) {
  std::istringstream in(text);
  std::vector<DeadlockLook> looks;
  std::size_t count = 0;
  for (DeadlockLook look; in >> look.cycle >> count; looks.push_back(std::exchange(look, {}))) {
    for (; count > 0; --count) {
      InputVcName input_vc;
      FlitName flit;
      in >> input_vc.first >> input_vc.second >> flit.first >> flit.second;
      look.deadlocked[input_vc] = flit;
    }
    in >> count;
    look.dependency_cycle.resize(count);
    for (InputVcName& input_vc : look.dependency_cycle) in >> input_vc.first >> input_vc.second;
    in >> look.standstill;
  }
  return looks;
}

std::vector<DeadlockLook> looks_of_engine(const RandomCase& random_case, Cycle limit) {
  return DeadlockLooks::read(run_isolated([&] {
    Network network("network", random_case.topology, random_case.machine);
    DeadlockLooks looks(network.clock());
    network.clock().watch(looks, 0);
    TimedDriver driver(random_case.messages);
    if (network.run(driver, limit) != ClockStop::quiet)
      throw std::runtime_error("the limit is too low for " + description(random_case));
    looks.look();
    return looks.text();
  }));
}

Cycle first_deadlocked(const std::vector<DeadlockLook>& looks, const std::vector<InputVcName>& input_vcs) {
  for (const DeadlockLook& look : looks) {
    const auto deadlocked = [&](const InputVcName& one) { return look.deadlocked.contains(one); };
    if (std::ranges::all_of(input_vcs, deadlocked)) return look.cycle;
  }
  return kNever;
}

}  // namespace flitscope::reference
