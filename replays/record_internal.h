/* Begins and ends records, for replays/record_payload.c. Private to this folder. */
#ifndef LS_RECORD_INTERNAL_H
#define LS_RECORD_INTERNAL_H

#include "replays/record.h"

/* Begins a record and returns its offset; ls_record_end() fills in the length. */
size_t ls_record_begin(ls_writer *writer, ls_record_type type);
/* Inserts the head before the bytes written since, and appends the checksum. */
void ls_record_end(ls_writer *writer, size_t offset, uint64_t salt);

#endif
