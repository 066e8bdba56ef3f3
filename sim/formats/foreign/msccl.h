// An MSCCL algorithm: what its thread blocks do, what lies in their buffers, and which collective it is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/schedule.h"
#include "sim/formats/foreign/rank_program.h"

namespace flitscope::msccl {

enum class StepKind : std::uint8_t {
  nothing,         ///< nop, st, d
  send,            ///< s
  receive,         ///< r, also the first half of rcs
  receive_reduce,  ///< rrc, also the first half of rrcs
  receive_pass,    ///< the first half of rrs: what is combined is sent and not kept
  pass,            ///< the second half of rcs, rrs, rrcs
  copy,            ///< cpy
  reduce,          ///< re
};

enum class BufferKind : std::uint8_t { input, output, scratch };
inline constexpr unsigned kBuffers = 3;

/// `count` chunks of a buffer from `offset` on.
struct Slots {
  BufferKind buffer = BufferKind::input;
  std::uint32_t offset = 0;
};

struct Instruction {
  StepKind kind = StepKind::nothing;
  Slots source = {};
  Slots target = {};
  std::uint32_t count = 0;
};

struct Algorithm {
  std::string name;
  std::string collective;
  /// Input and output lie in the same memory.
  bool in_place = false;
  /// Chunks of the buffers, by rank and BufferKind.
  std::vector<std::uint32_t> chunks;
  /// By operation of the program.
  std::vector<Instruction> instructions;
};

/// The schedule of a complete program. `file` is its file. Throws InputError for a step that reads what is
/// not there, or whose data a schedule cannot say.
[[nodiscard]] std::unique_ptr<Schedule> schedule_of(const RankProgram& program, const Algorithm& algorithm,
                                                    const std::string& file, std::span<const NodeId> nodes,
                                                    std::uint64_t chunk_bytes, ScheduleFacts facts);

/// Takes all steps of a schedule and writes the algorithm; rank r is node r. Throws
/// Inadmissible("workload.schedule") for what the format cannot say.
[[nodiscard]] std::string xml_of(Schedule& schedule);

/// Rank r has `share` chunks, from r * share on.
[[nodiscard]] std::vector<Holding> shared_out(std::uint64_t ranks, std::uint64_t share);
/// Of the `own` chunks of every rank, which they share out among all, the parts for a rank.
[[nodiscard]] std::vector<Holding> transposed(std::uint64_t ranks, std::uint64_t own);

}  // namespace flitscope::msccl
