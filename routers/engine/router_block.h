// What a router has beside the planes of its group.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/types.h"
#include "routers/engine/group_layout.h"
#include "routers/engine/message_slot.h"
#include "routers/engine/router_core.h"

namespace flitscope {

/// A block of memory: a header, by port a Turn, by port PortCounts, by input VC a Front. Numbers of 8 bits
/// are fields of longer types: a store of a character may change any object, and what is in registers would
/// be read again.
struct RouterBlock {
  /// The message at the front of an input VC, if it waits for an output VC or holds one beyond a cycle.
  struct Front {
    MessageSlot message = 0;
    std::uint32_t flits = 0;        ///< of the message
    std::uint32_t more = 0;         ///< flits left beyond those counted in the planes
    std::uint32_t first = 0;        ///< place of the first message behind it
    std::uint32_t waiting = 0;      ///< messages behind it
    std::uint32_t choice : 16 = 0;  ///< number of what its head requests, while that waits for an output VC
    std::uint32_t group : 8 = 0;    ///< likewise
    std::uint32_t output : 8 = 0;   ///< VC held
    Cycle since = 0;                ///< first cycle of the present stall, but for a lost switch
  };
  static_assert(sizeof(Front) == 32);

  /// Round-robin pointers of a group of output VCs.
  struct Turn {
    std::uint16_t request : 8 = 0;  ///< input VC
    std::uint16_t vc : 8 = 0;       ///< output VC
  };
  struct Header {
    std::uint64_t holds = 0;    ///< output VCs that are held
    std::uint64_t asking = 0;   ///< input VCs whose head waits for an output VC
    std::uint64_t awaited = 0;  ///< output VCs that these request
    std::uint64_t granted = 0;  ///< input VCs that will hold their output VC after MachineConfig::vc_delay
  };
  struct Layout {
    unsigned counts;  ///< bytes from the beginning of a block
    unsigned front;
    unsigned bytes;

    constexpr explicit Layout(const GroupShape& shape)
        : counts(sizeof(Header) + (shape.ports() * unsigned{sizeof(Turn)} + 7) / 8 * 8),
          front(counts + shape.ports() * unsigned{sizeof(PortCounts)}),
          bytes((front + shape.input_vcs() * unsigned{sizeof(Front)} + kCacheLine - 1) / kCacheLine *
                kCacheLine) {}

   private:
    static constexpr unsigned kCacheLine = 64;  ///< has a header and the Turns of 16 ports
  };

  std::byte* block;
  const Layout& layout;

  [[nodiscard]] Header& header() const { return *reinterpret_cast<Header*>(block); }
  [[nodiscard]] Front& front(unsigned vc) const {
    return *reinterpret_cast<Front*>(block + layout.front + vc * sizeof(Front));
  }
  [[nodiscard]] PortCounts& counts(unsigned port) const {
    return *reinterpret_cast<PortCounts*>(block + layout.counts + port * sizeof(PortCounts));
  }
  [[nodiscard]] Turn& turn(unsigned port) const {
    return *reinterpret_cast<Turn*>(block + sizeof(Header) + port * sizeof(Turn));
  }
};

}  // namespace flitscope
