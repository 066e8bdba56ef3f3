#include "sim/run/isolated.h"

#include <fmt/format.h>

#include <exception>
#include <stdexcept>

#include "sim/host/worker_pool.h"

namespace flitscope {

std::string run_isolated(const std::function<std::string()>& body) {
  const auto job = [&](std::size_t) {
    try {
      return "+" + body();
    } catch (const std::exception& error) {
      return std::string("-") + error.what();
    }
  };
  std::string answer;
  WorkerPool pool(1, {});
  pool.run(1, job, [&](std::size_t, const JobEnd& end) {
    if (end.how != JobEnd::How::answered) {
      throw std::runtime_error(
          fmt::format("the simulation's process died with signal or exit code {}", end.code));
    }
    answer = end.answer;
  });
  if (answer[0] == '-') throw std::runtime_error(answer.substr(1));
  return answer.substr(1);
}

}  // namespace flitscope
