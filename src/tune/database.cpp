// SPDX-License-Identifier: MIT
#include "tune/database.hpp"

#include <sqlite3.h>

#include <utility>

namespace treadle::tune {
namespace {

// As long as another process may write: with sixteen of them each has its turn in time.
constexpr int wait_ms = 20000;

}  // namespace

Database::Database(const std::filesystem::path& file, Access access) : file_(file.string()) {
  const int how =
      access == Access::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  const int code = sqlite3_open_v2(file_.c_str(), &raw_, how | SQLITE_OPEN_FULLMUTEX, nullptr);
  if (code != SQLITE_OK) {
    const std::string said = raw_ != nullptr ? sqlite3_errmsg(raw_) : "out of memory";
    sqlite3_close(std::exchange(raw_, nullptr));
    throw CannotOpen("the store " + file_ + " cannot be opened: " + said,
                     "name a file in a folder that you may write");
  }
  sqlite3_busy_timeout(raw_, wait_ms);
}

Database::~Database() { sqlite3_close_v2(raw_); }

void Database::check(int code, const char* what) {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  const std::string said = std::string(what) + ": " + sqlite3_errmsg(raw_);
  switch (code & 0xFF) {
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      throw CannotOpen("the store " + file_ + " cannot be written: " + said,
                       "name a file in a folder that you may write");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      throw InvalidState("the file " + file_ + " is no store, or is damaged: " + said,
                         "move it away; import what was exported of it");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw InvalidState("another process has kept the store " + file_ + " for too long: " + said,
                         "end that process");
    default:
      throw InvalidState("the store " + file_ + ": " + said, "look at the disk it is on");
  }
}

void Database::run(const char* statements) {
  check(sqlite3_exec(raw_, statements, nullptr, nullptr, nullptr), "running a statement");
}
void Database::try_to_run(const char* statements) noexcept {
  sqlite3_exec(raw_, statements, nullptr, nullptr, nullptr);
}
std::int64_t Database::number(const char* statement) {
  Statement asked(*this, statement);
  return asked.next() ? asked.integer(0) : 0;
}
std::int64_t Database::changed() const noexcept { return sqlite3_changes64(raw_); }

Statement::Statement(Database& database, std::string_view text) : database_(database) {
  database.check(sqlite3_prepare_v2(database.raw(), text.data(), static_cast<int>(text.size()),
                                    &raw_, nullptr),
                 "reading a statement");
}
Statement::~Statement() { sqlite3_finalize(raw_); }

Statement& Statement::set(int parameter, std::string_view text) {
  const char* data = text.data() == nullptr ? "" : text.data();  // null would be NULL
  database_.check(
      sqlite3_bind_text64(raw_, parameter, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8),
      "setting a text");
  return *this;
}
Statement& Statement::set(int parameter, double number) {
  database_.check(sqlite3_bind_double(raw_, parameter, number), "setting a number");
  return *this;
}
Statement& Statement::set(int parameter, std::int64_t number) {
  database_.check(sqlite3_bind_int64(raw_, parameter, number), "setting a number");
  return *this;
}
Statement& Statement::set_null(int parameter) {
  database_.check(sqlite3_bind_null(raw_, parameter), "setting nothing");
  return *this;
}
bool Statement::next() {
  const int code = sqlite3_step(raw_);
  database_.check(code, "reading a row");
  return code == SQLITE_ROW;
}
void Statement::finish() {
  while (next()) {
  }
  sqlite3_reset(raw_);
}

std::string Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(raw_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(raw_, column))};
}
double Statement::real(int column) const { return sqlite3_column_double(raw_, column); }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(raw_, column); }
bool Statement::is_null(int column) const {
  return sqlite3_column_type(raw_, column) == SQLITE_NULL;
}

Transaction::Transaction(Database& database) : database_(database) {
  database.run("BEGIN IMMEDIATE");
}
Transaction::~Transaction() {
  if (!is_kept_) database_.try_to_run("ROLLBACK");
}
void Transaction::keep() {
  database_.run("COMMIT");
  is_kept_ = true;
}

}  // namespace treadle::tune
