#include "params/parameter.h"

namespace flitscope {

std::string_view name_of(ParameterType type) {
  switch (type) {
    case ParameterType::integer:
      return "integer";
    case ParameterType::integers:
      return "integers";
    case ParameterType::number:
      return "number";
    case ParameterType::ratio:
      return "ratio";
    case ParameterType::bytes:
      return "bytes";
    case ParameterType::bandwidth:
      return "bandwidth";
    case ParameterType::cycles:
      return "cycles";
    case ParameterType::boolean:
      return "boolean";
    case ParameterType::choice:
      return "choice";
    case ParameterType::text:
      return "text";
    case ParameterType::node:
      return "node";
    case ParameterType::node_set:
      return "node set";
    case ParameterType::file:
      return "file";
    case ParameterType::sizes:
      return "sizes";
    case ParameterType::links:
      return "links";
  }
  return "?";
}

}  // namespace flitscope
