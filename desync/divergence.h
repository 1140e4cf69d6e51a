/* All that can be found out about the tick in which a replay leaves its recording: by running that
 * tick in different ways, until one ends as recorded, and from the column hashes and the states
 * that the file holds after it. Plain text, so that it can be handed from process to process as it
 * is.
 */
#ifndef LS_DIVERGENCE_H
#define LS_DIVERGENCE_H

#include "core/base/result_writer.h"
#include <lockstep/diff.h>
#include <lockstep/recording.h>
#include <lockstep/root_ring.h>

enum { LS_DIVERGENCE_NAME_BYTES = 96, LS_DIVERGENCE_TEXT_BYTES = 320 };

/* An empty text is what is not known. Longer ones are cut. */
typedef struct ls_divergence {
    bool is_start; /* the state before the first tick differs already */
    uint64_t tick; /* that made the difference; of is_start the one before which it shows */
    uint64_t expected_root, found_root; /* after it */
    char system[LS_DIVERGENCE_NAME_BYTES];
    char component[LS_DIVERGENCE_NAME_BYTES];
    char entity[LS_DIVERGENCE_NAME_BYTES]; /* also empty for a singleton */
    char field[LS_DIVERGENCE_NAME_BYTES];
    char expected[LS_DIVERGENCE_NAME_BYTES], found[LS_DIVERGENCE_NAME_BYTES];
    char line[LS_DIVERGENCE_TEXT_BYTES];    /* of the store: `function at file:line` */
    char columns[LS_DIVERGENCE_TEXT_BYTES]; /* components that differ, if the file shows it */
    char writers[LS_DIVERGENCE_TEXT_BYTES]; /* systems that may write the component */
    char why[LS_DIVERGENCE_TEXT_BYTES];     /* what the system did, in words */
    uint64_t agrees_tick; /* from here on all recorded roots agree again; 0: they do not */
    uint64_t seen_tick;   /* the state before it is what component or cell is of */
    char how[LS_DIVERGENCE_TEXT_BYTES]; /* how all this is known, or why it is not */
} ls_divergence;

/* Fill in texts. ls_divergence_add_name() appends after a comma; the others replace. Text that does
 * not fit is left out. */
void ls_divergence_set(char to[LS_DIVERGENCE_NAME_BYTES], const char *text); /* NULL: "" */
void ls_divergence_add_name(char *to, size_t bytes, const char *name);
/* Component, entity, field and both values. */
void ls_divergence_set_place(ls_divergence *divergence, const ls_program *program,
                             const ls_difference *difference);

/* Adds its rows and members to a result that was begun. */
void ls_divergence_tell(const ls_divergence *divergence, ls_result_writer *result);
/* Only the component, with the systems that write it, the entity and the field. */
void ls_divergence_tell_cell(const ls_divergence *divergence, ls_result_writer *result);

#endif
