// The pipe to vcd2fst, when that program works, hangs or fails.
#include "sim/observe/writers/vcd_writer.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "model/error.h"
#include "tests/support/program.h"

namespace flitscope::test::fst_packer_test {
namespace {

/// While it lives, vcd2fst is a shell script.
class Imitation {
 public:
  explicit Imitation(const std::string& script) {
    const auto file = directory_.write("vcd2fst", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    setenv("PATH", (directory_.path().string() + ":" + before_).c_str(), 1);
  }
  ~Imitation() { setenv("PATH", before_.c_str(), 1); }
  Imitation(const Imitation&) = delete;
  Imitation& operator=(const Imitation&) = delete;

  [[nodiscard]] std::filesystem::path fst() const { return directory_ / "waves.fst"; }

 private:
  TemporaryDirectory directory_;
  std::string before_ = std::getenv("PATH");
};

constexpr std::chrono::milliseconds kBrief{300};
/// For programs that do their part, on a machine that is busy.
constexpr std::chrono::milliseconds kLong{20'000};
/// More than a pipe holds.
const std::string kMuch(1 << 20, 'x');

/// The error of a packer that gets `text`; empty: none.
std::string complaint(const Imitation& imitation, const std::string& text,
                      std::chrono::milliseconds patience) {
  FstPacker packer(imitation.fst(), patience);
  packer.write(text);
  try {
    packer.finish();
  } catch (const OutputError& error) {
    return error.what();
  }
  return "";
}

TEST(FstPacker, LongDump_ReachesTheProgramWhole) {
  const Imitation copies("cat > \"$2\"");
  EXPECT_EQ(complaint(copies, kMuch, kLong), "");
  EXPECT_EQ(std::filesystem::file_size(copies.fst()), kMuch.size());
}

TEST(FstPacker, ProgramThatReadsNothing_IsKilled) {
  EXPECT_NE(complaint(Imitation("exec sleep 1000"), kMuch, kBrief).find("vcd2fst hangs"), std::string::npos);
}

TEST(FstPacker, ProgramThatNeverEnds_IsKilled) {
  EXPECT_NE(complaint(Imitation("cat > /dev/null; exec sleep 1000"), kMuch, kBrief).find("vcd2fst hangs"),
            std::string::npos);
}

TEST(FstPacker, ProgramThatFails_IsReported) {
  EXPECT_NE(complaint(Imitation("exit 3"), kMuch, kLong).find("could not be written completely"),
            std::string::npos);
  EXPECT_NE(complaint(Imitation("cat > /dev/null; exit 3"), "few", kLong).find("failed with status"),
            std::string::npos);
}

}  // namespace
}  // namespace flitscope::test::fst_packer_test
