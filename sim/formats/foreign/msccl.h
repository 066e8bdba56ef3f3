// An MSCCL algorithm: what its thread blocks do, what lies in their buffers, and which collective it is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/collective.h"
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

/// Which chunk lies in a slot of the input at the start. The algorithm and the file's name must outlive it.
class Origins {
 public:
  /// Throws InputError if the ranks cannot share the chunks of their buffers, or there are none.
  Origins(const Algorithm& algorithm, const std::string& file, std::uint32_t ranks);

  /// False: what lies in the input is a chunk when it is read, and goals are what ranks end with. The
  /// functions below but resolved() require that it is true.
  [[nodiscard]] bool known() const { return known_; }
  [[nodiscard]] bool reduces() const { return reduces_; }
  [[nodiscard]] std::uint64_t chunks() const { return chunks_; }

  /// The slot of the same memory that is counted: in place, input and output are one.
  [[nodiscard]] Slots resolved(std::uint32_t rank, Slots slots) const;

  /// Calls put(slots, chunk) for every chunk that a rank has at the start.
  void for_each(std::uint32_t rank, const std::function<void(Slots, std::uint32_t)>& put) const;

  /// By rank; nothing if everyone wants everything.
  [[nodiscard]] std::optional<std::vector<Holding>> goal() const;

 private:
  [[nodiscard]] std::uint64_t largest(BufferKind buffer) const;
  [[nodiscard]] std::uint64_t share_of(std::uint64_t chunks) const;

  const Algorithm& algorithm_;
  const std::string& file_;
  std::uint64_t ranks_;
  bool known_ = true;
  bool reduces_ = false;
  std::uint64_t chunks_ = 0;
  std::uint64_t per_rank_ = 0;  ///< chunks that are a rank's own
};

}  // namespace flitscope::msccl
