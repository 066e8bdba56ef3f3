#include "sim/app/guarded.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "model/error.h"
#include "model/text.h"
#include "sim/host/process_limits.h"

namespace flitscope::app {

namespace {

int failed(Exit code, const std::exception& error) {
  std::cerr << printable_lines(error.what()) << '\n';
  return static_cast<int>(code);
}

/// Opens a standard stream that is closed, so that no file or pipe becomes one; its use still fails.
void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace

int guarded(Exit (*run)(const Strings& words), const Strings& words) {
  // A file beyond `ulimit -f` is one that cannot be written, not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  occupy_standard_streams();
  try {
    return static_cast<int>(run(words));
  } catch (const InputError& error) {
    return failed(Exit::bad_input, error);
  } catch (const Inadmissible& error) {
    return failed(Exit::bad_input, InputError(error.key() + ": " + error.what()));
  } catch (const ScheduleError& error) {
    return failed(Exit::verification_failed, error);
  } catch (const OutputError& error) {
    return failed(Exit::not_written, error);
  } catch (const std::filesystem::filesystem_error& error) {
    return failed(Exit::bad_input, InputError(std::string("flitscope: ") + error.what()));
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) {
      return failed(Exit::internal_error,
                    InputError(std::string("flitscope: internal error: ") + error.what()));
    }
    return failed(
        Exit::bad_input,
        InputError(std::string("flitscope: the system limits threads, processes, files or memory: ") +
                   error.what()));
  } catch (const std::bad_alloc&) {
    return failed(Exit::bad_input, InputError("flitscope: not enough memory: {:.1f} GiB available",
                                              static_cast<double>(memory_limit()) / (1 << 30)));
  } catch (const std::exception& error) {
    return failed(Exit::internal_error,
                  std::runtime_error(std::string("flitscope: internal error: ") + error.what()));
  }
}

}  // namespace flitscope::app
