/* Maps names to systems: a system's own name, its labels, and the sets that those labels belong to.
 * Used while a schedule is built. */
#ifndef LS_NAME_TABLE_H
#define LS_NAME_TABLE_H
#include "core/base/graph.h"
#include "core/schedule/program_data.h"
#include <lockstep/schedule_report.h>

typedef struct ls_name_table {
    const ls_program *program;
    uint32_t count, words, slot_count; /* words of a set of systems */
    uint32_t *slots;                   /* of the hash table: 1 + index, or 0 */
    const char **names;
    uint64_t *members; /* by name: positions of program->systems */
} ls_name_table;

/* Reports sets of one name, and sets that are inside themselves; NULL when that is done. */
void ls_name_table_init(ls_name_table *names, const ls_program *program,
                        ls_schedule_report *report);
void ls_name_table_reset(ls_name_table *names);
/* Reports systems, setup and criteria that would draw the same random numbers. */
void ls_name_table_find_duplicates(const ls_program *program, ls_schedule_report *report);
/* The systems that answer to it, NULL when nothing has that name. */
const uint64_t *ls_name_table_find(const ls_name_table *names, const char *name);

#endif
