// What a configuration says of a single link.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace flitscope {

/// Longest delay, and most cycles a flit.
inline constexpr std::int64_t kMaxLinkDelay = 65'535;
inline constexpr std::int64_t kMaxCyclesPerFlit = 1024;

/// An item of the key `links`: {at: '[1, 0]+0', delay: 6, cycles_per_flit: 2}, or {at: '[2, 2]-1', missing:
/// true}. What it does not name stays as it is.
struct LinkSetting {
  std::string at;  ///< the link, as reports name it
  std::optional<std::uint32_t> delay{};
  std::optional<std::uint32_t> cycles_per_flit{};
  bool both = false;     ///< the link back as well
  bool missing = false;  ///< of a torus or mesh: it is not there
  bool operator==(const LinkSetting&) const = default;
};

}  // namespace flitscope
