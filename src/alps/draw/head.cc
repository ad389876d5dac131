#include "alps/draw/head.h"

#include <algorithm>
#include <utility>

namespace alps {

namespace {

constexpr TextStyle kTitle{15, kInk, Anchor::kLeft, true};
constexpr double kTitleLine = 23, kSmallLine = 20, kHeadGap = 8, kGap = 16, kSymbolRoom = 20;

double entry_width(const LegendEntry& entry) { return kSymbolRoom + text_width(entry.label, kSmall); }

}  // namespace

Head::Head(std::string title, std::string caption, std::vector<LegendEntry> legend, double width, double most)
    : title_(std::move(title)), caption_(std::move(caption)), legend_(std::move(legend)), title_size_(kTitle.size) {
  const double title_width = text_width(title_, kTitle), caption_width = text_width(caption_, kSmall);
  // lines of the legend, each as long as the picture may be
  double line = 0;
  for (size_t i = 0; i < legend_.size(); i++) {
    const double entry = entry_width(legend_[i]);
    if (line > 0 && line + kGap + entry > std::max(width, most)) {
      line_ends_.push_back(i);
      line = 0;
    }
    line += (line > 0 ? kGap : 0) + entry;
    legend_width_ = std::max(legend_width_, line);
  }
  if (!legend_.empty()) line_ends_.push_back(legend_.size());

  // caption and legend in one line or, where that gets too wide, below each other
  const bool both = caption_width > 0 && legend_width_ > 0;
  const double joint = caption_width + legend_width_ + (both ? 2 * kGap : 0);
  legend_below_ = both && (line_ends_.size() > 1 || joint > std::max(width, most / 2));
  width_ =
      std::max({width, std::min(title_width, most), legend_below_ ? std::max(caption_width, legend_width_) : joint});
  if (title_width > width_) title_size_ *= width_ / title_width;
}

double Head::height() const {
  const size_t lines = line_ends_.size() + ((legend_below_ || line_ends_.empty()) && !caption_.empty());
  const double height = (title_.empty() ? 0 : kTitleLine) + static_cast<double>(lines) * kSmallLine;
  return height + (height > 0 ? kHeadGap : 0);
}

void Head::draw(Pen& pen, Point2 corner) const {
  double y = corner.y;
  if (!title_.empty()) {
    TextStyle style = kTitle;
    style.size = title_size_;
    pen.text({corner.x, y + 0.4 * kTitleLine}, title_, style);
    y += kTitleLine;
  }
  y += kSmallLine / 2;
  pen.text({corner.x, y}, caption_, kSmall);
  if (legend_below_) y += kSmallLine;
  size_t i = 0;
  for (const size_t end : line_ends_) {
    double x = legend_below_ || caption_.empty() ? corner.x : corner.x + width_ - legend_width_;
    for (; i < end; i++) {
      const LegendEntry& entry = legend_[i];
      pen.symbol(entry.symbol, {x + 0.4 * kSymbolRoom, y}, entry.symbol == Symbol::kStar ? 5.5 : 3.5, entry.color,
                 kPaper);
      pen.text({x + kSymbolRoom, y}, entry.label, kSmall);
      x += entry_width(entry) + kGap;
    }
    y += kSmallLine;
  }
}

}  // namespace alps
