/* The picture of `lockstep top`, as lines of text. */
#ifndef LS_TOP_VIEW_H
#define LS_TOP_VIEW_H

#include "cli/common/admin_table.h"

/* The answers of a server at one time. */
typedef struct ls_top_sample {
    uint64_t taken_ns;
    ls_admin_table server, rooms;
    char *server_text, *rooms_text; /* the tables point into these texts; owned */
} ls_top_sample;

void ls_top_sample_reset(ls_top_sample *sample);

/* The lines above those of the rooms. */
#define LS_TOP_HEAD_LINES 5

/* Prints the head and the rooms from number `first` on. Rates are
 * the differences from `before`; with `before == sample` they are 0. */
void ls_top_print(ls_builder *text, const ls_top_sample *before, const ls_top_sample *sample,
                  uint32_t first);

#endif
