// The groups of a network divided among threads.
//
// The order of groups in a cycle is free (class RouterGroups), so several threads can step them if no two
// write to the same memory. In a cycle a thread has the groups between two numbers, with about as many that
// have work as every other thread:
//  - It alone writes the planes and the routers of its groups, and those fields of a message that belong to
//    the flit in its groups.
//  - What happens in a group of another thread goes to its outbox. When all threads have stepped their
//    groups, each takes what is for its own from the outboxes of all.
//  - It has its own counters, wakes, and lists of messages that arrive and of what is reported: share() gives
//    it an object with these, and with the memory of all groups. They are merged at the end of the cycle.
//  - It puts messages that nodes of its groups send into their queues, and opens their records. Free records
//    and messages without one are behind a lock.
// All other work is between cycles, in the caller's thread.
#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <utility>

#include "routers/engine/parallel_stepper.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

/// Chooses between one thread and several by the time of a flit-hop with each: on a busy computer a cycle of
/// several lasts until the system has run all of them.
class FasterMode {
 public:
  /// `divide_from`: several threads step the cycles after those with so many flit-hops, in place of the
  /// faster ones.
  explicit FasterMode(std::optional<std::uint64_t> divide_from) : divide_from_(divide_from) {}

  /// Begins a cycle. Returns whether several threads step its groups.
  [[nodiscard]] bool takes_several() {
    if (divide_from_) return last_hops_ >= *divide_from_;
    if (cycles_ >= length_) end_block();
    divides_ = several_ && is_long_;
    began_ = Clock::now();
    return divides_;
  }
  /// The groups have been stepped, with so many flit-hops.
  void end_cycle(std::uint64_t hops) {
    last_hops_ = hops;
    is_long_ = hops >= kFewHops;
    if (!is_long_ || divides_ != several_) return;
    time_ += std::chrono::duration<double>(Clock::now() - began_).count();
    hops_ += hops;
    ++cycles_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kFewHops = 1024;  ///< take as long as two phases of threads
  // Long cycles in one mode; of a trial of the slower one; and from one trial to the next.
  static constexpr unsigned kBlock = 32;
  static constexpr unsigned kTrial = 4;
  static constexpr unsigned kShortestWait = 64;
  static constexpr unsigned kLongestWait = 8192;

  /// Chooses the mode of the next cycles.
  void end_block() {
    times_[several_ ? 1 : 0] = time_ / static_cast<double>(hops_);
    const bool best = times_[1] == 0 || times_[1] < times_[0];
    if (best != std::exchange(best_, best)) wait_ = kShortestWait;
    waited_ = several_ == best ? waited_ + cycles_ : 0;
    time_ = 0;
    hops_ = 0;
    cycles_ = 0;
    several_ = best;
    length_ = kBlock;
    if (waited_ < wait_) return;
    several_ = !best;
    length_ = kTrial;
    wait_ = std::min(2 * wait_, kLongestWait);
  }

  std::optional<std::uint64_t> divide_from_;
  std::uint64_t last_hops_ = 0;
  std::array<double, 2> times_{};  ///< seconds of a flit-hop, of one thread and of several; 0: not known
  bool best_ = false;
  unsigned wait_ = kShortestWait;
  unsigned waited_ = 0;  ///< cycles in the best mode
  // The present block.
  bool several_ = false;
  unsigned length_ = kTrial;
  unsigned cycles_ = 0;
  std::uint64_t hops_ = 0;
  double time_ = 0;
  // The present cycle, or the last one.
  bool is_long_ = false;
  bool divides_ = false;
  Clock::time_point began_{};
};

class RouterGroups::Threads {
 public:
  static constexpr std::size_t kSlots = 32;  ///< for records, that a thread takes at once

  Threads(RouterGroups& whole, unsigned threads, std::optional<std::uint64_t> divide_from);

  [[nodiscard]] FasterMode& mode() { return mode_; }
  /// Steps every group that was woken for the present cycle. Returns whether there was any work.
  [[nodiscard]] bool step();

 private:
  /// What one thread has.
  struct Part {
    explicit Part(RouterGroups& whole)
        : marks(whole.groups_ + 1, whole.agenda_.wheel() - 1), groups(whole.share()) {}
    Agenda marks;
    Outbox outbox;
    std::unique_ptr<RouterGroups> groups;
    std::span<const Group> awake;
  };

  void divide();
  void step(unsigned thread);
  void take_posts(unsigned thread);
  void merge(Part& part);

  RouterGroups& whole_;
  FasterMode mode_;
  std::vector<Group> awake_;   ///< groups with work
  std::vector<Group> firsts_;  ///< first group of every thread, and the end
  std::deque<Part> parts_;     ///< the first one is the caller's
  ParallelStepper stepper_;
};

RouterGroups::Threads::Threads(RouterGroups& whole, unsigned threads,
                               std::optional<std::uint64_t> divide_from)
    : whole_(whole),
      mode_(divide_from),
      firsts_(threads + 1),
      stepper_(threads,
               [this](unsigned thread, unsigned phase) { phase == 0 ? step(thread) : take_posts(thread); }) {
  for (unsigned thread = 0; thread < threads; ++thread) {
    Part& part = parts_.emplace_back(whole);
    part.outbox.threads.resize(threads);
    // Groups of one thread, which has counted nothing.
    RouterGroups& groups = *part.groups;
    groups.marks_ = &part.marks;
    groups.outbox_ = &part.outbox;
    if (groups.observed_flits_ != nullptr)
      groups.observed_flits_ = std::make_shared<GroupFlits>(*groups.observed_flits_);
    groups.later_.clear();
    groups.relieved_.clear();
    groups.kept_ = {};
    groups.sends_.clear();
    groups.changed_ = false;
    groups.flit_hops_ = 0;
    groups.stalls_ = {};
    std::ranges::fill(groups.stalls_of_class_, StallCounts{});
  }
}

std::vector<LaterEvent>& RouterGroups::Outbox::of(Group group) {
  return threads[static_cast<std::size_t>(std::ranges::upper_bound(firsts, group) - firsts.begin() - 1)];
}

/// A slot for a record, in a cycle of several threads.
MessageSlot RouterGroups::take_slot() {
  std::vector<MessageSlot>& free = outbox_->free;
  if (free.empty()) {
    const auto lock = lock_messages();
    messages_.take(Threads::kSlots, free);
  }
  const MessageSlot slot = free.back();
  free.pop_back();
  messages_.begin(slot);
  return slot;
}

bool RouterGroups::Threads::step() {
  divide();
  whole_.messages_.reserve(whole_.injector_row(whole_.nodes(), 0) + whole_.sends_.size() +
                           kSlots * parts_.size());
  stepper_.step();
  whole_.sends_.clear();
  bool works = false;
  for (Part& part : parts_) {
    merge(part);
    works |= part.groups->works_;
  }
  return works;
}

/// Divides the groups with work.
void RouterGroups::Threads::divide() {
  awake_.clear();
  whole_.agenda_.visit(whole_.now_, [this](Group group) { awake_.push_back(group); });
  if (!awake_.empty() && awake_.back() == whole_.groups_) awake_.pop_back();  // deliveries
  const auto place = [this](std::size_t thread) { return awake_.size() * thread / parts_.size(); };
  for (std::size_t thread = 0; thread < parts_.size(); ++thread) {
    parts_[thread].awake = std::span(awake_).subspan(place(thread), place(thread + 1) - place(thread));
    firsts_[thread] = place(thread) < awake_.size() ? awake_[place(thread)] : whole_.groups_;
  }
  firsts_.front() = 0;
  firsts_.back() = whole_.groups_;
}

/// Steps the groups of a thread.
void RouterGroups::Threads::step(unsigned thread) {
  Part& part = parts_[thread];
  RouterGroups& groups = *part.groups;
  groups.now_ = whole_.now_;
  groups.settled_ = whole_.settled_;
  groups.left_bits_ = whole_.left_bits_;
  groups.first_ = firsts_[thread];
  groups.own_groups_ = firsts_[thread + 1] - firsts_[thread];
  groups.find_coming_cycles();
  part.outbox.firsts = firsts_;
  for (const auto& [node, message] : whole_.sends_) {
    if (group_of(node) - groups.first_ < groups.own_groups_) groups.enqueue(node, message);
  }
  groups.works_ = false;
  for (const Group group : part.awake) groups.step(groups.at(group));
}

/// Takes what other threads have left for the groups of one.
void RouterGroups::Threads::take_posts(unsigned thread) {
  RouterGroups& groups = *parts_[thread].groups;
  for (Part& sender : parts_) {
    std::vector<LaterEvent>& posts = sender.outbox.threads[thread];
    for (const LaterEvent& event : posts) groups.post_later(event);
    posts.clear();
  }
}

/// Adds what a thread has counted, woken and left.
void RouterGroups::Threads::merge(Part& part) {
  RouterGroups& groups = *part.groups;
  whole_.agenda_.merge_wakes(part.marks);
  for (const MessageSlot message : part.outbox.arriving)
    whole_.arriving_.add(message, whole_.now_ + whole_.link_delay_, whole_.now_);
  part.outbox.arriving.clear();
  for (const LaterEvent& event : part.outbox.later) whole_.post_elsewhere(event);
  part.outbox.later.clear();
  for (const MessageSlot slot : part.outbox.free) whole_.messages_.close(slot);
  part.outbox.free.clear();
  whole_.missing_slots_.insert(whole_.missing_slots_.end(), groups.missing_slots_.begin(),
                               groups.missing_slots_.end());
  groups.missing_slots_.clear();
  if (whole_.observed_flits_ != nullptr) whole_.observed_flits_->take(*groups.observed_flits_);
  whole_.flit_hops_ += std::exchange(groups.flit_hops_, 0);
  whole_.left_bits_ = std::max(whole_.left_bits_, groups.left_bits_);
  whole_.changed_ |= std::exchange(groups.changed_, false);
  whole_.relieved_.insert(whole_.relieved_.end(), groups.relieved_.begin(), groups.relieved_.end());
  groups.relieved_.clear();
  const auto add = [](auto& sums, auto& counts) {
    for (unsigned cause = 0; cause < kStallCauses; ++cause) sums[cause] += std::exchange(counts[cause], 0);
  };
  add(whole_.stalls_, groups.stalls_);
  for (std::size_t each = 0; each < whole_.stalls_of_class_.size(); ++each)
    add(whole_.stalls_of_class_[each], groups.stalls_of_class_[each]);
}

unsigned RouterGroups::set_threads(unsigned threads, std::optional<std::uint64_t> divide_from) {
  const unsigned used = can_divide() ? std::min(threads, groups_) : 1;
  threads_.reset();
  if (used == 1) return used;
  for (Group group = 0; group < groups_; ++group) {
    settle(at(group));
    *at(group).planes(layout_.steady) = 0;
  }
  steady_ = nullptr;
  threads_ = std::make_shared<Threads>(*this, used, divide_from);
  return used;
}

bool RouterGroups::step() {
  const std::uint64_t hops_before = flit_hops_;
  if (threads_ != nullptr && threads_->mode().takes_several()) {
    works_ = threads_->step();
  } else {
    for (const auto& [node, message] : sends_) enqueue(node, message);
    sends_.clear();
    works_ = ejection_buffers_ != nullptr && read_ejection_buffers();
    agenda_.visit(now_, [&](Group group) {
      if (group != groups_) step(at(group));  // else deliveries
    });
  }
  if (threads_ != nullptr) threads_->mode().end_cycle(flit_hops_ - hops_before);
  if (observed_stalls_ != nullptr || observed_flits_ != nullptr) report();
  return works_;
}

}  // namespace flitscope
