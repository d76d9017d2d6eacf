/* SPDX-License-Identifier: Apache-2.0 */
#include "signature.h"

#include <stddef.h>

/* The codes of segue/slots.h and segue/session.h. */
static ffi_type *type_of(char code)
{
    switch (code) {
    case 'p':
        return &ffi_type_pointer;
    case 'i':
        return &ffi_type_sint32;
    case 'u':
        return &ffi_type_uint32;
    case 'l':
        return &ffi_type_sint64;
    case 'v':
        return &ffi_type_void;
    default:
        return NULL;
    }
}

/* A result, then arguments in brackets, of which none is void. */
int sgx_signature_read(sgx_signature *signature, const char *text)
{
    ffi_type *result = text == NULL ? NULL : type_of(text[0]);
    signature->arguments = 0;
    if (result == NULL || text[1] != '(') {
        return 0;
    }
    signature->result = text[0];
    const char *code = text + 2;
    for (; *code != ')' && *code != '\0' && signature->arguments < SGX_ARGUMENTS_MOST; code++) {
        ffi_type *type = type_of(*code);
        if (type == NULL || type == &ffi_type_void) {
            return 0;
        }
        signature->types[signature->arguments++] = type;
    }
    return code[0] == ')' && code[1] == '\0' &&
           ffi_prep_cif(&signature->cif, FFI_DEFAULT_ABI, signature->arguments, result, signature->types) == FFI_OK;
}
