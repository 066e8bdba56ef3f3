#include "flitscope_network.h"

#include <any>
#include <cmath>
#include <stdexcept>

#include "sim/config/config_source.h"
#include "sim/observe/deadlock/deadlock.h"
#include "sim/run/workload.h"

using namespace flitscope;

FlitscopeFabric::FlitscopeFabric(const std::string& configuration) {
  ExperimentConfig config = load_config(configuration);
  complete_for_messages(config);
  network_ = std::make_unique<SteppedNetwork>(config.topology, config.machine);
  if (config.clock) period_ = static_cast<long double>(config.clock->nanoseconds(1));
  flit_bytes_ = config.machine.flit_bytes;
}

void FlitscopeFabric::schedule(long double nanoseconds, Call call) {
  const auto cycles = static_cast<Cycle>(std::ceil(std::max(nanoseconds, 0.0L) / period_));
  events_[network_->now() + cycles].push_back(call);
}

void FlitscopeFabric::send(unsigned source, unsigned destination, int tag, std::uint64_t bytes, Call sent) {
  const std::uint64_t flits = flits_of(bytes, flit_bytes_);
  if (flits > kMaxFlits) throw std::invalid_argument("a message has too many flits: use longer ones");
  network_->send(source, {.destination = destination,
                          .flits = static_cast<std::uint32_t>(flits),
                          .content = Message{{source, destination, tag, bytes}, sent}});
  ++open_;
}

void FlitscopeFabric::receive(unsigned source, unsigned destination, int tag, std::uint64_t bytes,
                              Call received) {
  const Match match{source, destination, tag, bytes};
  Meeting& meeting = meetings_[match];
  if (meeting.arrived == 0) {
    meeting.receives.push_back(received);
    return;
  }
  if (--meeting.arrived == 0 && meeting.receives.empty()) meetings_.erase(match);
  --open_;
  received();
}

void FlitscopeFabric::take(unsigned node) {
  while (network_->peek(node) != nullptr) {
    const auto message = std::any_cast<Message>(network_->take(node).content);
    message.sent();
    Meeting& meeting = meetings_[message.match];
    if (meeting.receives.empty()) {
      ++meeting.arrived;
      continue;
    }
    const Call received = meeting.receives.front();
    meeting.receives.pop_front();
    if (meeting.receives.empty()) meetings_.erase(message.match);
    --open_;
    received();
  }
}

bool FlitscopeFabric::run() {
  // In a deadlock heads may ask in vain in every cycle, so that there is always an event.
  constexpr std::uint64_t kLooksAfter = 4096;
  std::uint64_t quiet_steps = 0;
  while (true) {
    const Cycle next = std::min(network_->next_event(), events_.empty() ? kNever : events_.begin()->first);
    if (next == kNever) return open_ == 0 && meetings_.empty();
    network_->advance_to(next);
    // Calls may add events of this cycle.
    while (!events_.empty() && events_.begin()->first == next) {
      const std::vector<Call> due = std::move(events_.begin()->second);
      events_.erase(events_.begin());
      for (const Call& call : due) call();
    }
    network_->step();
    const std::vector<NodeId> nodes = network_->take_arrived_nodes();
    for (const NodeId node : nodes) take(node);
    quiet_steps = nodes.empty() ? quiet_steps + 1 : 0;
    if (quiet_steps % kLooksAfter == kLooksAfter - 1 && events_.empty() && find_deadlock(network_->clock()))
      return false;
  }
}

std::string FlitscopeFabric::state() const {
  const auto deadlock = find_deadlock(network_->clock());
  if (!deadlock) {
    return std::to_string(open_) + " messages are not received, " + std::to_string(network_->in_flight()) +
           " of them are in the network\n";
  }
  std::string text = "deadlock since cycle " + std::to_string(deadlock->standstill) + ":\n";
  for (const std::string& line : describe(*deadlock, network_->topology())) text += "  " + line + '\n';
  return text;
}

int FlitscopeNetwork::sim_send(void*, std::uint64_t count, int, int dst, int tag, AstraSim::sim_request*,
                               void (*msg_handler)(void*), void* fun_arg) {
  fabric_.send(static_cast<unsigned>(rank), static_cast<unsigned>(dst), tag, count, {msg_handler, fun_arg});
  return 0;
}

int FlitscopeNetwork::sim_recv(void*, std::uint64_t count, int, int src, int tag, AstraSim::sim_request*,
                               void (*msg_handler)(void*), void* fun_arg) {
  fabric_.receive(static_cast<unsigned>(src), static_cast<unsigned>(rank), tag, count,
                  {msg_handler, fun_arg});
  return 0;
}

void FlitscopeNetwork::sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void*), void* fun_arg) {
  constexpr long double kNanoseconds[] = {1e9L, 1e6L, 1e3L, 1, 1e-6L};  // of the units
  fabric_.schedule(delta.time_val * kNanoseconds[delta.time_res], {fun_ptr, fun_arg});
}

AstraSim::timespec_t FlitscopeNetwork::sim_get_time() {
  return {AstraSim::NS, fabric_.now()};
}
