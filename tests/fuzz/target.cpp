#include "tests/fuzz/target.h"

#include <new>

#include "model/error.h"

namespace flitscope::fuzz {

void attack(const Target& target, std::string_view bytes) {
  try {
    target.read(bytes);
  } catch (const InputError&) {
  } catch (const Inadmissible&) {
  } catch (const ScheduleError&) {
  } catch (const std::bad_alloc&) {
    // The program reports it as "not enough memory".
  }
}

}  // namespace flitscope::fuzz
