/* Computes the fingerprint of a program. */
#ifndef LS_FINGERPRINT_H
#define LS_FINGERPRINT_H
#include "core/schedule/program_data.h"

void ls_program_compute_fingerprint(ls_program *program);

/* Hashes only the components: a part of the fingerprint. */
uint64_t ls_fingerprint_schema(const ls_program *program);

#endif
