/* Read access to the order of a finished program. */
#include <lockstep/program_view.h>

#include "core/schedule/program_data.h"

uint32_t ls_program_stage_count(const ls_program *program)
{
    return program->stage_count;
}

const ls_stage *ls_program_stage(const ls_program *program, uint32_t index)
{
    LS_ASSERT(index < program->stage_count);
    return program->stages[index].stage;
}

/* The group of a position: stage and slot as one number. */
static uint32_t group_at(const ls_program *program, uint32_t position)
{
    uint32_t group = 0;
    while (position >= program->stages[group / LS_SLOT_COUNT].first[group % LS_SLOT_COUNT + 1])
        group++;
    return group;
}

uint32_t ls_program_stage_of(const ls_program *program, uint32_t position)
{
    LS_ASSERT(position < program->system_count);
    return group_at(program, position) / LS_SLOT_COUNT;
}

bool ls_program_is_fork(const ls_program *program, uint32_t position)
{
    LS_ASSERT(position < program->system_count);
    return program->systems[position].step == LS_STEP_FORK;
}

bool ls_program_is_merge(const ls_program *program, uint32_t position)
{
    LS_ASSERT(position < program->system_count);
    return program->systems[position].step == LS_STEP_MERGE;
}

bool ls_program_is_ordered(const ls_program *program, uint32_t earlier, uint32_t later)
{
    uint32_t one = group_at(program, earlier), other = group_at(program, later);
    return one == other ? ls_graph_has(&program->paths, earlier, later) : one < other;
}
