// What the collective of an MSCCL algorithm is: which chunks ranks have at the start, and which they want.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/collective.h"
#include "sim/formats/foreign/msccl_program.h"

namespace flitscope::msccl {

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

  /// The slot that a slot stands for: in place, input and output are the same memory.
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
