// SystemC's library has a main() that calls sc_main(), and wants one of every program, also of those with
// their own main(), which start the kernel where they need it, or step a network without it.
#include <systemc>

/// A program's own takes its place.
[[gnu::weak]] int sc_main(int, char*[]) {
  return 0;
}
