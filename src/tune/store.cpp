// SPDX-License-Identifier: MIT
#include "treadle/tune/store.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#include "compile/digest.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/compile/toolchain.hpp"
#include "treadle/device/identity.hpp"
#include "treadle/process/debug_files.hpp"
#include "treadle/process/warning.hpp"
#include "tune/database.hpp"
#include "tune/json.hpp"
#include "tune/samples.hpp"

namespace treadle::tune {
namespace {

using Values = std::map<std::string, Value>;

// "TRDT": what tells a store from another program's database.
constexpr std::int64_t application = 0x54524454, version = 3;
constexpr const char* schema =
    "CREATE TABLE IF NOT EXISTS attempt ( "
    "kernel TEXT NOT NULL, problem TEXT NOT NULL, environment TEXT NOT NULL, "
    "configuration TEXT NOT NULL, device TEXT NOT NULL, architecture TEXT NOT NULL, "
    "outcome TEXT NOT NULL, seconds REAL, samples TEXT NOT NULL, resources TEXT NOT NULL, "
    "compile_seconds REAL NOT NULL, error TEXT NOT NULL, time INTEGER NOT NULL, "
    "won INTEGER NOT NULL DEFAULT 0, text TEXT NOT NULL DEFAULT '', "
    "measured_at REAL NOT NULL DEFAULT 0, "
    "PRIMARY KEY (kernel, problem, environment, configuration)) WITHOUT ROWID; "
    "PRAGMA application_id = 0x54524454; "
    "PRAGMA user_version = 3;";
// What makes a store of each version one of the next: 1, which did not know who won, and
// 2, which did not know how the winner is written, nor the order of attempts.
constexpr const char* steps[] = {
    "", "ALTER TABLE attempt ADD COLUMN won INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE attempt ADD COLUMN text TEXT NOT NULL DEFAULT ''; "
    "ALTER TABLE attempt ADD COLUMN measured_at REAL NOT NULL DEFAULT 0; "
    "PRAGMA user_version = 3;"};
// By names: a connection that knows the columns of an earlier version looks again then.
constexpr const char* put =
    "INSERT INTO attempt (kernel, problem, environment, configuration, device, architecture, "
    "outcome, seconds, samples, resources, compile_seconds, error, time, won, text, measured_at) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16) "
    "ON CONFLICT DO UPDATE SET outcome = excluded.outcome, seconds = excluded.seconds, "
    "samples = excluded.samples, resources = excluded.resources, "
    "compile_seconds = excluded.compile_seconds, error = excluded.error, time = excluded.time, "
    "won = excluded.won, text = excluded.text, measured_at = excluded.measured_at "
    "WHERE excluded.time >= time";
// A key, or the name of a kernel; empty: all.
constexpr const char* of_kernel =
    "(?1 = '' OR kernel = ?1 OR substr(kernel, 1, length(?1) + 1) = ?1 || '-') ";
std::string as_json(std::int64_t of_version) {
  const std::string won = of_version < 2 ? "0" : "won";
  const std::string more =
      of_version < 3 ? "'', 'measured_at', 0" : "text, 'measured_at', measured_at";
  return "SELECT json_object('kernel', kernel, 'problem', json(problem), 'environment', "
         "json(environment), 'configuration', json(configuration), 'outcome', outcome, "
         "'seconds', seconds, 'samples', json(samples), 'resources', json(resources), "
         "'compile_seconds', compile_seconds, 'error', error, 'time', time, 'won', json(CASE " +
         won + " WHEN 0 THEN 'false' ELSE 'true' END), 'text', " + more + ") FROM attempt WHERE " +
         of_kernel + "ORDER BY kernel, problem, environment, configuration";
}

Values environment_values(const Environment& environment) {
  return {{"device", environment.device},
          {"architecture", environment.architecture},
          {"driver", environment.driver},
          {"compiler", environment.compiler},
          {"treadle", environment.treadle}};
}
Environment environment_from(const Values& values) {
  const auto text = [&](const char* name) {
    const auto found = values.find(name);
    const auto* made = found == values.end() ? nullptr : std::get_if<std::string>(&found->second);
    return made == nullptr ? std::string() : *made;
  };
  return {text("device"), text("architecture"), text("driver"), text("compiler"), text("treadle")};
}

Values values_of(const Configuration& configuration) {
  Values made;
  for (std::size_t k = 0; k < configuration.names().size(); ++k)
    made.emplace(configuration.names()[k], configuration.values()[k]);
  return made;
}

Values resource_values(const device::KernelResources& needs) {
  const auto whole = [](std::uint64_t number) { return static_cast<std::int64_t>(number); };
  return {{"registers", whole(needs.registers)},
          {"static_local_bytes", whole(needs.static_local_bytes)},
          {"private_bytes", whole(needs.private_bytes)},
          {"preferred_group_multiple", whole(needs.preferred_group_multiple)},
          {"max_group_items", whole(needs.max_group_items)}};
}
device::KernelResources resources_from(const Values& values) {
  const auto number = [&](const char* name) -> std::uint64_t {
    const auto found = values.find(name);
    const auto* whole = found == values.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    return whole == nullptr || *whole < 0 ? 0 : static_cast<std::uint64_t>(*whole);
  };
  return {.registers = static_cast<unsigned>(number("registers")),
          .static_local_bytes = number("static_local_bytes"),
          .private_bytes = number("private_bytes"),
          .preferred_group_multiple = static_cast<unsigned>(number("preferred_group_multiple")),
          .max_group_items = static_cast<unsigned>(number("max_group_items"))};
}

/// How far two problems are apart; infinity where other values than numbers differ.
double distance(const ProblemSignature& a, const ProblemSignature& b) {
  const auto number = [](const Value& value) -> std::optional<double> {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return {};
  };
  if (a.size() != b.size()) return never;
  double sum = 0;
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    if (other == b.end()) return never;
    const auto x = number(value), y = number(other->second);
    if (!x || !y) {
      if (!are_equal(value, other->second)) return never;
      continue;
    }
    const double step = std::log2(1 + std::max(*x, 0.0)) - std::log2(1 + std::max(*y, 0.0));
    sum += step * step;
  }
  return sum;
}

std::int64_t now_in_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// A row as it is kept.
struct Row {
  std::string kernel, problem, environment, configuration, device, architecture, outcome, samples,
      resources, error;
  double seconds = never, compile_seconds = 0;
  std::int64_t time = 0;
  bool won = false;
  std::string text = {};
  double measured_at = 0;

  void put_into(Statement& statement) const {
    statement.set(1, kernel).set(2, problem).set(3, environment).set(4, configuration);
    statement.set(5, device).set(6, architecture).set(7, outcome);
    std::isfinite(seconds) ? statement.set(8, seconds) : statement.set_null(8);
    statement.set(9, samples).set(10, resources).set(11, compile_seconds).set(12, error);
    statement.set(13, time).set(14, std::int64_t{won}).set(15, text).set(16, measured_at).finish();
  }
};

// Looked for once: it asks the file system for some hundred names.
std::string compiler_for(const std::string& target) {
  static std::mutex mutex;
  static auto* const known = new std::map<std::string, std::string>;
  const std::lock_guard lock(mutex);
  if (const auto found = known->find(target); found != known->end()) return found->second;
  const auto status = compile::compiler_status(compile::Target::parse(target));
  const bool has_version = !status.version.empty();
  return (*known)[target] = has_version ? status.name + " " + status.version : status.identity;
}

}  // namespace

Environment environment_of(const device::Device& device) {
  const device::DeviceIdentity identity = device::identity_of(device);
  Environment made{.device = identity.name,
                   .architecture = identity.architecture,
                   .driver = identity.driver,
                   .compiler = {},
                   .treadle = TREADLE_VERSION};
  if (device.info().traits.builds_text) return made;
  made.compiler = compiler_for(device.info().target);
  return made;
}

std::string kernel_key(const KernelTemplate& kernel, const Space& space,
                       std::string_view version_text) {
  std::string all;
  const auto add = [&](std::string_view part) {
    ((all += std::to_string(part.size())) += ':') += part;
  };
  add(kernel.text);
  add(kernel.kernel);
  add(kernel.writing == Writing::keys ? "keys" : "macros");
  for (const auto* list : {&kernel.groups, &kernel.group_size, &kernel.options.flags}) {
    add(std::to_string(list->size()));
    for (const std::string& each : *list) add(each);
  }
  add(kernel.local_bytes);
  for (const std::string& name : space.names()) add(name);
  add(version_text);
  return kernel.kernel + "-" + compile::digest_of(all).hex().substr(0, 32);
}

std::string_view match_name(Match match) noexcept {
  constexpr std::string_view names[] = {"exact", "near problem", "architecture",
                                        "older architecture", "none"};
  return names[static_cast<std::size_t>(match)];
}

struct Store::State {
  std::filesystem::path file;
  std::mutex mutex;  // guards what follows
  std::unique_ptr<Database> database;
  bool is_written = true;

  void open() {
    if (file.empty()) {
      is_written = false;
      return open_memory();
    }
    try {
      std::error_code ignored;
      std::filesystem::create_directories(file.parent_path(), ignored);
      database = std::make_unique<Database>(file, Database::Access::write);
      prepare();
    } catch (const Database::CannotOpen& error) {
      database.reset();
      is_written = false;
      warn(std::string(error.message()) + "; what is tuned is kept in memory");
      open_memory();
      std::error_code failure;
      if (std::filesystem::exists(file, failure)) copy_from(file);
    }
  }
  void open_memory() {
    database = std::make_unique<Database>(":memory:", Database::Access::write);
    prepare();
  }
  void prepare() {
    refuse_others(*database, file);
    if (database->number("PRAGMA user_version") == version) return;
    // Readers and a writer do not wait for each other; others may be making the same file.
    for (int k = 0; k < 50 && !file.empty(); ++k) {
      database->try_to_run("PRAGMA journal_mode = WAL");
      if (Statement mode(*database, "PRAGMA journal_mode"); mode.next() && mode.text(0) == "wal")
        break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    Transaction transaction(*database);
    const std::int64_t there = database->number("PRAGMA user_version");
    if (there == 0) database->run(schema);
    for (std::int64_t k = there; k > 0 && k < version; ++k) database->run(steps[k]);
    transaction.keep();
  }
  static void refuse_others(Database& database, const std::filesystem::path& file) {
    // First: another process may be making the tables, and sets all three at once.
    const bool is_empty = database.number("SELECT count(*) FROM sqlite_master") == 0;
    const std::int64_t there = database.number("PRAGMA user_version");
    const std::int64_t whose = database.number("PRAGMA application_id");
    if (!is_empty && whose != application)
      throw InvalidState("the file " + file.string() + " is another program's database",
                         "name another file for the store");
    if (there > version)
      throw InvalidState("the store " + file.string() + " is of version " + std::to_string(there) +
                             ", newer than this Treadle's " + std::to_string(version),
                         "install the newer Treadle, or name another file");
  }
  std::size_t copy_from(const std::filesystem::path& other) {
    std::string lines;
    {
      Database source(other, Database::Access::read);
      refuse_others(source, other);
      Statement all(source, as_json(source.number("PRAGMA user_version")));
      all.set(1, std::string_view());
      while (all.next()) lines += all.text(0) + "\n";
    }
    return import(lines);
  }

  Values read_values(const std::string& json) {
    Values made;
    Statement each(*database, "SELECT key, type, atom FROM json_each(?1)");
    each.set(1, json);
    while (each.next()) {
      const std::string type = each.text(1);
      Value value = each.text(2);
      if (type == "true" || type == "false")
        value = type == "true";
      else if (type == "integer")
        value = each.integer(2);
      else if (type == "real")
        value = each.real(2);
      made.insert_or_assign(each.text(0), value);
    }
    return made;
  }
  std::vector<double> read_numbers(const std::string& json) {
    std::vector<double> made;
    Statement each(*database, "SELECT atom FROM json_each(?1)");
    each.set(1, json);
    while (each.next()) made.push_back(each.real(0));
    return made;
  }
  /// Of columns outcome, seconds, samples, resources, compile_seconds, error, won, text and
  /// measured_at from `first` on.
  Measured read_measured(const Statement& row, int first) {
    return {.outcome = outcome_of(row.text(first)),
            .seconds = row.is_null(first + 1) ? never : row.real(first + 1),
            .samples = read_numbers(row.text(first + 2)),
            .resources = resources_from(read_values(row.text(first + 3))),
            .compile_seconds = row.real(first + 4),
            .error = row.text(first + 5),
            .won = row.integer(first + 6) != 0,
            .text = row.text(first + 7),
            .measured_at = row.real(first + 8)};
  }

  std::size_t import(std::string_view lines) {
    Transaction transaction(*database);
    Statement insert(*database, put);
    std::size_t count = 0, number = 0;
    while (!lines.empty()) {
      const std::size_t end = std::min(lines.find('\n'), lines.size());
      const std::string_view line = lines.substr(0, end);
      lines.remove_prefix(std::min(end + 1, lines.size()));
      ++number;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      read_line(line, number).put_into(insert);
      ++count;
    }
    transaction.keep();
    return count;
  }
  Row read_line(std::string_view line, std::size_t number) {
    const auto refuse = [&](const std::string& why) {
      throw InvalidArgument("line " + std::to_string(number) + " of the wisdom " + why,
                            "take lines as export_lines() writes them");
    };
    Statement valid(*database, "SELECT json_valid(?1)");
    valid.set(1, line).next();
    if (valid.integer(0) != 1) refuse("is no JSON");
    Statement types(
        *database,
        "SELECT json_type(?1, '$.kernel') = 'text' AND json_type(?1, '$.problem') = 'object' "
        "AND json_type(?1, '$.environment') = 'object' AND json_type(?1, '$.configuration') = "
        "'object' "
        "AND json_type(?1, '$.outcome') = 'text'");
    types.set(1, line).next();
    if (types.integer(0) != 1)
      refuse("lacks kernel, problem, environment, configuration or outcome");
    Statement parts(*database,
                    "SELECT json_extract(?1, '$.kernel'), json_extract(?1, '$.problem'), "
                    "json_extract(?1, '$.environment'), json_extract(?1, '$.configuration'), "
                    "json_extract(?1, '$.outcome'), json_extract(?1, '$.seconds'), "
                    "coalesce(json_extract(?1, '$.samples'), '[]'), coalesce(json_extract(?1, "
                    "'$.resources'), '{}'), "
                    "coalesce(json_extract(?1, '$.compile_seconds'), 0), coalesce(json_extract(?1, "
                    "'$.error'), ''), "
                    "coalesce(json_extract(?1, '$.time'), 0), "
                    "coalesce(json_extract(?1, '$.won'), 0), "
                    "coalesce(json_extract(?1, '$.text'), ''), "
                    "coalesce(json_extract(?1, '$.measured_at'), 0)");
    parts.set(1, line).next();
    const Values environment = read_values(parts.text(2));
    const Environment where = environment_from(environment);
    outcome_of(parts.text(4));
    return {.kernel = parts.text(0),
            .problem = json_text(read_values(parts.text(1))),
            .environment = json_text(environment_values(where)),
            .configuration = json_text(read_values(parts.text(3))),
            .device = where.device,
            .architecture = where.architecture,
            .outcome = parts.text(4),
            .samples = parts.text(6),
            .resources = parts.text(7),
            .error = parts.text(9),
            .seconds = parts.is_null(5) ? never : parts.real(5),
            .compile_seconds = parts.real(8),
            .time = parts.integer(10),
            .won = parts.integer(11) != 0,
            .text = parts.text(12),
            .measured_at = parts.real(13)};
  }

  std::vector<Choice> choices(const StoreKey& key) {
    Statement rows(
        *database,
        "SELECT problem, environment, configuration, seconds, device, time, architecture FROM "
        "(SELECT *, "
        "row_number() OVER (PARTITION BY problem, environment ORDER BY won DESC, seconds) AS place "
        "FROM attempt WHERE kernel = ?1 AND outcome = 'measured' AND seconds IS NOT NULL "
        "AND (device = ?2 OR architecture = ?3 OR architecture GLOB 'sm_[0-9]*')) "
        "WHERE place = 1");
    rows.set(1, key.kernel).set(2, key.environment.device).set(3, key.environment.architecture);
    const std::string problem = json_text(key.problem);
    const std::string environment = json_text(environment_values(key.environment));
    using Rank = std::tuple<Match, unsigned, double, bool, std::int64_t>;
    std::vector<std::pair<Rank, Choice>> ranked;
    while (rows.next()) {
      Choice found{.values = read_values(rows.text(2)),
                   .seconds = rows.real(3),
                   .problem = read_values(rows.text(0))};
      const bool is_here = rows.text(1) == environment;
      const bool is_of_device = rows.text(4) == key.environment.device;
      const auto age = is_of_device
                           ? std::optional(0u)
                           : device::architecture_age(rows.text(6), key.environment.architecture);
      const double far = distance(key.problem, found.problem);
      if (!age || !std::isfinite(far)) continue;
      found.match = *age != 0                            ? Match::older_architecture
                    : !is_of_device                      ? Match::architecture
                    : rows.text(0) == problem && is_here ? Match::exact
                                                         : Match::near_problem;
      ranked.push_back({{found.match, *age, far, !is_here, -rows.integer(5)}, std::move(found)});
    }
    std::ranges::stable_sort(ranked, {}, &std::pair<Rank, Choice>::first);
    std::vector<Choice> made;
    for (auto& [rank, choice] : ranked) made.push_back(std::move(choice));
    return made;
  }
};

Store::Store(std::filesystem::path file) : state_(std::make_unique<State>()) {
  state_->file = std::move(file);
  state_->open();
}
Store::~Store() = default;

std::shared_ptr<Store> Store::of_user() {
  static std::mutex mutex;
  static std::shared_ptr<Store> kept;
  const std::lock_guard lock(mutex);
  if (kept == nullptr) {
    const std::filesystem::path folder = user_cache_folder();
    kept = std::make_shared<Store>(folder.empty() ? folder : folder / "tuning.db");
  }
  return kept;
}

void Store::add(const StoreKey& key, const Configuration& configuration, const Measured& measured) {
  const Row row{.kernel = key.kernel,
                .problem = json_text(key.problem),
                .environment = json_text(environment_values(key.environment)),
                .configuration = json_text(values_of(configuration)),
                .device = key.environment.device,
                .architecture = key.environment.architecture,
                .outcome = std::string(outcome_name(measured.outcome)),
                .samples = json_text(measured.samples),
                .resources = json_text(resource_values(measured.resources)),
                .error = measured.error,
                .seconds = measured.seconds,
                .compile_seconds = measured.compile_seconds,
                .time = now_in_seconds(),
                .won = measured.won,
                .text = measured.text,
                .measured_at = measured.measured_at};
  const std::lock_guard lock(state_->mutex);
  Statement insert(*state_->database, put);
  row.put_into(insert);
}

std::vector<KeptAttempt> Store::attempts(const StoreKey& key) {
  const std::lock_guard lock(state_->mutex);
  Statement rows(*state_->database,
                 "SELECT configuration, outcome, seconds, samples, resources, compile_seconds, "
                 "error, won, text, measured_at FROM attempt "
                 "WHERE kernel = ?1 AND problem = ?2 AND environment = ?3 "
                 "ORDER BY outcome != 'measured', won DESC, seconds IS NULL, seconds");
  rows.set(1, key.kernel).set(2, json_text(key.problem));
  rows.set(3, json_text(environment_values(key.environment)));
  std::vector<KeptAttempt> made;
  while (rows.next())
    made.push_back({key, state_->read_values(rows.text(0)), state_->read_measured(rows, 1)});
  return made;
}

std::optional<Measured> Store::find(const StoreKey& key, const Configuration& configuration) {
  const std::lock_guard lock(state_->mutex);
  Statement row(*state_->database,
                "SELECT outcome, seconds, samples, resources, compile_seconds, error, "
                "won, text, measured_at FROM attempt "
                "WHERE kernel = ?1 AND problem = ?2 AND environment = ?3 AND configuration = ?4");
  row.set(1, key.kernel).set(2, json_text(key.problem));
  row.set(3, json_text(environment_values(key.environment)));
  row.set(4, json_text(values_of(configuration)));
  if (!row.next()) return {};
  return state_->read_measured(row, 0);
}

std::vector<Choice> Store::choices(const StoreKey& key) {
  const std::lock_guard lock(state_->mutex);
  return state_->choices(key);
}
Choice Store::choose(const StoreKey& key) {
  auto all = choices(key);
  return all.empty() ? Choice{} : std::move(all.front());
}

std::vector<StoreKey> Store::keys(std::string_view kernel) {
  const std::lock_guard lock(state_->mutex);
  Statement rows(*state_->database,
                 std::string("SELECT DISTINCT kernel, problem, environment FROM attempt WHERE ") +
                     of_kernel + "ORDER BY kernel, problem, environment");
  rows.set(1, kernel);
  std::vector<StoreKey> made;
  while (rows.next())
    made.push_back({rows.text(0), state_->read_values(rows.text(1)),
                    environment_from(state_->read_values(rows.text(2)))});
  return made;
}

std::size_t Store::size() {
  const std::lock_guard lock(state_->mutex);
  return static_cast<std::size_t>(state_->database->number("SELECT count(*) FROM attempt"));
}

std::string Store::export_lines(std::string_view kernel) {
  const std::lock_guard lock(state_->mutex);
  Statement rows(*state_->database, as_json(version));
  rows.set(1, kernel);
  std::string lines;
  while (rows.next()) lines += rows.text(0) + "\n";
  return lines;
}

std::size_t Store::import_lines(std::string_view lines) {
  const std::lock_guard lock(state_->mutex);
  return state_->import(lines);
}
std::size_t Store::merge(const std::filesystem::path& file) {
  const std::lock_guard lock(state_->mutex);
  return state_->copy_from(file);
}
std::size_t Store::remove(std::string_view kernel) {
  const std::lock_guard lock(state_->mutex);
  Statement statement(*state_->database, std::string("DELETE FROM attempt WHERE ") + of_kernel);
  statement.set(1, kernel).finish();
  return static_cast<std::size_t>(state_->database->changed());
}

const std::filesystem::path& Store::file() const noexcept { return state_->file; }
bool Store::is_written() const noexcept { return state_->is_written; }

void use_store(TuneOptions& options, std::shared_ptr<Store> store, StoreKey key) {
  if (store == nullptr) throw InvalidArgument("store is null", "pass a Store");
  options.known = [store, key](const Configuration& configuration) {
    return store->find(key, configuration);
  };
  options.keep = [store, key](const Attempt& attempt) {
    store->add(key, attempt.configuration, attempt.measured);
  };
}

}  // namespace treadle::tune
