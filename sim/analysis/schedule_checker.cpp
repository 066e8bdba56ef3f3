#include "sim/analysis/schedule_checker.h"

#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>

#include "model/route.h"
#include "model/text.h"
#include "routers/routing/routing.h"

namespace flitscope {
namespace {

/// The routing function the schedule names, which judges routes; null where messages have none, or if there
/// is none of that name that serves the network.
std::unique_ptr<RoutingFunction> routing_function(const ScheduleFacts& facts) {
  // Message classes go by different networks.
  if (!facts.topology.is_fault_free_grid() || facts.topology.networks() > 1) return nullptr;
  const Routing* const routing = RoutingRegistry::find(facts.routing);
  if (routing == nullptr || !routing->serves(facts.topology)) return nullptr;
  return routing->make(facts.topology);
}

class Checker {
 public:
  Checker(Schedule& schedule, const CheckOptions& options)
      : schedule_(schedule),
        options_(options),
        facts_(schedule.facts()),
        topology_(facts_.topology),
        routing_(routing_function(facts_)),
        log_(report_),
        chunks_(facts_.collective, topology_, log_,
                "when the step starts; it must have received what it sends in an earlier step"),
        load_(topology_, options.routing.empty() ? topology_.default_routing() : options.routing),
        sends_(topology_.nodes()),
        receives_(topology_.nodes()) {}

  CheckReport run() {
    check_facts(facts_, log_);
    if (!chunks_.start(options_.possession_limit, options_.operand_set_limit)) return std::move(report_);
    check_steps();
    chunks_.check_goal();
    check_bounds(report_.steps, "step", facts_.claimed_steps, facts_.lower_bound_steps, log_);
    if (facts_.claimed_channel_load) {
      report_.claim_kept = report_.max_channel_load <= *facts_.claimed_channel_load;
    }
    report_.redundant_deliveries = chunks_.possession().redundant();
    find_busiest_link();
    if (const auto& operands = chunks_.operands()) {
      report_.redundant_deliveries += operands->redundant();
      report_.proof = operands->exact() ? CheckReport::Proof::sets : CheckReport::Proof::sums;
    }
    return std::move(report_);
  }

 private:
  void check_steps() {
    Step step;
    while (schedule_.next(step)) {
      if (report_.steps == facts_.steps) {
        log_.step = 0;
        log_.violate(ViolationKind::steps, "the schedule goes on after step {}, the last it announces",
                     facts_.steps);
        return;  // the schedule may never end
      }
      log_.step = ++report_.steps;
      check_step(step);
    }
    log_.step = 0;
    if (report_.steps != facts_.steps) {
      log_.violate(ViolationKind::steps, "the schedule ends after {}, but announces {}",
                   counted(report_.steps, "step"), facts_.steps);
    }
    if (report_.messages != facts_.messages) {
      log_.violate(ViolationKind::messages, "the schedule has {}, but announces {}",
                   counted(report_.messages, "message"), facts_.messages);
    }
  }

  void check_step(const Step& step) {
    sends_.clear();
    receives_.clear();
    load_.start_step();
    deliveries_.clear();
    for (const std::uint32_t index : step.awaited()) awaited_.insert(message_id(log_.step, index));
    for (const Message& message : step.messages()) {
      ++log_.message;
      check_message(step, message);
    }
    log_.message = 0;
    // Chunks that arrive in this step can be sent from the next one on.
    for (const auto& [node, chunk] : deliveries_) {
      if (chunks_.operands() && chunks_.operands()->combines(chunk)) {
        chunks_.possession().put(node, chunk);
      } else {
        chunks_.possession().add(node, chunk);
      }
    }
    chunks_.finish_step(step);
    report_.messages += step.messages().size();
    account(load_.load());
    if (options_.on_step) options_.on_step({log_.step, step.messages().size(), load_.load()});
  }

  void check_message(const Step& step, const Message& message) {
    if (!nodes_exist(message)) return;
    const unsigned network = options_.networks.empty() ? 0 : options_.networks[step.message_class(message)];
    const bool path = path_exists(message, network);
    if (path) load_.add(message, network);
    if (path && options_.volumes) add_volume(step, message, network);
    check_ports(message);
    check_waits(step, message);
    const bool held = check_payload(step, message);
    if (!path || !held) return;
    for (const ChunkId chunk : step.chunks(message)) deliveries_.push_back({message.destination, chunk});
    chunks_.send(step, log_.message - 1);
  }

  [[nodiscard]] bool nodes_exist(const Message& message) {
    bool exist = true;
    for (const auto& [node, end] :
         {std::pair{message.source, "source"}, std::pair{message.destination, "destination"}}) {
      if (node < topology_.nodes()) continue;
      log_.violate(ViolationKind::no_such_node,
                   "the {} is node {}, which does not exist; the {} has nodes 0 to {}", end, node,
                   topology_.name(), topology_.nodes() - 1);
      exist = false;
    }
    return exist;
  }

  [[nodiscard]] bool path_exists(const Message& message, unsigned network) {
    const Paths& paths = load_.paths(network);
    if (!paths.exists(message.source, message.destination, message.route)) {
      if (!paths.follow_routes()) {
        const bool source = topology_.is_missing(message.source);
        log_.violate(ViolationKind::no_route, "{}: {} is missing from the {}", names(message),
                     topology_.node_name(source ? message.source : message.destination), topology_.name());
        return false;
      }
      log_.violate(
          ViolationKind::no_route,
          "{}: the directions given lead across the border of the {}; each must lead towards the destination",
          names(message), paths.topology().name());
      return false;
    }
    if (routing_ == nullptr || !paths.follow_routes()) return true;
    const Route route = in_order_of(paths.topology(), message.source, message.destination, message.route);
    if (const auto objection = routing_->objection(message.source, message.destination, route)) {
      log_.violate(ViolationKind::routing, "{}: {} does not take the path {}: {}", names(message),
                   facts_.routing, route_name(topology_, message.source, message.destination, message.route),
                   *objection);
    }
    return true;
  }

  void check_ports(const Message& message) {
    const std::uint32_t sends = sends_.increment(message.source);
    report_.max_sends = std::max(report_.max_sends, sends);
    if (sends > facts_.send_ports) {
      log_.violate(ViolationKind::send_ports,
                   "{}: it is message {} that {} sends in this step; it may send {}", names(message), sends,
                   topology_.node_name(message.source), facts_.send_ports);
    }
    const std::uint32_t receives = receives_.increment(message.destination);
    report_.max_receives = std::max(report_.max_receives, receives);
    if (receives > facts_.receive_ports) {
      log_.violate(ViolationKind::receive_ports,
                   "{}: it is message {} that {} receives in this step; it may receive {}", names(message),
                   receives, topology_.node_name(message.destination), facts_.receive_ports);
    }
  }

  void check_waits(const Step& step, const Message& message) {
    const std::uint64_t id = message_id(log_.step, log_.message - 1);
    if (const std::string objection = kinds_.add(topology_, step, log_.message - 1); !objection.empty())
      log_.violate(ViolationKind::waits, "{}: {}", names(message), objection);
    for (const Dependency& dependency : step.dependencies(message)) {
      if (dependency.message == 0 || dependency.count != 0) continue;
      if (dependency.message < id && awaited_.contains(dependency.message)) continue;
      log_.violate(ViolationKind::waits,
                   "{}: waits for message {}, which is no earlier message that can be waited for",
                   names(message), message_label(dependency.message));
    }
  }

  /// True if the sender can send what the message carries.
  [[nodiscard]] bool check_payload(const Step& step, const Message& message) {
    const auto chunks = step.chunks(message);
    if (chunks.empty() && message.control_bytes == 0) {
      log_.violate(ViolationKind::empty_message, "{}: carries nothing; it must carry a chunk or control data",
                   names(message));
    }
    return chunks_.check_payload(message.source, message.destination, chunks) &&
           chunks_.check_reduced(message.source, message.destination, step.reduced(message));
  }

  void add_volume(const Step& step, const Message& message, unsigned network) {
    if (link_bytes_.empty()) link_bytes_.resize(topology_.channel_ids());
    std::uint64_t bytes = message.control_bytes;
    for (const ChunkId chunk : step.chunks(message)) {
      if (chunk < facts_.collective.chunk_bytes.size()) bytes += facts_.collective.chunk_bytes[chunk];
    }
    std::uint32_t links = 0;
    load_.paths(network).for_each_channel(message.source, message.destination, message.route,
                                          [&](ChannelId channel) {
                                            link_bytes_[topology_.channel_of(network, channel)] += bytes;
                                            ++links;
                                          });
    report_.link_bytes += links * bytes;
    report_.largest_message_bytes = std::max(report_.largest_message_bytes, bytes);
    report_.longest_message_links = std::max(report_.longest_message_links, links);
    if (links > 1) ++report_.messages_of_many_links;
  }

  void find_busiest_link() {
    const auto busiest = std::ranges::max_element(link_bytes_);
    if (busiest == link_bytes_.end()) return;
    report_.busiest_link_bytes = *busiest;
    report_.busiest_link = static_cast<ChannelId>(busiest - link_bytes_.begin());
  }

  void account(const StepLoad& load) {
    report_.hops += load.hops;
    report_.shared_links += load.shared_links;
    if (load.max_load > report_.max_channel_load) {
      report_.max_channel_load = load.max_load;
      report_.max_load_step = log_.step;
      report_.max_load_channel = load.busiest;
    }
    if (load.shared_links > report_.most_shared_links) {
      report_.most_shared_links = load.shared_links;
      report_.most_shared_step = log_.step;
    }
  }

  [[nodiscard]] std::string names(const Message& message) const {
    return ends_text(topology_, message.source, message.destination);
  }

  Schedule& schedule_;
  const CheckOptions& options_;
  const ScheduleFacts& facts_;
  const Topology& topology_;
  const std::unique_ptr<RoutingFunction> routing_;
  CheckReport report_;
  ViolationLog log_;
  ChunkChecker chunks_;
  ChannelLoad load_;
  /// Messages of the present step by node.
  StampedCounts sends_;
  StampedCounts receives_;
  std::vector<std::pair<NodeId, ChunkId>> deliveries_;
  std::vector<std::uint64_t> link_bytes_;      ///< by link, if volumes are wanted
  std::unordered_set<std::uint64_t> awaited_;  ///< messages that later ones may wait for
  KindCounts kinds_;
};

}  // namespace

CheckReport check_schedule(Schedule& schedule, const CheckOptions& options) {
  return Checker(schedule, options).run();
}

}  // namespace flitscope
