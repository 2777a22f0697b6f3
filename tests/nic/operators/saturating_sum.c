/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of three unsigned numbers of 32 bits that stay at the largest one: elements of 12 bytes in two words.
 */
#include <thalweg/nic_operator.h>

THALWEG_NIC_OPERATOR(saturating_sum, 2)(const thalweg_nic_word* from, thalweg_nic_word* into) {
  const unsigned* const a = (const unsigned*)from;
  unsigned* const b = (unsigned*)into;
  int i;
  for (i = 0; i < 3; ++i)
    b[i] = a[i] + b[i] < b[i] ? ~0U : a[i] + b[i];
}
