// The verbs of the program: each file beside this one adds its own to the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace alps::cli {

// parses the words after `alps` and does what they say; throws Error, or UsageError for wrong use
void run_command(std::vector<std::string> args);

void add_data(CLI::App& app);
void add_data_import(CLI::App& data);  // to the verb data
void add_env(CLI::App& app);
void add_expert(CLI::App& app);
void add_demo(CLI::App& app);
void add_train(CLI::App& app);
void add_embed(CLI::App& app);
void add_eval(CLI::App& app);
void add_plot(CLI::App& app);
void add_plan(CLI::App& app);
void add_view(CLI::App& app);
void add_check(CLI::App& app);
void add_sweep(CLI::App& app);
void add_table(CLI::App& app);
void add_reproduce(CLI::App& app);

}  // namespace alps::cli
