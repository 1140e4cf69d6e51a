/* Data shared by the sources that build a schedule. */
#ifndef LS_BUILD_H
#define LS_BUILD_H
#include "core/schedule/name_table.h"
#include "core/schedule/stages.h"

/* A schedule being built. Nodes are positions of program->systems, sorted by stage, slot and
 * name. */
typedef struct ls_build {
    ls_program *program;
    ls_schedule_report *report;
    ls_name_table names;
    ls_graph edges, weak, conflicts, ambiguous;
    ls_graph algebra;   /* edges of the algebra; nodes are indexes of the simulation's list */
    ls_graph listed;    /* edges that come only from the order of the list */
    ls_graph cyclic;    /* if there are cycles: an edge for each path; otherwise empty */
    bool has_stages;    /* the order of the stages is known */
    uint64_t *doubtful; /* while pairs are checked, bit by system: an earlier finding names it */
    uint32_t *groups;   /* by position: stage * LS_SLOT_COUNT + the slot's place in the stage */
} ls_build;

#endif
