#include "algorithms/chen/moves.h"

namespace flitscope::chen {

void Moves::clear() {
  legs_.clear();
  chunks_.clear();
}

NodeId Moves::change_class(NodeId from, int d, unsigned track, std::span<const ChunkId> chunks,
                           std::uint32_t control_bytes) {
  const unsigned dimension = track - 1;
  return straight(from, dimension, dimension == kX ? d : -d, chunks, control_bytes);
}

NodeId Moves::within_plane(NodeId from, unsigned axis, int d, unsigned track, std::span<const ChunkId> chunks,
                           std::uint32_t control_bytes) {
  const std::size_t count = keep(chunks);
  if (track != 2) return add_leg(steps_of_track(track), from, d, axis, d, count, control_bytes);
  const NodeId meta_node = add_leg(1, from, 0, axis, d, count, control_bytes);
  return add_leg(2, meta_node, d, axis, 0, count, control_bytes);
}

NodeId Moves::straight(NodeId from, unsigned dimension, int d, std::span<const ChunkId> chunks,
                       std::uint32_t control_bytes) {
  const std::size_t count = keep(chunks);
  if (dimension == kX) return add_leg(1, from, d, kY, 0, count, control_bytes);
  return add_leg(1, from, 0, dimension, d, count, control_bytes);
}

void Moves::emit(unsigned step, Step& into) const {
  for (const Leg& leg : legs_) {
    if (leg.step != step) continue;
    into.add(leg.from, leg.to, leg.route, std::span(chunks_).subspan(leg.first_chunk, leg.chunk_count),
             leg.control_bytes);
  }
}

NodeId Moves::add_leg(unsigned step, NodeId from, int dx, unsigned axis, int da, std::size_t chunk_count,
                      std::uint32_t control_bytes) {
  Route route;
  if (dx < 0) route.set_sign(kX, Sign::minus);
  if (da < 0) route.set_sign(axis, Sign::minus);
  const NodeId to = cube_.moved(cube_.moved(from, kX, dx), axis, da);
  legs_.push_back({from, to, route, step, control_bytes, chunks_.size() - chunk_count, chunk_count});
  return to;
}

std::size_t Moves::keep(std::span<const ChunkId> chunks) {
  chunks_.insert(chunks_.end(), chunks.begin(), chunks.end());
  return chunks.size();
}

}  // namespace flitscope::chen
