// Events: what happens in groups in coming cycles, in planes and lists of heads of the next ones, or kept
// apart.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "model/machine.h"
#include "model/types.h"
#include "routers/engine/agenda.h"
#include "routers/engine/group_layout.h"
#include "routers/engine/message_table.h"
#include "routers/engine/planes.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// A head on its way to an input VC; from its routing on with its request, for the first cycle. For the
/// fields of 8 bits see RouterBlock.
struct alignas(32) ComingHead {
  /// Output VCs that a head requests.
  struct Choice {
    std::uint32_t number : 16;  ///< see RouterNumbers::choice
    std::uint32_t group : 8;    ///< link port, or the first ejection port
  };

  Head content;  ///< as in the MessageRecord
  MessageSlot message;
  std::uint32_t flits : 8;   ///< of the message, kMostLeft if it has more; 0: it waits
  std::uint32_t router : 8;  ///< of its group
  std::uint32_t vc : 8;      ///< input VC
  std::uint32_t output : 8;  ///< VC that it has got
  Choice choice;
};
static_assert(sizeof(ComingHead) == 32);

class HeadMemory;

/// Heads of a group that are usable in one cycle. They are written in their place, not copied there.
class HeadList {
 public:
  [[nodiscard]] const ComingHead* begin() const { return heads_.get(); }
  [[nodiscard]] const ComingHead* end() const { return heads_.get() + size_; }
  [[gnu::always_inline]] void append(const Head& head, MessageSlot message, std::uint32_t flits,
                                     unsigned router, unsigned vc, HeadMemory& memory) {
    if (size_ == capacity_) grow(memory);
    ComingHead& coming = heads_[size_++];
    coming.content = head;
    coming.message = message;
    coming.flits = static_cast<std::uint8_t>(std::min(flits, kMostLeft));
    coming.router = static_cast<std::uint8_t>(router);
    coming.vc = static_cast<std::uint8_t>(vc);
    coming.output = 0;
  }

 private:
  friend class HeadMemory;

  void grow(HeadMemory& memory);

  std::unique_ptr<ComingHead[]> heads_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

/// Memory of lists that have been visited, for those that get heads next: so it follows the heads on their
/// way, and is in the cache. A copy begins without any.
class HeadMemory {
 public:
  HeadMemory() = default;
  HeadMemory(const HeadMemory& /*other*/) : HeadMemory() {}
  HeadMemory& operator=(const HeadMemory&) = delete;

  /// Empties a list of heads at their destination or of others. They are in memory until the next one of the
  /// same kind is emptied.
  [[nodiscard]] std::span<ComingHead> take(HeadList& list, bool arrived) {
    HeadList& taken = taken_[arrived];
    if (taken.capacity_ != 0) {
      taken.size_ = 0;
      unused_.push_back(std::move(taken));
    }
    taken = std::exchange(list, {});
    return {taken.heads_.get(), taken.size_};
  }

 private:
  friend class HeadList;

  std::array<HeadList, 2> taken_;
  std::vector<HeadList> unused_;
};

[[gnu::noinline]] inline void HeadList::grow(HeadMemory& memory) {
  if (capacity_ == 0 && !memory.unused_.empty()) {
    *this = std::move(memory.unused_.back());
    return memory.unused_.pop_back();
  }
  constexpr std::uint32_t kFirst = 8;
  capacity_ = std::max(kFirst, 2 * capacity_);
  auto heads = std::make_unique_for_overwrite<ComingHead[]>(capacity_);
  std::copy_n(heads_.get(), size_, heads.get());
  heads_ = std::move(heads);
}

/// What happens in a group in a coming cycle, by input VC, output VC, injector, or channel.
enum class Event : std::uint8_t {
  arrival,  ///< a flit is usable in this input VC
  credit,   ///< a slot behind this output VC; of an ejection channel: the end of its interval
  slot,     ///< in the FIFO of this injection VC
  due,      ///< this injector may put its next flit
  idle,     ///< it may take a message
  pace,     ///< this injection channel may put a flit
  hold,     ///< this input VC takes part in switch allocation with the output VC that it was granted
  free,     ///< this output VC of a link can be granted again
  route,    ///< the head at the front of this input VC requests an output VC (RouterParts::routing_delay)
  early,    ///< VC allocation learns of a slot behind this output VC (RouterParts::early_credits)
  stop,     ///< the signal of the buffer behind this output VC counts a flit more (Credits::on_off)
  head,     ///< this input VC gets a head, which is in a list (heads_at)
};
inline constexpr unsigned kEvents = static_cast<unsigned>(Event::head);  ///< those with planes

/// Injectors have events, for a startup or an interval.
[[nodiscard]] inline bool waits_to_put(const MachineConfig& machine) {
  return machine.startup != 0 || machine.injection_interval != 1;
}
/// Output ports are busy within intervals, or since queues have no room.
[[nodiscard]] inline bool has_busy_ports(const MachineConfig& machine) {
  return machine.longest_link().cycles_per_flit != 1 || machine.parts.output_queue != 0;
}

/// Where the planes of numbers and of events lie, whose size depends on buffers and delays, behind the
/// others.
struct NumberLayout {
  NumberLayout(const GroupLayout& layout, const MachineConfig& machine);

  unsigned count_bits;                    ///< of a number of flits in a FIFO
  unsigned usable;                        ///< input VC: number of usable flits
  unsigned slots;                         ///< output VC of a link: number of usable slots
  unsigned put_slots;                     ///< injection VC: likewise
  unsigned busy;                          ///< output port: within its interval, or its queue has no room
  unsigned events;                        ///< of the cycles of the wheel
  std::array<unsigned, kEvents> event{};  ///< from the first word of a cycle's
  unsigned events_of_cycle;               ///< words
  unsigned words;                         ///< of a group

  [[nodiscard]] unsigned of(Event kind) const { return event[static_cast<unsigned>(kind)]; }
};

/// A coming cycle, for which events are posted.
struct ComingCycle {
  Cycle cycle = 0;
  HeadList* heads = nullptr;  ///< of the first group, see heads_at()
  Agenda::Page agenda{};
  unsigned events = 0;       ///< in words from the beginning of a group
  std::uint32_t first = 0;   ///< of the thread's groups
  std::uint32_t groups = 0;  ///< of these; 0: the cycle is beyond the wheel

  /// Whether what happens in a group is noted at once.
  [[nodiscard]] bool reaches(std::uint32_t group) const { return group - first < groups; }
};

/// An event beyond the wheel, or for a group of another thread.
struct LaterEvent {
  Cycle cycle = 0;
  std::uint32_t group = 0;
  Event event{};
  unsigned number = 0;
  Plane routers = 0;
  // Of a head:
  MessageSlot message = 0;
  std::uint32_t flits = 0;  ///< as in ComingHead
  bool arrived = false;     ///< at its destination
};

/// What a group does in each cycle while no head, tail or new message comes and as many flits arrive in each
/// input VC as leave: the same events are posted, and only the numbers of flits left and of usable slots
/// change, those of flits for several cycles at once.
struct SteadyGroup {
  /// An event of a group in a coming cycle.
  struct Post {
    Plane* word;  ///< in the first cycle of the wheel
    Plane routers;
    std::uint32_t group;
  };
  /// Those of one cycle.
  using Posts = std::vector<Post>;

  bool has_posts = false;       ///< `posts` are those of the moves of the last traversal
  std::uint32_t cycles = 0;     ///< that can pass before a tail leaves
  std::uint32_t passed = 0;     ///< of these, those whose flits are not subtracted from those left
  std::uint32_t flit_hops = 0;  ///< of a cycle
  std::vector<Posts> posts;     ///< of flits and of credits by number of a link's delay, then of slots

  void add(std::size_t list, const Post& post) {
    const auto same = find(list, post.word);
    if (same == posts[list].end()) {
      posts[list].push_back(post);
    } else {
      same->routers |= post.routers;
    }
  }
  void remove(std::size_t list, const Post& post) {
    const auto same = find(list, post.word);
    same->routers &= ~post.routers;
    if (same->routers != 0) return;
    *same = posts[list].back();
    posts[list].pop_back();
  }

 private:
  [[nodiscard]] Posts::iterator find(std::size_t list, const Plane* word) {
    return std::ranges::find(posts[list], word, &Post::word);
  }
};

}  // namespace flitscope
