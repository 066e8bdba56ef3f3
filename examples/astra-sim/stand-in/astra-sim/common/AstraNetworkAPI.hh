// A stand-in for ASTRA-sim's header of the same name, for the example's own build: the declarations that a
// network behind it needs. With ASTRA-sim its own header takes this one's place.
#pragma once

#include <cstdint>

namespace AstraSim {

enum time_type_e { SE = 0, MS, US, NS, FS };

struct timespec_t {
  time_type_e time_res;
  long double time_val;
};

struct sim_request;

class AstraNetworkAPI {
 public:
  explicit AstraNetworkAPI(int its_rank) : rank(its_rank) {}
  virtual ~AstraNetworkAPI() = default;
  virtual int sim_send(void* buffer, uint64_t count, int type, int dst, int tag, sim_request* request,
                       void (*msg_handler)(void* fun_arg), void* fun_arg) = 0;
  virtual int sim_recv(void* buffer, uint64_t count, int type, int src, int tag, sim_request* request,
                       void (*msg_handler)(void* fun_arg), void* fun_arg) = 0;
  virtual void sim_schedule(timespec_t delta, void (*fun_ptr)(void* fun_arg), void* fun_arg) = 0;
  virtual timespec_t sim_get_time() = 0;
  virtual int sim_comm_get_rank() { return rank; }
  virtual void sim_notify_finished() {}

  int rank;
};

}  // namespace AstraSim
