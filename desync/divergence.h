/* All that is known about the tick in which a replay diverges from its recording. It comes from
 * runs of that tick in variants, until one ends as recorded. The column hashes and states that the
 * file holds after the tick add to it. Plain text without pointers, so that one process can hand it
 * to another. */
#ifndef LS_DIVERGENCE_H
#define LS_DIVERGENCE_H

#include "core/base/result_writer.h"
#include <lockstep/diff.h>
#include <lockstep/recording.h>
#include <lockstep/root_ring.h>

enum { LS_DIVERGENCE_NAME_BYTES = 96, LS_DIVERGENCE_TEXT_BYTES = 320 };

/* Unknown texts are empty; long texts are cut. */
typedef struct ls_divergence {
    bool is_start; /* the states already differ before the first tick */
    /* The tick that made the difference; with is_start, the tick before which the states differ. */
    uint64_t tick;
    uint64_t expected_root, found_root; /* after `tick`; with is_start before it */
    char system[LS_DIVERGENCE_NAME_BYTES];
    char component[LS_DIVERGENCE_NAME_BYTES];
    char entity[LS_DIVERGENCE_NAME_BYTES]; /* also empty for a singleton */
    char field[LS_DIVERGENCE_NAME_BYTES];
    char expected[LS_DIVERGENCE_NAME_BYTES], found[LS_DIVERGENCE_NAME_BYTES];
    char line[LS_DIVERGENCE_TEXT_BYTES];    /* of the store, as `function at file:line` */
    char columns[LS_DIVERGENCE_TEXT_BYTES]; /* components that differ, if the file tells */
    char writers[LS_DIVERGENCE_TEXT_BYTES]; /* systems that may write the component */
    char why[LS_DIVERGENCE_TEXT_BYTES];     /* what the system did, in words */
    uint64_t agrees_tick; /* from this tick on all recorded roots agree again; 0: none found */
    uint64_t seen_tick;   /* component and cell are those of the state before this tick */
    char how[LS_DIVERGENCE_TEXT_BYTES]; /* how the above is known, or why it is not */
} ls_divergence;

/* Fill in texts. ls_divergence_add_name() appends after a comma; ls_divergence_set() replaces. Text
 * that does not fit is left out. */
void ls_divergence_set(char to[LS_DIVERGENCE_NAME_BYTES], const char *text); /* NULL: "" */
void ls_divergence_add_name(char *to, size_t bytes, const char *name);
/* Sets component, entity, field and both values. */
void ls_divergence_set_place(ls_divergence *divergence, const ls_program *program,
                             const ls_difference *difference);

/* Adds the divergence, as lines of text and members of JSON, to a result that was begun. */
void ls_divergence_print(const ls_divergence *divergence, ls_result_writer *result);
/* Adds only the component, with the systems that write it, the entity and the field. */
void ls_divergence_print_cell(const ls_divergence *divergence, ls_result_writer *result);

#endif
