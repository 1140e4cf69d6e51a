/* What the files of the check share. */
#ifndef LS_CHECK_INTERNAL_H
#define LS_CHECK_INTERNAL_H

#include "core/check/access_rights.h"
#include "core/check/check.h"
#include "core/check/run_outcome.h"
#include "core/check/write_set.h"

struct ls_check {
    ls_world *world;
    ls_image start;  /* of the tick */
    ls_image before; /* the system that is checked */
    ls_image after;
    ls_access_rights rights;
    ls_run_outcome first, again; /* of the first run, and of the one after it */
    ls_moved_pages moved;
    ls_write_set asked; /* by the first run */
    const ls_plan_system *plan;
    uint32_t position;
    uint32_t mark_count; /* before the system */
    bool is_unsteady;    /* is not the same from run to run, which was reported */
    bool keeps_start;    /* has to let go of what its LS_START terms kept */
    ls_builder findings; /* lines */
    uint32_t finding_count;
    uint32_t left_out; /* for want of room */
    ls_builder text;   /* scratch of one difference */
};

/* core/check/check_report.c: one line, which the system's name begins. */
void ls_check_add(ls_check *check, const char *format, ...) LS_PRINTF(2, 3);
/* `pos.x of world/3:1`; field NULL for the whole cell. */
void ls_check_print_cell(ls_check *check, ls_builder *text, const ls_page_place *place,
                         uint32_t slot, const ls_field *field);
/* The first field in which the two cells differ, and its values. */
void ls_check_print_change(ls_check *check, ls_builder *text, const ls_page_place *place,
                           uint32_t slot, const uint8_t *before, const uint8_t *after);

/* core/check/check_cells.c: reports what the run that just ended wrote without being allowed to. */
void ls_check_writes(ls_check *check);
/* Says in `check->text` where the world differs from `check->after`; of what was scrambled nothing
 * but what the system wrote counts. False when it does not. */
bool ls_check_cells_differ(ls_check *check, bool is_scrambled);

#endif
