// Networks of families, by the values of their parameters.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/topology.h"
#include "networks/network_family.h"

namespace flitscope::test {

/// The value of a parameter.
struct Given {
  std::string name;
  ParameterValues::Value value;
};

inline Topology network(const std::string& family, const std::vector<Given>& parameters) {
  ParameterValues values;
  for (const Given& each : parameters) values.set(each.name, each.value);
  return Topology::of(make_graph(*FamilyRegistry::find(family), values));
}

inline Given number(const std::string& name, std::int64_t value) {
  return {name, value};
}
inline Given ratio(const std::string& name, Ratio value) {
  return {name, value};
}
inline Given list(const std::string& name, std::vector<std::uint32_t> values) {
  return {name, std::move(values)};
}

}  // namespace flitscope::test
