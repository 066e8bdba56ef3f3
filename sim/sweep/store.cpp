#include "sim/sweep/store.h"

#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <boost/algorithm/string.hpp>

#include "model/error.h"
#include "model/text.h"
#include "sim/report/output_file.h"

namespace flitscope {

std::string sql_name(const std::string& column) {
  return '"' + boost::algorithm::replace_all_copy(column, "\"", "\"\"") + '"';
}

namespace {

namespace fs = std::filesystem;
constexpr int kFormat = 1;  // of the database, in its user_version
constexpr int kMillisecondsToWait = 10'000;

std::string dumped(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// What a stored text is: lists, objects, true and false are stored as dumped() writes them, and so is a text
/// that would else be one of them.
Json stored_value(const std::string& text) {
  if (text != "true" && text != "false" && text.find_first_of("[{\"") != 0) return text;
  const auto value = parse_json(text);
  return value && dumped(*value) == text ? *value : Json(text);
}

void bind(SQLite::Statement& statement, int index, const Json& value) {
  if (value.is_null()) {
    statement.bind(index);
  } else if (value.is_number_integer()) {
    statement.bind(index, value.get<std::int64_t>());
  } else if (value.is_number()) {
    statement.bind(index, value.get<double>());
  } else if (value.is_string() && stored_value(value.get_ref<const std::string&>()) == value) {
    statement.bind(index, value.get<std::string>());
  } else {
    statement.bind(index, dumped(value));
  }
}

/// The value that bind() stored.
Json cell_of(const SQLite::Column& column) {
  if (column.isNull()) return nullptr;
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  return stored_value(column.getString());
}

/// What cannot be written, or read, is named; all other errors are of what the file holds.
[[noreturn]] void fail(const std::string& name, Store::Access access, const SQLite::Exception& error) {
  switch (error.getErrorCode()) {
    case SQLITE_PERM:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_READONLY:
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_CANTOPEN: {
      const std::string what = fmt::format("{}: {}", name, error.what());
      if (access == Store::Access::write) throw OutputError(what);
      throw InputError(what);
    }
    case SQLITE_NOTADB:
      throw InputError("{}: is no database", name);
    default:
      throw InputError("{}: is damaged: {}", name, error.what());
  }
}

SQLite::Database open_database(const fs::path& file, Store::Access access, int flags) {
  try {
    return {file.string(), flags, kMillisecondsToWait};
  } catch (const SQLite::Exception& error) {
    fail(printable(file.string()), access, error);
  }
}

/// A reader never writes. If a killed process left a journal that is not played back yet, the reader opens a
/// copy of its own, which is gone when it is closed.
SQLite::Database open_copy(const fs::path& file) {
  ScratchDirectory scratch;
  const fs::path copy = scratch.file("copy");
  for (const char* const part : {"-wal", "-shm", "-journal"})
    static_cast<void>(scratch.file(fmt::format("copy{}", part)));
  std::error_code error;
  for (const char* const part : {"", "-wal", "-journal"}) {
    const fs::path from = file.string() + part;
    if (fs::exists(from, error)) fs::copy_file(from, copy.string() + part, error);
  }
  SQLite::Database database = open_database(copy, Store::Access::read, SQLite::OPEN_READWRITE);
  if (database.tryExec("SELECT count(*) FROM sqlite_master") == SQLite::OK) return database;
  throw InputError("{}: is no database", printable(file.string()));
}

SQLite::Database open_for(Store::Access access, const fs::path& file) {
  if (access == Store::Access::write)
    return open_database(file, access, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  SQLite::Database database = open_database(file, access, SQLite::OPEN_READONLY);
  const int result = database.tryExec("SELECT count(*) FROM sqlite_master") & 0xff;
  return result == SQLITE_READONLY || result == SQLITE_CANTOPEN ? open_copy(file) : std::move(database);
}

/// Refuses the database of another program, which stays as it is.
void require_store_or_empty(SQLite::Database& database, const std::string& name) {
  if (database.execAndGet("PRAGMA user_version").getInt() == kFormat) return;
  if (database.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0) return;
  throw InputError("{}: is no database of this flitscope", name);
}

void prepare(SQLite::Database& database) {
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = NORMAL");
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  if (!database.tableExists("runs")) {
    database.exec(
        "CREATE TABLE runs (id TEXT PRIMARY KEY, number INTEGER, name TEXT, status TEXT, error TEXT, version "
        "TEXT, config TEXT, \"host.name\" TEXT, \"host.finished\" TEXT)");
    database.exec("CREATE TABLE sweep (key TEXT PRIMARY KEY, value TEXT)");
    database.exec(fmt::format("PRAGMA user_version = {}", kFormat));
  }
  transaction.commit();
}

}  // namespace

Store::Store(const fs::path& file, Access access)
    : name_(printable(file.string())), access_(access), database_(open_for(access, file)) {
  try {
    require_store_or_empty(database_, name_);
    if (access == Access::write) prepare(database_);
    // A sweep that has just begun, or whose process was killed before it made the table.
    if (!database_.tableExists("runs")) throw InputError("{}: holds no runs yet", name_);
    for (const std::string& column : stored_columns()) known_.insert(column);
  } catch (const SQLite::Exception& error) {
    fail(name_, access, error);
  }
}

std::vector<std::string> Store::stored_columns() const {
  const Table found = query("SELECT name FROM pragma_table_info('runs')");
  return texts_of(found.rows, [](const auto& row) { return cell_text(row[0]); });
}

void Store::begin(const Sweep& sweep) {
  try {
    SQLite::Transaction transaction(database_, SQLite::TransactionBehavior::IMMEDIATE);
    const Json columns = sweep.labels(0);
    drop_labels_without(columns);
    SQLite::Statement axes(database_, "INSERT OR REPLACE INTO sweep VALUES ('axes', ?)");
    axes.bind(1, dumped(sweep.swept()));
    axes.exec();
    database_.exec("UPDATE runs SET number = NULL");
    add_columns(columns);
    SQLite::Statement exists(database_, "SELECT 1 FROM runs WHERE id = ?");
    for (std::size_t i = 0; i < sweep.runs().size(); ++i) {
      exists.reset();
      exists.bind(1, sweep.runs()[i].id);
      if (!exists.executeStep()) continue;
      write_row(sweep.labels(i));
    }
    transaction.commit();
  } catch (const SQLite::Exception& error) {
    fail(name_, access_, error);
  }
}

/// Drops the columns of keys that the sweep before had and that are none of `columns`.
void Store::drop_labels_without(const Json& columns) {
  for (const auto& axis : swept()) {
    for (const std::string& key : axis) {
      if (columns.contains(key) || known_.erase(key) == 0) continue;
      database_.exec(fmt::format("ALTER TABLE runs DROP COLUMN {}", sql_name(key)));
    }
  }
}

void Store::put_all(std::span<const RunRecord> records) {
  try {
    SQLite::Transaction transaction(database_, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement old(database_, "DELETE FROM runs WHERE id = ?");
    for (const RunRecord& record : records) {
      old.reset();
      old.bind(1, record.at("id").get<std::string>());
      old.exec();
      add_columns(record);
      write_row(record);
    }
    transaction.commit();
  } catch (const SQLite::Exception& error) {
    for (const std::string& column : stored_columns()) known_.insert(column);
    fail(name_, access_, error);
  }
}

void Store::add_columns(const RunRecord& record) {
  for (const auto& [name, value] : record.items()) {
    if (!known_.insert(name).second) continue;
    database_.exec(fmt::format("ALTER TABLE runs ADD COLUMN {}", sql_name(name)));
  }
}

/// Changes the columns the record has, in the row of its id, which is made if need be.
void Store::write_row(const RunRecord& record) {
  std::vector<std::string> names;
  std::vector<std::string> changes;
  for (const auto& [name, value] : record.items()) {
    names.push_back(sql_name(name));
    changes.push_back(fmt::format("{0} = excluded.{0}", names.back()));
  }
  const std::vector<std::string> marks(names.size(), "?");
  SQLite::Statement insert(
      database_, fmt::format("INSERT INTO runs ({}) VALUES ({}) ON CONFLICT (id) DO UPDATE SET {}",
                             fmt::join(names, ", "), fmt::join(marks, ", "), fmt::join(changes, ", ")));
  int index = 0;
  for (const auto& [name, value] : record.items()) bind(insert, ++index, value);
  insert.exec();
}

void Store::settle() {
  // Without effect while a reader is there: the journal then stays beside the file, which is as good.
  database_.setBusyTimeout(0);
  static_cast<void>(database_.tryExec("PRAGMA journal_mode = DELETE"));
  database_.setBusyTimeout(kMillisecondsToWait);
}

std::set<std::string> Store::done() const {
  const Table found = query("SELECT id FROM runs WHERE status IS NOT NULL AND status <> 'killed'");
  std::set<std::string> ids;
  for (const auto& row : found.rows) ids.insert(cell_text(row[0]));
  return ids;
}

SweptAxes Store::swept() const {
  try {
    const Table found = query("SELECT value FROM sweep WHERE key = 'axes'");
    return found.rows.empty() ? SweptAxes() : found.rows[0][0].get<SweptAxes>();
  } catch (const Json::exception&) {
    throw InputError("{}: is damaged: what was swept cannot be read", name_);
  }
}

std::vector<std::string> Store::columns() const {
  std::vector<std::string> result{"number", "id", "name"};
  const auto add = [&](const std::string& column) {
    if (std::ranges::count(result, column) == 0 && known_.contains(column)) result.push_back(column);
  };
  for (const auto& axis : swept()) {
    for (const std::string& key : axis) add(key);
  }
  add("status");
  const auto is_origin = [](const std::string& name) {
    return name == "error" || name == "version" || name == "config" || name.starts_with("host.");
  };
  const auto stored = stored_columns();
  for (const std::string& column : stored) {
    if (!is_origin(column)) add(column);
  }
  for (const std::string& column : stored) {
    if (column != "config") add(column);
  }
  return result;
}

Table Store::select(const std::vector<std::string>& columns) const {
  if (columns.empty()) return {};
  return query(fmt::format("SELECT {} FROM runs WHERE number IS NOT NULL ORDER BY number",
                           fmt::join(texts_of(columns, sql_name), ", ")));
}

Table Store::query(const std::string& sql, const std::vector<Table::Cell>& values) const {
  try {
    SQLite::Statement statement(database_, sql);
    int index = 0;
    for (const Table::Cell& value : values) bind(statement, ++index, value);
    Table table;
    for (int i = 0; i < statement.getColumnCount(); ++i)
      table.columns.emplace_back(statement.getColumnName(i));
    while (statement.executeStep()) {
      auto& row = table.rows.emplace_back();
      for (int i = 0; i < statement.getColumnCount(); ++i) row.push_back(cell_of(statement.getColumn(i)));
    }
    return table;
  } catch (const SQLite::Exception& error) {
    fail(name_, access_, error);
  }
}

}  // namespace flitscope
