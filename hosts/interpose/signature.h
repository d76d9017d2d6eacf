/* SPDX-License-Identifier: Apache-2.0 */
/* signature.h - a slot's signature ("i(ppp)") as libffi wants it, for calls and for closures. */
#ifndef SEGUE_HOSTS_INTERPOSE_SIGNATURE_H
#define SEGUE_HOSTS_INTERPOSE_SIGNATURE_H

#include <ffi.h>

enum { SGX_ARGUMENTS_MOST = 8 };

/* Stays where it was read: `cif` points into it. */
typedef struct sgx_signature {
    ffi_cif cif;
    ffi_type *types[SGX_ARGUMENTS_MOST];
    unsigned arguments;
    char result; /* code of the result */
} sgx_signature;

/* 0: the text is no signature. NULL is none. */
int sgx_signature_read(sgx_signature *signature, const char *text);

#endif
