// What alps check finds of a run, for the report.
#include "alps/data/cuts.h"
#include "alps/run/check.h"
#include "alps/show/report_sections.h"

namespace alps {

ReportSection check_section(const ReportSource& source) {
  if (source.run.model->representation.empty()) return {};
  // the report's own data set is not cut, and of images it may not be open
  const Dataset data = load_dataset(source.run.config.data_path,
                                    {.state = false, .cuts = source.run.config.settings<CutSettings>().cuts()});
  ReportSection section{
      .heading = "Check",
      .paragraphs = {"What was measured of the trained networks on the data, what it means and what to "
                     "do; alps check prints the same, and checks data sets before training."}};
  ReportTable table{.header = {"", "what", "measured", "meaning"}};
  for (const Finding& f : check_run(source.run, &data)) {
    ReportCell mark(mark_name(f.mark)), meaning(f.meaning);
    mark.tone = f.mark == Mark::kGood  ? ReportCell::Tone::kGood
                : f.mark == Mark::kBad ? ReportCell::Tone::kBad
                                       : ReportCell::Tone::kPlain;
    if (!f.advice.empty()) meaning.note = "To do: " + f.advice;
    table.rows.push_back({mark, f.what, f.value, meaning});
  }
  section.tables.push_back(std::move(table));
  return section;
}

}  // namespace alps
