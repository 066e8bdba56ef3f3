// Errors as SystemC reports, with a message type that a model can filter.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <systemc>
#include <utility>

namespace flitscope {

/// A port with a wrong binding, or requested too late.
inline constexpr char kBindingReport[] = "/flitscope/binding";
/// A module breaks the rules of a link: a flit without credit, two in a cycle, or a flit outside of its
/// message.
inline constexpr char kProtocolReport[] = "/flitscope/protocol";
/// An impossible call: an unknown node, a message without flits, a reset within a cycle.
inline constexpr char kUseReport[] = "/flitscope/use";
/// An exception of a driver or watcher in a simulation run by the embedding model.
inline constexpr char kDriverReport[] = "/flitscope/driver";

/// Calls `act`. A std::logic_error becomes an error report of type `type`, which SystemC throws as an
/// sc_core::sc_report by default; with another report action the std::logic_error itself is thrown.
template <typename Act>
decltype(auto) reporting(const char* type, Act act) {
  try {
    return act();
  } catch (const std::logic_error& error) {
    SC_REPORT_ERROR(type, error.what());
    throw;
  }
}

/// Reports an error of type `type` in this way.
template <typename... Values>
[[noreturn]] void report_error(const char* type, fmt::format_string<Values...> text, Values&&... values) {
  const std::string error = fmt::format(text, std::forward<Values>(values)...);
  SC_REPORT_ERROR(type, error.c_str());
  throw std::logic_error(error);
}

}  // namespace flitscope
