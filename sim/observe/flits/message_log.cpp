#include "sim/observe/flits/message_log.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "model/error.h"
#include "model/schedule.h"
#include "sim/driver/collective_driver.h"

namespace flitscope {

MessageLog::MessageLog(const std::filesystem::path& file, const Topology& topology)
    : topology_(topology), file_(file), out_(file) {
  if (!out_) throw OutputError(file.string() + ": cannot be written");
  out_ << "step,message,source,destination,flits,links,ready_cycle,arrival_cycle,latency_cycles,"
          "startup_cycles,queueing_cycles,hops_cycles";
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    out_ << ",head_" << name_of(static_cast<StallCause>(cause)) << "_cycles";
  }
  out_ << ",head_behind_cycles,serialization_cycles,tail_lag_cycles,tail_injection_cycles,"
          "tail_no_credit_cycles,tail_switch_lost_cycles,longest_wait_cycles,longest_wait_from_cycle,longest_"
          "wait_node,longest_wait_direction,"
          "longest_wait_cause,longest_wait_culprit\n";
}

void MessageLog::write(const ArrivedMessage& arrived, const LatencyParts& parts, const LagParts& lag,
                       const Wait* longest) {
  const MessageName name = message_name(arrived.delivery.id);
  fmt::print(out_, "{},{},\"{}\",\"{}\",{},{},{},{},{},{},{},{}", name.step, name.place,
             topology_.node_name(arrived.message.source), topology_.node_name(arrived.message.destination),
             arrived.flits, parts.links, arrived.delivery.ready, arrived.delivery.arrived, parts.latency,
             parts.startup, parts.queueing, parts.hops);
  for (const Cycle cycles : parts.head_stalls) fmt::print(out_, ",{}", cycles);
  // A tail has the VC of its head, and the pace of its ejection channel is serialization: no lag by those.
  fmt::print(out_, ",{},{},{},{},{},{}", parts.hol_blocked, parts.serialization, parts.tail_lag,
             lag.injection, lag.of(StallCause::no_credit), lag.of(StallCause::switch_lost));
  if (longest == nullptr) {
    fmt::print(out_, ",0,,,,,\n");
    return;
  }
  fmt::print(out_, ",{},{},\"{}\",{},{},{}\n", longest->cycles, longest->from,
             topology_.node_name(longest->node),
             longest->port < topology_.link_ports() ? topology_.port_name(longest->port) : "ejection",
             name_of(longest->cause), longest->culprit ? message_label(*longest->culprit) : "");
}

void MessageLog::close() {
  out_.close();
  if (!out_) throw OutputError(file_.string() + ": could not be written completely");
}

}  // namespace flitscope
