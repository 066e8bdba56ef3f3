// The one rule for files that commands write: whole or not at all, onto nothing or a plain file, links stay,
// devices and FIFOs are written into.
#include "sim/report/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

#include "model/error.h"
#include "tests/support/program.h"

namespace flitscope::test::output_file_test {
namespace {

namespace fs = std::filesystem;

/// What is wrong with writing there, or "".
std::string refusal(const fs::path& file, Existing existing = Existing::keep) {
  try {
    write_file(file, "new", existing);
    return "";
  } catch (const OutputError& error) {
    return error.what();
  }
}

TEST(OutputFile, Commit_GivesItItsName) {
  const TemporaryDirectory directory;
  OutputFile out(directory / "file", Existing::keep);
  out.stream() << "all of it";
  EXPECT_FALSE(fs::exists(directory / "file"));
  out.commit();
  EXPECT_EQ(text_of(directory / "file"), "all of it");
  EXPECT_EQ(directory.entries(), std::vector<std::string>{"file"});
}

TEST(OutputFile, NoCommit_LeavesNothing) {
  const TemporaryDirectory directory;
  { OutputFile(directory / "file", Existing::keep).stream() << "half"; }
  EXPECT_TRUE(directory.entries().empty());
}

TEST(OutputFile, PlainFile_IsReplacedOnlyIfWanted) {
  const TemporaryDirectory directory;
  const fs::path file = directory.write("file", "mine");
  EXPECT_EQ(refusal(file), file.string() + ": exists already; --force replaces it");
  EXPECT_EQ(text_of(file), "mine");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(refusal(file, Existing::replace), "");
  EXPECT_EQ(text_of(file), "new");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(OutputFile, FileThatAppearsBeforeCommit_IsKept) {
  const TemporaryDirectory directory;
  OutputFile out(directory / "file", Existing::keep);
  static_cast<void>(directory.write("file", "mine"));
  EXPECT_THROW(out.commit(), OutputError);
  EXPECT_EQ(text_of(directory / "file"), "mine");
}

TEST(OutputFile, DirectoryThatAppearsBeforeCommit_IsKept) {
  const TemporaryDirectory directory;
  OutputFile out(directory / "file", Existing::replace);
  fs::create_directory(directory / "file");
  EXPECT_THROW(out.commit(), OutputError);
  EXPECT_TRUE(fs::is_directory(directory / "file"));
}

TEST(OutputFile, SymbolicLink_StaysAndIsFollowed) {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "elsewhere");
  fs::create_symlink("elsewhere/second", directory / "first");
  fs::create_symlink("file", directory / "elsewhere/second");
  EXPECT_EQ(refusal(directory / "first"), "");
  EXPECT_EQ(text_of(directory / "elsewhere/file"), "new");
  EXPECT_EQ(refusal(directory / "first"),
            (directory / "first").string() + ": exists already; --force replaces it");
  EXPECT_EQ(refusal(directory / "first", Existing::replace), "");
  EXPECT_TRUE(fs::is_symlink(directory / "first"));
  EXPECT_TRUE(fs::is_symlink(directory / "elsewhere/second"));
}

TEST(OutputFile, DanglingLink_IsRefused) {
  const TemporaryDirectory directory;
  fs::create_symlink("round", directory / "round");
  EXPECT_NE(refusal(directory / "round").find("symbolic links"), std::string::npos);
  fs::create_symlink("missing/file", directory / "link");
  EXPECT_NE(refusal(directory / "link").find("No such file or directory"), std::string::npos);
}

TEST(OutputFile, Fifo_IsWrittenInto) {
  const TemporaryDirectory directory;
  const fs::path fifo = directory / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { std::getline(std::ifstream(fifo), read); });
  EXPECT_EQ(refusal(fifo), "");
  if (!fs::is_fifo(fifo)) std::ofstream(fifo, std::ios::app).close();  // the reader must not wait for ever
  reader.join();
  EXPECT_EQ(read, "new");
  EXPECT_TRUE(fs::is_fifo(fifo));
  EXPECT_EQ(directory.entries(), std::vector<std::string>{"fifo"});
}

// Through a link: a test that fails as root must not replace the machine's devices.
TEST(OutputFile, Device_IsWrittenInto) {
  const TemporaryDirectory directory;
  fs::create_symlink("/dev/null", directory / "null");
  EXPECT_EQ(refusal(directory / "null"), "");
  EXPECT_TRUE(fs::is_symlink(directory / "null"));
  fs::create_symlink("/dev/full", directory / "full");
  EXPECT_EQ(refusal(directory / "full"),
            (directory / "full").string() + ": could not be written completely: No space left on device");
}

TEST(OutputFile, DirectoryOrPathUnderAFile_IsRefused) {
  const TemporaryDirectory directory;
  static_cast<void>(directory.write("file", "mine"));
  EXPECT_EQ(refusal(directory.path(), Existing::replace),
            directory.path().string() + ": is a directory; name a file");
  EXPECT_EQ(refusal(directory / "file/below"),
            (directory / "file/below").string() + ": cannot be written: Not a directory");
  EXPECT_EQ(refusal(directory / "missing/file"),
            (directory / "missing/file").string() + ": cannot be written: No such file or directory");
  EXPECT_EQ(directory.entries(), std::vector<std::string>{"file"});
}

/// A user with write permission for the directory can put a link in the place of the unfinished file.
TEST(OutputFile, LinkInThePlaceOfTheUnfinishedFile_IsNotWrittenThrough) {
  const TemporaryDirectory directory;
  const fs::path victim = directory.write("victim", "mine");
  fs::permissions(victim, fs::perms::owner_read | fs::perms::owner_write);
  static_cast<void>(directory.write("file", "old"));
  OutputFile out(directory / "file", Existing::replace);
  const std::string unfinished = "file.partial-" + std::to_string(getpid());
  fs::remove(directory / unfinished);
  fs::create_symlink("victim", directory / unfinished);
  out.stream() << "new";
  try {
    out.commit();
    ADD_FAILURE() << "the link has got the name";
  } catch (const OutputError& error) {
    EXPECT_EQ(error.what(),
              (directory / "file").string() + ": something else has taken the place of " + unfinished);
  }
  EXPECT_EQ(text_of(victim), "mine");
  EXPECT_EQ(text_of(directory / "file"), "old");
  EXPECT_EQ(fs::status(victim).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(OutputFile, SeveralFiles_AreWrittenAllOrNone) {
  const TemporaryDirectory directory;
  const std::string text = "text";
  const auto write = [&](Existing existing) {
    write_files({{directory / "a", text}, {directory / "b", text}, {directory / "c", text}}, existing);
  };
  static_cast<void>(directory.write("c", "mine"));
  EXPECT_THROW(write(Existing::keep), OutputError);
  EXPECT_EQ(directory.entries(), std::vector<std::string>{"c"});
  write(Existing::replace);
  EXPECT_EQ(directory.entries(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(OutputFile, LeftoversOfDeadProcesses_AreRemoved) {
  const TemporaryDirectory directory;
  const std::string own = "file.partial-" + std::to_string(getpid());
  // No process has so high a number.
  for (const std::string& name : {std::string("file.partial-999999999"), own, std::string("file.partial-x"),
                                  std::string("file.partial-999999999x")}) {
    static_cast<void>(directory.write(name, "half"));
  }
  fs::create_directory(directory / "run.partial-999999999");
  static_cast<void>(directory.write("run.partial-999999999/result.json", "half"));
  remove_abandoned(directory.path());
  std::vector<std::string> left{own, "file.partial-999999999x", "file.partial-x"};
  std::ranges::sort(left);
  EXPECT_EQ(directory.entries(), left);
}

}  // namespace
}  // namespace flitscope::test::output_file_test
