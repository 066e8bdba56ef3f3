#include "sim/formats/foreign/msccl.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.h"
#include "model/text.h"

namespace flitscope::msccl {

std::vector<Holding> shared_out(std::uint64_t ranks, std::uint64_t share) {
  std::vector<Holding> shares(ranks);
  for (NodeId rank = 0; rank < ranks; ++rank) {
    shares[rank].node = rank;
    for (std::uint64_t k = 0; k < share; ++k) {
      shares[rank].chunks.push_back(static_cast<ChunkId>(rank * share + k));
    }
  }
  return shares;
}

std::vector<Holding> transposed(std::uint64_t ranks, std::uint64_t own) {
  const std::uint64_t share = own / ranks;
  std::vector<Holding> wanted(ranks);
  for (NodeId rank = 0; rank < ranks; ++rank) {
    wanted[rank].node = rank;
    for (std::uint64_t from = 0; from < ranks; ++from) {
      for (std::uint64_t k = 0; k < share; ++k) {
        wanted[rank].chunks.push_back(static_cast<ChunkId>(from * own + rank * share + k));
      }
    }
  }
  return wanted;
}

Origins::Origins(const Algorithm& algorithm, const std::string& file, std::uint32_t ranks)
    : algorithm_(algorithm), file_(file), ranks_(ranks) {
  const std::string& name = algorithm.collective;
  if (name == "allreduce") {
    reduces_ = true;
    chunks_ = largest(BufferKind::input);
    if (chunks_ == 0) chunks_ = largest(BufferKind::output);
  } else if (name == "allgather") {
    per_rank_ = largest(BufferKind::input);
    if (algorithm.in_place || per_rank_ == 0) per_rank_ = share_of(largest(BufferKind::output));
    chunks_ = per_rank_ * ranks;
  } else if (name == "alltoall") {
    per_rank_ = largest(BufferKind::input);
    static_cast<void>(share_of(per_rank_));
    chunks_ = per_rank_ * ranks;
  } else if (name == "reduce_scatter" || name == "reducescatter") {
    reduces_ = true;
    chunks_ = largest(BufferKind::input);
    per_rank_ = share_of(chunks_);
  } else {
    known_ = false;
  }
  if (!known_) return;
  if (chunks_ == 0) throw InputError(fmt::format("{}: {} without a chunk", printable(file), name));
  constexpr std::uint64_t kMax = std::uint64_t{1} << 24;
  if (chunks_ > kMax) {
    throw InputError(fmt::format("{}: {} chunks; at most {} are possible", printable(file), chunks_, kMax));
  }
}

Slots Origins::resolved(std::uint32_t rank, Slots slots) const {
  if (!algorithm_.in_place) return slots;
  if (algorithm_.collective == "allgather") {
    if (slots.buffer == BufferKind::input) {
      return {BufferKind::output, static_cast<std::uint32_t>(slots.offset + rank * per_rank_)};
    }
  } else if (slots.buffer == BufferKind::output) {
    const bool scatters = reduces_ && per_rank_ != 0;
    return {BufferKind::input, static_cast<std::uint32_t>(slots.offset + (scatters ? rank * per_rank_ : 0))};
  }
  return slots;
}

void Origins::for_each(std::uint32_t rank, const std::function<void(Slots, std::uint32_t)>& put) const {
  const bool gathers =
      algorithm_.collective == "allgather" && largest(BufferKind::input) == 0 && !algorithm_.in_place;
  const std::uint64_t count = reduces_ ? chunks_ : per_rank_;
  for (std::uint32_t k = 0; k < count; ++k) {
    const auto chunk = static_cast<std::uint32_t>(reduces_ ? k : rank * per_rank_ + k);
    const Slots slots{gathers ? BufferKind::output : BufferKind::input, gathers ? chunk : k};
    put(resolved(rank, slots), chunk);
  }
}

std::optional<std::vector<Holding>> Origins::goal() const {
  const std::string& name = algorithm_.collective;
  if (name == "allreduce" || name == "allgather") return std::nullopt;
  return name == "alltoall" ? transposed(ranks_, per_rank_) : shared_out(ranks_, per_rank_);
}

std::uint64_t Origins::largest(BufferKind buffer) const {
  std::uint32_t chunks = 0;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    chunks = std::max(chunks, algorithm_.chunks[rank * kBuffers + static_cast<unsigned>(buffer)]);
  }
  return chunks;
}

std::uint64_t Origins::share_of(std::uint64_t chunks) const {
  if (chunks % ranks_ == 0) return chunks / ranks_;
  throw InputError(fmt::format("{}: {} of {}, which {} ranks cannot share", printable(file_),
                               algorithm_.collective, counted(chunks, "chunk", "chunks"), ranks_));
}

}  // namespace flitscope::msccl
