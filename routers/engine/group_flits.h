// Moves of flits of routers that are stepped together, as they are reported to an observer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "routers/engine/flit_observer.h"

namespace flitscope {

/// What flits did in the present cycle, noted in any order and reported in that of FlitObserver.
class GroupFlits {
 public:
  /// Of the routers `nodes`, or of all if there are none.
  GroupFlits(NodeId routers, FlitObserver& observer, std::span<const NodeId> nodes)
      : observer_(observer), observed_(routers, nodes.empty()) {
    for (const NodeId node : nodes) observed_[node] = true;
  }

  /// In the order of reports.
  enum class Kind : std::uint8_t { routed, granted, moved, injected };
  struct Event {
    std::uint64_t message = 0;
    std::uint32_t index = 0;
    bool tail = false;
    unsigned port = 0;
    unsigned vc = 0;          ///< of the port
    std::uint64_t place = 0;  ///< in the order of reports: router, kind, input VC or channel
  };

  /// `number` is of an input VC or an injection channel.
  void note(Kind kind, NodeId node, unsigned number, Event event) {
    if (!observed_[node]) return;
    event.place = std::uint64_t{node} << 16 | std::uint64_t{static_cast<std::uint8_t>(kind)} << 8 | number;
    events_.push_back(event);
  }
  /// A flit was injected outside of the step of the routers: it is reported at once.
  void report_injected(Cycle now, NodeId node, unsigned channel, std::uint64_t message, std::uint32_t index,
                       bool tail) {
    if (observed_[node]) observer_.injected(now, node, channel, message, index, tail);
  }

  /// Takes what another thread has noted.
  void take(GroupFlits& part) {
    events_.insert(events_.end(), part.events_.begin(), part.events_.end());
    part.events_.clear();
  }
  /// Begins the reports of a cycle.
  void begin_reports() { std::ranges::sort(events_, {}, &Event::place); }
  /// Reports what happened in the routers before `end`, in order.
  void report(NodeId end, Cycle now) {
    for (; reported_ < events_.size() && node_of(events_[reported_]) < end; ++reported_) {
      report(events_[reported_], now);
    }
  }
  void end_reports(Cycle now) {
    report(kNoNode, now);
    events_.clear();
    reported_ = 0;
  }

 private:
  [[nodiscard]] static NodeId node_of(const Event& event) { return static_cast<NodeId>(event.place >> 16); }
  void report(const Event& event, Cycle now) {
    const NodeId node = node_of(event);
    const auto number = static_cast<std::uint8_t>(event.place);
    switch (static_cast<Kind>(static_cast<std::uint8_t>(event.place >> 8))) {
      case Kind::routed:
        return observer_.routed(now, node, number, event.port, event.message);
      case Kind::granted:
        return observer_.granted(now, node, number, event.port, event.vc, event.message);
      case Kind::moved:
        return observer_.moved(now, node, event.port, event.vc, event.message, event.index, event.tail);
      case Kind::injected:
        return observer_.injected(now, node, number, event.message, event.index, event.tail);
    }
  }

  FlitObserver& observer_;
  std::vector<bool> observed_;  ///< by router
  std::vector<Event> events_;
  std::size_t reported_ = 0;  ///< of these
};

}  // namespace flitscope
