/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel refuses: it need not end. */
#include <thalweg/nic_operator.h>

THALWEG_NIC_OPERATOR(endless, 1)(const thalweg_nic_word* from, thalweg_nic_word* into) {
  while (*(const volatile thalweg_nic_word*)from != 0)
    ++*(volatile thalweg_nic_word*)into;
}
