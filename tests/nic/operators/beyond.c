/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel refuses: it writes behind the elements. */
#include <thalweg/nic_operator.h>

THALWEG_NIC_OPERATOR(beyond, 4)(const thalweg_nic_word* from, thalweg_nic_word* into) {
  into[from[0] & 63] = from[1];
}
