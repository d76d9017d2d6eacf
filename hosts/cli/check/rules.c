/* SPDX-License-Identifier: Apache-2.0 */
#include "rules.h"

#include <stddef.h>

#define ROW(number, word, what, who, otherwise) {#number, #word, what, who, otherwise, rule_##number},

const check_rule check_rules[] = {CHECK_RULES(ROW){NULL, NULL, NULL, NULL, NULL, NULL}};
