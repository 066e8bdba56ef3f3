// Errors as SystemC reports them: by message type, which a model can filter and act on.
#pragma once

#include <stdexcept>
#include <systemc>

namespace flitscope {

/// A port that is bound to what it must not be bound to, or asked for too late.
inline constexpr char kBindingReport[] = "/flitscope/binding";
/// A module breaks the rules of a link: a flit without credit, two in a cycle, one that its message does not
/// have.
inline constexpr char kProtocolReport[] = "/flitscope/protocol";
/// A call that is not possible: a node that is not there, a message without flits, a reset within a cycle.
inline constexpr char kUseReport[] = "/flitscope/use";
/// A driver or a watcher threw in a simulation that its owner runs.
inline constexpr char kDriverReport[] = "/flitscope/driver";

/// Does `act`. A std::logic_error becomes an error report of type `type`, which SystemC throws as an
/// sc_core::sc_report unless it was told otherwise; then the std::logic_error itself is thrown.
template <typename Act>
decltype(auto) reporting(const char* type, Act act) {
  try {
    return act();
  } catch (const std::logic_error& error) {
    SC_REPORT_ERROR(type, error.what());
    throw;
  }
}

}  // namespace flitscope
