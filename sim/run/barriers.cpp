#include "sim/run/barriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "params/settings.h"
#include "sim/driver/collective_driver.h"

namespace flitscope {

namespace {

/// When calls are made.
enum class Calls : std::uint8_t { recorded, relative };
constexpr std::array kCalls{"recorded", "relative"};

struct RecordingSettings {
  Cycle empty_barrier = 0;
  Calls calls = Calls::recorded;
};

const SettingsRegistry::Entry recording_entry{RowSection<RecordingSettings>{
    .name = "recording",
    .summary = "the software of a chip that a recording was made on, for a recording as schedule and for "
               "`flitscope validate`",
    .rows = {of_links(row(&RecordingSettings::empty_barrier,
                          Parameter::cycles(
                              "empty_barrier",
                              "a barrier that waits for replies ends so long after its start at the earliest",
                              {0, 1'000'000'000'000}))),
             of_links(choice_row(&RecordingSettings::calls, kCalls, "calls",
                                 "calls are made in their recorded cycles, or relative to the call before of "
                                 "their processor and the barriers since"))},
    .is_there = [](const RecordingSettings& settings) {
      return settings.empty_barrier != 0 || settings.calls != Calls::recorded;
    }}};

/// By barrier: its end in a relative replay, after the calls, barriers and computing before it of its
/// processor.
std::vector<Cycle> relative_ends(const Recording& recording, std::span<const Cycle> begins,
                                 std::span<const Cycle> ends, Cycle empty_barrier) {
  std::vector<Cycle> barrier_ends(recording.barriers.size());
  std::map<std::size_t, Cycle> progress;                       // by processor
  std::map<std::pair<ChipProcessor, bool>, Cycle> last_reply;  // to calls since the last barrier
  for (const ProcessorEvent& event : events_of_processors(recording)) {
    Cycle& now = progress[event.processor];
    if (event.is_barrier) {
      const RecordedBarrier& barrier = recording.barriers[event.place];
      const auto outstanding = last_reply.extract({barrier.processor, barrier.reads});
      now += event.computing;
      now = outstanding ? std::max(now + empty_barrier, outstanding.mapped()) : now + event.length;
      barrier_ends[event.place] = now;
    } else {
      const RecordedCall& call = recording.calls[event.place];
      Cycle& last = last_reply[{call.processor, call.reads}];
      last = std::max(last, ends[event.place]);
      now = begins[event.place];
    }
  }
  return barrier_ends;
}

}  // namespace

std::pair<WaitPlace, double> longest_wait(const PacketWaits& waits) {
  Cycle all = 0;
  for (const auto& [place, cycles] : waits) all += cycles;
  if (all == 0) return {};
  const auto longest = std::ranges::max_element(waits, {}, [](const auto& wait) { return wait.second; });
  return {longest->first, static_cast<double>(longest->second) / static_cast<double>(all)};
}

std::pair<WaitPlace, double> longest_wait(std::span<const BarrierRecord* const> barriers) {
  PacketWaits waits;
  for (const BarrierRecord* const each : barriers) {
    for (const auto& [place, cycles] : each->waits) waits[place] += cycles;
  }
  return longest_wait(waits);
}

ReplayObserver::ReplayObserver(const RecordedSchedule& schedule, const Topology& topology, bool of_calls)
    : schedule_(schedule),
      topology_(topology),
      of_calls_(of_calls),
      begins_(schedule.recording().calls.size(), kNever),
      ends_(schedule.recording().calls.size()) {}

void ReplayObserver::arrived(const ArrivedMessage& message) {
  const std::size_t index = message_name(message.delivery.id).index();
  const std::size_t call = schedule_.call_of(index);
  if (RecordedSchedule::is_reply(index)) {
    ends_[call] = std::max(ends_[call], message.delivery.arrived);
  } else {
    begins_[call] = std::min(begins_[call], message.delivery.ready);
  }
}

std::size_t ReplayObserver::call_of(std::uint64_t id) const {
  return of_calls_ ? schedule_.call_of(message_name(id).index()) : 0;
}

void ReplayObserver::waited_for_memory(const Packet& packet, Cycle cycles) {
  waits_[{call_of(packet.id), {std::nullopt, packet.source, 0}}] += cycles;
}

void ReplayObserver::stalled(const FlitStall& stall) {
  waits_[{call_of(stall.message), {stall.cause, stall.node, stall.port}}] += stall.cycles;
}

WaitPlace ReplayObserver::named(const Where& where) const {
  if (!where.cause) return {"memory", topology_.node_name(where.node)};
  return {name_of(*where.cause), where.port < topology_.link_ports()
                                     ? topology_.channel_name(topology_.channel(where.node, where.port))
                                     : "the end at " + topology_.node_name(where.node)};
}

std::map<std::size_t, PacketWaits> ReplayObserver::waits() const {
  std::map<std::size_t, PacketWaits> by_call;
  for (const auto& [key, cycles] : waits_) by_call[key.first][named(key.second)] += cycles;
  return by_call;
}

std::string BarrierRecord::kind() const {
  return fmt::format("{} on network {}", reads ? "read" : "write", processor.network);
}

double BarrierRecord::error() const {
  const auto recorded = static_cast<double>(end - first_call);
  return (static_cast<double>(replayed_end - replayed_first_call) - recorded) / recorded;
}

std::vector<BarrierRecord> compare_barriers(const ExperimentConfig& config, const Recording& recording,
                                            std::span<const Cycle> begins, std::span<const Cycle> ends,
                                            const std::map<std::size_t, PacketWaits>& waits) {
  const auto& [empty_barrier, calls] = config.settings.get<RecordingSettings>();
  const std::vector<Cycle> relative =
      calls == Calls::relative ? relative_ends(recording, begins, ends, empty_barrier) : std::vector<Cycle>();
  const auto of_calls = barriers_of_calls(recording);
  std::vector<std::optional<BarrierRecord>> records(recording.barriers.size());
  // Calls are in the order of their cycles.
  for (std::size_t call = 0; call < of_calls.size(); ++call) {
    if (!of_calls[call]) continue;
    const RecordedBarrier& barrier = recording.barriers[*of_calls[call]];
    std::optional<BarrierRecord>& record = records[*of_calls[call]];
    if (!record) {
      record = BarrierRecord{.processor = barrier.processor,
                             .reads = barrier.reads,
                             .first_call = recording.calls[call].cycle,
                             .start = barrier.start,
                             .end = barrier.end,
                             .replayed_first_call = begins[call],
                             .replayed_end = 0,
                             .waits = {}};
    }
    if (calls == Calls::relative) {
      record->replayed_end = relative[*of_calls[call]];
    } else {
      // It begins so long after the call as in the recording.
      const Cycle begin = begins[call] + (barrier.start - recording.calls[call].cycle);
      record->replayed_end = std::max({record->replayed_end, ends[call], begin + empty_barrier});
    }
    if (const auto found = waits.find(call); found != waits.end()) {
      for (const auto& [place, cycles] : found->second) record->waits[place] += cycles;
    }
  }
  std::vector<BarrierRecord> compared;
  for (auto& record : records) {
    if (record) compared.push_back(std::move(*record));
  }
  return compared;
}

ReplayPlan replay_plan(const ExperimentConfig& config) {
  const auto& settings = config.settings.get<RecordingSettings>();
  return {.is_relative = settings.calls == Calls::relative, .empty_barrier = settings.empty_barrier};
}

}  // namespace flitscope
