/* SPDX-License-Identifier: Apache-2.0 */
/* config_number.h - numbers and words as texts have them, the same in every locale. Any thread. */
#ifndef SEGUE_HOSTS_C_CONFIG_NUMBER_H
#define SEGUE_HOSTS_C_CONFIG_NUMBER_H

#include <stdint.h>

/* 1 when the whole text, blanks around it aside, is a decimal whole number that fits; else 0 and *number is kept. */
int sgi_read_integer(const char *text, int64_t *number);

/* The same for a decimal number with or without fraction and exponent; no hexadecimal, infinity or NaN. */
int sgi_read_real(const char *text, double *number);

/* True when the text, blanks around it and the case of ASCII letters aside, is the word. */
int sgi_same_word(const char *text, const char *word);

#endif
