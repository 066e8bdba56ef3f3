#include "model/schedule.h"

namespace flitscope {

std::string message_label(std::uint64_t id) {
  const MessageName name = message_name(id);
  return std::to_string(name.step) + "." + std::to_string(name.place);
}

std::uint64_t message_bytes(const Collective& collective, const Step& step, const Message& message) {
  std::uint64_t bytes = message.control_bytes;
  for (const ChunkId chunk : step.chunks(message)) bytes += collective.chunk_bytes[chunk];
  return bytes;
}

std::uint64_t reduced_bytes(const Collective& collective, const Step& step, const Message& message) {
  std::uint64_t bytes = 0;
  for (const ChunkId chunk : step.reduced(message)) bytes += collective.chunk_bytes[chunk];
  return bytes;
}

}  // namespace flitscope
