#include "traffic/traffic.h"

#include "model/text.h"

namespace flitscope {

const char* name_of(Injection injection) {
  return name_in({"bernoulli", "periodic", "on-off"}, injection);
}

const char* name_of(Ties ties) {
  return name_in({"random", "plus"}, ties);
}

}  // namespace flitscope
