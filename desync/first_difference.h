/* Finds everything about the first difference that a tick makes, in one call: the system, the page,
 * the component, the entity and its field, and the store that wrote it, with its line. For a
 * command, a server, or a program with a world of its own.
 *   source  docs/design.md section 8; desync/system_search.h and desync/write_log.h are its two
 *           halves */
#ifndef LS_FIRST_DIFFERENCE_H
#define LS_FIRST_DIFFERENCE_H

#include "core/base/result_writer.h"
#include "desync/source.h"
#include "desync/system_search.h"

/* The store that one side made. */
typedef struct ls_first_difference_store {
    bool is_there;         /* false: this side has no such store */
    char *text;            /* `pos.x of beasts/3:1: 5 -> 7` */
    char *old, *now;       /* the values before and after */
    uint32_t byte;         /* offset in the page or the command buffer */
    uintptr_t instruction; /* address of the instruction that stored, in this process */
    ls_source_place place; /* the line of the simulation that stored */
    char *trace;           /* backtrace, a line for each frame, the innermost first: `#0 function at
                              file:line` */
    uint32_t left_out;     /* stores that were not kept, after the last one kept */
} ls_first_difference_store;

typedef struct ls_first_difference {
    ls_suspect suspect;
    const ls_program *program; /* of the first variant */
    bool is_alone;             /* only one side was run; the second side is a claim */
    bool has_page;             /* the difference is in this page of this lane, counted from 0 */
    uint32_t lane, page;
    bool has_store; /* at least one of `stores` is there */
    /* From ls_first_difference_find_cell(): if no system that changed the column stored into the
     * cell, one that stored an equal value; or NULL. */
    const char *same_system;
    /* From ls_first_difference_find_cell(): every system that may store into the cell was watched,
     * and none did, not even an equal value. */
    bool is_unstored;
    ls_first_difference_store stores[2];
    ls_error why; /* why no store was found */
    uint64_t system_ns, store_ns;
    ls_sources *sources;
} ls_first_difference;

/* Finds the system as ls_desync_find_system() does, and then the store that made the difference.
 * Finding no store is no error: `why` has the reason.
 *   errors  those of ls_desync_find_system()
 *   owns    ls_first_difference_reset() by the caller, not after an error; names live as long as
 *           the programs
 *   thread  as ls_write_watch_begin() */
ls_status ls_first_difference_find(const ls_run_variant *a, const ls_run_variant *b,
                                   const ls_frame *frame, ls_first_difference *difference,
                                   ls_error *error) LS_MUST_USE;

/* The value that another machine has in a cell after a tick. */
typedef struct ls_cell_claim {
    uint32_t column;         /* of a component */
    ls_entity entity;        /* LS_ENTITY_NULL for a singleton */
    const uint8_t *expected; /* the cell's bytes in memory; NULL: that machine has no such cell */
} ls_cell_claim;

/* Finds the first difference when only one side can be run; `claim` is the other side's value after
 * the tick. Finds the field in which the cell differs from it, and the last store into that field
 * in the tick, with its system. If the last store has an equal value, and its system changed
 * nothing in the column, no system is named: the value may come from elsewhere. No system is to
 * blame when the cell is as claimed.
 *   errors  USAGE: a frame of another tick, no such column; LIMIT: more than LS_MOMENTS_MAX runs of
 *           systems; those of ls_world_advance() and ls_executor_create() */
ls_status ls_first_difference_find_cell(const ls_run_variant *variant, const ls_frame *frame,
                                        const ls_cell_claim *claim, ls_first_difference *difference,
                                        ls_error *error) LS_MUST_USE;

/* Like ls_first_difference_find_cell(), for `other`, the whole state that the other side has after
 * the tick. Among the first differing cells of all components, finds the one whose system stored
 * first; the other differences may follow from it.
 *   errors  NOT_FOUND: no cell differs; those of ls_first_difference_find_cell() and
 *           ls_world_advance() */
ls_status ls_first_difference_find_state(const ls_run_variant *variant, const ls_frame *frame,
                                         ls_world *other, ls_first_difference *difference,
                                         ls_error *error) LS_MUST_USE;

/* Like ls_first_difference_find_cell(), for a system that is known, because the check executor
 * found that it stores into the cell: finds its last store there in the tick. `field` is NULL for
 * presence.
 *   errors  those of ls_first_difference_find_cell(); USAGE: no system of that name stores there */
ls_status ls_first_difference_find_store(const ls_run_variant *variant, const ls_frame *frame,
                                         const char *system, const ls_cell_claim *claim,
                                         const ls_field *field, ls_first_difference *difference,
                                         ls_error *error) LS_MUST_USE;

void ls_first_difference_reset(ls_first_difference *difference);

/* Adds lines and members to a result that was begun. `names` are the names of the two sides. */
void ls_first_difference_print(const ls_first_difference *difference, const char *const names[2],
                               ls_result_writer *result);

#endif
