// Chakra traces byte by byte, and algorithms of thread blocks, as compilers for MSCCL write them: as XML and
// as traces.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/formats/foreign/format.h"

namespace flitscope::test::chakra_bytes {

inline std::string varint(std::uint64_t value) {
  std::string text;
  for (; value >= 128; value >>= 7) text += static_cast<char>(value | 128);
  return text + static_cast<char>(value);
}
inline std::string field(unsigned number, std::uint64_t value) {
  return varint(number << 3) + varint(value);
}
inline std::string field(unsigned number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}
inline std::string delimited(const std::string& message) {
  return varint(message.size()) + message;
}
/// What a trace begins with.
inline std::string metadata() {
  return delimited(field(1, std::string("0.0.4")));
}

enum Type : std::uint8_t { calculation = 4, send = 5, receive = 6, collective = 7 };

/// Of a type that `value` is a field of: 7, 9: int32, int64; 29: text; 28: a list of booleans.
inline std::string attribute(const std::string& name, const std::string& value) {
  return field(10, field(1, name) + value);
}

inline std::string node(std::uint64_t id, Type type, const std::vector<std::uint64_t>& after,
                        const std::string& more = {}) {
  std::string text = field(1, id) + field(2, "node " + std::to_string(id)) + field(3, std::uint64_t{type});
  for (const std::uint64_t on : after) text += field(5, on);
  return delimited(text + more);
}

}  // namespace flitscope::test::chakra_bytes

namespace flitscope::test {

class ThreadBlocks {
 public:
  /// A step of a thread block of a rank.
  struct Place {
    int block = -1;
    int step = -1;
  };
  struct Slot {
    char buffer = 'i';
    int offset = 0;
  };

  ThreadBlocks(std::string collective, int ranks, bool in_place, int input, int output, int scratch)
      : collective_(std::move(collective)),
        in_place_(in_place),
        chunks_{input, output, scratch},
        blocks_(static_cast<std::size_t>(ranks)) {}

  /// A thread block; -1: it does not send, or receive.
  int block(int rank, int send, int receive, int channel = 0) {
    auto& blocks = blocks_[static_cast<std::size_t>(rank)];
    blocks.push_back({send, receive, channel, {}});
    return static_cast<int>(blocks.size()) - 1;
  }
  /// A step behind those before it in its block, and behind `after`, for which there are nops if they are
  /// many.
  Place step(int rank, int block, const std::string& type, Slot source, Slot target, int count = 1,
             const std::vector<Place>& after = {}) {
    auto& steps = blocks_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(block)].steps;
    for (std::size_t i = 0; i + 1 < after.size(); ++i) {
      steps.push_back({"nop", {'i', -1}, {'o', -1}, 0, after[i]});
    }
    steps.push_back({type, source, target, count, after.empty() ? Place{} : after.back()});
    return {block, static_cast<int>(steps.size()) - 1};
  }
  /// Before all steps of a rank.
  void copy(int rank, int input, int output) {
    copies_.resize(blocks_.size());
    copies_[static_cast<std::size_t>(rank)] +=
        fmt::format("    <copy i_off=\"{}\" o_off=\"{}\"/>\n", input, output);
  }

  [[nodiscard]] std::string xml() const {
    std::string text = fmt::format(
        "<algo name=\"{}\" proto=\"Simple\" nchannels=\"4\" nchunksperloop=\"{}\" ngpus=\"{}\" coll=\"{}\" "
        "inplace=\"{}\" outofplace=\"{}\" minBytes=\"0\" maxBytes=\"0\">\n",
        collective_, chunks_[0], blocks_.size(), collective_, in_place_ ? 1 : 0, in_place_ ? 0 : 1);
    for (std::size_t rank = 0; rank < blocks_.size(); ++rank) {
      text += fmt::format("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", rank,
                          chunks_[0], chunks_[1], chunks_[2]);
      if (!copies_.empty()) text += copies_[rank];
      for (std::size_t block = 0; block < blocks_[rank].size(); ++block) {
        const Block& one = blocks_[rank][block];
        text += fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n", block, one.send,
                            one.receive, one.channel);
        for (std::size_t step = 0; step < one.steps.size(); ++step) {
          const Step& s = one.steps[step];
          text += fmt::format(
              "      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" "
              "cnt=\"{}\" "
              "depid=\"{}\" deps=\"{}\" hasdep=\"0\"/>\n",
              step, s.type, s.source.buffer, s.source.offset, s.target.buffer, s.target.offset, s.count,
              s.after.block, s.after.step);
        }
        text += "    </tb>\n";
      }
      text += "  </gpu>\n";
    }
    return text + "</algo>\n";
  }

  /// A trace a rank. A reduction is a calculation that takes no time. With `bytes` messages have comm_size;
  /// without, the chunks that they have.
  [[nodiscard]] std::vector<ImportFile> traces(std::uint64_t bytes) const {
    std::vector<ImportFile> files;
    for (std::size_t rank = 0; rank < blocks_.size(); ++rank) {
      std::string text = chakra_bytes::metadata();
      std::vector<std::vector<std::uint64_t>> first(blocks_[rank].size());
      std::vector<std::vector<std::uint64_t>> last(blocks_[rank].size());
      std::uint64_t next = 1;
      for (std::size_t block = 0; block < blocks_[rank].size(); ++block) {
        for (const Step& step : blocks_[rank][block].steps) {
          first[block].push_back(next);
          next += nodes_of(step.type).size();
          last[block].push_back(next - 1);
        }
      }
      for (std::size_t block = 0; block < blocks_[rank].size(); ++block) {
        const Block& one = blocks_[rank][block];
        for (std::size_t i = 0; i < one.steps.size(); ++i) {
          const Step& step = one.steps[i];
          std::vector<std::uint64_t> after;
          if (i > 0) after.push_back(last[block][i - 1]);
          if (step.after.block >= 0) {
            after.push_back(
                last[static_cast<std::size_t>(step.after.block)][static_cast<std::size_t>(step.after.step)]);
          }
          std::uint64_t id = first[block][i];
          for (const chakra_bytes::Type type : nodes_of(step.type)) {
            text += chakra_bytes::node(id, type, after, attributes(type, one, step, bytes));
            after = {id++};
          }
        }
      }
      files.push_back({fmt::format("trace.{}.et", rank), text});
    }
    return files;
  }

 private:
  struct Step {
    std::string type;
    Slot source;
    Slot target;
    int count = 1;
    Place after;
  };
  struct Block {
    int send = -1;
    int receive = -1;
    int channel = 0;
    std::vector<Step> steps;
  };

  // --- Chakra's nodes -------------------------------------------------------------------------------------

  static std::vector<chakra_bytes::Type> nodes_of(const std::string& type) {
    using enum chakra_bytes::Type;
    if (type == "s") return {send};
    if (type == "r") return {receive};
    if (type == "rcs") return {receive, send};
    if (type == "rrc") return {receive, calculation};
    if (type == "rrs" || type == "rrcs") return {receive, calculation, send};
    return {calculation};
  }
  static std::string attributes(chakra_bytes::Type type, const Block& block, const Step& step,
                                std::uint64_t bytes) {
    using namespace chakra_bytes;
    if (type == calculation) return {};
    const auto whole = [](int value) { return field(7, static_cast<std::uint64_t>(value)); };
    return attribute(type == send ? "comm_dst" : "comm_src",
                     whole(type == send ? block.send : block.receive)) +
           attribute("comm_tag", whole(block.channel)) +
           (bytes != 0 ? attribute("comm_size", field(9, static_cast<std::uint64_t>(step.count) * bytes))
                       : attribute("msg_chunk_cnt", whole(step.count)));
  }

  std::string collective_;
  bool in_place_;
  int chunks_[3];
  std::vector<std::vector<Block>> blocks_;
  std::vector<std::string> copies_;
};

}  // namespace flitscope::test
