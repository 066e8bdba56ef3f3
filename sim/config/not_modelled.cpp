#include "sim/config/not_modelled.h"

#include <algorithm>
#include <array>

namespace flitscope {

namespace {

struct Subject {
  std::string_view word;  ///< keys that begin with it
  std::string_view subject;
};

constexpr std::array kSubjects{
    Subject{"power", "power and energy"},
    Subject{"energy", "power and energy"},
    Subject{"dsent", "power and energy"},
    Subject{"orion", "power and energy"},
    Subject{"voltage", "power and energy"},
    Subject{"area", "physical layout and area"},
    Subject{"layout", "physical layout and area"},
    Subject{"floorplan", "physical layout and area"},
    Subject{"placement", "physical layout and area"},
    Subject{"wire_length", "physical layout and area"},
    Subject{"temperature", "temperature"},
    Subject{"thermal", "temperature"},
    Subject{"throttl", "sources that adapt to congestion"},
    Subject{"congestion_control", "sources that adapt to congestion"},
    Subject{"bit_error", "faults that come and go"},
    Subject{"error_rate", "faults that come and go"},
    Subject{"retransmi", "faults that come and go"},
    Subject{"coheren", "caches and coherence"},
    Subject{"cache", "caches and coherence"},
    Subject{"priority", "priorities of messages"},
    Subject{"qos", "priorities of messages"},
    Subject{"dvfs", "clocks that differ or change"},
    Subject{"clock_domain", "clocks that differ or change"},
};

}  // namespace

std::optional<std::string_view> not_modelled(const std::string& key) {
  const auto found =
      std::ranges::find_if(kSubjects, [&](const Subject& each) { return key.starts_with(each.word); });
  return found == kSubjects.end() ? std::nullopt : std::optional(found->subject);
}

}  // namespace flitscope
