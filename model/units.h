// Sizes and times as people write them: "4KiB", "1.5us".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flitscope {

/// A value read from text, or the reason why the text is none.
template <typename T>
struct Parsed {
  std::optional<T> value;
  /// Empty if there is a value.
  std::string problem;
};

/// True for a whole number as we accept it: digits without sign, leading zeros, separators or exponent.
[[nodiscard]] bool is_whole_number(std::string_view text);

/// Bytes from "512", "64B", "4KiB", "1 MiB", "1.5GB": a plain number counts bytes; kB, MB, GB, TB are powers
/// of 1000, KiB, MiB, GiB, TiB powers of 1024. The case of letters counts (b is not a byte). A decimal
/// fraction must come to whole bytes.
[[nodiscard]] Parsed<std::uint64_t> parse_bytes(std::string_view text);

/// A size in the largest of GiB, MiB, KiB and B that needs no fraction: 4096 is "4KiB", 1000 is "1000B".
/// parse_bytes reads it back.
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

/// Picoseconds from "30us", "8 ns", "1.5us"; the units are ps, ns, us, ms and s, and one is required. A
/// decimal fraction must come to whole picoseconds.
[[nodiscard]] Parsed<std::uint64_t> parse_time(std::string_view text);

/// A time in the largest unit that needs no fraction: 1500 is "1500ps", 1000 is "1ns". parse_time reads it
/// back.
[[nodiscard]] std::string time_text(std::uint64_t picoseconds);

}  // namespace flitscope
