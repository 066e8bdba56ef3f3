#include "params/parameter.h"

#include <array>
#include <utility>

namespace flitscope {

const ParameterTypeInfo& info_of(ParameterType type) {
  static constexpr std::array<ParameterTypeInfo, 17> table{{
      {"integer", "a whole number {range}{words}", "integer{range}"},
      {"integers", "a list of whole numbers, such as [4, 4], each {range}", "list of integers{range}"},
      {"number", "a number {range}{words}", "number{range}"},
      {"ratio", "a whole number or a fraction, such as 3/2, {range}{words}", "integer or fraction{range}"},
      {"bytes", "a size {range} bytes, such as 512 or 4KiB{words}", "size{range}"},
      {"bandwidth", "a bandwidth, such as 25GB/s{words}", "bandwidth"},
      {"cycles", "a time {range} cycles, such as 100, or 30us if there is a clock{words}", "time{range}"},
      {"boolean", "true or false", "boolean"},
      {"choice", "{choices}", "{choices}"},
      {"text", "text", "text"},
      {"node", "a node, such as [0, 1, 2], on a graph its name, or 'origin'", "node"},
      {"node set",
       "nodes: 'all', a list such as [[0, 1, 2], [3, 0, 0]], on a graph of names, {{count: 20, seed: 1}} or "
       "{{fraction: 0.1, seed: 1}}",
       "set of nodes"},
      {"file", "the name of a file", "file"},
      {"sizes",
       "a size {range} bytes, such as 512 or 4KiB, or sizes with their weights, such as {{64: 0.8, 4KiB: "
       "0.2}}",
       "size{range}, or sizes with weights"},
      {"links", "a list of links, such as [{{at: '[1, 0]+0', delay: 6, cycles_per_flit: 2}}]",
       "list of `{{at or kind, delay, cycles_per_flit, bandwidth, missing, both}}`"},
      {"classes",
       "a list of message classes, such as [{{name: request, vcs: [0, 1]}}, {{name: reply, vcs: [2, 3]}}], "
       "or with so many virtual channels each, vcs: 2",
       "list of `{{name, vcs, priority, network}}`"},
      {"networks",
       "how many networks, such as 2, or a list of them, such as [{{directions: plus}}, {{directions: minus, "
       "first_dimension: 1}}]",
       "whole number{range}, or list of `{{directions, first_dimension}}`"},
  }};
  return table.at(static_cast<std::size_t>(type));
}

Parameter Parameter::of(ParameterType type, std::string name, std::string summary, Range range,
                        std::string unit) {
  return {.name = std::move(name),
          .type = type,
          .summary = std::move(summary),
          .unit = std::move(unit),
          .minimum = range.minimum,
          .maximum = range.maximum};
}
Parameter Parameter::or_else(std::string value) && {
  fallback = std::move(value);
  return std::move(*this);
}
Parameter Parameter::or_words(std::vector<std::string> words) && {
  choices = std::move(words);
  return std::move(*this);
}

ParameterValues::ParameterValues() = default;
ParameterValues::ParameterValues(const ParameterValues& other) = default;
ParameterValues::ParameterValues(ParameterValues&& other) noexcept = default;
ParameterValues& ParameterValues::operator=(const ParameterValues& other) = default;
ParameterValues& ParameterValues::operator=(ParameterValues&& other) noexcept = default;
ParameterValues::~ParameterValues() = default;

void ParameterValues::set(const std::string& name, Value value) {
  values_[name] = std::move(value);
}
std::vector<std::string> ParameterValues::texts(const std::string& name) const {
  const auto* const list = std::get_if<std::vector<std::string>>(&values_.at(name));
  return list == nullptr ? std::vector<std::string>() : *list;
}

}  // namespace flitscope
