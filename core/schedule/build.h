/* Data that the sources which build a schedule share. */
#ifndef LS_BUILD_H
#define LS_BUILD_H
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

#endif
