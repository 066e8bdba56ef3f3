// Results of the engine's deadlock detection, cycle by cycle.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sim/network/clock_domain.h"
#include "tests/reference/brute_force_deadlock.h"
#include "tests/reference/random_case.h"

namespace flitscope::reference {

/// A flit: its message, and its place in it.
using FlitName = std::pair<std::uint64_t, std::uint32_t>;

/// The result after one cycle.
struct DeadlockLook {
  Cycle cycle = 0;
  std::map<InputVcName, FlitName> deadlocked;  ///< with the flits at the fronts
  std::vector<InputVcName> dependency_cycle;
  Cycle standstill = 0;  ///< as find_deadlock() has it; 0 if nothing is deadlocked

  [[nodiscard]] std::set<InputVcName> input_vcs() const;
};

/// Runs the detection after every cycle with work; the results leave the engine's process as text.
class DeadlockLooks final : public ClockWatcher {
 public:
  explicit DeadlockLooks(const ClockDomain& clock) : clock_(clock) {}

  [[nodiscard]] std::optional<Cycle> after_cycle(Cycle now) override;
  /// Looks now.
  void look();
  [[nodiscard]] std::string text() const { return text_.str(); }
  [[nodiscard]] static std::vector<DeadlockLook> read(const std::string& text);

 private:
  const ClockDomain& clock_;
  std::ostringstream text_;
};

/// Runs the engine until nothing happens any more, in a process of its own. The last look is at the end.
/// Throws std::runtime_error if that takes more than `limit` cycles.
[[nodiscard]] std::vector<DeadlockLook> looks_of_engine(const RandomCase& random_case, Cycle limit);

/// First cycle after which all of `input_vcs` are deadlocked; kNever if they never are.
[[nodiscard]] Cycle first_deadlocked(const std::vector<DeadlockLook>& looks,
                                     const std::vector<InputVcName>& input_vcs);

}  // namespace flitscope::reference
