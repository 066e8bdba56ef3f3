#include "sim/app/guarded.h"

#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>

#include "model/error.h"
#include "model/text.h"
#include "sim/host/process_limits.h"

namespace flitscope::app {

namespace {

int failed(Exit code, const std::exception& error) {
  std::cerr << printable_lines(error.what()) << '\n';
  return static_cast<int>(code);
}

}  // namespace

int guarded(Exit (*run)(const Strings& words), const Strings& words) {
  // A file beyond `ulimit -f` is one that cannot be written, not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
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
  } catch (const std::bad_alloc&) {
    return failed(Exit::bad_input,
                  InputError(fmt::format("flitscope: not enough memory: {:.1f} GiB available",
                                         static_cast<double>(memory_limit()) / (1 << 30))));
  } catch (const std::exception& error) {
    return failed(Exit::internal_error,
                  std::runtime_error(std::string("flitscope: internal error: ") + error.what()));
  }
}

}  // namespace flitscope::app
