// SystemC allows one simulation a process, so every simulated test case gets a process of its own.
#pragma once

#include <functional>
#include <string>

namespace flitscope::test {

/// Runs `body` in a child process and returns the text it returns. Throws std::runtime_error with the
/// child's error if it throws, and if it dies.
[[nodiscard]] std::string run_isolated(const std::function<std::string()>& body);

}  // namespace flitscope::test
