/* What the files share that build a schedule. */
#ifndef LS_SCHEDULE_INTERNAL_H
#define LS_SCHEDULE_INTERNAL_H

#include "core/schedule/name_table.h"
#include "core/schedule/stages.h"

/* While building; nodes are positions of program->systems, which go by stage, slot and name. */
typedef struct ls_build {
    ls_program *program;
    ls_schedule_report *report;
    ls_name_table names;
    ls_graph edges, weak, conflicts, ambiguous;
    ls_graph algebra; /* between indices of the simulation's list */
    ls_graph listed;  /* edges that only the order of the list gives */
    uint32_t *groups; /* by system: stage * LS_SLOT_COUNT + when its slot comes */
} ls_build;

/* core/schedule/ambiguity.c: the systems are in their order, and program->paths is filled. */
void ls_ambiguities_find(ls_build *build);

/* core/schedule/insertion.c: where a stage asks for it, edges between conflicting systems as they
 * are listed, unless something else orders them. */
void ls_insertion_order_add(ls_build *build);

/* core/schedule/algebra.c: the simulation's expression as edges and pars. `names` are made. */
void ls_algebra_read(ls_build *build);

#endif
