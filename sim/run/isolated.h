// SystemC allows one simulation a process: whoever needs several gives each a process of its own.
#pragma once

#include <functional>
#include <string>

namespace flitscope {

/// Runs `body` in a child process and returns the text it returns. The calling process must not have started
/// a simulation itself. Throws std::runtime_error with the child's error if it throws, or if it dies.
[[nodiscard]] std::string run_isolated(const std::function<std::string()>& body);

}  // namespace flitscope
