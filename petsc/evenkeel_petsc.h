/* SPDX-License-Identifier: BSD-3-Clause
 * For programs that link libpetscek.so instead of naming it by -dll_append. */
#ifndef EVENKEEL_PETSC_H
#define EVENKEEL_PETSC_H

#include <petscmat.h>

/* Registers the types aijek, seqaijek and mpiaijek. It is called after PetscInitialize. */
PETSC_EXTERN PetscErrorCode ek_petsc_register(void);

/* Returns the version of evenkeel that the module was built from, such as "0.2.0". Registering
 * fails with PETSC_ERR_LIB if the library is of another one. */
PETSC_EXTERN const char *ek_petsc_version(void);
#endif
