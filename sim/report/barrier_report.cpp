#include "sim/report/report_parts.h"

#include <cmath>
#include <functional>
#include <map>
#include <span>

namespace flitscope {

namespace {

double size(const BarrierRecord* barrier) {
  return std::abs(barrier->error());
}

/// Those with an error, by its size, the worst first.
std::vector<const BarrierRecord*> from_the_worst(const std::vector<BarrierRecord>& barriers) {
  std::vector<const BarrierRecord*> sorted;
  for (const BarrierRecord& each : barriers) {
    if (each.takes_time()) sorted.push_back(&each);
  }
  std::ranges::stable_sort(sorted, std::greater(), size);
  return sorted;
}

/// "median 5.6%, 90% 22.0%, worst 56.1%"
std::string quantiles_text(const std::vector<const BarrierRecord*>& barriers) {
  std::vector<double> sizes;
  for (const BarrierRecord* const each : barriers) sizes.push_back(100 * size(each));
  return fmt::format("median {:.1f}%, 90% {:.1f}%, worst {:.1f}%", quantile(sizes, 0.5), quantile(sizes, 0.9),
                     quantile(sizes, 1));
}

/// The tenth of the barriers with the largest errors, and where their packets waited most.
std::string worst_text(const std::vector<const BarrierRecord*>& barriers) {
  const std::size_t count = (barriers.size() + 9) / 10;
  const auto [place, share] = longest_wait(std::span(barriers).first(count));
  if (share == 0) return "";
  return fmt::format("; the worst {} waited most for {} ({:.0f}%)", counted(count, "barrier"), place.name(),
                     100 * share);
}

}  // namespace

std::string barriers_text(const RunResult& result) {
  if (result.links() == nullptr) return "";
  const auto sorted = from_the_worst(result.links()->barriers);
  if (sorted.empty()) return "";
  std::string text = "\n  barriers beside the recording (errors of their cycles since the first call):\n";
  std::map<std::string, std::vector<const BarrierRecord*>> kinds;
  for (const BarrierRecord* const each : sorted) kinds[each->kind()].push_back(each);
  for (const auto& [kind, barriers] : kinds) {
    text += fmt::format("    {}  {}: {}{}\n", kind, counted(barriers.size(), "barrier"),
                        quantiles_text(barriers), worst_text(barriers));
  }
  for (const BarrierRecord* const each : std::span(sorted).first(std::min(sorted.size(), kWorstShown))) {
    const auto [place, share] = longest_wait(each->waits);
    text +=
        fmt::format("    {}, {}: {} cycles, recorded {} ({}){}\n", printable(each->processor.text()),
                    each->kind(), each->replayed_end - each->replayed_first_call,
                    each->end - each->first_call, percent_text(each->error()),
                    share == 0 ? "" : fmt::format("; waited most: {} ({:.0f}%)", place.name(), 100 * share));
  }
  return text;
}

std::string barriers_csv(const std::vector<BarrierRecord>& barriers) {
  std::string text =
      "processor,x,y,network,kind,first_call_cycle,start_cycle,recorded_end_cycle,replayed_first_call_cycle,"
      "replayed_end_cycle,error,waited_cause,waited_place,waited_share\n";
  for (const BarrierRecord& each : barriers) {
    const auto [place, share] = longest_wait(each.waits);
    text += fmt::format(
        "\"{}\",{},{},{},{},{},{},{},{},{},{},{},\"{}\",{:.4f}\n", each.processor.name, each.processor.tile.x,
        each.processor.tile.y, each.processor.network, each.reads ? "read" : "write", each.first_call,
        each.start, each.end, each.replayed_first_call, each.replayed_end,
        each.takes_time() ? fmt::format("{:.4f}", each.error()) : "", place.cause, place.place, share);
  }
  return text;
}

}  // namespace flitscope
