// SPDX-License-Identifier: MIT
// SQLite in two classes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "treadle/base/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace treadle::tune {

/// A connection. From one thread at a time.
class Database {
 public:
  enum class Access { write, read };
  /// Opens or makes a file; ":memory:" is memory. Throws CannotOpen.
  Database(const std::filesystem::path& file, Access access);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  /// A file that cannot be opened, or not for writing.
  class CannotOpen : public InvalidState {
    using InvalidState::InvalidState;
  };
  /// Runs statements without results.
  void run(const char* statements);
  /// The same, where another process may be in the way, and it does not matter much.
  void try_to_run(const char* statements) noexcept;
  /// The one integer that a statement gives.
  std::int64_t number(const char* statement);
  /// Rows that the last statement changed.
  std::int64_t changed() const noexcept;
  /// Throws what `code` means; nothing for success.
  void check(int code, const char* what);
  sqlite3* raw() const noexcept { return raw_; }

 private:
  sqlite3* raw_ = nullptr;
  std::string file_;
};

/// A statement that is run, once or often. Numbers of parameters begin with 1, of columns with 0.
class Statement {
 public:
  Statement(Database& database, std::string_view text);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  Statement& set(int parameter, std::string_view text);
  Statement& set(int parameter, double number);
  Statement& set(int parameter, std::int64_t number);
  Statement& set_null(int parameter);
  /// The next row; false: there is none.
  bool next();
  /// To the end, and ready to be run again.
  void finish();

  std::string text(int column) const;
  double real(int column) const;
  std::int64_t integer(int column) const;
  bool is_null(int column) const;

 private:
  Database& database_;
  sqlite3_stmt* raw_ = nullptr;
};

/// All or nothing, for other processes too: given up unless keep() was called.
class Transaction {
 public:
  explicit Transaction(Database& database);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void keep();

 private:
  Database& database_;
  bool is_kept_ = false;
};

}  // namespace treadle::tune
