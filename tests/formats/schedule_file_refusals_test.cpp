// Is every broken schedule file refused, with the line and the words that help?
#include <gtest/gtest.h>

#include <filesystem>

#include "model/error.h"
#include "sim/formats/schedule_file.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_schedules.h"

namespace flitscope::schedule_file_refusals_test {
namespace {

const std::string kHeader =
    R"({"flitscope":"schedule","version":1,"topology":{"kind":"mesh","shape":[4,3]},)"
    R"("ports":{"send":1,"receive":1},"routing":"cyclic-dimension-order","algorithm":"by-hand","steps":2,)"
    R"("messages":2,"chunks":[64,32],"initial":[[[0,0],[0,1]]],"goal":[[[1,2],[0]]],)"
    R"("stages":[{"name":"all","first_step":1,"last_step":2}]})";
const std::string kFirst = R"({"step":1,"src":[0,0],"dst":[1,2],"path":[[1,1,2],[0,1,1]],"chunks":[0]})";
const std::string kSecond = R"({"step":2,"src":[1,2],"dst":[3,2],"path":[[0,1,2]],"chunks":[0],"control":4})";

std::string file_of(const std::string& header, const std::string& first,
                    const std::string& second = kSecond) {
  return header + "\n" + first + "\n" + second + "\n";
}

/// `text` with the first occurrence of `old` replaced.
std::string with(std::string text, const std::string& old, const std::string& replacement) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, text.npos) << old;
  return text.replace(at, old.size(), replacement);
}

std::string refusal(const std::string& text) {
  try {
    ScheduleFile file = read_text(text);
    all_steps(file);
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "was read: " << text;
  return {};
}

std::string header_refusal(const std::string& old, const std::string& replacement) {
  return refusal(file_of(with(kHeader, old, replacement), kFirst));
}

std::string message_refusal(const std::string& old, const std::string& replacement) {
  return refusal(file_of(kHeader, with(kFirst, old, replacement)));
}

TEST(ScheduleFileRefusal, UnchangedFile_IsAccepted) {
  ScheduleFile file = read_text(file_of(kHeader, kFirst));
  EXPECT_EQ(all_steps(file).size(), 2U);
}

TEST(ScheduleFileRefusal, MinusZero_IsZero) {
  ScheduleFile file = read_text(file_of(with(kHeader, "[[[0,0],[0,1]]]", "[[[0,-0],[-0,1]]]"), kFirst));
  EXPECT_EQ(all_steps(file).size(), 2U);
}

TEST(ScheduleFileRefusal, MissingFileAndDirectory_AreRefused) {
  const auto refusal_of = [](const std::filesystem::path& path) -> std::string {
    try {
      const ScheduleFile file(open_file(path), path.string());
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(refusal_of("no/such/file.jsonl"),
            "no/such/file.jsonl: cannot be opened: No such file or directory");
  const auto directory = std::filesystem::temp_directory_path();
  EXPECT_EQ(refusal_of(directory), directory.string() + ": is a directory, not a file");
}

TEST(ScheduleFileRefusal, OtherFiles_AreRefused) {
  const std::string wanted =
      R"(; a schedule file starts with its header, {"flitscope": "schedule", "version": 1, ...})";
  EXPECT_EQ(refusal(""), "given.jsonl:1:1: the file is empty" + wanted);
  const std::string stranger = "given.jsonl:1:1: this is no schedule" + wanted;
  EXPECT_EQ(refusal("\n\n"), stranger);
  EXPECT_EQ(refusal(std::string("\x7f"
                                "ELF\0\1\2",
                                7)),
            stranger);
  EXPECT_EQ(refusal("step,src,dst\n"), stranger);
  EXPECT_EQ(refusal("[1, 2]\n"), stranger);
  EXPECT_EQ(refusal("{}\n"), stranger);
  EXPECT_EQ(refusal(kFirst + "\n"), stranger);
}

TEST(ScheduleFileRefusal, BrokenJson_HasLineAndColumn) {
  EXPECT_EQ(refusal("{\"flitscope\":\n"),
            "given.jsonl:1:14: not valid JSON: syntax error while parsing value - unexpected end of input; "
            "expected "
            "'[', '{', or a literal");
  EXPECT_EQ(message_refusal(R"("src":[0,0])", R"("src":[0,0)").rfind("given.jsonl:2:27: not valid JSON: ", 0),
            0U);
  EXPECT_EQ(message_refusal("chunks", "chun\xff\xfeks").rfind("given.jsonl:2:65: not valid JSON: ", 0), 0U);
  EXPECT_EQ(refusal(kHeader + "\n" + kFirst + kSecond + "\n").rfind("given.jsonl:2:73: not valid JSON: ", 0),
            0U);
  EXPECT_EQ(refusal(file_of(kHeader, std::string("\0\1\2", 3))).rfind("given.jsonl:2:1: not valid JSON: ", 0),
            0U);
  EXPECT_EQ(refusal(file_of(kHeader, kFirst.substr(0, 30))).rfind("given.jsonl:2:31: not valid JSON: ", 0),
            0U);
  EXPECT_EQ(message_refusal("\"step\":1", "\"step\":1e999").rfind("given.jsonl:2:9: not valid JSON: ", 0),
            0U);
}

TEST(ScheduleFileRefusal, UnknownMissingAndDuplicateKeys_AreRefused) {
  EXPECT_EQ(header_refusal("\"steps\"", "\"step\""),
            "given.jsonl:1: this line has an unknown key \"step\"; known here: flitscope, version, topology, "
            "ports, "
            "routing, algorithm, steps, messages, chunks, initial, operands, goal, claimed_steps, "
            "lower_bound_steps, "
            "claimed_channel_load, classes, stages");
  EXPECT_EQ(header_refusal("\"shape\":[4,3]", "\"shape\":[4,3],\"size\":3"),
            "given.jsonl:1: \"topology\" has an unknown key \"size\"; known here: kind, shape, directions");
  EXPECT_EQ(
      header_refusal("\"last_step\"", "\"end\""),
      "given.jsonl:1: \"stages[0]\" has an unknown key \"end\"; known here: name, first_step, last_step");
  EXPECT_EQ(header_refusal(",\"receive\":1", ""), "given.jsonl:1: \"ports\" lacks the key \"receive\"");
  for (const std::string key : {"version", "topology", "ports", "routing", "algorithm", "steps", "messages",
                                "chunks", "initial", "goal"}) {
    nlohmann::json header = nlohmann::json::parse(kHeader);
    header.erase(key);
    EXPECT_EQ(refusal(file_of(header.dump(), kFirst)),
              "given.jsonl:1: this line lacks the key \"" + key + "\"");
  }
  for (const std::string key : {"step", "src", "dst", "path", "chunks"}) {
    nlohmann::json message = nlohmann::json::parse(kFirst);
    message.erase(key);
    EXPECT_EQ(refusal(file_of(kHeader, message.dump())),
              "given.jsonl:2: this line lacks the key \"" + key + "\"");
  }
  EXPECT_EQ(
      message_refusal("\"src\"", "\"source\""),
      "given.jsonl:2: this line has an unknown key \"source\"; known here: step, src, dst, path, "
      "first_dimension, draw, chunks, reduce, control, rearranged, class, kind, id, after, behind, arrived, "
      "wait, replies");
  EXPECT_EQ(message_refusal("\"step\":1", "\"step\":1,\"step\":2"), "given.jsonl:2: duplicate key \"step\"");
}

TEST(ScheduleFileRefusal, InvalidHeaderValues_AreRefused) {
  const struct {
    const char* old;
    const char* replacement;
    const char* text;
  } cases[] = {
      {"\"schedule\"", "\"result\"", "\"flitscope\" must be \"schedule\", not \"result\""},
      {"\"schedule\"", "1", "\"flitscope\" must be \"schedule\", not 1"},
      {"\"version\":1", "\"version\":3",
       "\"version\" must be 1 to 2, the versions this program reads, not 3"},
      {"\"version\":1", "\"version\":1.5",
       "\"version\" must be 1 to 2, the versions this program reads, not 1.5"},
      {"\"mesh\"", "\"complete\"",
       "\"topology\" is complete: its messages go over circuits; a schedule on links is needed here"},
      {"\"mesh\"", "\"ring\"", "\"topology.kind\" must be \"torus\" or \"mesh\", not \"ring\""},
      {"[4,3]", "[4,1]", "\"topology.shape[1]\" must be a whole number from 2 to 4294967295, not 1"},
      {"[4,3]", "12", "\"topology.shape\" must be a list, [...], not 12"},
      {"[4,3]", "[]", "\"topology.shape\" is not possible: a shape needs at least one side, such as [8, 8]"},
      {"[4,3]", "[65536,65536]",
       "\"topology.shape\" is not possible: 65536x65536 has more than 2147483648 nodes"},
      {"{\"kind\":\"mesh\",\"shape\":[4,3]}", "\"mesh\"",
       "\"topology\" must be an object, {\"key\": value, ...}, not \"mesh\""},
      {"\"send\":1", "\"send\":0", "\"ports.send\" must be a whole number from 1 to 4294967295, not 0"},
      {"\"cyclic-dimension-order\"", "\"zigzag\"",
       "\"routing\" must be a routing function (\"cyclic-dimension-order\", \"dimension-order\", "},
      {"\"by-hand\"", "null", "\"algorithm\" must be a text in quotes, not null"},
      {"\"steps\":2", "\"steps\":-2", "\"steps\" must be a whole number from 0 to 4294967295, not -2"},
      {"\"steps\":2", "\"steps\":1e12",
       "\"steps\" must be a whole number from 0 to 4294967295, not 1000000000000.0"},
      {"\"messages\":2", "\"messages\":123456789012345678901234567890",
       "\"messages\" must be a whole number from 0 to 18446744073709551615, not 1.2345"},
      {"[64,32]", "[64,\"32\"]", "\"chunks[1]\" must be a whole number from 0 to 1099511627776, not \"32\""},
      {"[64,32]", "[64,32.0]", "\"chunks[1]\" must be a whole number from 0 to 1099511627776, not 32.0"},
      {"[[[0,0],[0,1]]]", "[[[4,0],[0]]]",
       "\"initial[0][0]\" names a node that does not exist: [4, 0]; on the 4x3 mesh, coordinate 0 must be 0 "
       "to 3"},
      {"[[[0,0],[0,1]]]", "[[[0,0],[0,2]]]",
       "\"initial[0][1][1]\" must be a whole number from 0 to 1, not 2"},
      {"[[[0,0],[0,1]]]", "[[[0,0],[1,1]]]",
       "\"initial[0][1][1]\" must be above the chunk before it, 1; chunks are listed in rising order"},
      {"[[[0,0],[0,1]]]", "[[[0,0]]]",
       "\"initial[0]\" must be a node and its chunks, [node, [chunk, ...]], not [[0,0]]"},
      {"[[[1,2],[0]]]", "\"everything\"",
       "\"goal\" must be \"everyone-has-everything\" or [[node, [chunk, ...]], ...], not \"everything\""},
      {"[[[1,2],[0]]]", "[[[1,2,0],[0]]]",
       "\"goal[0][0]\" must be a node of the 4x3 mesh, 2 coordinates, not [1,2,0]"},
      {"\"first_step\":1", "\"first_step\":\"1\"", "\"stages[0].first_step\" must be a whole number from 0"},
      {"\"chunks\":[64,32]", "\"chunks\":[]", "\"initial[0][1]\" names chunks, but \"chunks\" lists none"},
  };
  for (const auto& wrong : cases) {
    const std::string text = header_refusal(wrong.old, wrong.replacement);
    EXPECT_EQ(text.rfind(std::string("given.jsonl:1: ") + wrong.text, 0), 0U) << text;
  }
}

/// Keys and the step of a line are looked at before its step is read, the rest with its step.
TEST(ScheduleFileRefusal, LineWithTwoErrors_NamesTheSameOneAtTheBeginningOfAStepAndWithinIt) {
  const std::string before = with(kHeader, "\"messages\":2", "\"messages\":3") + "\n" + kFirst + "\n";
  const std::string wrong_source = with(kFirst, "\"src\":[0,0]", "\"src\":[9,9]");
  const struct {
    std::string line;
    const char* text;
  } cases[] = {
      {with(wrong_source, "\"chunks\"", "\"parts\":1,\"chunks\""), "this line has an unknown key \"parts\""},
      {with(wrong_source, "\"dst\":[1,2]", "\"dst\":[8,8]"),
       "\"src\" names a node that does not exist: [9, 9]"},
      {with(with(kFirst, "[[1,1,2]", "[[1,1,1]"), "\"chunks\":[0]", "\"chunks\":[7]"), "\"path\" of "},
  };
  for (const auto& [line, text] : cases) {
    const std::string within = refusal(before + line + "\n" + kSecond + "\n");
    EXPECT_EQ(within.rfind(std::string("given.jsonl:3: ") + text, 0), 0U) << within;
    EXPECT_EQ(refusal(before + with(line, "\"step\":1", "\"step\":2") + "\n" + kSecond + "\n"), within);
  }
}

TEST(ScheduleFileRefusal, InvalidMessageValues_AreRefused) {
  const std::string path = "[[1,1,2],[0,1,1]]";
  const struct {
    std::string old;
    const char* replacement;
    const char* text;
  } cases[] = {
      {"\"step\":1", "\"step\":0", "\"step\" must be a whole number from 1 to 2, not 0"},
      {"\"step\":1", "\"step\":3", "\"step\" must be a whole number from 1 to 2, not 3"},
      {"\"step\":1", "\"step\":99999999999999999999",
       "\"step\" must be a whole number from 1 to 2, not 1e+20"},
      {"\"src\":[0,0]", "\"src\":[0,3]",
       "\"src\" names a node that does not exist: [0, 3]; on the 4x3 mesh, coordinate 1 must be 0 to 2"},
      {"\"dst\":[1,2]", "\"dst\":[1,-2]", "\"dst[1]\" must be a whole number from 0 to 4294967295, not -2"},
      {"\"dst\":[1,2]", "\"dst\":9", "\"dst\" must be a list, [...], not 9"},
      {"\"chunks\":[0]", "\"chunks\":[2]", "\"chunks[0]\" must be a whole number from 0 to 1, not 2"},
      {"\"chunks\":[0]", "\"chunks\":[0,1,0]",
       "\"chunks[2]\" is chunk 0 once more; a message carries a chunk once"},
      {"\"chunks\":[0]", "\"chunks\":[0],\"control\":0",
       "\"control\" must be a whole number from 1 to 4294967295, not 0"},
      {"\"chunks\":[0]", "\"chunks\":[0],\"rearranged\":0",
       "\"rearranged\" must be a whole number from 1 to 1099511627776, not 0"},
      {"\"chunks\":[0]", "\"chunks\":[0],\"first_dimension\":2",
       "\"first_dimension\" must be a whole number from 0 to 1, not 2"},
      {path, "[[2,1,1]]", "\"path[0][0]\" must be a whole number from 0 to 1, not 2"},
      {path, "[[1,\"+\",1]]", "\"path[0][1]\" must be a direction, 1 or -1, not \"+\""},
      {path, "[[1,18446744073709551615,1]]",
       "\"path[0][1]\" must be a direction, 1 or -1, not 18446744073709551615"},
      {path, "[[1,1,0]]", "\"path[0][2]\" must be a whole number from 1 to 2, not 0"},
      {path, "[[1,1,3]]", "\"path[0][2]\" must be a whole number from 1 to 2, not 3"},
      {path, "[[1,1]]", "\"path[0]\" must be a leg [dimension, sign, hops], not [1,1]"},
      {path, "{}", "\"path\" must be a list, [...], not {}"},
      {path, "[[1,1,1],[0,1,1],[1,1,1]]",
       "\"path[2]\" travels dimension 1 after dimension 0; each dimension is travelled at most once, in "
       "cyclic "
       "order from dimension 1"},
      {path, "[[1,-1,2],[0,1,1]]",
       "\"path[0]\" leaves the 4x3 mesh: from [0, 0], 0 links lead in direction - of dimension 1, not 2"},
      {path, "[[1,1,2],[0,1,2]]", "\"path\" of +2@1 +2@0 ends at [2, 2], not at dst [1, 2]"},
      {path, "[]", "\"path\" of no legs ends at [0, 0], not at dst [1, 2]"},
  };
  for (const auto& wrong : cases) {
    const std::string text = message_refusal(wrong.old, wrong.replacement);
    EXPECT_EQ(text, std::string("given.jsonl:2: ") + wrong.text);
  }
  EXPECT_EQ(refusal(file_of(kHeader, "[1]")).rfind("given.jsonl:2: this line must be an object", 0), 0U);
}

TEST(ScheduleFileRefusal, DimensionOrderInAnotherDimension_IsRefused) {
  const std::string header = with(kHeader, "cyclic-dimension-order", "dimension-order");
  EXPECT_EQ(
      refusal(file_of(header, kFirst)),
      "given.jsonl:2: \"path[1]\" travels dimension 0 after dimension 1; each dimension is travelled at most "
      "once, in cyclic order from dimension 0");
}

TEST(ScheduleFileRefusal, LegAsLongAsTheRing_IsRefused) {
  const std::string header = with(kHeader, R"("mesh","shape":[4,3])", R"("torus","shape":[4,3])");
  EXPECT_EQ(refusal(file_of(header, with(kFirst, "[0,1,1]", "[0,1,4]"))),
            "given.jsonl:2: \"path[1][2]\" must be a whole number from 1 to 3, not 4");
  ScheduleFile wrapped = read_text(file_of(header, with(kFirst, "[1,1,2]", "[1,-1,1]")));
  EXPECT_EQ(all_steps(wrapped).size(), 2U);
}

TEST(ScheduleFileRefusal, FallingSteps_AreRefused) {
  EXPECT_EQ(refusal(file_of(kHeader, kSecond, kFirst)),
            "given.jsonl:3: this line belongs to step 1, but follows one of step 2; steps must not fall");
}

TEST(ScheduleFileRefusal, OtherNumberOfMessages_IsRefused) {
  EXPECT_EQ(refusal(kHeader + "\n" + kFirst + "\n"),
            "given.jsonl:2: the file ends after 1 message, but its header announces 2");
  EXPECT_EQ(refusal(kHeader + "\n"),
            "given.jsonl:1: the file ends after 0 messages, but its header announces 2");
  EXPECT_EQ(refusal(file_of(kHeader, kFirst, kSecond + "\n\n" + kSecond)),
            "given.jsonl:5: this line is message 3, but the header announces 2");
  EXPECT_EQ(
      header_refusal("\"steps\":2", "\"steps\":0").rfind("given.jsonl:2: this line is a message, but", 0),
      0U);
}

TEST(ScheduleFileRefusal, RandomChanges_AreReadOrRefusedAtTheirPlace) {
  const std::string intact = file_of(kHeader, kFirst);
  const std::string replacements = std::string("0123456789-+.eE[]{}\",: \n") + '\0' + '\xff';
  RandomNumbers random(5);
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = intact;
    for (std::uint32_t changes = 1 + random.below(3); changes > 0; --changes) {
      const std::size_t at = random.below(static_cast<std::uint32_t>(text.size()));
      const char replacement = replacements[random.below(static_cast<std::uint32_t>(replacements.size()))];
      const std::uint32_t kind = random.below(3);
      if (kind == 0) text[at] = replacement;
      if (kind == 1) text.insert(at, 1, replacement);
      if (kind == 2) text.erase(at, 1 + random.below(20));
    }
    try {
      ScheduleFile file = read_text(text);
      for (Step step; file.facts().steps < 1000 && file.next(step);) {
      }
    } catch (const InputError& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).rfind("given.jsonl:", 0), 0U) << error.what();
    }
  }
  EXPECT_GT(refused, 10'000);
}

TEST(ScheduleFileRefusal, DeepNesting_IsRefused) {
  const std::string deep = std::string(65'000, '[') + std::string(65'000, ']');
  const std::string text = " nested too deep: at most 64 lists and objects in one another";
  EXPECT_EQ(header_refusal("\"version\":1", "\"version\":" + deep), "given.jsonl:1:" + text);
  EXPECT_EQ(message_refusal("\"chunks\":[0]", "\"chunks\":" + deep), "given.jsonl:2:" + text);
  // What is deep and never closed is refused as well, before its end is looked for.
  EXPECT_EQ(message_refusal("\"chunks\":[0]", "\"chunks\":" + std::string(65'000, '[')),
            "given.jsonl:2:" + text);
}

TEST(ScheduleFileRefusal, AnnouncedStepsWithoutMessages_AreRefused) {
  EXPECT_EQ(header_refusal("\"steps\":2", "\"steps\":1000000000"),
            "given.jsonl: the header announces 1000000000 steps, but the last message is of step 2; at most "
            "1000000 steps may follow it");
  const std::string header = with(kHeader, "\"steps\":2", "\"steps\":1000000000");
  EXPECT_EQ(
      refusal(file_of(header, kFirst, with(kSecond, "\"step\":2", "\"step\":900000000"))),
      "given.jsonl:3: this line belongs to step 900000000, the one before it to step 1; at most 1000000 "
      "steps of a file may be without messages");
}

TEST(ScheduleFile, AnnouncedEmptySteps_AreRead) {
  const std::string header = with(kHeader, "\"steps\":2", "\"steps\":2000002");
  ScheduleFile file = read_text(file_of(header, kFirst, with(kSecond, "\"step\":2", "\"step\":1000002")));
  std::uint64_t steps = 0;
  std::uint64_t messages = 0;
  for (Step step; file.next(step); ++steps) messages += step.messages().size();
  EXPECT_EQ(steps, 2'000'002U);
  EXPECT_EQ(messages, 2U);
}

/// A quadratic search took over 20 s for this.
TEST(ScheduleFileRefusal, ObjectOfManyKeys_IsRefusedAtOnce) {
  std::string keys;
  for (unsigned k = 0; k < 300'000; ++k) keys += ",\"k" + std::to_string(k) + "\":1";
  EXPECT_EQ(message_refusal("\"chunks\":[0]", "\"chunks\":[0]" + keys + ",\"k7\":1"),
            "given.jsonl:2: duplicate key \"k7\"");
}

}  // namespace
}  // namespace flitscope::schedule_file_refusals_test
