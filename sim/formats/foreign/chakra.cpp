// chakra: execution traces, a file a rank: nodes that depend on one another, in protobuf.
#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/util/delimited_message_util.h>
#include <sim/formats/foreign/chakra.pb.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "model/error.h"
#include "model/numbers.h"
#include "model/text.h"
#include "sim/formats/foreign/format.h"
#include "sim/formats/foreign/rank_program.h"

namespace flitscope::chakra_format {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t kMaxMicros = kMaxWait / 1000;

/// Attribute of a calculation that this program has written: how long it takes, in cycles.
constexpr const char* kCycles = "flitscope_cycles";

/// Operation::place: the file, and the node's number in it, from 1.
constexpr unsigned kFileShift = 40;

/// A whole number, of whatever type.
std::optional<std::int64_t> whole(const chakra::Attribute& attribute) {
  using google::protobuf::FieldDescriptor;
  const FieldDescriptor* const field =
      chakra::Attribute::descriptor()->FindFieldByNumber(attribute.value_case());
  if (field == nullptr) return std::nullopt;
  const google::protobuf::Reflection& values = *chakra::Attribute::GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return values.GetInt32(attribute, field);
    case FieldDescriptor::CPPTYPE_INT64:
      return values.GetInt64(attribute, field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return values.GetUInt32(attribute, field);
    case FieldDescriptor::CPPTYPE_UINT64:
      return static_cast<std::int64_t>(values.GetUInt64(attribute, field));
    default:
      return std::nullopt;
  }
}

/// Files in the order of their ranks: if the last numbers of all names are 0, 1, 2, ..., by these; otherwise
/// as they were given.
std::vector<std::size_t> files_by_rank(const std::vector<ImportFile>& files) {
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> by_rank(files.size(), kNone);
  auto as_given = numbers_below<std::size_t>(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string& name = files[i].name;
    constexpr auto kDigits = "0123456789";
    const std::size_t last = name.find_last_of(kDigits);
    if (last == std::string::npos || name.find('/', last) != std::string::npos) return as_given;
    const std::size_t first = name.find_last_not_of(kDigits, last) + 1;  // npos + 1 is 0
    const auto rank = number_in<std::size_t>(std::string_view(name).substr(first, last + 1 - first));
    if (!rank || *rank >= files.size() || by_rank[*rank] != kNone) return as_given;
    by_rank[*rank] = i;
  }
  return by_rank;
}

class Reader {
 public:
  Reader(std::vector<ImportFile>& files, const ImportOptions& options)
      : files_(files),
        options_(options),
        program_(static_cast<std::uint32_t>(files.size()),
                 [this](const Operation& one) { return place(one.place); }) {}

  std::unique_ptr<Schedule> read() {
    const std::vector<std::size_t> order = files_by_rank(files_);
    collectives_.resize(files_.size());
    for (std::uint32_t rank = 0; rank < order.size(); ++rank) {
      read_file(order[rank], rank);
      files_[order[rank]].text = std::string();
    }
    replace_collectives();
    program_.complete();
    return schedule_of(program_, "these traces", options_, "chakra");
  }

 private:
  /// A collective operation of a rank.
  struct CollectiveNode {
    OperationId begin = 0;
    OperationId end = 0;
    std::int64_t type = 0;
    std::uint64_t bytes = 0;
    std::string group;  ///< the ranks that take part, by whatever name; all if it is empty
  };

  [[nodiscard]] std::string place(std::uint64_t place) const {
    return fmt::format("{}: node {}: ", printable(files_[place >> kFileShift].name),
                       place & ((std::uint64_t{1} << kFileShift) - 1));
  }
  template <typename... Args>
  [[noreturn]] void fail(std::uint64_t at, fmt::format_string<Args...> reason, Args&&... args) const {
    throw InputError(place(at) + fmt::format(reason, std::forward<Args>(args)...));
  }

  void read_file(std::size_t file, std::uint32_t rank) {
    const std::string& text = files_[file].text;
    google::protobuf::io::ArrayInputStream bytes(
        text.data(), static_cast<int>(std::min<std::size_t>(text.size(), 0x7FFFFFFF)));
    google::protobuf::io::CodedInputStream stream(&bytes);
    stream.SetTotalBytesLimit(0x7FFFFFFF);
    std::uint64_t number = 0;
    const auto next = [&](google::protobuf::MessageLite& message, const char* what) {
      bool clean = false;
      message.Clear();
      if (google::protobuf::util::ParseDelimitedFromCodedStream(&message, &stream, &clean)) return true;
      if (clean) return false;
      throw InputError("{}: byte {}: {} cannot be read: no Chakra trace, or one that was cut off",
                       printable(files_[file].name), stream.CurrentPosition(), what);
    };
    chakra::Metadata metadata;
    if (!next(metadata, "the metadata")) {
      throw InputError("{}: is empty; a Chakra trace begins with its metadata", printable(files_[file].name));
    }
    operations_.clear();
    waits_.clear();
    chakra::Node node;
    while (next(node, "a node")) {
      const std::uint64_t at = file << kFileShift | ++number;
      const OperationId first = add(node, at, rank);
      if (!operations_.emplace(node.id(), last_).second)
        fail(at, "there is a node with id {} already", node.id());
      for (const auto* const list : {&node.control_dependencies(), &node.data_dependencies()}) {
        for (const std::uint64_t id : *list) waits_.emplace_back(first, id);
      }
    }
    for (const auto& [operation, id] : waits_) {
      const auto on = operations_.find(id);
      if (on == operations_.end()) {
        fail(program_.operation(operation).place, "depends on node {}, which is not in the file", id);
      }
      program_.depend(operation, on->second);
    }
  }

  /// Adds the operation of a node; of a collective one two, of which `last_` is done when the node is.
  OperationId add(const chakra::Node& node, std::uint64_t at, std::uint32_t rank) {
    Operation one{.rank = rank, .place = at};
    switch (node.kind()) {
      case chakra::SEND:
      case chakra::RECEIVE: {
        const bool sends = node.kind() == chakra::SEND;
        one.kind = sends ? Operation::Kind::send : Operation::Kind::receive;
        one.bytes = message_bytes_of(node, at);
        one.peer = static_cast<std::uint32_t>(
            attribute(node, at, sends ? "comm_dst" : "comm_src", 0, files_.size() - 1));
        const std::uint64_t own = attribute_or(node, at, sends ? "comm_src" : "comm_dst", rank);
        if (own != rank) fail(at, "is of rank {}, but is in the trace of rank {}", own, rank);
        one.tag = attribute_or(node, at, "comm_tag", 0);
        if (sends) one.step = attribute_or(node, at, "flitscope_step", 0);
        break;
      }
      case chakra::COLLECTIVE:
        return add_collective(node, at, one);
      case chakra::CALCULATION:
        if (node.duration_micros() == 0 && attribute_or(node, at, "num_ops", 0) != 0) {
          fail(at, "has operations, but no duration_micros: how long they take is not known");
        }
        [[fallthrough]];
      case chakra::MEMORY_LOAD:
      case chakra::MEMORY_STORE:
      case chakra::STORAGE:
      case chakra::BATCH:
      case chakra::CHECKPOINT:
        if (node.duration_micros() > kMaxMicros) fail(at, "takes more than {} us", kMaxMicros);
        one.wait = find(node, kCycles) != nullptr
                       ? attribute(node, at, kCycles, 0, kMaxWait)
                       : cycles_of_nanoseconds(node.duration_micros() * 1000, options_.clock);
        break;
      case chakra::METADATA:
        break;
      default:
        fail(at, "is of type {}, which flitscope does not know", static_cast<int>(node.kind()));
    }
    return last_ = program_.add(one);
  }

  [[nodiscard]] static const chakra::Attribute* find(const chakra::Node& node, std::string_view name) {
    for (const chakra::Attribute& attribute : node.attributes()) {
      if (attribute.name() == name) return &attribute;
    }
    return nullptr;
  }
  [[nodiscard]] std::uint64_t attribute(const chakra::Node& node, std::uint64_t at, std::string_view name,
                                        std::uint64_t minimum, std::uint64_t maximum) const {
    const chakra::Attribute* const found = find(node, name);
    if (found == nullptr) fail(at, "lacks attribute {}", name);
    const auto value = whole(*found);
    if (!value || *value < 0 || static_cast<std::uint64_t>(*value) < minimum ||
        static_cast<std::uint64_t>(*value) > maximum) {
      fail(at, "attribute {} must be a whole number from {} to {}", name, minimum, maximum);
    }
    return static_cast<std::uint64_t>(*value);
  }
  [[nodiscard]] std::uint64_t attribute_or(const chakra::Node& node, std::uint64_t at, std::string_view name,
                                           std::uint64_t otherwise) const {
    return find(node, name) == nullptr ? otherwise : attribute(node, at, name, 0, 0xFFFFFFFF);
  }

  /// Bytes, or chunks, of which --chunk says the size.
  [[nodiscard]] std::uint64_t message_bytes_of(const chakra::Node& node, std::uint64_t at) const {
    if (find(node, "comm_size") != nullptr || find(node, "msg_chunk_cnt") == nullptr) {
      return attribute(node, at, "comm_size", 0, kMaxBytes);
    }
    return attribute(node, at, "msg_chunk_cnt", 1, kMaxBytes / options_.chunk_bytes) * options_.chunk_bytes;
  }

  // --- Collective operations -------------------------------------------------------------------------------

  OperationId add_collective(const chakra::Node& node, std::uint64_t at, Operation one) {
    if (!options_.collective) {
      fail(at, "is a collective operation; --collective names the algorithm to use for it");
    }
    CollectiveNode collective;
    collective.type = static_cast<std::int64_t>(attribute_or(node, at, "comm_type", 0));
    collective.bytes = attribute(node, at, "comm_size", 1, kMaxBytes);
    collective.group = group_of(node, at);
    collective.begin = program_.add(one);
    collective.end = last_ = program_.add(one);
    program_.depend(collective.end, collective.begin);
    collectives_[one.rank].push_back(collective);
    return collective.begin;
  }

  [[nodiscard]] std::string group_of(const chakra::Node& node, std::uint64_t at) const {
    if (const chakra::Attribute* const found = find(node, "involved_dim")) {
      if (!std::ranges::all_of(found->bool_list().values(), [](bool involved) { return involved; })) {
        fail(at,
             "is a collective operation of some dimensions (involved_dim); only those of all ranks are "
             "understood");
      }
    }
    for (const char* const name : {"pg_name", "comm_group"}) {
      const chakra::Attribute* const found = find(node, name);
      if (found == nullptr) continue;
      const auto number = whole(*found);
      return number ? std::to_string(*number) : std::string(found->string_value());
    }
    return {};
  }

  /// The k-th collective operations of all ranks are one.
  void replace_collectives() {
    for (std::size_t k = 0; k < collectives_.front().size(); ++k) {
      const CollectiveNode& first = collectives_.front()[k];
      for (const auto& of_rank : collectives_) {
        if (k < of_rank.size() && of_rank[k].type == first.type && of_rank[k].bytes == first.bytes &&
            of_rank[k].group == first.group) {
          continue;
        }
        fail(program_.operation(first.begin).place,
             "is collective operation {} of rank 0; another rank has none or another one there", k + 1);
      }
      replace_collective(k);
    }
    for (const auto& of_rank : collectives_) {
      if (of_rank.size() > collectives_.front().size()) {
        fail(program_.operation(of_rank.back().begin).place,
             "is a collective operation that rank 0 does not have");
      }
    }
  }

  void replace_collective(std::size_t k) {
    const CollectiveNode& first = collectives_.front()[k];
    const std::uint64_t at = program_.operation(first.begin).place;
    if (options_.map.kind == RankMapKind::search || program_.ranks() != options_.topology.nodes()) {
      fail(at, "is a collective operation: all nodes must be ranks, by a --map that is no search");
    }
    const std::vector<NodeId> nodes = map_ranks(options_, "these traces", program_.ranks(), {});
    std::vector<std::uint32_t> rank_at(nodes.size());
    for (std::uint32_t rank = 0; rank < nodes.size(); ++rank) rank_at[nodes[rank]] = rank;
    static const char* const names[]{"all-reduce",     "reduce",    "all-gather", "gather",
                                     "scatter",        "broadcast", "all-to-all", "reduce-scatter",
                                     "reduce-scatter", "barrier"};
    const auto type = static_cast<std::size_t>(first.type);
    const char* const operation = type < std::size(names) ? names[type] : "unknown operation";
    const auto schedule = options_.collective(operation, first.bytes);
    if (!schedule)
      fail(at, "is a collective operation, {}, for which --collective names no algorithm", operation);
    // What a rank has received in the steps so far.
    std::vector<OperationId> received(nodes.size());
    std::vector<OperationId> sent(nodes.size(), kNoOperation);
    for (std::uint32_t rank = 0; rank < nodes.size(); ++rank) received[rank] = collectives_[rank][k].begin;
    std::vector<std::pair<std::uint32_t, OperationId>> arriving;
    for (Step step; schedule->next(step);) {
      arriving.clear();
      for (const Message& message : step.messages()) {
        Operation send{Operation::Kind::send, rank_at[message.source], rank_at[message.destination]};
        send.tag = kCollectiveTag + k;
        send.bytes = message_bytes(schedule->facts().collective, step, message);
        send.place = program_.operation(collectives_[send.rank][k].begin).place;
        Operation receive = send;
        receive.kind = Operation::Kind::receive;
        std::swap(receive.rank, receive.peer);
        const OperationId out = program_.add(send);
        program_.depend(out, received[send.rank]);
        if (sent[send.rank] != kNoOperation) program_.depend(out, sent[send.rank]);
        sent[send.rank] = out;
        arriving.emplace_back(receive.rank, program_.add(receive));
        program_.depend(collectives_[send.rank][k].end, out);
      }
      gather(k, arriving, received);
    }
    for (std::uint32_t rank = 0; rank < nodes.size(); ++rank) {
      program_.depend(collectives_[rank][k].end, received[rank]);
    }
  }

  /// An operation a rank that is done when all that arrives in a step of the k-th collective operation, and
  /// before, has arrived.
  void gather(std::size_t k, std::vector<std::pair<std::uint32_t, OperationId>>& arriving,
              std::vector<OperationId>& received) {
    std::ranges::stable_sort(arriving, {}, [](const auto& one) { return one.first; });
    for (std::size_t begin = 0, end = 0; begin < arriving.size(); begin = end) {
      const std::uint32_t rank = arriving[begin].first;
      const OperationId gathered =
          program_.add({.rank = rank, .place = program_.operation(received[rank]).place});
      program_.depend(gathered, received[rank]);
      for (end = begin; end < arriving.size() && arriving[end].first == rank; ++end) {
        program_.depend(arriving[end].second, collectives_[rank][k].begin);
        program_.depend(gathered, arriving[end].second);
      }
      received[rank] = gathered;
    }
  }

  static constexpr std::uint64_t kCollectiveTag = std::uint64_t{1} << 63;

  std::vector<ImportFile>& files_;
  const ImportOptions& options_;
  RankProgram program_;
  std::vector<std::vector<CollectiveNode>> collectives_;  ///< by rank
  OperationId last_ = 0;
  // Of the present file.
  std::unordered_map<std::uint64_t, OperationId> operations_;
  std::vector<std::pair<OperationId, std::uint64_t>> waits_;
};

std::unique_ptr<Schedule> read(std::vector<ImportFile>& files, const ImportOptions& options) {
  return Reader(files, options).read();
}

void add_attribute(chakra::Node& node, const char* name, std::int64_t value) {
  chakra::Attribute& attribute = *node.add_attributes();
  attribute.set_name(name);
  attribute.set_int64_value(value);
}

chakra::Node node_of(const ExportedOperation& exported, std::uint64_t id) {
  const Operation& one = exported.operation;
  chakra::Node node;
  node.set_id(id);
  for (const std::uint64_t on : exported.after) node.add_data_dependencies(on);
  switch (one.kind) {
    case Operation::Kind::local:
      node.set_name(fmt::format("calculation {}", id));
      node.set_kind(chakra::CALCULATION);
      node.set_duration_micros(one.wait / 1000);
      add_attribute(node, kCycles, static_cast<std::int64_t>(one.wait));
      return node;
    case Operation::Kind::send:
      node.set_name(fmt::format("send {}", id));
      node.set_kind(chakra::SEND);
      add_attribute(node, "comm_dst", one.peer);
      add_attribute(node, "flitscope_step", static_cast<std::int64_t>(one.step));
      break;
    case Operation::Kind::receive:
      node.set_name(fmt::format("receive {}", id));
      node.set_kind(chakra::RECEIVE);
      add_attribute(node, "comm_src", one.peer);
      break;
  }
  add_attribute(node, "comm_size", static_cast<std::int64_t>(one.bytes));
  add_attribute(node, "comm_tag", 0);
  return node;
}

std::vector<ExportedFile> write(Schedule& schedule) {
  const auto ranks = exported_operations(schedule);
  std::vector<ExportedFile> files(ranks.size());
  chakra::Metadata metadata;
  metadata.set_version("0.0.4");
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    files[rank].suffix = fmt::format(".{}.et", rank);
    google::protobuf::io::StringOutputStream stream(&files[rank].text);
    google::protobuf::util::SerializeDelimitedToZeroCopyStream(metadata, &stream);
    for (std::size_t i = 0; i < ranks[rank].size(); ++i) {
      google::protobuf::util::SerializeDelimitedToZeroCopyStream(node_of(ranks[rank][i], i), &stream);
    }
  }
  return files;
}

const FormatRegistry::Entry entry{{
    .name = "chakra",
    .summary = "protobuf: execution traces, a file a rank",
    .source = "Chakra execution traces (MLCommons)",
    .read = read,
    .write = write,
}};

}  // namespace
}  // namespace flitscope::chakra_format
