// alps table: results of many runs, pooled and set beside published figures; comparisons of methods; tables in
// documents.
#include <algorithm>
#include <cstdio>
#include <map>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/base/shell_quoted.h"
#include "alps/lab/comparison.h"
#include "alps/lab/ledger.h"
#include "alps/lab/marks.h"
#include "alps/lab/mixed_columns.h"
#include "alps/lab/table.h"
#include "cli/verbs.h"

namespace fs = std::filesystem;

namespace alps::cli {
namespace {

// what a table shows: the words of the command line, or of a mark in a document
struct TableArgs {
  std::vector<fs::path> paths;
  std::vector<std::string> where, rows, columns, values = {"success"};
  std::string published, against, profile, format, out;
  bool published_columns = false, published_only = false, best = false, counts = false, complete = false;
  bool all = false, each = false, skip_damaged = false;
};

struct DocumentArgs {
  bool write = false, check = false;
};

void add_options(CLI::App& app, TableArgs& args) {
  app.add_option("PATH", args.paths,
                 "runs, ledgers, folders that hold them, or single HASH.json and CSV files (default: results); with "
                 "--write and --check, documents (default: README.md and docs/*.md)");
  app.add_option("--where", args.where,
                 "only results for which all of these hold: data_set=antmaze*,variant=alps|cem,set=,backend!=ogbench. "
                 "`default` stands for train_set=,set=,asked=,backend=native")
      ->type_name("CONDITIONS")
      ->allow_extra_args(false);
  app.add_option("--rows", args.rows,
                 "columns that name the rows (default: what was asked, as far as it differs; data_set with --columns)")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--columns", args.columns,
                 "columns whose values become columns: variant, or variant=alps|cem for these in this order; any "
                 "setting that was given with --set will do, such as eigenvectors")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--value", args.values, "what cells show: success, steps, ms, or several of them")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--published", args.published,
                 "a table of the paper whose figures stand beside ours in brackets, such as all_ablations")
      ->type_name("TABLE");
  app.add_flag("--published_columns", args.published_columns, "published figures in columns of their own");
  app.add_flag("--best", args.best,
               "the highest published figure of each data set; ours are bold where they are at least as high");
  app.add_flag("--counts", args.counts, "how many episodes and seeds there were");
  app.add_flag("--complete", args.complete, "only rows in which every column was measured");
  app.add_option("--against", args.against,
                 "compare this column with each other one over data sets: Wilcoxon's test with Holm's correction, "
                 "probability of improvement, mean and interquartile mean with bootstrap intervals; with --published "
                 "also with the methods of that table, such as 'hiql, paper'")
      ->type_name("NAME");
  app.add_flag("--published_only", args.published_only, "compare or draw the methods of --published alone");
  app.add_option("--profile", args.profile, "draw performance profiles of the columns")->type_name("SVG|PNG");
  app.add_flag("--each", args.each, "one line for each result, with all of its columns, instead of pooling");
  app.add_flag("--all", args.all,
               "also results that a newer one of the same question and seeds has replaced, as for a comparison of "
               "versions");
  app.add_flag("--skip_damaged", args.skip_damaged, "leave damaged files out, with a word about each");
  app.add_option("--format", args.format,
                 "text, markdown, or csv with a line for each cell (default: by the ending of --out, else text)")
      ->check(CLI::IsMember({"text", "markdown", "csv"}));
  app.add_option("--out", args.out, "write the table to this file instead of printing it")->type_name("FILE");
}

// ledgers are read once, however many tables of a document ask for them
class Source {
 public:
  const Ledger& ledger(const TableArgs& args) {
    std::vector<fs::path> paths = args.paths;
    if (paths.empty()) paths = {"results"};
    std::string key = args.skip_damaged ? "skip" : "";
    for (const fs::path& path : paths) key += "\n" + path.string();
    if (!ledgers_.contains(key)) {
      if (args.paths.empty() && !fs::exists(paths[0]))
        throw UsageError("there is no folder 'results' here; name runs or ledgers: alps table PATH");
      ledgers_[key] = read_ledger(paths, {.skip_damaged = args.skip_damaged});
      for (const std::string& what : ledgers_[key].damaged) std::fprintf(stderr, "alps: left out: %s\n", what.c_str());
    }
    return ledgers_[key];
  }
  const std::vector<PublishedFigure>& published() {
    if (published_.empty()) published_ = read_published();
    return published_;
  }

 private:
  std::map<std::string, Ledger> ledgers_;
  std::vector<PublishedFigure> published_;
};

std::vector<Condition> conditions_of(const TableArgs& args) {
  std::vector<Condition> conditions;
  for (const std::string& list : args.where) std::ranges::copy(parse_conditions(list), std::back_inserter(conditions));
  return conditions;
}

std::vector<LedgerRow> rows_of(Source& source, const TableArgs& args) {
  const std::vector<LedgerRow>& rows = source.ledger(args).rows;
  return args.all || args.each ? rows : newest_of_each_question(rows);
}

Grid comparison(Source& source, const TableArgs& args) {
  std::vector<Contestant> all;
  MixedColumns mixed;
  std::vector<std::string> columns;
  for (const std::string& spec : args.columns) columns.push_back(spec.substr(0, spec.find('=')));
  if (!args.published_only) {
    std::vector<Condition> where = conditions_of(args);
    for (const std::string& spec : args.columns)  // variant=alps|cem chooses too
      if (spec.find('=') != std::string::npos) std::ranges::copy(parse_conditions(spec), std::back_inserter(where));
    const std::vector<LedgerRow> rows = chosen_rows(rows_of(source, args), where);
    all = measured_contestants(rows, columns);
    for (const LedgerRow& row : rows) mixed.add(measured_contestants({row}, columns)[0].name, row, true);
  }
  if (!args.published.empty())
    std::ranges::copy(published_contestants(figures_of(source.published(), args.published)), std::back_inserter(all));
  if (!args.profile.empty()) draw_profiles(args.profile, all, Rng(0));
  if (args.against.empty()) return {};
  Grid grid = comparison_grid(compare(all, args.against, Rng(0)), args.against);
  if (const std::string note = mixed.note(); !note.empty()) grid.notes.push_back(note);
  return grid;
}

Grid grid_of(Source& source, const TableArgs& args) {
  if (args.published_only && args.published.empty())
    throw UsageError("--published_only needs --published TABLE, such as ogbench_results");
  if (!args.against.empty() || !args.profile.empty()) {
    Grid grid = comparison(source, args);
    if (!args.against.empty()) return grid;
  }
  const TableQuery query{.where = conditions_of(args),
                         .rows = args.rows,
                         .columns = args.columns,
                         .values = args.values,
                         .published = args.published,
                         .published_columns = args.published_columns,
                         .best = args.best,
                         .counts = args.counts || (args.rows.empty() && args.columns.empty()),
                         .complete = args.complete,
                         .list = args.format == "csv"};
  const std::vector<LedgerRow> rows = rows_of(source, args);
  return args.each ? result_table(rows, query) : pivot_table(rows, query, source.published());
}

std::string formatted(const Grid& grid, const std::string& format) {
  return format == "csv" ? grid.csv() : format == "markdown" ? grid.markdown() : grid.text();
}

void show(TableArgs args) {
  const std::string ending = fs::path(args.out).extension().string();
  if (args.format.empty()) args.format = ending == ".md" ? "markdown" : ending == ".csv" ? "csv" : "text";
  Source source;
  const Grid grid = grid_of(source, args);
  const std::string text = formatted(grid, args.format);
  if (args.out.empty())
    std::fputs(text.c_str(), stdout);
  else
    write_text(args.out, text);
  for (const std::string& note : grid.notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  if (grid.rows.empty()) std::fprintf(stderr, "note: no results fit\n");
}

// the table that a mark asks for, with the options of the command line
std::string marked_table(Source& source, const std::string& where, const std::string& options) {
  TableArgs args;
  CLI::App app("a table in a document");
  add_options(app, args);
  std::vector<std::string> words = shell_words(options);
  std::reverse(words.begin(), words.end());  // CLI11 takes them last first
  try {
    app.parse(std::move(words));
    if (!args.out.empty() || !args.profile.empty()) throw UsageError("a mark takes neither --out nor --profile");
    const Grid grid = grid_of(source, args);
    for (const std::string& note : grid.notes) std::fprintf(stderr, "note: %s: %s\n", where.c_str(), note.c_str());
    return grid.markdown();
  } catch (const std::exception& e) {
    throw Error(where, ": <!-- table:", options, "-->: ", e.what());
  }
}

std::vector<fs::path> documents_of(const std::vector<fs::path>& named) {
  if (!named.empty()) return named;
  std::vector<fs::path> documents;
  if (fs::exists("README.md")) documents.push_back("README.md");
  if (fs::is_directory("docs"))
    for (const auto& entry : fs::directory_iterator("docs"))
      if (entry.path().extension() == ".md") documents.push_back(entry.path());
  if (documents.empty()) throw UsageError("there is neither README.md nor docs/*.md here; name the documents");
  std::ranges::sort(documents);
  return documents;
}

void documents(const std::vector<fs::path>& named, const DocumentArgs& args) {
  Source source;
  std::string stale;
  for (const fs::path& path : documents_of(named)) {
    const std::string text = read_text(path), name = path.string();
    const std::string fresh =
        with_tables(text, name, [&](const std::string& options) { return marked_table(source, name, options); });
    if (fresh == text) continue;
    if (args.check) {
      stale += (stale.empty() ? "" : ", ") + name;
    } else {
      write_text(path, fresh);
      std::printf("%s\n", name.c_str());
    }
  }
  if (!stale.empty()) throw Error("tables are not what the ledger says in ", stale, "; run alps table --write");
}

}  // namespace

void add_table(CLI::App& app) {
  auto args = std::make_shared<TableArgs>();
  auto documented = std::make_shared<DocumentArgs>();
  CLI::App* verb = app.add_subcommand(
      "table", "results of many runs as tables: pooled over seeds, beside published figures, in documents");
  add_options(*verb, *args);
  CLI::Option* write = verb->add_flag("--write", documented->write,
                                      "make the tables of documents anew: what stands between <!-- table: OPTIONS --> "
                                      "and <!-- /table -->");
  verb->add_flag("--check", documented->check, "fail if a document's tables are not what the ledger says")
      ->excludes(write);
  verb->callback([=] {
    if (documented->write || documented->check)
      documents(args->paths, *documented);
    else
      show(*args);
  });
}

}  // namespace alps::cli
