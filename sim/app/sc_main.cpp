// SystemC's library calls sc_main() from a main() of its own; our programs have their own main() and start
// the kernel where they need it. The symbol must exist all the same.
#include <systemc>

int sc_main(int, char*[]) {
  return 0;
}
