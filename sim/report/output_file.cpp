#include "sim/report/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "model/error.h"
#include "model/text.h"

namespace flitscope {

namespace fs = std::filesystem;

bool fsync_tree(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const bool all = std::ranges::all_of(fs::directory_iterator(path, error), [](const auto& entry) {
      return entry.is_directory() || fsync_tree(entry.path());
    });
    if (!all) return false;
  }
  const int opened = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return false;
  const bool synchronised = fsync(opened) == 0 || errno == EINVAL;
  const int reason = errno;
  close(opened);
  errno = reason;
  return synchronised;
}

// --- PartialOutput -----------------------------------------------------------------------------------------

namespace {

/// Everything unfinished of this process. Never destroyed: the program may be interrupted while it ends.
struct UnfinishedList {
  std::mutex mutex;
  std::vector<const PartialOutput*> all;
};

UnfinishedList& unfinished() {
  static auto* const list = new UnfinishedList;
  return *list;
}

}  // namespace

PartialOutput::PartialOutput(fs::path name, std::vector<fs::path> made_above, const Action& make)
    : name_(std::move(name)), temporary_(name_), made_above_(std::move(made_above)) {
  temporary_ += fmt::format(".partial-{}", getpid());
  const std::lock_guard lock(unfinished().mutex);
  try {
    make(temporary_);
  } catch (...) {
    remove();
    throw;
  }
  unfinished().all.push_back(this);
}

PartialOutput::~PartialOutput() {
  const std::lock_guard lock(unfinished().mutex);
  if (std::erase(unfinished().all, this) > 0) remove();
}

void PartialOutput::finish(const Action& rename) {
  const std::lock_guard lock(unfinished().mutex);
  rename(temporary_);
  std::erase(unfinished().all, this);
}

void PartialOutput::remove() const {
  std::error_code ignored;
  // Another thread may make a file in a directory while it is emptied.
  for (int attempt = 0; attempt < 100 && fs::exists(fs::symlink_status(temporary_, ignored)); ++attempt) {
    fs::remove_all(temporary_, ignored);
  }
  for (const fs::path& above : made_above_) fs::remove(above, ignored);
}

std::vector<fs::path> abandon_unfinished() {
  std::unique_lock lock(unfinished().mutex);
  std::vector<fs::path> names;
  for (const PartialOutput* const each : unfinished().all) {
    each->remove();
    names.push_back(each->name_);
  }
  lock.release();  // and never unlocked
  return names;
}

// --- OutputFile --------------------------------------------------------------------------------------------

namespace {

constexpr const char* kExists = "exists already; --force replaces it";

/// Where a chain of symbolic links leads; the file itself if it is none.
fs::path behind_links(fs::path file) {
  constexpr int kMaxLinks = 40;
  std::error_code error;
  for (int link = 0; link < kMaxLinks && fs::is_symlink(fs::symlink_status(file, error)); ++link) {
    const fs::path next = fs::read_symlink(file, error);
    if (error) break;
    file = file.parent_path() / next;
  }
  return file;
}

}  // namespace

OutputFile::OutputFile(const fs::path& file, Existing existing) : file_(file), existing_(existing) {
  std::error_code error;
  const fs::file_status there = fs::status(file_, error);
  if (there.type() == fs::file_type::none) fail_to_write(error.value());
  if (fs::is_directory(there)) fail("is a directory; name a file");
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    open_stream(file_);
    return;
  }
  if (fs::exists(there) && existing_ == Existing::keep) fail(kExists);
  target_ = behind_links(file_);
  unfinished_.emplace(target_, std::vector<fs::path>(), [this](const fs::path& temporary) {
    unlink(temporary.c_str());  // a killed process of the same number may have left it
    const int made = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (made < 0) fail_to_write(errno);
    close(made);
  });
  open_stream(unfinished_->temporary());
}

void OutputFile::open_stream(const fs::path& file) {
  errno = 0;
  out_.open(file, std::ios::binary);
  if (!out_) fail_to_write(errno);
}

void OutputFile::commit() {
  errno = 0;
  out_.close();
  if (!out_ || (unfinished_ && !fsync_tree(unfinished_->temporary()))) {
    const std::string reason = errno == 0 ? "" : fmt::format(": {}", std::strerror(errno));
    fail("could not be written completely" + reason);
  }
  if (unfinished_) unfinished_->finish([this](const fs::path& temporary) { rename(temporary); });
}

void OutputFile::rename(const fs::path& from) const {
  if (existing_ == Existing::keep) {
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) == 0) return;
    if (errno == EEXIST) fail(kExists);
    if (errno != EINVAL && errno != ENOSYS) fail_to_write(errno);
    // This file system cannot do that.
  }
  std::error_code error;
  const fs::file_status there = fs::symlink_status(target_, error);
  if (fs::is_regular_file(there) && existing_ == Existing::replace) {
    fs::permissions(from, there.permissions(), error);
  } else if (fs::exists(there)) {
    fail("something of this name has come into being meanwhile");
  }
  fs::rename(from, target_, error);
  if (error) fail_to_write(error.value());
}

void OutputFile::fail(const std::string& what) const {
  throw OutputError(fmt::format("{}: {}", printable(file_.string()), what));
}

void OutputFile::fail_to_write(int reason) const {
  fail(fmt::format("cannot be written: {}", std::strerror(reason)));
}

void write_file(const fs::path& file, const std::string& text, Existing existing) {
  OutputFile out(file, existing);
  out.stream() << text;
  out.commit();
}

}  // namespace flitscope
