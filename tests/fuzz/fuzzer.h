// Attacks a target with many inputs and keeps those that it does not survive.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/fuzz/target.h"

namespace flitscope::fuzz {

/// An input that a target neither reads nor refuses.
struct Finding {
  /// What happened: "signal 11", "more than 20 s", the text of an error that no user should see.
  std::string what;
  std::string input;
};

struct Limits {
  unsigned seconds = 20;                                ///< for one input
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;  ///< address space of the process that reads
};

/// The files of a target's corpus.
[[nodiscard]] std::vector<std::string> corpus_of(const Target& target);

/// Attacks `target` with its corpus as it is, then with inputs `first` to `first + count - 1` of those that
/// `seed` gives. Children of this process read, so that the end of one is no end of the attack.
[[nodiscard]] std::vector<Finding> attack_with_many(const Target& target, std::uint64_t seed,
                                                    std::uint64_t first, std::uint64_t count,
                                                    const Limits& limits = {});

/// Attacks with one input, likewise in a child.
[[nodiscard]] std::vector<Finding> attack_with(const Target& target, const std::string& input,
                                               const Limits& limits = {});

}  // namespace flitscope::fuzz
