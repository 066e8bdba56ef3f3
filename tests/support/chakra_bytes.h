// Chakra traces byte by byte: messages of protobuf, each after its length.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace flitscope::test::chakra_bytes {

inline std::string varint(std::uint64_t value) {
  std::string text;
  for (; value >= 128; value >>= 7) text += static_cast<char>(value | 128);
  return text + static_cast<char>(value);
}
inline std::string field(unsigned number, std::uint64_t value) {
  return varint(number << 3) + varint(value);
}
inline std::string field(unsigned number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}
inline std::string delimited(const std::string& message) {
  return varint(message.size()) + message;
}
/// What a trace begins with.
inline std::string metadata() {
  return delimited(field(1, std::string("0.0.4")));
}

enum Type : std::uint8_t { calculation = 4, send = 5, receive = 6, collective = 7 };

/// Of a type that `value` is a field of: 7, 9: int32, int64; 29: text; 28: a list of booleans.
inline std::string attribute(const std::string& name, const std::string& value) {
  return field(10, field(1, name) + value);
}

inline std::string node(std::uint64_t id, Type type, const std::vector<std::uint64_t>& after,
                        const std::string& more = {}) {
  std::string text = field(1, id) + field(2, "node " + std::to_string(id)) + field(3, std::uint64_t{type});
  for (const std::uint64_t on : after) text += field(5, on);
  return delimited(text + more);
}

}  // namespace flitscope::test::chakra_bytes
