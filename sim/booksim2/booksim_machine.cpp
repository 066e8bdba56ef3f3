#include "sim/booksim2/booksim_machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <sstream>
#include <utility>

#include "model/text.h"
#include "routers/routing/routing.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

namespace {

using Words = std::vector<std::string>;

Words words_of(const char* text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

/// Keys that have an effect, each read below.
const Words kRead = words_of(
    "topology k n c x y xr yr network_file routing_function num_vcs vc_buf_size routing_delay vc_alloc_delay "
    "sw_alloc_delay st_prepare_delay st_final_delay credit_delay input_speedup vc_allocator sw_allocator "
    "arb_type alloc_iters speculative wait_for_tail_credit use_noc_latency subnets flit_size "
    "input_buffer_size "
    "ejection_buffer_size boundary_buffer_size use_map memory_node_map read_request_subnet "
    "write_request_subnet read_reply_subnet write_reply_subnet read_request_begin_vc "
    "read_request_end_vc write_request_begin_vc write_request_end_vc read_reply_begin_vc "
    "read_reply_end_vc write_reply_begin_vc write_reply_end_vc traffic injection_rate "
    "injection_rate_uses_flits packet_size use_read_write write_fraction read_request_size "
    "read_reply_size write_request_size write_reply_size sample_period warmup_periods max_samples seed");

/// Keys of output, and of BookSim2's own stopping rule: without effect on what flits do.
const Words kWithoutEffect = words_of(
    "sim_type network_count print_activity print_csv_results print_vc_stats viewer_trace watch_file "
    "watch_flits watch_packets watch_transients watch_out watch_all_packets stats_out sim_power "
    "power_output_file tech_file channel_width channel_sweep sim_count include_queuing latency_thres "
    "warmup_thres acc_warmup_thres stopping_thres acc_stopping_thres measure_stats pair_stats "
    "deadlock_warn_timeout perm_seed fail_seed spec_check_elig spec_check_cred spec_mask_by_reqs "
    "spec_sw_allocator enable_link_stats MATLAB_OUTPUT watch_transactions flow_out sent_packets_out "
    "active_packets_out injected_flits_out ejected_flits_out received_flits_out sent_flits_out "
    "stored_flits_out");

/// Keys of synthetic traffic beyond that of one packet size.
const Words kOtherTraffic = words_of(
    "packet_size_rate batch_size batch_count max_outstanding_requests burst_alpha burst_beta burst_r1 limit");

/// A key that can have one value here, that of BookSim2's default.
struct FixedKey {
  std::string value;
  std::string ours{};  ///< a key of configurations with such an effect
};
const std::map<std::string, FixedKey> kFixed{
    {"router", {"iq"}},
    {"internal_speedup", {"1"}},
    {"output_speedup", {"1", "router.output_speedup"}},
    {"output_buffer_size", {"-1"}},
    {"buf_size", {"-1"}},
    {"buffer_policy", {"private", "router.buffers"}},
    {"noq", {"0"}},
    {"vc_busy_when_full", {"0"}},
    {"vc_prioritize_empty", {"0"}},
    {"vc_priority_donation", {"0"}},
    {"vc_shuffle_requests", {"0"}},
    {"hold_switch_for_packet", {"0", "router.hold"}},
    {"link_failures", {"0"}},
    {"express_channels", {"0"}},
    {"output_delay", {"0"}},
    {"priority", {"none", "router.arbiter"}},
    {"classes", {"1", "workload.classes"}},
    {"class_priority", {"0"}},
    {"injection_process", {"bernoulli", "workload.process"}},
};

bool is_same(const std::string& value, const std::string& fixed) {
  if (value == fixed) return true;
  // 1.0 is 1.
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  return !value.empty() && *end == '\0' && fmt::format("{}", number) == fixed;
}

class Translation {
 public:
  Translation(const BookSimFile& file, std::filesystem::path network_directory, bool bounded)
      : file_(file), network_directory_(std::move(network_directory)), bounded_(bounded) {}

  BookSimMachine make() {
    check_keys();
    result_.flit_bytes = file_.number("flit_size", result_.flit_bytes, 1, 1U << 20);
    vcs_ = file_.number("num_vcs", 16, 1, 64);
    answers_ = !bounded_ && file_.number("use_read_write", 0, 0, 1) == 1;
    const std::string topology = make_topology();
    if (routing_ == "valiant") {
      note(
          "routing_function = valiant: a packet is delivered where it passes its destination, of BookSim2 "
          "after its drawn node only");
    }
    make_classes();
    const std::string router = make_router();
    make_interface();
    result_.machine = fmt::format(
        "flitscope: 1\nname: booksim2\ntopology: {{{}}}\nrouter: {{{}}}\nlink: {{delay: {}}}\nnode: "
        "{{{}}}\n{}",
        topology, router, link_delay_, make_node(), classes_);
    if (!bounded_) make_workload();
    return std::move(result_);
  }

 private:
  template <typename... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    result_.notes.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  void check_keys() {
    Words known = kRead;
    known.insert(known.end(), kWithoutEffect.begin(), kWithoutEffect.end());
    known.insert(known.end(), kOtherTraffic.begin(), kOtherTraffic.end());
    for (const auto& [key, value] : kFixed) known.push_back(key);
    Words without_effect;
    Words not_imported;
    for (const auto& [key, setting] : file_.settings()) {
      if (std::ranges::find(kWithoutEffect, key) != kWithoutEffect.end()) {
        without_effect.push_back(key);
      } else if (std::ranges::find(kOtherTraffic, key) != kOtherTraffic.end()) {
        (bounded_ ? without_effect : not_imported).push_back(key);
      } else if (const auto fixed = kFixed.find(key); fixed != kFixed.end()) {
        const auto& [value, ours] = fixed->second;
        if (is_same(setting.value, value)) continue;
        const std::string hint =
            ours.empty() ? "" : fmt::format(", and {} of the configuration is like it", ours);
        file_.error(key, "{} = {} is not modelled; {} is{}", key, printable(setting.value), value, hint);
      } else if (std::ranges::find(known, key) == known.end()) {
        file_.error(key, "no key {} of BookSim2 is known here{}", key, did_you_mean(key, known));
      }
    }
    if (!without_effect.empty()) note("without effect here: {}", fmt::join(without_effect, ", "));
    if (!not_imported.empty()) note("not imported: {}", fmt::join(not_imported, ", "));
  }

  /// One of the words that a table has, or an error.
  std::string translated(const std::string& key, const std::string& otherwise,
                         const std::map<std::string, std::string>& table) {
    const std::string value = file_.word(key, otherwise);
    if (const auto found = table.find(value); found != table.end()) return found->second;
    const Words names = texts_of(std::views::keys(table));
    file_.error(key, "{} = {} is not modelled{} (modelled are {})", key, printable(value),
                did_you_mean(value, names), fmt::join(names, ", "));
    return table.begin()->second;
  }

  std::string make_topology() {
    topology_ = file_.word("topology", "torus");
    const std::uint32_t k = file_.number("k", 8, 2);
    const std::uint32_t n = file_.number("n", 2, 1, 16);
    const std::uint32_t c = file_.number("c", 1, 1, 64);
    const std::string shape = fmt::format("shape: [{}]", fmt::join(std::vector(n, k), ", "));
    // On tori BookSim2's layout is folded, and a link two tiles long; use_noc_latency = 0 says 1.
    link_delay_ = topology_ == "torus" && file_.number("use_noc_latency", 1, 0, 1) == 1 ? 2 : 1;
    if (c != 1 && topology_ != "cmesh") {
      file_.error("c", "c = {} needs 'topology = cmesh'", c);
    }
    if (topology_ == "mesh") {
      routing_ = translated("routing_function", "dim_order",
                            {{"dim_order", "dimension-order"},
                             {"dor", "dimension-order"},
                             {"xy_yx", "o1turn"},
                             {"min_adapt", "duato"},
                             {"romm", "romm"},
                             {"valiant", "valiant"}});
      return "kind: mesh, " + shape;
    }
    if (topology_ == "torus") {
      routing_ =
          translated("routing_function", "dim_order",
                     {{"dim_order", "static-dateline"}, {"min_adapt", "duato"}, {"valiant", "valiant"}});
      return "kind: torus, " + shape;
    }
    if (topology_ == "cmesh") {
      check_tiles(k, c);
      routing_ =
          translated("routing_function", "dor_no_express", {{"dor_no_express", "grid-dimension-order"}});
      return fmt::format("kind: concentrated-mesh, {}, concentration: {}", shape, c);
    }
    if (topology_ == "fly") {
      routing_ = translated("routing_function", "dest_tag", {{"dest_tag", "shortest"}});
      return fmt::format("kind: butterfly, k: {}, n: {}", k, n);
    }
    if (topology_ == "fattree") {
      routing_ = translated("routing_function", "nca", {{"nca", "nearest-common-ancestor-adaptive"}});
      return fmt::format("kind: k-ary-n-tree, k: {}, n: {}", k, n);
    }
    if (topology_ == "anynet") {
      routing_ = translated("routing_function", "min", {{"min", "shortest"}});
      may_deadlock_ = true;
      const std::string network = file_.word("network_file", "");
      if (network.empty()) file_.error("topology", "topology = anynet needs 'network_file = FILE;'");
      return "kind: graph, file: " + quoted_for_yaml((network_directory_ / network).string());
    }
    file_.error("topology",
                "topology = {} is not modelled (modelled are mesh, torus, cmesh, fly, fattree, anynet)",
                printable(topology_));
    return "kind: mesh, shape: [2, 2]";
  }

  /// Routers of a concentrated mesh by column and row, and nodes of a router likewise, if they are given.
  void check_tiles(std::uint32_t k, std::uint32_t c) {
    for (const char* const key : {"x", "y"}) {
      const std::uint32_t routers = file_.number(key, k, 1);
      if (routers != k) file_.error(key, "{} = {} is not modelled; k = {} is", key, routers, k);
    }
    if (!file_.has("xr") && !file_.has("yr")) return;
    const std::uint32_t columns = file_.number("xr", 1, 1, 64);
    const std::uint32_t rows = file_.number("yr", 1, 1, 64);
    if (columns * rows != c) {
      file_.error(file_.has("xr") ? "xr" : "yr", "xr * yr = {} nodes of a router, but c = {}", columns * rows,
                  c);
    }
  }

  /// The VCs of each kind: ranges of BookSim2, joined where they overlap.
  void make_classes() {
    struct Range {
      std::uint32_t first = 0;
      std::uint32_t last = 0;
      std::vector<std::size_t> kinds;
    };
    const std::array<std::string, kPacketKinds> names{"read_request", "write_request", "read_reply",
                                                      "write_reply"};
    const std::array<std::pair<std::uint32_t, std::uint32_t>, kPacketKinds> of_sixteen{
        {{0, 5}, {2, 7}, {8, 13}, {10, 15}}};
    std::vector<Range> ranges;
    for (std::size_t kind = 0; kind < kPacketKinds; ++kind) {
      // The defaults of BookSim2 are meant for 16 VCs; otherwise requests have the first half.
      auto [first, last] = of_sixteen[kind];
      if (vcs_ != 16) {
        const std::uint32_t half = vcs_ / 2;
        first = kind < 2 ? 0 : half;
        last = kind < 2 && half > 0 ? half - 1 : vcs_ - 1;
      }
      first = file_.number(names[kind] + "_begin_vc", first, 0, vcs_ - 1);
      last = file_.number(names[kind] + "_end_vc", last, 0, vcs_ - 1);
      if (last < first) {
        file_.error(names[kind] + "_end_vc", "{0}_end_vc = {1} is below {0}_begin_vc = {2}", names[kind],
                    last, first);
      }
      result_.subnet[kind] = file_.number(names[kind] + "_subnet", 0, 0, 63);
      ranges.push_back({first, last, {kind}});
    }
    if (answers_) {
      // Reads and writes have one class for their requests and one for their replies.
      for (const std::size_t kind : {1U, 3U}) {
        Range& read = ranges[kind - 1];
        const Range& write = ranges[kind];
        if (read.first == write.first && read.last == write.last) continue;
        note("{} and {}: both have the VCs of both", names[kind == 1 ? 0 : 2], names[kind == 1 ? 1 : 3]);
        read.first = std::min(read.first, write.first);
        read.last = std::max(read.last, write.last);
        ranges[kind] = {read.first, read.last, {kind}};
      }
    }
    for (bool joined = true; std::exchange(joined, false);) {
      for (std::size_t i = 0; i < ranges.size() && !joined; ++i) {
        for (std::size_t j = i + 1; j < ranges.size() && !joined; ++j) {
          Range& one = ranges[i];
          const Range other = ranges[j];
          if (one.last < other.first || other.last < one.first) continue;
          if (one.first != other.first || one.last != other.last) {
            note("{} and {}: their VCs overlap, so both have all of these", names[one.kinds.front()],
                 names[other.kinds.front()]);
          }
          one = {std::min(one.first, other.first), std::max(one.last, other.last), one.kinds};
          one.kinds.insert(one.kinds.end(), other.kinds.begin(), other.kinds.end());
          ranges.erase(ranges.begin() + static_cast<std::ptrdiff_t>(j));
          joined = true;
        }
      }
    }
    if ((!bounded_ && !answers_) || ranges.size() == 1) return;
    class_count_ = static_cast<std::uint32_t>(ranges.size());
    classes_ = "classes:\n";
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      Words kinds;
      for (const std::size_t kind : ranges[i].kinds) {
        result_.message_class[kind] = static_cast<std::uint32_t>(i);
        kinds.push_back(names[kind]);
      }
      std::vector<std::uint32_t> vcs;
      for (std::uint32_t vc = ranges[i].first; vc <= ranges[i].last; ++vc) vcs.push_back(vc);
      const std::string name = !answers_                     ? fmt::format("{}", fmt::join(kinds, "-"))
                               : ranges[i].kinds.front() < 2 ? "request"
                                                             : "reply";
      classes_ += fmt::format("  - {{name: {}, vcs: [{}]}}\n", name, fmt::join(vcs, ", "));
    }
  }

  std::string make_router() {
    const bool atomic = file_.number("wait_for_tail_credit", 0, 0, 1) == 1;
    const std::uint32_t routing_delay = file_.number("routing_delay", 1, 0, 1000);
    const std::uint32_t vc_delay = file_.number("vc_alloc_delay", 1, 0, 1000);
    const bool speculates = file_.number("speculative", 0, 0, 1) == 1;
    const std::uint32_t delay = file_.number("sw_alloc_delay", 1, 0, 1000) +
                                file_.number("st_prepare_delay", 0, 0, 1000) +
                                file_.number("st_final_delay", 1, 0, 1000);
    Words keys{"preset: booksim2-iq",
               "routing: " + routing_,
               fmt::format("virtual_channels: {}", vcs_),
               fmt::format("buffer: {}", file_.number("vc_buf_size", 8, 1)),
               fmt::format("delay: {}", std::max(delay, 1U)),
               fmt::format("vc_delay: {}", speculates ? 0 : vc_delay),
               fmt::format("credit_delay: {}", file_.number("credit_delay", 1, 0, 1000))};
    if (routing_delay > 0) keys.push_back(fmt::format("routing_delay: {}", routing_delay));
    const std::uint32_t input_speedup = file_.number("input_speedup", 1, 1, 64);
    if (input_speedup > 1) {
      keys.push_back(fmt::format("input_speedup: {}", input_speedup));
      note("input_speedup = {}: router.input_speedup, which no points of BookSim2 were compared with",
           input_speedup);
    }
    const std::string vc_allocator = translated("vc_allocator", "islip",
                                                {{"islip", "separable-input-first-flat"},
                                                 {"separable_input_first", "separable-input-first-flat"},
                                                 {"wavefront", "wavefront"}});
    if (file_.word("vc_allocator", "islip") == "islip") {
      note("vc_allocator = islip: separable-input-first-flat, which has no pointers that wait for a match");
    }
    const std::string switch_allocator = translated(
        "sw_allocator", "islip",
        {{"islip", "islip"},
         {"separable_input_first", speculates ? "separable-input-first" : "separable-input-first-ports"},
         {"separable_output_first", "separable-output-first"},
         {"wavefront", "wavefront"}});
    keys.push_back("vc_allocator: " + vc_allocator);
    keys.push_back("switch_allocator: " + switch_allocator);
    keys.push_back("arbiter: " + translated("arb_type", "round_robin",
                                            {{"round_robin", "round-robin"}, {"matrix", "matrix"}}));
    if (switch_allocator == "islip") {
      keys.push_back(fmt::format("switch_iterations: {}", file_.number("alloc_iters", 1, 1, 64)));
    }
    if (speculates) keys.emplace_back("speculation: prioritised");
    if (atomic) keys.emplace_back("vc_allocation: atomic");
    if (may_deadlock_) keys.emplace_back("allow_deadlock: true");
    return fmt::format("{}", fmt::join(keys, ", "));
  }

  void make_interface() {
    result_.subnets = file_.number("subnets", 1, 1, 64);
    for (std::size_t kind = 0; kind < kPacketKinds; ++kind) {
      if (result_.subnet[kind] >= result_.subnets) {
        file_.error("subnets", "subnet {} of a packet kind is missing: subnets = {}", result_.subnet[kind],
                    result_.subnets);
        result_.subnet[kind] = 0;
      }
    }
    const std::uint32_t input = file_.number("input_buffer_size", 0);
    if (input > 0) result_.input_buffer = input;
    result_.maps_nodes = file_.number("use_map", 0, 0, 1) == 1;
    if (file_.has("memory_node_map")) result_.memory_nodes = file_.list("memory_node_map");
    const std::uint32_t ejection = file_.number("ejection_buffer_size", 0);
    ejection_buffer_ = (ejection > 0 ? ejection : file_.number("vc_buf_size", 8, 1)) +
                       file_.number("boundary_buffer_size", 16, 1);
    if (!bounded_ && result_.subnets > 1) {
      note("subnets = {}: one of these networks", result_.subnets);
    }
  }

  std::string make_node() const {
    // A node of BookSim2 injects the packets of all classes one after the other.
    const bool shared = answers_ && !classes_.empty();
    std::string keys = fmt::format("ports: 1, vcs: {}, flit_bytes: {}",
                                   shared ? vcs_ : std::max(vcs_ / class_count_, 1U), result_.flit_bytes);
    if (shared) keys += ", queues: shared";
    if (bounded_) keys += fmt::format(", ejection_buffer: {}", ejection_buffer_);
    return keys;
  }

  void make_workload() {
    const std::string traffic = translated("traffic", "uniform",
                                           {{"uniform", "uniform"},
                                            {"transpose", "transpose"},
                                            {"bitcomp", "bit-complement"},
                                            {"bitrev", "bit-reverse"},
                                            {"shuffle", "shuffle"},
                                            {"tornado", "tornado"},
                                            {"neighbor", "neighbour"},
                                            {"randperm", "permutation"}});
    const double rate = file_.real("injection_rate", 0.1);
    const std::uint32_t flits = file_.number("packet_size", 1, 1);
    const bool in_flits = file_.number("injection_rate_uses_flits", 0, 0, 1) == 1;
    const std::uint32_t period = file_.number("sample_period", 1000, 1);
    const std::uint32_t warmup = file_.number("warmup_periods", 3);
    const std::uint32_t samples = file_.number("max_samples", 10, 1);
    const std::string phases = fmt::format(
        "warmup: {}, measure: {}, seed: {}", std::uint64_t{warmup} * period,
        std::uint64_t{samples - std::min(samples - 1, warmup)} * period, file_.number("seed", 0, 0, ~0U));
    // Packets draw their paths one by one.
    const Routing* const function = RoutingRegistry::find(routing_);
    const std::string drawn = function != nullptr && function->draws_paths ? ", drawn_paths: 64" : "";
    if (answers_) return make_read_write(traffic + drawn, rate, in_flits, phases);
    result_.workload =
        fmt::format("workload: {{traffic: {}{}, self: true, message: {}, load: {}, {}}}\n", traffic, drawn,
                    std::uint64_t{flits} * result_.flit_bytes, in_flits ? rate : rate * flits, phases);
  }

  /// Requests and replies. The rate is that of requests; in flits, that of half of the flits of a read and a
  /// write together, rounded down.
  void make_read_write(const std::string& traffic, double rate, bool in_flits, const std::string& phases) {
    const auto size = [&](const char* key) { return file_.number(key, 1, 1); };
    const std::uint32_t request = size("read_request_size");
    const std::uint32_t reply = size("read_reply_size");
    const std::uint32_t write_request = size("write_request_size");
    const std::uint32_t write_reply = size("write_reply_size");
    const double writes = file_.real("write_fraction", 0.5);
    if (writes < 0 || writes > 1) {
      file_.error("write_fraction", "write_fraction must be from 0 to 1, not {}", writes);
    }
    const std::uint32_t flits_of_two = (request + reply + write_request + write_reply) / 2;
    if (in_flits) rate /= flits_of_two;
    const double load = rate * ((1 - writes) * request + writes * write_request);
    const auto bytes = [&](std::uint32_t flits) { return std::uint64_t{flits} * result_.flit_bytes; };
    // A reply is handed over in the cycle after that in which its request is ejected.
    result_.workload = fmt::format(
        "workload: {{protocol: request-reply, requests: {{traffic: {}, self: true, load: {:.9g}}}, "
        "outstanding: unlimited, request: {}, reply: {}, write_request: {}, write_reply: {}, reads: {:.9g}, "
        "service: {{latency: 1}}, {}}}\n",
        traffic, load, bytes(request), bytes(reply), bytes(write_request), bytes(write_reply), 1 - writes,
        phases);
  }

  const BookSimFile& file_;
  std::filesystem::path network_directory_;
  bool bounded_;
  bool answers_ = false;  ///< requests are answered: use_read_write
  BookSimMachine result_;
  std::string topology_;
  std::string routing_;
  bool may_deadlock_ = false;
  std::uint32_t vcs_ = 1;
  std::uint32_t link_delay_ = 1;
  std::uint32_t class_count_ = 1;
  std::string classes_;
  std::uint32_t ejection_buffer_ = 0;
};

}  // namespace

BookSimMachine read_booksim_machine(std::string_view text, const std::filesystem::path& file,
                                    const std::filesystem::path& directory, bool bounded) {
  Diagnostics diagnostics;
  const BookSimFile settings(text, file.string(), diagnostics);
  BookSimMachine machine =
      Translation(settings, std::filesystem::relative(absolute(file).parent_path(), directory), bounded)
          .make();
  diagnostics.throw_if_any();
  return machine;
}

}  // namespace flitscope
