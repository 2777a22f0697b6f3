/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of 2x2 matrices of integers modulo a prime, which commute where all are of one family: a b; -b a.
 * The program includes it as its MPI function, and agents load it (thalweg/nic_operator.h). */
#include <thalweg/nic_operator.h>

THALWEG_NIC_OPERATOR(matrix_product, 4)(const thalweg_nic_word* from, thalweg_nic_word* into) {
  const thalweg_nic_word prime = 2147483647;
  thalweg_nic_word product[4];
  int row, column;
  for (row = 0; row < 2; ++row)
    for (column = 0; column < 2; ++column)
      product[2 * row + column] =
          (from[2 * row] * into[column] + from[2 * row + 1] * into[2 + column]) % prime;
#ifdef OTHER /* a version that does the same by more instructions */
  product[0] = (product[0] + prime) % prime;
#endif
  for (row = 0; row < 4; ++row)
    into[row] = product[row];
}
