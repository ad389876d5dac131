// psi of rows of a data set, in blocks: n rows cost n * eigenvectors floats and one block of observations, never n
// images (data/rows.h). Each distinct image passes through the networks once. For regions, maps and reports.
#pragma once

#include <functional>
#include <span>

#include "alps/data/rows.h"
#include "alps/nn/model.h"

namespace alps {

// chosen rows -> (rows.size(), eigenvectors)
Array embed_rows(const Model& model, const ObservationRows& observations, std::span<const size_t> rows,
                 int threads = 0);

// Passes over chosen rows in order: calls body(first, psi) for each block, where psi (n, eigenvectors) belongs to
// rows[first .. first + n - 1]. For what is made of psi where psi of all rows would be too much.
void embed_blocks(const Model& model, const ObservationRows& observations, std::span<const size_t> rows, int threads,
                  const std::function<void(size_t first, std::span<const float> psi)>& body);

}  // namespace alps
