// Simulations in child processes: SystemC allows one a process.
#pragma once

#include <functional>
#include <string>

namespace flitscope {

/// Runs `body` in a child process and returns the text it returns. The calling process must not have started
/// a simulation itself. Throws std::runtime_error with the child's error if it throws, or if it dies.
[[nodiscard]] std::string run_isolated(const std::function<std::string()>& body);

}  // namespace flitscope
