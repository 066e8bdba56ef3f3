#include "sim/report/page/latency_data.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/report/page/csv_reader.h"

namespace flitscope::latency_pages {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kBins = 60;

/// The terms of a latency, on links and on circuits, in the order of time.
constexpr std::array kTerms{
    "startup",          "queueing",           "hops",        "head_vc_taken", "head_no_credit",
    "head_switch_lost", "head_ejection_busy", "hol_blocked", "serialization", "tail_injection",
    "tail_no_credit",   "tail_switch_lost",   "flits"};

/// The least of 1, 2, 5, 10, 20, .. that makes at most kBins bins of `range`.
std::uint64_t bin_width(std::uint64_t range) {
  for (std::uint64_t power = 1;; power *= 10) {
    for (const std::uint64_t step : {1, 2, 5}) {
      if (range / (step * power) < kBins) return step * power;
    }
  }
}

struct TimedMessage {
  std::uint64_t latency = 0;
  std::array<std::uint64_t, kTerms.size()> terms{};
};

}  // namespace
}  // namespace flitscope::latency_pages

namespace flitscope {

nlohmann::ordered_json latency_data(const std::filesystem::path& messages_csv) {
  using namespace latency_pages;
  CsvReader csv(messages_csv);
  const std::size_t latency = csv.column("latency_cycles");
  std::vector<std::pair<std::size_t, std::size_t>> columns;  // of a term, in the file
  for (std::size_t term = 0; term < kTerms.size(); ++term) {
    if (const auto place = csv.find(std::string(kTerms[term]) + "_cycles"))
      columns.emplace_back(term, *place);
  }
  std::vector<TimedMessage> messages;
  while (csv.next()) {
    TimedMessage& message = messages.emplace_back();
    message.latency = csv.number(latency);
    for (const auto& [term, place] : columns) message.terms[term] = csv.number(place);
  }
  if (messages.empty()) return nullptr;

  std::ranges::sort(messages, {}, &TimedMessage::latency);
  const std::uint64_t width = bin_width(messages.back().latency - messages.front().latency);
  const std::uint64_t from = messages.front().latency / width * width;
  std::vector<std::uint64_t> counts((messages.back().latency - from) / width + 1);
  for (const TimedMessage& message : messages) ++counts[(message.latency - from) / width];

  const std::size_t slowest = (messages.size() + 99) / 100;
  Json terms = Json::array();
  for (const auto& [term, place] : columns) {
    std::uint64_t all = 0;
    std::uint64_t of_slowest = 0;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      all += messages[i].terms[term];
      if (i + slowest >= messages.size()) of_slowest += messages[i].terms[term];
    }
    terms.push_back({{"name", kTerms[term]}, {"cycles", all}, {"slowest_cycles", of_slowest}});
  }
  return {{"from", from},   {"width", width},    {"counts", counts}, {"messages", messages.size()},
          {"terms", terms}, {"slowest", slowest}};
}

}  // namespace flitscope
