#include "core/tick.h"

#include "core/check.h"
#include "core/death.h"
#include "core/merge.h"
#include "core/stop.h"

#include <inttypes.h>

void ls_tick_synchronise(ls_world *world, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const ls_plan_system *plan = ls_plan_at(world->program, i);
        if (world->runs[i].is_off)
            continue;
        if (plan->has_start)
            ls_run_release_start(world, i);
        if (plan->commands)
            ls_merge_commands(world, i);
    }
    ls_death_sweep(world);
    ls_store_reclaim(world);
}

void ls_decide(ls_context *context, ls_decision decision)
{
    uint32_t count = context->world->program->system_count;
    if (context->position <= count)
        ls_stop(context, LS_NO_TERM, LS_ENTITY_NULL, "is no run criterion, but decides");
    uint32_t gate = context->position - count - 1;
    if (decision >= LS_NO_AND_AGAIN && !context->world->program->gates[gate].set->iterations_max)
        ls_stop(context, LS_NO_TERM, LS_ENTITY_NULL,
                "wants to be asked again, but its set has no iterations_max");
    context->world->gates[gate].decision = decision;
}

uint32_t ls_iteration(const ls_context *context)
{
    return context->world->iteration;
}

/* A criterion that does not decide says no. */
static void ask(const ls_tick_job *job, uint32_t gate)
{
    ls_world *world = job->world;
    const ls_set *set = world->program->gates[gate].set;
    uint32_t position = world->program->system_count + 1 + gate;
    bool is_due = set->every == 0 || world->state.tick % set->every == set->phase;
    world->gates[gate].decision = is_due && !set->criterion ? LS_YES : LS_NO;
    if (!is_due || !set->criterion)
        return;
    if (job->check) {
        ls_check_system(job, position);
        return;
    }
    ls_run_begin(job, position, 1);
    ls_run_chunk(job, position, 0, 0, 0);
    ls_run_end(job, position);
}

static bool has_member(const ls_plan_gate *gate, const ls_program *program,
                       const ls_plan_stage *stage)
{
    return ls_bits_next(gate->members, program->paths.words, stage->first[0]) <
           stage->first[LS_SLOT_COUNT];
}

/* In a later iteration only those are asked that wanted to be; the others' answers hold. */
static void ask_gates(const ls_tick_job *job, const ls_plan_stage *stage)
{
    ls_world *world = job->world;
    const ls_program *program = world->program;
    for (uint32_t i = 0; i < program->gate_count; i++) {
        ls_gate *gate = &world->gates[i];
        gate->is_asked = (world->iteration == 0 || gate->decision >= LS_NO_AND_AGAIN) &&
                         has_member(&program->gates[i], program, stage);
        if (gate->is_asked)
            ask(job, i);
    }
}

static bool runs_now(const ls_world *world, uint32_t position)
{
    const ls_program *program = world->program;
    const ls_plan_system *plan = &program->systems[position];
    bool is_asked = world->iteration == 0;
    for (uint32_t i = 0; i < program->gate_count; i++) {
        if (!ls_bit_has(program->gates[i].members, position))
            continue;
        if (world->gates[i].decision != LS_YES && world->gates[i].decision != LS_YES_AND_AGAIN)
            return false;
        is_asked |= world->gates[i].is_asked;
    }
    for (uint32_t i = 0; i < plan->need_count; i++)
        is_asked &= !world->runs[plan->needs[i]].is_off;
    return is_asked;
}

/* Events of a system that is off would be those of another tick. */
static void open_gates(const ls_tick_job *job, const ls_plan_stage *stage)
{
    ls_world *world = job->world;
    ask_gates(job, stage);
    for (uint32_t i = stage->first[0]; i < stage->first[LS_SLOT_COUNT]; i++) {
        world->runs[i].is_off = !runs_now(world, i);
        if (world->runs[i].is_off && world->iteration == 0)
            world->runs[i].journal.count = 0;
    }
}

/* The gate that wants another iteration, or gate_count. */
static uint32_t find_looping(const ls_world *world)
{
    uint32_t i = 0;
    while (i < world->program->gate_count &&
           !(world->gates[i].is_asked && world->gates[i].decision >= LS_NO_AND_AGAIN))
        i++;
    return i;
}

/* Alone one after the other, in the order that their slot gives all of them, or beside each other.
 * Those born before are settled: nobody of another slot was without an order with their spawner. */
static void run_slot(const ls_tick_job *job, const ls_plan_stage *stage, uint32_t slot,
                     ls_executor *executor)
{
    job->world->births_epoch++;
    if (stage->first[slot] < stage->first[slot + 1])
        ls_executor_run(executor, job, stage->first[slot], stage->first[slot + 1]);
}

/* What the last slot commanded is not left to the next stage, or tick. */
static void run_once(const ls_tick_job *job, const ls_plan_stage *stage, ls_executor *executor)
{
    enum { AT_START, PARALLEL, BEFORE_COMMANDS, AT_END };
    run_slot(job, stage, AT_START, NULL);
    run_slot(job, stage, PARALLEL, executor);
    run_slot(job, stage, BEFORE_COMMANDS, NULL);
    ls_tick_synchronise(job->world, stage->first[AT_START], stage->first[AT_END]);
    run_slot(job, stage, AT_END, NULL);
    if (stage->first[AT_END] < stage->first[LS_SLOT_COUNT])
        ls_tick_synchronise(job->world, stage->first[AT_END], stage->first[LS_SLOT_COUNT]);
}

static ls_status run_stage(const ls_tick_job *job, const ls_plan_stage *stage,
                           ls_executor *executor, ls_error *error)
{
    ls_world *world = job->world;
    const ls_program *program = world->program;
    world->iteration = 0;
    if (program->gate_count == 0) {
        run_once(job, stage, executor);
        return LS_OK;
    }
    for (uint32_t looping = 0; looping < program->gate_count; world->iteration++) {
        open_gates(job, stage);
        run_once(job, stage, executor);
        looping = find_looping(world);
        if (looping == program->gate_count)
            break;
        const ls_set *set = program->gates[looping].set;
        if (world->iteration + 1 == set->iterations_max)
            return ls_error_set(
                error, LS_ERROR_LIMIT,
                "tick %" PRIu64 ": set \"%s\" wants stage \"%s\" to run again after "
                "%u times, its iterations_max",
                world->state.tick, set->name, stage->stage->name, set->iterations_max);
    }
    world->iteration = 0;
    return LS_OK;
}

ls_status ls_tick_run(const ls_tick_job *job, ls_executor *executor, ls_error *error)
{
    const ls_program *program = job->world->program;
    ls_store_own_written(job->world);
    for (uint32_t i = 0; i < program->stage_count; i++) {
        ls_status status = run_stage(job, &program->stages[i], executor, error);
        if (status != LS_OK)
            return status;
    }
    job->world->state.tick++;
    return LS_OK;
}
