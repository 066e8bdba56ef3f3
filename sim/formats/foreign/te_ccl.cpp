// te-ccl: JSON with the flows of chunks over links, epoch by epoch.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <compare>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "model/error.h"
#include "model/text.h"
#include "sim/formats/foreign/format.h"
#include "sim/formats/foreign/rank_program.h"
#include "sim/formats/strict_json.h"

namespace flitscope::te_ccl_format {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMaxNode = (1U << 24) - 1;
constexpr std::uint64_t kMaxChunk = 0xFFFFFFFF;
constexpr std::uint64_t kMaxEpoch = 0xFFFFFFFF;

/// A chunk by the node that it is from, and its number there; of a divided one, the part that goes along one
/// path.
struct ChunkName {
  std::uint64_t source = 0;
  std::uint64_t number = 0;
  std::size_t part = 0;

  auto operator<=>(const ChunkName&) const = default;
};

struct Chunk {
  ChunkId id = 0;
  std::uint64_t bytes = 0;
};

struct Flow {
  ChunkName chunk;
  double volume = 1;  ///< of a chunk
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  std::uint64_t epoch = 0;
  bool switched = false;  ///< over switches: no link joins its ends
  std::size_t place = 0;  ///< in the list
  std::uint64_t step = 0;
};

/// A text that is taken apart from its beginning.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}
  Cursor& skip(std::string_view word) {
    good_ = good_ && text_.starts_with(word);
    if (good_) text_.remove_prefix(word.size());
    return *this;
  }
  Cursor& number(std::uint64_t& value, std::uint64_t maximum) {
    const bool was_good = good_;
    take(value, [&] { return value <= maximum; });
    const std::string_view digits = text_.substr(0, text_.find_first_not_of("0123456789"));
    if (was_good && !good_ && !digits.empty()) excess_ = fmt::format("; {} is more than {}", digits, maximum);
    return *this;
  }
  Cursor& fraction(double& value) {
    return take(value, [&] { return value > 0 && value <= 1; });
  }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool good_end() const { return good_ && text_.empty(); }
  [[nodiscard]] std::string_view rest() const { return text_; }
  /// The end of an error if a number that is too large ended the reading; else empty.
  [[nodiscard]] const std::string& excess() const { return excess_; }

 private:
  template <typename Number, typename Fits>
  Cursor& take(Number& value, const Fits& fits) {
    if (!good_) return *this;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    good_ = error == std::errc() && fits();
    if (good_) text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return *this;
  }

  std::string_view text_;
  bool good_ = true;
  std::string excess_;
};

class Reader {
 public:
  Reader(const ImportFile& file, const ImportOptions& options) : file_(file), options_(options) {}

  std::unique_ptr<Schedule> read() {
    read_document();
    std::ranges::stable_sort(flows_, {}, &Flow::epoch);
    find_steps();
    nodes_ = map_ranks(options_, file_.name + ": " + ranks_place_, ranks_, traffic());
    require_links();
    return make();
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(const std::string& where, fmt::format_string<Args...> reason, Args&&... args) const {
    throw InputError("{}: {}: {}", printable(file_.name), where,
                     fmt::format(reason, std::forward<Args>(args)...));
  }
  [[nodiscard]] std::string place(const Flow& flow) const {
    return flow.place < path_places_.size() ? path_places_[flow.place]
                                            : fmt::format("\"{}\"[{}]", printable(flows_key_), flow.place);
  }

  // --- The file --------------------------------------------------------------------------------------------

  void read_document() {
    const Json document = parse_strict_json(file_.text, {file_.name});
    if (!document.is_object()) throw InputError("{}: is no JSON object", printable(file_.name));
    const Json* flows = nullptr;
    const Json* demand = nullptr;
    const Json* paths = nullptr;
    const auto take = [this](const Json*& taken, std::string& taken_key, const std::string& key,
                             const Json& value) {
      if (taken != nullptr) {
        throw InputError("{}: has both \"{}\" and \"{}\"", printable(file_.name), printable(taken_key),
                         printable(key));
      }
      taken = &value;
      taken_key = key;
    };
    for (const auto& [key, value] : document.items()) {
      // Keys are numbered: "7-Flows".
      const std::size_t dash = key.find('-');
      const std::string name = dash == std::string::npos ? key : key.substr(dash + 1);
      if (name == "Flows") {
        take(flows, flows_key_, key, value);
      } else if (name == "Demand_Met") {
        take(demand, demand_key_, key, value);
      } else if (name == "Chunk paths" || name == "chunk paths") {
        take(paths, paths_key_, key, value);
      }
    }
    if (flows == nullptr || !flows->is_array()) {
      throw InputError("{}: has no list of flows, \"7-Flows\": [...]", printable(file_.name));
    }
    flows_.reserve(flows->size());
    for (std::size_t i = 0; i < flows->size(); ++i) read_flow((*flows)[i], i);
    if (flows_.empty()) fail(fmt::format("\"{}\"", printable(flows_key_)), "is empty");
    if (demand != nullptr) read_demand(*demand);
    if (paths != nullptr && has_volumes_) {
      read_paths(*paths);
    } else {
      require_whole_chunks();
    }
    number_chunks();
  }

  void read_flow(const Json& value, std::size_t at) {
    Flow flow;
    flow.place = at;
    std::string excess;
    if (value.is_string()) {
      Cursor cursor(value.get_ref<const std::string&>());
      cursor.skip("Chunk ")
          .number(flow.chunk.number, kMaxChunk)
          .skip(" from ")
          .number(flow.chunk.source, kMaxNode)
          .skip(" traveled over ");
      if (read_hop(cursor, flow)) return add(flow);
      excess = cursor.excess();
    }
    fail(place(flow), "must be \"Chunk c from s traveled over u->v in epoch e\", not {}{}",
         in_quotes(value.dump(-1, ' ', true, Json::error_handler_t::replace)), excess);
  }

  /// "u->v in epoch e", of a part of a chunk "u->v with volume V in epoch e"; " via switches .." may follow.
  bool read_hop(Cursor& cursor, Flow& flow) {
    constexpr std::string_view kVolume = " with volume ";
    cursor.number(flow.source, kMaxNode).skip("->").number(flow.destination, kMaxNode);
    if (cursor.rest().starts_with(kVolume)) {
      has_volumes_ = true;
      cursor.skip(kVolume).fraction(flow.volume);
    }
    cursor.skip(" in epoch ").number(flow.epoch, kMaxEpoch);
    flow.switched = cursor.rest().starts_with(" via switches ");
    return cursor.good_end() || (cursor.good() && flow.switched);
  }

  void add(const Flow& flow) {
    if (flow.source == flow.destination) fail(place(flow), "goes nowhere");
    note_rank(std::max({flow.source, flow.destination, flow.chunk.source}), [&] { return place(flow); });
    flows_.push_back(flow);
  }

  /// {"Demand at d for chunk c from s met by epoch e": [[[epoch, "u->v with volume V in epoch e"], ...],
  /// ...]}: each path carries a part of the chunk. They say what the flows say, and which flows belong
  /// together.
  void read_paths(const Json& demands) {
    flows_.clear();
    demand_.emplace();
    if (!demands.is_object()) fail(fmt::format("\"{}\"", printable(paths_key_)), "must be an object");
    for (const auto& [key, paths] : demands.items()) {
      const std::string where = fmt::format("\"{}\": \"{}\"", printable(paths_key_), printable(key));
      ChunkName chunk;
      std::uint64_t destination = 0;
      std::uint64_t epoch = 0;
      Cursor cursor(key);
      cursor.skip("Demand at ")
          .number(destination, kMaxNode)
          .skip(" for chunk ")
          .number(chunk.number, kMaxChunk);
      cursor.skip(" from ").number(chunk.source, kMaxNode).skip(" met by epoch ").number(epoch, kMaxEpoch);
      if (!cursor.good_end())
        fail(where, "must be \"Demand at d for chunk c from s met by epoch e\"{}", cursor.excess());
      if (!paths.is_array() || paths.empty()) fail(where, "must be a list of paths");
      note_rank(std::max(destination, chunk.source), [&]() -> const std::string& { return where; });
      double total = 0;
      for (const Json& path : paths) {
        total += read_path(path, chunk, fmt::format("{}[{}]", where, chunk.part));
        demand_->emplace_back(destination, chunk);
        ++chunk.part;
      }
      constexpr double kTolerance = 1e-3;
      if (std::abs(total - 1) > kTolerance)
        fail(where, "its paths carry {:.4g} of the chunk and must carry all of it", total);
    }
  }

  /// Returns the volume that all hops of the path carry.
  double read_path(const Json& path, const ChunkName& chunk, const std::string& where) {
    if (!path.is_array() || path.empty()) fail(where, "must be a list of hops");
    double volume = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
      path_places_.push_back(fmt::format("{}[{}]", where, i));
      Flow flow{.chunk = chunk, .place = path_places_.size() - 1};
      const Json& hop = path[i];
      Cursor cursor(hop.is_array() && hop.size() == 2 && hop[1].is_string()
                        ? std::string_view(hop[1].get_ref<const std::string&>())
                        : std::string_view());
      if (!read_hop(cursor, flow)) {
        fail(place(flow), "must be [e, \"u->v with volume V in epoch e\"], not {}{}",
             in_quotes(hop.dump(-1, ' ', true, Json::error_handler_t::replace)), cursor.excess());
      }
      constexpr double kTolerance = 1e-5;
      if (i > 0 && std::abs(flow.volume - volume) > kTolerance) {
        fail(place(flow), "carries {} of the chunk, and the hop before it {}", flow.volume, volume);
      }
      volume = flow.volume;
      add(flow);
    }
    return volume;
  }

  void require_whole_chunks() const {
    for (const Flow& flow : flows_) {
      if (flow.volume != 1)
        fail(place(flow),
             "carries a part of a chunk; which parts belong together is in \"8-Chunk paths\", which the file "
             "does not have");
    }
  }

  /// {"GPU destination": {"GPU source": {"Chunk c": time}}}
  void read_demand(const Json& demand) {
    const auto demand_place = [&] { return fmt::format("\"{}\"", printable(demand_key_)); };
    const auto number_in = [&](const std::string& key, const char* word, std::uint64_t maximum) {
      std::uint64_t number = 0;
      Cursor cursor(key);
      cursor.skip(word).number(number, maximum);
      if (!cursor.good_end()) {
        fail(demand_place(), "{} must be {}N{}", in_quotes(key), word, cursor.excess());
      }
      return number;
    };
    const auto require_object = [&](const Json& value) {
      if (!value.is_object()) fail(demand_place(), "must be objects in objects");
    };
    require_object(demand);
    demand_.emplace();
    for (const auto& [destination, of_destination] : demand.items()) {
      const std::uint64_t to = number_in(destination, "GPU ", kMaxNode);
      note_rank(to, demand_place);
      require_object(of_destination);
      for (const auto& [source, of_source] : of_destination.items()) {
        const std::uint64_t from = number_in(source, "GPU ", kMaxNode);
        note_rank(from, demand_place);
        require_object(of_source);
        for (const auto& [chunk, time] : of_source.items()) {
          demand_->emplace_back(to, ChunkName{from, number_in(chunk, "Chunk ", kMaxChunk)});
        }
      }
    }
  }

  /// `place()` has it.
  template <typename Place>
  void note_rank(std::uint64_t rank, const Place& place) {
    if (rank < ranks_) return;
    ranks_ = static_cast<std::uint32_t>(rank + 1);
    ranks_place_ = place();
  }

  void number_chunks() {
    std::map<ChunkName, double> volumes;
    for (const Flow& flow : flows_) volumes.emplace(flow.chunk, flow.volume);
    if (demand_) {
      for (const auto& [to, chunk] : *demand_) volumes.emplace(chunk, 1);
    }
    // Parts of a chunk lie side by side in it.
    const auto bytes = static_cast<double>(options_.chunk_bytes);
    double before = 0;
    for (const auto& [name, volume] : volumes) {
      if (name.part == 0) before = 0;
      const std::int64_t begin = std::llround(before * bytes);
      before += volume;
      chunks_.emplace(name, Chunk{static_cast<ChunkId>(chunks_.size()),
                                  static_cast<std::uint64_t>(std::llround(before * bytes) - begin)});
    }
  }

  // --- The schedule ----------------------------------------------------------------------------------------

  /// A chunk is forwarded in an epoch after the one in which it arrived.
  void find_steps() {
    struct Arrival {
      std::uint64_t epoch = 0;
      std::uint64_t step = 0;
    };
    std::unordered_map<std::uint64_t, Arrival> arrived;  // by node and chunk
    const auto key = [&](std::uint64_t node, const ChunkName& chunk) {
      return node * chunks_.size() + chunks_.at(chunk).id;
    };
    for (Flow& flow : flows_) {
      flow.step = 1;
      if (flow.source != flow.chunk.source) {
        const auto found = arrived.find(key(flow.source, flow.chunk));
        if (found == arrived.end() || found->second.epoch >= flow.epoch) {
          fail(place(flow), "chunk {} from {} has not arrived at {} before epoch {}", flow.chunk.number,
               flow.chunk.source, flow.source, flow.epoch);
        }
        flow.step = found->second.step + 1;
      }
      arrived.emplace(key(flow.destination, flow.chunk), Arrival{flow.epoch, flow.step});
    }
  }

  [[nodiscard]] std::vector<RankTraffic> traffic() const {
    std::vector<RankTraffic> traffic;
    traffic.reserve(flows_.size());
    for (const Flow& flow : flows_) {
      traffic.push_back(
          {static_cast<std::uint32_t>(flow.source), static_cast<std::uint32_t>(flow.destination), 1});
    }
    return traffic;
  }

  /// Flows without switches travel over links.
  void require_links() const {
    const Topology& topology = options_.topology;
    std::size_t without = 0;
    const Flow* first = nullptr;
    for (const Flow& flow : flows_) {
      if (flow.switched) continue;
      if (topology.port_to(nodes_[flow.source], nodes_[flow.destination])) continue;
      if (first == nullptr || flow.place < first->place) first = &flow;
      ++without;
    }
    if (first == nullptr) return;
    fail(place(*first),
         "no link of the {} leads from {} to {} (ranks {} and {}); {} of {} flows "
         "use links that it does not have",
         topology.name(), topology.node_name(nodes_[first->source]),
         topology.node_name(nodes_[first->destination]), first->source, first->destination, without,
         flows_.size());
  }

  std::unique_ptr<Schedule> make() {
    std::ranges::stable_sort(flows_, {}, [](const Flow& flow) { return std::tuple(flow.step, flow.epoch); });
    ScheduleFacts facts = import_facts(options_, "te-ccl");
    Collective& collective = facts.collective;
    std::map<NodeId, std::vector<ChunkId>> initial;
    for (const auto& [name, chunk] : chunks_) {
      initial[nodes_[name.source]].push_back(chunk.id);
      collective.chunk_bytes.push_back(chunk.bytes);
    }
    std::map<NodeId, std::vector<ChunkId>> goal;
    if (demand_) {
      for (const auto& [to, chunk] : *demand_) goal[nodes_[to]].push_back(chunks_.at(chunk).id);
    } else {
      for (const Flow& flow : flows_) goal[nodes_[flow.destination]].push_back(chunks_.at(flow.chunk).id);
    }
    collective.initial = holdings_of(std::move(initial));
    collective.goal = holdings_of(std::move(goal));
    auto schedule = std::make_unique<CollectedSchedule>(facts);
    for (const Flow& flow : flows_) {
      const ChunkId chunk = chunks_.at(flow.chunk).id;
      schedule->add(flow.step, nodes_[flow.source], nodes_[flow.destination], std::span(&chunk, 1));
    }
    schedule->complete_facts();
    return schedule;
  }

  const ImportFile& file_;
  const ImportOptions& options_;
  std::string flows_key_ = "7-Flows";
  std::string demand_key_;
  std::string paths_key_;
  bool has_volumes_ = false;
  std::vector<Flow> flows_;
  /// Of flows that are hops of paths; empty if paths are not read.
  std::vector<std::string> path_places_;
  /// Destinations with the chunks they want; nothing: every node that receives a chunk.
  std::optional<std::vector<std::pair<std::uint64_t, ChunkName>>> demand_;
  std::uint32_t ranks_ = 0;
  std::string ranks_place_;  ///< of the last rank
  std::map<ChunkName, Chunk> chunks_;
  std::vector<NodeId> nodes_;
};

std::unique_ptr<Schedule> read(std::vector<ImportFile>& files, const ImportOptions& options) {
  return Reader(only_file(files, "te-ccl: all flows are in one file"), options).read();
}

const FormatRegistry::Entry entry{{
    .name = "te-ccl",
    .summary = "JSON: flows of chunks over links in epochs",
    .source = "TE-CCL (Liu et al.: Rethinking machine learning collective communication as a multi-commodity "
              "flow problem, SIGCOMM 2024)",
    .read = read,
}};

}  // namespace
}  // namespace flitscope::te_ccl_format
