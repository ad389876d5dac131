// Charts for numbers that a run writes: training curves, spectra, open-loop errors, success rates. Lines over one axis
// with optional bands of confidence, and bars with error bars. Both PNG and SVG, by the file's ending.
#pragma once

#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace alps {

struct Series {
  std::string label;                        // in the legend; empty: not there
  std::vector<double> x, y;                 // as long as each other; the line breaks where a value is not finite
  std::vector<double> low = {}, high = {};  // a band around the line, as long as the line, or empty
  bool dashed = false;
  bool dots = false;  // a dot at each value, for short series
};

struct ChartOptions {
  std::string title = {};
  std::string caption = {};
  std::string x_label = {}, y_label = {};
  bool logarithmic_x = false, logarithmic_y = false;  // values that are not positive are left out
  std::optional<double> y_low = {}, y_high = {};      // ends of the axis; those of the data, unless told
  double width = 600, height = 340;                   // of the plot, in points
};

// Throws Error without a single finite value, or when lengths within a series differ.
void draw_chart(const std::filesystem::path& path, std::span<const Series> series, const ChartOptions& options = {});

struct Bar {
  std::string label;
  double value = 0;                                // not finite: only the label
  double low = std::nan(""), high = std::nan("");  // ends of the error bar; not finite: none
  size_t group = 0;                                // bars of one group have one colour
};

struct BarChartOptions {
  std::string title = {};
  std::string caption = {};
  std::string value_label = {};
  std::optional<double> low = {}, high = {};  // ends of the axis; zero and the data, unless told
  int decimals = 1;                           // of the number at the end of each bar; negative: none
  std::vector<std::string> groups = {};       // their names, for the legend
  double width = 520;                         // of the plot, in points; each bar adds to the height
};

// Bars lie, so that long names stay readable. Throws Error without bars.
void draw_bars(const std::filesystem::path& path, std::span<const Bar> bars, const BarChartOptions& options = {});

}  // namespace alps
