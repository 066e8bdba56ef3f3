// A simulator of a GPU that calls BookSim2's function pointers; on a network that deadlocks, it prints what
// waits for what.
#include <cstdio>

#include "sim/booksim2/icnt_wrapper.h"

int main(int, char* words[]) {
  g_network_config_filename = words[1];
  icnt_wrapper_init();
  icnt_create(5, 0);
  icnt_init();
  int packet = 0;
  for (unsigned shader = 0; shader < 5; ++shader) {
    const unsigned bytes = 20 * icnt_get_flit_size();
    if (icnt_has_buffer(shader, bytes)) icnt_push(shader, (shader + 2) % 5, &packet, bytes);
  }
  for (unsigned cycle = 0; icnt_busy(); ++cycle) {
    if (cycle == 1000) {
      std::printf("nothing arrives:\n");
      icnt_display_state(stdout);
      return 0;
    }
    icnt_transfer();
    for (unsigned shader = 0; shader < 5; ++shader) icnt_pop(shader);
  }
  icnt_display_overall_stats();
}
