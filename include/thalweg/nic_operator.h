/* SPDX-License-Identifier: BSD-3-Clause */
/* An operator of your own for reductions on network cards (docs/nic.md), in a C file of its own:
 *
 *   #include <thalweg/nic_operator.h>
 *
 *   THALWEG_NIC_OPERATOR(modular_product, 1)(const thalweg_nic_word* from, thalweg_nic_word* into) {
 *     *into = *from * *into % 1000003;
 *   }
 *
 * The function combines an element of `invec` and one of `inoutvec` as the program's MPI function does,
 * and stores the result in `into`: from (+) into. An element has so many words of 64 bits, from 1 to 32.
 * Its layout is that of the program's memory, with zeros behind it if its bytes are no multiple of 8.
 *
 *   clang -O2 -g -target bpf -c modular_product.c      makes modular_product.o, which agents load
 *
 * The kernel proves that it ends, and that it touches nothing but the two elements. Loops therefore need
 * known bounds. The function may call only static functions that are inlined, and has no data except
 * variables of its own: tables and constant arrays would be data. Floating-point numbers are not to be
 * had.
 *
 * For all targets except BPF the file defines that function as a static one. A program may thus include
 * the file, have its MPI function call the function, and then name the operator: thalweg/nic.h. */
#ifndef THALWEG_NIC_OPERATOR_H
#define THALWEG_NIC_OPERATOR_H

typedef unsigned long long thalweg_nic_word;

enum thalweg_nic_operand_words { THALWEG_NIC_OPERAND_WORDS = 32 };

/* All that a loaded operator sees. */
struct thalweg_nic_operands {
  thalweg_nic_word from[THALWEG_NIC_OPERAND_WORDS];
  thalweg_nic_word into[THALWEG_NIC_OPERAND_WORDS];
  thalweg_nic_word words; /* that are combined */
};

#ifdef __bpf__
/* Agents find an element's words in the section's name. */
#define THALWEG_NIC_OPERATOR(name, element_words)                                                            \
  static inline __attribute__((always_inline)) void name##_element(const thalweg_nic_word* from,             \
                                                                   thalweg_nic_word* into);                  \
  _Static_assert((element_words) >= 1 && (element_words) <= THALWEG_NIC_OPERAND_WORDS,                       \
                 "an element has 1 to 32 words");                                                            \
  __attribute__((section("operator/" #element_words), used)) int name(struct thalweg_nic_operands* all) {    \
    unsigned at;                                                                                             \
    if (!all)                                                                                                \
      return -1;                                                                                             \
    for (at = 0; at + (element_words) <= THALWEG_NIC_OPERAND_WORDS && at < all->words;                       \
         at += (element_words))                                                                              \
      name##_element(all->from + at, all->into + at);                                                        \
    return 0;                                                                                                \
  }                                                                                                          \
  static inline void name##_element
#else
#define THALWEG_NIC_OPERATOR(name, element_words) static inline void name
#endif

#endif
