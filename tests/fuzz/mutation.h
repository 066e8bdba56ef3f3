// Inputs made from others: what a careless editor, a broken disk or an attacker would do to a file.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace flitscope::fuzz {

/// One of `seeds` after one to eight changes, drawn with `random`: of bytes (flipped, cut, doubled,
/// exchanged), of lines (lost, doubled, exchanged, taken from another seed), of words (a number becomes an
/// extreme one, a word another word of the seeds, a bracket is lost or nested thousands deep). At most 1 MiB
/// long.
[[nodiscard]] std::string mutated(const std::vector<std::string>& seeds, std::mt19937_64& random);

}  // namespace flitscope::fuzz
