/* Begins and ends a record, for replays/record_payload.c. Private to this folder. */
#ifndef LS_RECORD_INTERNAL_H
#define LS_RECORD_INTERNAL_H

#include "replays/record.h"

/* Begins a record and gives its offset; its length is known only when it ends. */
size_t ls_record_begin(ls_writer *writer, ls_record_type type);
/* Puts the head before the bytes written since, and the checksum after them. */
void ls_record_end(ls_writer *writer, size_t offset, uint64_t salt);

#endif
