#include "traffic/traffic.h"

namespace flitscope {

const char* name_of(Injection injection) {
  switch (injection) {
    case Injection::bernoulli:
      return "bernoulli";
    case Injection::periodic:
      return "periodic";
    case Injection::on_off:
      return "on-off";
  }
  return "?";
}

const char* name_of(Ties ties) {
  return ties == Ties::random ? "random" : "plus";
}

}  // namespace flitscope
