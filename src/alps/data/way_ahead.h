// How far along an episode gets, in a space in which distance is time (learn/distance.h). `way_ahead` finds where an
// episode has come a given distance; `efficient_rows` leaves out the states that made no good use of their time (the
// temporal efficiency of GAS, Baek et al. 2025): the direction of the next steps should be that of the way to where
// the episode first is so many steps of distance away.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace alps {

// rows (n, dim) of one episode -> for each row the first later one that lies at least `distance` away, or else the last
std::vector<size_t> way_ahead(std::span<const float> rows, size_t dim, double distance);

// Rows whose cosine of both directions is at least `efficiency`: to the row `steps` later, and to way_ahead. The last
// `steps` rows are kept, having no such row. Ascending.
std::vector<size_t> efficient_rows(std::span<const float> rows, size_t dim, std::span<const size_t> ahead, size_t steps,
                                   double efficiency);

}  // namespace alps
