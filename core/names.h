/* Who answers to which name: systems to their own, to their labels, and to the sets that those are
 * in. Made while a schedule is built. */
#ifndef LS_NAMES_H
#define LS_NAMES_H

#include "core/graph.h"
#include "core/program_internal.h"
#include "core/schedule_report.h"

typedef struct ls_names {
    const ls_program *program;
    uint32_t count, words, slot_count; /* words of a set of systems */
    uint32_t *slots;                   /* of the hash table: 1 + index, or 0 */
    const char **names;
    uint64_t *members; /* by name: positions of program->systems */
} ls_names;

/* Reports sets of one name, and sets that are inside themselves; NULL when that is done. */
void ls_names_init(ls_names *names, const ls_program *program, ls_schedule_report *report);
void ls_names_reset(ls_names *names);
/* Reports systems, setup and criteria that would draw the same random numbers. */
void ls_names_find_duplicates(const ls_program *program, ls_schedule_report *report);
/* The systems that answer to it, NULL when nothing has that name. */
const uint64_t *ls_names_find(const ls_names *names, const char *name);

#endif
