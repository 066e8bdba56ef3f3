#include "sim/report/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

#include "model/error.h"
#include "model/numbers.h"
#include "model/text.h"

namespace flitscope {

namespace fs = std::filesystem;

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

void remove_abandoned(const fs::path& directory) {
  constexpr std::string_view kMark = ".partial-";
  std::vector<fs::path> abandoned;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    const std::string name = entry.path().filename().string();
    const std::size_t mark = name.rfind(kMark);
    if (mark == std::string::npos) continue;
    const auto process = number_in<pid_t>(std::string_view(name).substr(mark + kMark.size())).value_or(0);
    if (process > 0 && kill(process, 0) != 0 && errno == ESRCH) abandoned.push_back(entry.path());
  }
  for (const fs::path& each : abandoned) fs::remove_all(each, ignored);
}

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

PartialOutput::PartialOutput(fs::path name, Kind kind) : name_(std::move(name)), temporary_(name_) {
  temporary_ += fmt::format(".partial-{}", getpid());
  const std::lock_guard lock(unfinished().mutex);
  try {
    make(kind);
  } catch (...) {
    close();
    remove();
    throw;
  }
  unfinished().all.push_back(this);
}

PartialOutput::~PartialOutput() {
  close();
  const std::lock_guard lock(unfinished().mutex);
  if (std::erase(unfinished().all, this) > 0) remove();
}

void PartialOutput::make(Kind kind) {
  const auto fail = [](int reason) { throw std::system_error(reason, std::generic_category()); };
  int flags = O_WRONLY | O_CREAT | O_EXCL;
  // What a killed process of the same number has left must not become part of this.
  if (kind == Kind::directory) {
    flags = O_RDONLY | O_DIRECTORY;
    std::error_code error;
    for (fs::path above = name_.parent_path(); !fs::exists(above, error); above = above.parent_path()) {
      made_above_.push_back(above);
    }
    fs::remove_all(temporary_, error);
    fs::create_directories(temporary_);
  } else {
    unlink(temporary_.c_str());
  }
  descriptor_ = open(temporary_.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0666);
  struct stat status {};
  if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) fail(errno);
  if (kind == Kind::directory && (status.st_uid != geteuid() || !fs::is_empty(path()))) fail(EEXIST);
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

fs::path PartialOutput::path() const {
  return fmt::format("/proc/{}/fd/{}", getpid(), descriptor_);
}

void PartialOutput::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

bool PartialOutput::is_called(const fs::path& name) const {
  struct stat status {};
  return lstat(name.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

void PartialOutput::finish(const std::function<void(const fs::path& temporary)>& rename) {
  const std::lock_guard lock(unfinished().mutex);
  rename(temporary_);
  std::erase(unfinished().all, this);
}

void PartialOutput::remove() const {
  std::error_code ignored;
  fs::remove(temporary_, ignored);  // also where no file can be opened any more
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
  try {
    unfinished_.emplace(target_, PartialOutput::Kind::file);
  } catch (const std::system_error& failure) {
    fail_to_write(failure.code().value());
  }
  open_stream(unfinished_->path());
}

void OutputFile::open_stream(const fs::path& file) {
  errno = 0;
  out_.open(file, std::ios::binary);
  if (!out_) fail_to_write(errno);
}

void OutputFile::write(const std::function<void(std::ostream&)>& write) {
  try {
    write(out_);
  } catch (const OutputError& error) {
    fail(error.what());
  }
}

void OutputFile::complete() {
  if (!out_.is_open()) return;
  errno = 0;
  out_.close();
  if (!out_ || (unfinished_ && !fsync_tree(unfinished_->path()))) {
    const std::string reason = errno == 0 ? "" : fmt::format(": {}", std::strerror(errno));
    fail("could not be written completely" + reason);
  }
  if (!unfinished_) return;
  std::error_code error;
  const fs::file_status there = fs::symlink_status(target_, error);
  if (fs::is_regular_file(there) && existing_ == Existing::replace)
    fchmod(unfinished_->descriptor(), static_cast<mode_t>(there.permissions()));
  unfinished_->close();
}

void OutputFile::commit() {
  complete();
  if (unfinished_) unfinished_->finish([this](const fs::path& temporary) { rename(temporary); });
}

void OutputFile::rename(const fs::path& from) const {
  if (!unfinished_->is_called(from))
    fail("something else has taken the place of " + from.filename().string());
  if (existing_ == Existing::keep) {
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) == 0) return;
    if (errno == EEXIST) fail(kExists);
    if (errno != EINVAL && errno != ENOSYS) fail_to_write(errno);
    // This file system cannot do that.
  }
  std::error_code error;
  const fs::file_status there = fs::symlink_status(target_, error);
  if (fs::exists(there) && !(fs::is_regular_file(there) && existing_ == Existing::replace)) {
    fail("something of this name has come into being meanwhile");
  }
  fs::rename(from, target_, error);
  if (error) fail_to_write(error.value());
}

void OutputFile::fail(const std::string& what) const {
  throw OutputError("{}: {}", printable(file_.string()), what);
}

void OutputFile::fail_to_write(int reason) const {
  fail(fmt::format("cannot be written: {}", std::strerror(reason)));
}

void write_file(const fs::path& file, const std::string& text, Existing existing) {
  write_files({{file, text}}, existing);
}

void write_files(const std::vector<OutputText>& files, Existing existing) {
  std::vector<std::unique_ptr<OutputFile>> complete;
  for (const auto& [file, text] : files) {
    OutputFile& out = *complete.emplace_back(std::make_unique<OutputFile>(file, existing));
    out.stream() << text;
    out.complete();
  }
  for (const auto& out : complete) out->commit();
}

ScratchDirectory::ScratchDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "flitscope-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw InputError("{}: {}", printable(pattern), std::strerror(errno));
  }
  path_ = pattern;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  for (const std::filesystem::path& file : files_) std::filesystem::remove(file, ignored);
  std::filesystem::remove(path_, ignored);
}

std::filesystem::path ScratchDirectory::file(const std::string& name) {
  return files_.emplace_back(path_ / name);
}

}  // namespace flitscope
