/* The state of a check while its tick runs. */
#ifndef LS_CHECK_STATE_H
#define LS_CHECK_STATE_H
#include "core/check/access_rights.h"
#include "core/check/run_outcome.h"
#include "core/run/tick_check.h"
#include "core/run/write_set.h"

typedef struct ls_check {
    ls_tick_check of_tick; /* the first member */
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
} ls_check;

#endif
