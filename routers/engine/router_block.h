// State of a router beside the planes of its group.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/types.h"
#include "routers/engine/group_layout.h"
#include "routers/engine/message_table.h"

namespace flitscope {

/// A block of memory, by frequency of use: what a hop needs is in one line of the cache on grids of up to
/// three dimensions. Numbers of 8 bits are fields of longer types: a store to a character may change any
/// object, so the compiler would load again what it has in registers.
struct RouterBlock {
  struct Header {
    std::uint64_t holds = 0;    ///< output VCs that are held
    std::uint64_t asking = 0;   ///< input VCs whose head waits for an output VC
    std::uint64_t awaited = 0;  ///< output VCs that these request
  };
  /// Round-robin pointers of a group of output VCs: of a link port, or of the ejection channels of a network.
  struct Turn {
    std::uint16_t request : 8 = 0;  ///< input VC
    std::uint16_t vc : 8 = 0;       ///< output VC
  };
  /// Messages whose tails have left by a port, and their flits.
  struct Counts {
    std::uint64_t flits = 0;
    std::uint64_t messages = 0;
  };
  /// Those that are not in its Counts yet.
  struct Recent {
    std::uint16_t flits = 0;
    std::uint16_t messages = 0;
  };
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

  /// Places in bytes from the beginning of a block.
  struct Layout {
    unsigned recent;
    unsigned granted;
    unsigned counts;
    unsigned front;
    unsigned bytes;

    constexpr explicit Layout(const GroupShape& shape)
        : recent(aligned(sizeof(Header) + (shape.link_ports + shape.networks) * unsigned{sizeof(Turn)}, 4)),
          granted(aligned(recent + shape.ports() * unsigned{sizeof(Recent)}, 8)),
          counts(granted + unsigned{sizeof(std::uint64_t)}),
          front(counts + shape.ports() * unsigned{sizeof(Counts)}),
          bytes(aligned(front + shape.input_vcs() * unsigned{sizeof(Front)}, kCacheLine)) {}

   private:
    static constexpr unsigned kCacheLine = 64;
    static constexpr unsigned aligned(unsigned place, unsigned unit) {
      return (place + unit - 1) / unit * unit;
    }
  };

  std::byte* block;
  const Layout& layout;

  [[nodiscard]] Header& header() const { return *reinterpret_cast<Header*>(block); }
  [[nodiscard]] Turn& turn(unsigned group) const { return at<Turn>(sizeof(Header), group); }
  /// Input VCs that will hold their output VC after MachineConfig::vc_delay.
  [[nodiscard]] std::uint64_t& granted() const { return at<std::uint64_t>(layout.granted); }
  [[nodiscard]] Front& front(unsigned vc) const { return at<Front>(layout.front, vc); }

  /// The tail of a message of so many flits has left by a port.
  [[gnu::always_inline]] void count(unsigned port, std::uint32_t flits) const {
    Recent& recent = this->recent(port);
    if (recent.flits + flits > kMostRecent) return count_all(port, flits);
    recent.flits = static_cast<std::uint16_t>(recent.flits + flits);
    ++recent.messages;
  }
  /// Counts of a port, recent ones included.
  [[nodiscard]] Counts all_counts(unsigned port) const {
    Counts all = counts(port);
    all.flits += recent(port).flits;
    all.messages += recent(port).messages;
    return all;
  }

 private:
  static constexpr std::uint32_t kMostRecent = 0xFFFF;

  template <typename T>
  [[nodiscard]] T& at(unsigned place, unsigned number = 0) const {
    return *reinterpret_cast<T*>(block + place + number * sizeof(T));
  }
  [[nodiscard]] Counts& counts(unsigned port) const { return at<Counts>(layout.counts, port); }
  [[nodiscard]] Recent& recent(unsigned port) const { return at<Recent>(layout.recent, port); }
  [[gnu::noinline]] void count_all(unsigned port, std::uint32_t flits) const {
    Counts& counts = this->counts(port);
    counts = all_counts(port);
    counts.flits += flits;
    ++counts.messages;
    recent(port) = {};
  }
};

}  // namespace flitscope
