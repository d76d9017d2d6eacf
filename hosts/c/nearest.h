/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.h - the known word that a misspelt one was probably meant to be. Any thread; allocates nothing. */
#ifndef SEGUE_HOSTS_C_NEAREST_H
#define SEGUE_HOSTS_C_NEAREST_H

#include <stddef.h>

/* The word of the NULL-terminated list with the fewest edits to `word`, or NULL when none is near. Words longer than 63
 * bytes are near nothing. */
const char *sgi_nearest(const char *word, const char *const *known);

#endif
