// msccl-xml: algorithms for the MSCCL runtime, thread blocks of steps for every GPU.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/numbers.h"
#include "model/text.h"
#include "params/diagnostics.h"
#include "sim/formats/foreign/format.h"
#include "sim/formats/foreign/msccl.h"

namespace flitscope::msccl_xml_format {
namespace {

/// The first line of a text that has other characters than spaces.
std::string_view first_line(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.substr(0, text.find('\n'));
}

using msccl::Algorithm;
using msccl::BufferKind;
using msccl::Instruction;
using msccl::StepKind;

constexpr std::uint32_t kMaxRanks = 1U << 20;
constexpr std::uint32_t kMaxCount = 1U << 24;

/// As a fragment, since otherwise what is beside the root is dropped.
constexpr unsigned kParsing = pugi::parse_default | pugi::parse_fragment | pugi::parse_trim_pcdata;

/// The text is changed while it is parsed; lines stay where they are.
class Reader {
 public:
  Reader(ImportFile& file, const ImportOptions& options) : file_(file), options_(options) {}

  std::unique_ptr<Schedule> read() {
    const auto parsed =
        document_.load_buffer_inplace(file_.text.data(), file_.text.size(), kParsing, pugi::encoding_utf8);
    if (!parsed) fail(parsed.offset, "not valid XML: {}", parsed.description());
    const pugi::xml_node root = document_.document_element();
    if (!root) fail(0, "not valid XML: no document element found");
    for (const pugi::xml_node& node : document_.children()) {
      if (node == root) continue;
      if (node.type() == pugi::node_element) fail(node, "a file has one <algo> and no other element");
      fail(node, "{} is not part of the <algo>", in_quotes(first_line(node.value())));
    }
    if (root.name() != std::string_view("algo"))
      fail(root, "an algorithm begins with <algo>, not <{}>", root.name());
    require_attributes_once(root);
    read_algorithm(root);
    const auto algo = static_cast<std::size_t>(root.offset_debug());
    const std::string ranks_place = SourceLocation::in(file_.name, file_.text, algo).text();
    document_.reset();
    program_->complete();
    return msccl::schedule_of(
        *program_, algorithm_, file_.name, map_ranks(options_, ranks_place, *program_), options_.chunk_bytes,
        import_facts(options_, algorithm_.name.empty() ? "msccl-xml" : algorithm_.name));
  }

 private:
  /// "depid" and "deps" of a step.
  struct Wait {
    OperationId operation = 0;
    std::uint32_t block = 0;
    std::uint32_t step = 0;
  };
  /// The attributes of a step.
  struct StepText {
    std::string_view type;
    std::string_view source_buffer;
    std::string_view target_buffer;
    std::int64_t source_offset = -1;
    std::int64_t target_offset = -1;
    std::int64_t count = 1;
    std::int64_t block = -1;
    std::int64_t step = -1;
    std::int64_t number = -1;
    std::int64_t schedule_step = 0;
  };

  template <typename... Args>
  [[noreturn]] void fail(std::ptrdiff_t offset, fmt::format_string<Args...> reason, Args&&... args) const {
    throw InputError(place(static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0))) +
                     fmt::format(reason, std::forward<Args>(args)...));
  }
  template <typename... Args>
  [[noreturn]] void fail(const pugi::xml_node& node, fmt::format_string<Args...> reason,
                         Args&&... args) const {
    fail(node.offset_debug(), reason, std::forward<Args>(args)...);
  }
  [[nodiscard]] std::string place(std::size_t offset) const {
    return SourceLocation::in(file_.name, file_.text, offset).text() + ": ";
  }

  // --- Attributes ------------------------------------------------------------------------------------------

  std::int64_t number(const pugi::xml_node& node, const pugi::xml_attribute& attribute, std::int64_t minimum,
                      std::int64_t maximum) const {
    const std::string_view text = attribute.value();
    if (const auto value = whole_number(text, minimum, maximum)) return *value;
    fail(node, "{} of <{}> must be a whole number from {} to {}, not {}", attribute.name(), node.name(),
         minimum, maximum, in_quotes(text));
  }
  std::int64_t number(const pugi::xml_node& node, const char* name, std::int64_t minimum,
                      std::int64_t maximum) const {
    const pugi::xml_attribute attribute = node.attribute(name);
    if (!attribute) fail(node, "<{}> lacks {}", node.name(), name);
    return number(node, attribute, minimum, maximum);
  }
  std::int64_t number_or(const pugi::xml_node& node, const char* name, std::int64_t minimum,
                         std::int64_t maximum, std::int64_t otherwise) const {
    return node.attribute(name) ? number(node, name, minimum, maximum) : otherwise;
  }

  void require_only(const pugi::xml_node& node, std::initializer_list<std::string_view> names) const {
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_comment) continue;
      const bool known =
          child.type() == pugi::node_element && std::ranges::find(names, child.name()) != names.end();
      if (!known) {
        const std::string_view text = child.type() == pugi::node_element ? child.name() : child.value();
        fail(child, "<{}> may not hold {}", node.name(), in_quotes(first_line(text)));
      }
      require_attributes_once(child);
    }
  }

  /// The parser takes an attribute that an element has twice, which is no XML.
  void require_attributes_once(const pugi::xml_node& node) const {
    std::vector<std::string_view> names;
    for (const pugi::xml_attribute& attribute : node.attributes()) names.emplace_back(attribute.name());
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice != names.end()) fail(node, "not valid XML: <{}> has {} twice", node.name(), printable(*twice));
  }

  // --- Elements --------------------------------------------------------------------------------------------

  void read_algorithm(const pugi::xml_node& root) {
    require_only(root, {"gpu"});
    algorithm_.name = root.attribute("name").value();
    algorithm_.collective = root.attribute("coll").value();
    // One that is right for two separate buffers, too, is taken as that.
    algorithm_.in_place =
        number_or(root, "inplace", 0, 1, 0) == 1 && number_or(root, "outofplace", 0, 1, 0) == 0;
    const auto gpus = static_cast<std::uint32_t>(std::ranges::distance(root.children("gpu")));
    const auto ranks = static_cast<std::uint32_t>(number_or(root, "ngpus", 1, kMaxRanks, gpus));
    if (gpus != ranks || ranks == 0) fail(root, "ngpus is {}, but there are {} <gpu>", ranks, gpus);
    algorithm_.chunks.resize(std::size_t{ranks} * msccl::kBuffers);
    program_.emplace(ranks, [this](const Operation& one) { return place(one.place); });
    std::vector<bool> seen(ranks);
    for (const pugi::xml_node& gpu : root.children("gpu")) {
      const auto rank = static_cast<std::uint32_t>(number(gpu, "id", 0, ranks - 1));
      if (seen[rank]) fail(gpu, "there is a second <gpu> with id {}", rank);
      seen[rank] = true;
      read_gpu(gpu, rank);
    }
  }

  void read_gpu(const pugi::xml_node& gpu, std::uint32_t rank) {
    require_only(gpu, {"tb", "copy"});
    const char* const names[]{"i_chunks", "o_chunks", "s_chunks"};
    for (unsigned buffer = 0; buffer < msccl::kBuffers; ++buffer) {
      algorithm_.chunks[std::size_t{rank} * msccl::kBuffers + buffer] =
          static_cast<std::uint32_t>(number_or(gpu, names[buffer], 0, kMaxCount, 0));
    }
    blocks_.clear();
    waits_.clear();
    ends_.clear();
    copied_ = kNoOperation;
    for (const pugi::xml_node& copy : gpu.children("copy")) read_copy(copy, rank);
    for (const pugi::xml_node& block : gpu.children("tb")) read_block(block, rank);
    for (const Wait& wait : waits_) {
      const auto at = static_cast<std::ptrdiff_t>(program_->operation(wait.operation).place);
      const auto found = blocks_.find(wait.block);
      if (found == blocks_.end()) {
        fail(at, "depid is {}, but gpu {} has no such tb", wait.block, rank);
      }
      if (wait.step >= found->second.size()) {
        fail(at, "deps is {}, but tb {} has {}", wait.step, wait.block,
             counted(found->second.size(), "step"));
      }
      program_->depend(wait.operation, found->second[wait.step]);
    }
  }

  /// What moves from the input to the output before all steps.
  void read_copy(const pugi::xml_node& copy, std::uint32_t rank) {
    Instruction one{StepKind::copy};
    one.source = {BufferKind::input, static_cast<std::uint32_t>(number(copy, "i_off", 0, kMaxCount))};
    one.target = {BufferKind::output, static_cast<std::uint32_t>(number(copy, "o_off", 0, kMaxCount))};
    one.count = static_cast<std::uint32_t>(number_or(copy, "cnt", 1, kMaxCount, 1));
    const OperationId before = copied_;
    copied_ = add(copy, {}, {rank}, one);
    if (before != kNoOperation) program_->depend(copied_, before);
  }

  void read_block(const pugi::xml_node& block, std::uint32_t rank) {
    require_only(block, {"step", "op"});
    const auto id = static_cast<std::uint32_t>(number(block, "id", 0, kMaxCount));
    auto [place, fresh] = blocks_.try_emplace(id);
    if (!fresh) fail(block, "gpu {} has a second tb with id {}", rank, id);
    const std::int64_t send = number_or(block, "send", -1, kMaxRanks, -1);
    const std::int64_t receive = number_or(block, "recv", -1, kMaxRanks, -1);
    const auto channel =
        static_cast<std::uint64_t>(std::max<std::int64_t>(number_or(block, "chan", -1, kMaxCount, 0), 0));
    for (const auto& [peer, sends] : {std::pair(send, true), std::pair(receive, false)}) {
      if (peer >= 0 && !ends_.emplace(std::tuple(peer, channel, sends), id).second) {
        fail(block, "gpu {} {} {} by channel {} in two thread blocks", rank,
             sends ? "sends to" : "receives from", peer, channel);
      }
    }
    OperationId before = copied_;
    for (const pugi::xml_node& step : block.children()) {
      if (step.type() != pugi::node_element) continue;
      const StepText text = read_step(step);
      const auto count = static_cast<std::int64_t>(place->second.size());
      if (text.number != -1 && text.number != count) {
        fail(step, "expected step {1} of tb {2}, not step {0}", text.number, count, id);
      }
      before = add_step(step, text, {rank, send, receive, channel}, before);
      place->second.push_back(before);
    }
  }

  StepText read_step(const pugi::xml_node& step) const {
    StepText text;
    for (const pugi::xml_attribute& attribute : step.attributes()) {
      const std::string_view name = attribute.name();
      const auto read = [&](std::int64_t minimum, std::int64_t maximum = kMaxCount) {
        return number(step, attribute, minimum, maximum);
      };
      if (name == "type") {
        text.type = attribute.value();
      } else if (name == "srcbuf") {
        text.source_buffer = attribute.value();
      } else if (name == "dstbuf") {
        text.target_buffer = attribute.value();
      } else if (name == "srcoff") {
        text.source_offset = read(-1);
      } else if (name == "dstoff") {
        text.target_offset = read(-1);
      } else if (name == "buf") {
        text.source_buffer = text.target_buffer = attribute.value();
      } else if (name == "off") {
        text.source_offset = text.target_offset = read(-1);
      } else if (name == "cnt") {
        text.count = read(0);
      } else if (name == "depid") {
        text.block = read(-1);
      } else if (name == "deps") {
        text.step = read(-1);
      } else if (name == "s" || name == "step") {
        text.number = read(0);
      } else if (name == "flitscope_step") {
        text.schedule_step = read(1, kMaxScheduleStep);
      } else if (name != "hasdep") {
        fail(step, "a step has no attribute {} that flitscope knows", in_quotes(name));
      }
    }
    return text;
  }

  struct Connections {
    std::uint32_t rank = 0;
    std::int64_t send = -1;
    std::int64_t receive = -1;
    std::uint64_t channel = 0;
  };

  /// Adds the operations of a step, which follow `before` of the same thread block; returns the last
  /// one.
  OperationId add_step(const pugi::xml_node& step, const StepText& text, const Connections& ends,
                       OperationId before) {
    struct Kind {
      StepKind first;
      StepKind second = StepKind::nothing;  ///< pass: it sends on
      bool source = false;
      bool target = false;
    };
    static const std::map<std::string_view, Kind> kinds{
        {"s", {StepKind::send, StepKind::nothing, true, false}},
        {"r", {StepKind::receive, StepKind::nothing, false, true}},
        {"rcs", {StepKind::receive, StepKind::pass, false, true}},
        {"rrs", {StepKind::receive_pass, StepKind::pass, true, false}},
        {"rrc", {StepKind::receive_reduce, StepKind::nothing, true, true}},
        {"rrcs", {StepKind::receive_reduce, StepKind::pass, true, true}},
        {"cpy", {StepKind::copy, StepKind::nothing, true, true}},
        {"re", {StepKind::reduce, StepKind::nothing, true, true}},
        {"nop", {StepKind::nothing}},
        {"st", {StepKind::nothing}},
        {"d", {StepKind::nothing}}};
    const auto found = kinds.find(text.type);
    if (found == kinds.end()) {
      fail(step, "type {} is none of s, r, rcs, rrs, rrc, rrcs, cpy, re, nop, st, d", in_quotes(text.type));
    }
    const Kind& kind = found->second;
    Instruction one{kind.first};
    one.count = kind.first == StepKind::nothing ? 0 : static_cast<std::uint32_t>(text.count);
    if (kind.first != StepKind::nothing && one.count == 0) fail(step, "cnt is 0");
    if (kind.source) one.source = slots(step, text.source_buffer, text.source_offset);
    if (kind.target) one.target = slots(step, text.target_buffer, text.target_offset);
    // What rrs combines with lies in its source; some compilers write another slot there.
    if (kind.first == StepKind::receive_pass) {
      one.target = text.target_offset < 0 ? one.source : slots(step, text.target_buffer, text.target_offset);
    }
    const OperationId first = add(step, text, ends, one);
    if (before != kNoOperation) program_->depend(first, before);
    if (text.block >= 0 && text.step >= 0) {
      waits_.push_back(
          {first, static_cast<std::uint32_t>(text.block), static_cast<std::uint32_t>(text.step)});
    }
    if (kind.second == StepKind::nothing) return first;
    one.kind = kind.second;
    const OperationId second = add(step, text, ends, one);
    program_->depend(second, first);
    return second;
  }

  OperationId add(const pugi::xml_node& step, const StepText& text, const Connections& ends,
                  const Instruction& instruction) {
    Operation one;
    one.rank = ends.rank;
    one.place = static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(step.offset_debug(), 0));
    const bool sends = instruction.kind == StepKind::send || instruction.kind == StepKind::pass;
    const bool receives = instruction.kind == StepKind::receive ||
                          instruction.kind == StepKind::receive_reduce ||
                          instruction.kind == StepKind::receive_pass;
    if (sends || receives) {
      const std::int64_t peer = sends ? ends.send : ends.receive;
      if (peer < 0) {
        fail(step, "type {} in a tb without {}", in_quotes(text.type), sends ? "send" : "recv");
      }
      one.kind = sends ? Operation::Kind::send : Operation::Kind::receive;
      one.peer = static_cast<std::uint32_t>(peer);
      one.tag = ends.channel;
      one.bytes = instruction.count;  // chunks: both ends must agree on them
      if (sends) one.step = static_cast<std::uint64_t>(text.schedule_step);
    }
    algorithm_.instructions.push_back(instruction);
    return program_->add(one);
  }

  msccl::Slots slots(const pugi::xml_node& step, std::string_view buffer, std::int64_t offset) const {
    if (offset < 0) fail(step, "a step that moves data needs an offset of 0 or more");
    if (buffer == "i") return {BufferKind::input, static_cast<std::uint32_t>(offset)};
    if (buffer == "o") return {BufferKind::output, static_cast<std::uint32_t>(offset)};
    if (buffer == "s") return {BufferKind::scratch, static_cast<std::uint32_t>(offset)};
    fail(step, "a buffer is i, o or s, not {}", in_quotes(buffer));
  }

  static constexpr std::int64_t kMaxScheduleStep = 0xFFFFFFFF;

  ImportFile& file_;
  const ImportOptions& options_;
  pugi::xml_document document_;
  Algorithm algorithm_;
  std::optional<RankProgram> program_;
  // Of the present GPU.
  /// By thread block: the operation that ends each of its steps.
  std::map<std::uint32_t, std::vector<OperationId>> blocks_;
  std::vector<Wait> waits_;
  OperationId copied_ = kNoOperation;  ///< its last <copy>
  std::map<std::tuple<std::int64_t, std::uint64_t, bool>, std::uint32_t> ends_;
};

std::unique_ptr<Schedule> read(std::vector<ImportFile>& files, const ImportOptions& options) {
  return Reader(only_file(files, "msccl-xml: all GPUs are in one file"), options).read();
}

std::vector<ExportedFile> write(Schedule& schedule) {
  return {{"", msccl::xml_of(schedule)}};
}

const FormatRegistry::Entry entry{{
    .name = "msccl-xml",
    .summary = "XML: thread blocks of steps for every GPU, with their buffers",
    .source = "MSCCL, the Microsoft Collective Communication Library, and msccl-tools",
    .read = read,
    .write = write,
}};

}  // namespace
}  // namespace flitscope::msccl_xml_format
