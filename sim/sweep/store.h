// The store of a sweep: one SQLite database with a row for each run, a flat JSON object.
#pragma once

#include <SQLiteCpp/Database.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/config/config.h"
#include "sim/formats/strict_json.h"
#include "sim/host/processes.h"
#include "sim/sweep/sweep.h"
#include "sim/sweep/table.h"

namespace flitscope {

// A run as a row of the table: a flat JSON object, a key for each column.

/// Labels (see Sweep::labels), then "status", the keys of the result ("stalls.vc_taken" for a key of a key;
/// lists and the deadlock stay JSON), "error", "version", "config" (resolved), "host.*". With the statuses of
/// failed runs (docs/sweeps.md) the keys of the result are absent and "error" has the reason.
using RunRecord = Json;

/// Simulates in this process, which can do that once.
[[nodiscard]] RunRecord run_to_record(const Json& labels, const ExperimentConfig& config);

/// The record of a run whose process did not answer.
[[nodiscard]] RunRecord record_of_end(const Json& labels, const JobEnd& end, const RunLimits& limits);

/// The name of a column in SQL, in quotes.
[[nodiscard]] std::string sql_name(const std::string& column);

/// Table `runs`: primary key `id`; further columns are made as records bring them. Lists, objects, true and
/// false are stored as JSON text, and a text that looks like one of these as a JSON text in quotes. Journal
/// in WAL mode: a process that is killed, at whatever moment, leaves every row whole or absent. All functions
/// throw InputError if it is damaged or cannot be read, and OutputError if it cannot be written.
class Store {
 public:
  enum class Access : std::uint8_t { read, write };

  /// With `write`, makes the file if it is not there. With `read`, changes nothing in the file's directory.
  /// Throws InputError if the file is there and is no store.
  Store(const std::filesystem::path& file, Access access);

  /// Makes the runs of `sweep`, with its labels, the table. Rows of other runs stay in the database and leave
  /// the table (their `number` is null). Columns of keys that are no longer swept are dropped.
  void begin(const Sweep& sweep);
  /// Adds rows, or replaces those of the same runs; all or none.
  void put_all(std::span<const RunRecord> records);
  void put(const RunRecord& record) { put_all(std::span(&record, 1)); }

  /// Makes one file of the store, which can also be read where nothing can be written. For the end of a
  /// sweep. Without effect while there is a reader.
  void settle();

  /// Runs that have a row; not those that were killed.
  [[nodiscard]] std::set<std::string> done() const;
  /// The axes of the sweep that begin() had.
  [[nodiscard]] SweptAxes swept() const;

  /// Every column of the table, in this order: labels, status, results, origin. Without `config`.
  [[nodiscard]] std::vector<std::string> columns() const;
  /// Columns of all rows, by number.
  [[nodiscard]] Table select(const std::vector<std::string>& columns) const;
  /// What an SQL query answers, with `values` in the place of its question marks.
  [[nodiscard]] Table query(const std::string& sql, const std::vector<Table::Cell>& values = {}) const;

 private:
  void drop_labels_without(const Json& columns);
  void add_columns(const RunRecord& record);
  void write_row(const RunRecord& record);
  [[nodiscard]] std::vector<std::string> stored_columns() const;

  /// The file, as messages name it.
  std::string name_;
  Access access_;
  SQLite::Database database_;
  /// The order of names in SQL, where capitals do not count.
  struct Before {
    bool operator()(const std::string& one, const std::string& other) const {
      return std::ranges::lexicographical_compare(one, other, {}, to_lower, to_lower);
    }
    static char to_lower(char letter) {
      return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
  };
  std::set<std::string, Before> known_;
};

}  // namespace flitscope
