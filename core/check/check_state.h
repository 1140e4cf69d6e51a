/* The state of a check while its tick runs. */
#ifndef LS_CHECK_STATE_H
#define LS_CHECK_STATE_H
#include "core/check/access_rights.h"
#include "core/check/run_outcome.h"
#include "core/run/tick_check.h"
#include "core/run/write_set.h"

typedef struct ls_check {
    ls_tick_check of_tick; /* must be first: check_system() casts its address to ls_check */
    ls_world *world;
    ls_image start;  /* the world when the tick began */
    ls_image before; /* the world when the checked system began */
    ls_image after;  /* the world after the first run of the checked system */
    ls_access_rights rights;
    ls_run_outcome first, again; /* results of the first run, and of the latest run */
    ls_moved_pages moved;
    ls_write_set asked; /* cells that the first run asked to write */
    const ls_plan_system *plan;
    uint32_t position;    /* of the checked system in the program's plan */
    uint32_t mark_count;  /* marks made by earlier systems */
    bool is_unrepeatable; /* the result differs from run to run, as was reported */
    bool keeps_start;     /* tables of its LS_START terms must be released */
    ls_builder findings;  /* one line each */
    uint32_t finding_count;
    uint32_t left_out; /* findings omitted for lack of space */
    ls_builder text;   /* scratch: describes one difference */
} ls_check;

#endif
