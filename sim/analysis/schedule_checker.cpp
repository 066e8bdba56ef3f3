#include "sim/analysis/schedule_checker.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/route.h"
#include "routers/routing/routing.h"
#include "sim/analysis/channel_load.h"
#include "sim/analysis/facts_checker.h"
#include "sim/analysis/stamped_counts.h"

namespace flitscope {
namespace {

/// The routing function the schedule names, or null if there is none of that name.
std::unique_ptr<RoutingFunction> routing_function(const ScheduleFacts& facts) {
  const Routing* routing = RoutingRegistry::find(facts.routing);
  return routing == nullptr ? nullptr : routing->make(facts.topology);
}

class Checker {
 public:
  Checker(Schedule& schedule, const CheckOptions& options)
      : schedule_(schedule),
        options_(options),
        facts_(schedule.facts()),
        topology_(facts_.topology),
        routing_(routing_function(facts_)),
        load_(topology_),
        sends_(topology_.nodes()),
        receives_(topology_.nodes()) {}

  CheckReport run() {
    for (const Violation& violation : check_facts(facts_)) violate(violation.kind, "{}", violation.text);
    try {
      possession_.emplace(facts_.collective, topology_.nodes(), options_.possession_limit);
    } catch (const ScheduleError& error) {
      violate(ViolationKind::collective, "{}", error.what());
      return std::move(report_);
    }
    check_steps();
    check_goal();
    if (facts_.claimed_channel_load) {
      report_.claim_kept = report_.max_channel_load <= *facts_.claimed_channel_load;
    }
    report_.redundant_deliveries = possession_->redundant();
    return std::move(report_);
  }

 private:
  void check_steps() {
    Step step;
    while (schedule_.next(step)) {
      if (report_.steps == facts_.steps) {
        step_ = 0;
        violate(ViolationKind::steps, "the schedule goes on after step {}, the last it announces",
                facts_.steps);
        return;  // a schedule that never ends must not keep us
      }
      step_ = ++report_.steps;
      check_step(step);
    }
    step_ = 0;
    if (report_.steps != facts_.steps) {
      violate(ViolationKind::steps, "the schedule ends after {} steps, but announces {}", report_.steps,
              facts_.steps);
    }
    if (report_.messages != facts_.messages) {
      violate(ViolationKind::messages, "the schedule has {} messages, but announces {}", report_.messages,
              facts_.messages);
    }
  }

  void check_step(const Step& step) {
    sends_.clear();
    receives_.clear();
    load_.start_step();
    deliveries_.clear();
    for (const Message& message : step.messages()) {
      ++message_;
      check_message(step, message);
    }
    message_ = 0;
    // What arrives in this step counts from the next one on.
    for (const auto& [node, chunk] : deliveries_) possession_->add(node, chunk);
    report_.messages += step.messages().size();
    account(load_.load());
    if (options_.on_step) options_.on_step({step_, step.messages().size(), load_.load()});
  }

  void check_message(const Step& step, const Message& message) {
    if (!nodes_exist(message)) return;
    if (message.source == message.destination) {
      violate(ViolationKind::self_message, "{}: source and destination must differ", names(message));
      return;
    }
    const bool way = way_exists(message);
    if (way) load_.add(message);
    check_ports(message);
    const bool held = check_payload(step, message);
    if (!way || !held) return;
    for (const ChunkId chunk : step.chunks(message)) deliveries_.push_back({message.destination, chunk});
  }

  [[nodiscard]] bool nodes_exist(const Message& message) {
    bool exist = true;
    for (const auto& [node, end] :
         {std::pair{message.source, "source"}, std::pair{message.destination, "destination"}}) {
      if (node < topology_.nodes()) continue;
      violate(ViolationKind::no_such_node,
              "the {} is node {}, which does not exist; the {} has nodes 0 to {}", end, node,
              topology_.name(), topology_.nodes() - 1);
      exist = false;
    }
    return exist;
  }

  [[nodiscard]] bool way_exists(const Message& message) {
    if (!route_exists(topology_, message.source, message.destination, message.route)) {
      violate(ViolationKind::no_route,
              "{}: the directions given lead across the border of the {}; each must lead towards the "
              "destination",
              names(message), topology_.name());
      return false;
    }
    if (routing_ == nullptr) return true;
    if (const auto objection = routing_->objection(message.route)) {
      violate(ViolationKind::routing, "{}: {} does not take the way {}: {}", names(message), facts_.routing,
              route_name(topology_, message.source, message.destination, message.route), *objection);
    }
    return true;
  }

  void check_ports(const Message& message) {
    const std::uint32_t sends = sends_.increment(message.source);
    if (sends > facts_.send_ports) {
      violate(ViolationKind::send_ports, "{}: it is message {} that {} sends in this step; it may send {}",
              names(message), sends, topology_.node_name(message.source), facts_.send_ports);
    }
    const std::uint32_t receives = receives_.increment(message.destination);
    if (receives > facts_.receive_ports) {
      violate(ViolationKind::receive_ports,
              "{}: it is message {} that {} receives in this step; it may receive {}", names(message),
              receives, topology_.node_name(message.destination), facts_.receive_ports);
    }
  }

  /// True if the sender can send what the message carries.
  [[nodiscard]] bool check_payload(const Step& step, const Message& message) {
    const auto chunks = step.chunks(message);
    if (chunks.empty() && message.control_bytes == 0) {
      violate(ViolationKind::empty_message, "{}: carries nothing; it must carry a chunk or control data",
              names(message));
    }
    std::uint64_t lacking = 0;
    ChunkId example = 0;
    for (const ChunkId chunk : chunks) {
      if (chunk >= possession_->chunks()) {
        violate(ViolationKind::no_such_chunk,
                "{}: carries chunk {}, which does not exist; the collective has {}, numbered from 0",
                names(message), chunk, possession_->chunks());
        return false;
      }
      if (!possession_->holds(message.source, chunk) && lacking++ == 0) example = chunk;
    }
    if (lacking == 0) return true;
    violate(ViolationKind::not_held,
            "{}: {} does not hold chunk {}{} when the step starts; it must have received what it sends in an "
            "earlier step",
            names(message), topology_.node_name(message.source), example,
            lacking == 1 ? "" : fmt::format(" (and {} more)", lacking - 1));
    return false;
  }

  void account(const StepLoad& load) {
    report_.hops += load.hops;
    report_.shared_links += load.shared_links;
    if (load.max_load > report_.max_channel_load) {
      report_.max_channel_load = load.max_load;
      report_.max_load_step = step_;
      report_.max_load_channel = load.busiest;
    }
    if (load.shared_links > report_.most_shared_links) {
      report_.most_shared_links = load.shared_links;
      report_.most_shared_step = step_;
    }
  }

  void check_goal() {
    const auto missing = possession_->first_missing(facts_.collective);
    if (!missing) return;
    const std::uint64_t others = possession_->missing(facts_.collective) - 1;
    violate(ViolationKind::goal, "after the last step {} does not hold chunk {}{}; the goal wants it there",
            topology_.node_name(missing->node), missing->chunk,
            others == 0 ? "" : fmt::format(" (and {} more chunks are missing)", others));
  }

  [[nodiscard]] std::string names(const Message& message) const {
    return fmt::format("{} -> {}", topology_.node_name(message.source),
                       topology_.node_name(message.destination));
  }

  /// Notes a violation at the present step and message.
  template <typename... Values>
  void violate(ViolationKind kind, fmt::format_string<Values...> text, Values&&... values) {
    report_.legal = false;
    if (report_.violation_count++ >= options_.most_violations) return;
    std::string place;
    if (step_ != 0) place = fmt::format("step {}", step_);
    if (message_ != 0) place += fmt::format(", message {}", message_);
    if (!place.empty()) place += ": ";
    report_.violations.push_back(
        {kind, step_, message_, place + fmt::format(text, std::forward<Values>(values)...)});
  }

  Schedule& schedule_;
  const CheckOptions& options_;
  const ScheduleFacts& facts_;
  const Topology& topology_;
  const std::unique_ptr<RoutingFunction> routing_;
  std::optional<Possession> possession_;
  ChannelLoad load_;
  /// Messages of the present step by node.
  StampedCounts sends_;
  StampedCounts receives_;
  std::vector<std::pair<NodeId, ChunkId>> deliveries_;
  /// The present step and message, counted from 1; 0 outside of any.
  std::uint64_t step_ = 0;
  std::uint64_t message_ = 0;
  CheckReport report_;
};

}  // namespace

CheckReport check_schedule(Schedule& schedule, const CheckOptions& options) {
  return Checker(schedule, options).run();
}

}  // namespace flitscope
