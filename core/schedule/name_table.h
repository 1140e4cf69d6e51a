/* Maps names to systems while a schedule is built: a system's own name, its labels, and the sets
 * with these labels. */
#ifndef LS_NAME_TABLE_H
#define LS_NAME_TABLE_H
#include "core/base/graph.h"
#include "core/schedule/program_data.h"
#include <lockstep/schedule_report.h>

typedef struct ls_name_table {
    const ls_program *program;
    uint32_t count, words, slot_count; /* `words`: words of a bit set of systems */
    uint32_t *slots;                   /* hash table: 1 + index of the name, or 0 */
    char **names;
    uint64_t *members; /* by name: bit set of positions of program->systems */
} ls_name_table;

/* Builds the table. Reports sets with the same name, and sets that are inside themselves; `report`
 * NULL: they were reported before. */
void ls_name_table_init(ls_name_table *names, const ls_program *program,
                        ls_schedule_report *report);
void ls_name_table_reset(ls_name_table *names);
/* Reports systems, setup and criteria that would draw the same random numbers. */
void ls_name_table_find_duplicates(const ls_program *program, ls_schedule_report *report);
/* The systems with this name, label or set; NULL when nothing has that name. */
const uint64_t *ls_name_table_find(const ls_name_table *names, const char *name);
/* A name in a list, and the system or set that has the list; its own name cannot be meant. */
typedef struct ls_name_use {
    const char *name;
    const char *owner; /* NULL: none */
} ls_name_use;

/* The name that was probably meant: the nearest other one. It differs in one letter if the name has
 * 3 to 5 letters, in at most two if it has more. NULL when there is none, or two are as near. */
const char *ls_name_table_nearest(const ls_name_table *names, ls_name_use use);
/* ls_name_table_nearest() among `count` names. */
const char *ls_name_nearest(const char *const *names, uint32_t count, ls_name_use use);
/* Prints the remedy for a name that nothing has. Returns the nearest name, or NULL. */
const char *ls_name_table_advise(const ls_name_table *names, ls_name_use use, char *text,
                                 size_t bytes);

#endif
