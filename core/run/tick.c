#include "core/run/tick.h"

#include "core/run/access_fault.h"
#include "core/run/command_merge.h"
#include "core/run/despawn.h"
#include "core/run/executor_internal.h"
#include "core/run/fact_check.h"
#include "core/run/fork.h"
#include "core/run/kept_events.h"
#include "core/run/merge.h"
#include "core/run/tick_check.h"
#include "core/state/baseline.h"
#include <lockstep/context.h>
#include <lockstep/snapshot.h>

#include <inttypes.h>
#include <string.h>

static void merge_leftovers(ls_world *world, uint32_t first, uint32_t end)
{
    const uint64_t *leftovers = world->scratch->leftovers;
    uint32_t words = LS_BIT_WORDS(end);
    for (uint32_t i = ls_bits_next(leftovers, words, first); i < end;
         i = ls_bits_next(leftovers, words, i + 1)) {
        const ls_plan_system *plan = ls_plan_at(world->program, i);
        if (world->scratch->runs[i].is_off)
            continue;
        if (plan->has_start)
            ls_run_release_start(world, i);
        if (plan->commands)
            ls_merge_commands(world, i);
        if (plan->commands_pairs)
            ls_fact_check_commands(world, i);
    }
}

void ls_tick_synchronise(ls_world *world, uint32_t first, uint32_t end)
{
    if (world->scratch->leftovers)
        merge_leftovers(world, first, end);
    if (LS_UNLIKELY(world->program->par_count))
        ls_fork_release(world, first, end);
    if (LS_UNLIKELY(world->program->baseline_count))
        ls_baseline_release(world);
    ls_despawn_sweep(world);
    ls_store_reclaim(world);
}

bool ls_tick_has_cycle(ls_world *world)
{
    ls_scratch *scratch = world->scratch;
    scratch->has_cycle =
        scratch->parents && ls_parents_find_cycle(scratch->parents, world, &scratch->cycle);
    return scratch->has_cycle;
}

/* Runs the criterion of a gate. The default answer is no. */
static void evaluate_gate(const ls_tick_job *job, uint32_t gate)
{
    ls_world *world = job->world;
    const ls_condition *when = world->program->gates[gate].when;
    uint32_t position = ls_plan_first_gate(world->program) + gate;
    bool is_due = when->every == 0 || world->state.tick % when->every == when->phase;
    world->scratch->gates[gate].decision = is_due && !when->criterion ? LS_YES : LS_NO;
    if (!is_due || !when->criterion)
        return;
    if (job->check) {
        job->check->run_system(job->check, job, position);
        return;
    }
    ls_run_alone(job, position, 0);
}

/* Records a slice of a stage in the trace. */
static void note_slice(const ls_tick_job *job, ls_trace_kind kind, uint32_t stage,
                       uint64_t start_ns)
{
    if (LS_UNLIKELY(job->trace != NULL))
        ls_run_note_slice(job,
                          (ls_trace_slice){.kind = kind, .index = stage, .start_ns = start_ns});
}

static bool has_member(const ls_plan_gate *gate, const ls_program *program,
                       const ls_plan_stage *stage)
{
    return gate->set && ls_bits_next(gate->members, program->paths.words, stage->first[0]) <
                            stage->first[LS_SLOT_COUNT];
}

static bool runs(ls_decision decision)
{
    return decision == LS_YES || decision == LS_YES_AND_AGAIN;
}

/* Asks the criteria of the stage's sets. A repetition asks only those that wanted to be asked
 * again; the others keep their answers. */
static void evaluate_set_gates(const ls_tick_job *job, const ls_plan_stage *stage, bool is_first)
{
    ls_world *world = job->world;
    const ls_program *program = world->program;
    for (uint32_t i = 0; i < program->gate_count; i++) {
        ls_gate *gate = &world->scratch->gates[i];
        gate->is_evaluated = (is_first || gate->decision >= LS_NO_AND_AGAIN) &&
                             has_member(&program->gates[i], program, stage);
        if (gate->is_evaluated)
            evaluate_gate(job, i);
    }
}

/* Whether all systems run that this one needs. A system of the same stage must be allowed by its
 * sets now; a system of an earlier stage must have run. */
static bool has_needed(const ls_world *world, const ls_plan_stage *stage, uint32_t position)
{
    const ls_plan_system *plan = &world->program->systems[position];
    for (uint32_t i = 0; i < plan->need_count; i++) {
        const ls_run *needed = &world->scratch->runs[plan->needs[i]];
        if (plan->needs[i] < stage->first[0] ? !needed->has_run : needed->is_refused)
            return false;
    }
    return true;
}

/* Decides whether a system runs in this iteration. In a repetition it runs only if one of its sets
 * was asked again. Steps of pars always run. */
static void open_system(const ls_world *world, const ls_plan_stage *stage, uint32_t position,
                        bool is_first)
{
    const ls_program *program = world->program;
    ls_run *run = &world->scratch->runs[position];
    bool is_evaluated = is_first;
    run->is_refused = !has_needed(world, stage, position);
    for (uint32_t i = 0; i < program->gate_count; i++) {
        if (!program->gates[i].set || !ls_bit_has(program->gates[i].members, position))
            continue;
        run->is_refused |= !runs(world->scratch->gates[i].decision);
        is_evaluated |= world->scratch->gates[i].is_evaluated;
    }
    run->is_off = !program->systems[position].step && (run->is_refused || !is_evaluated);
    run->has_run = (run->has_run && !is_first) || !run->is_off;
}

/* Called for a system that is off. In the first run of its stage its buffer has events of an
 * earlier tick, which are dropped. */
static void note_off(const ls_tick_job *job, uint32_t position, uint32_t run_number)
{
    ls_world *world = job->world;
    if (LS_UNLIKELY(job->trace != NULL))
        ls_trace_add(job->trace, (ls_trace_slice){.start_ns = ls_trace_now(job->trace),
                                                  .tick = world->state.tick,
                                                  .kind = LS_TRACE_OFF,
                                                  .index = position,
                                                  .run = run_number});
    if (run_number == 0)
        world->scratch->runs[position].commands.count = 0;
}

static uint32_t stage_index(const ls_world *world, const ls_plan_stage *stage)
{
    return (uint32_t)(stage - world->program->stages);
}

static void open_sets(const ls_tick_job *job, const ls_plan_stage *stage, bool is_first)
{
    ls_world *world = job->world;
    uint64_t start_ns = ls_trace_now(job->trace);
    evaluate_set_gates(job, stage, is_first);
    note_slice(job, LS_TRACE_CRITERIA, stage_index(world, stage), start_ns);
    for (uint32_t i = stage->first[0]; i < stage->first[LS_SLOT_COUNT]; i++) {
        open_system(world, stage, i, is_first);
        if (world->scratch->runs[i].is_off)
            note_off(job, i, world->run_number);
    }
}

/* The set that wants another iteration; gate_count when there is none. */
static uint32_t find_looping(const ls_world *world)
{
    uint32_t i = 0;
    while (i < world->program->gate_count &&
           !(world->scratch->gates[i].is_evaluated &&
             world->scratch->gates[i].decision >= LS_NO_AND_AGAIN))
        i++;
    return i;
}

/* Runs one slot: serially in the given order, or in parallel. Entities spawned in earlier slots are
 * visible, because slots are totally ordered. */
static inline void run_slot(const ls_tick_job *job, const ls_plan_stage *stage, uint32_t slot,
                            ls_executor *executor)
{
    job->world->spawn_epoch++;
    uint32_t first = stage->first[slot], end = stage->first[slot + 1];
    if (first == end)
        return;
    if (stage->stage->main_thread)
        ls_executor_run_here(executor, job, first, end);
    else
        ls_executor_run(executor, job, first, end);
}

static void synchronise(const ls_tick_job *job, const ls_plan_stage *stage, uint32_t slot,
                        uint32_t end)
{
    uint64_t start_ns = ls_trace_now(job->trace);
    ls_tick_synchronise(job->world, stage->first[slot], stage->first[end]);
    note_slice(job, LS_TRACE_SYNC, stage_index(job->world, stage), start_ns);
    ls_tick_hook_call(job->hook, job->world, LS_POINT_SYNCED, stage_index(job->world, stage));
}

/* A second sync point applies commands of the last slot, so that none are left for the next stage
 * or tick. */
static void run_slots(const ls_tick_job *job, const ls_plan_stage *stage, ls_executor *executor)
{
    enum { AT_START, PARALLEL, BEFORE_COMMANDS, AT_END };
    run_slot(job, stage, AT_START, NULL);
    uint64_t start_ns = ls_trace_now(job->trace);
    run_slot(job, stage, PARALLEL, executor);
    note_slice(job, LS_TRACE_PARALLEL, stage_index(job->world, stage), start_ns);
    run_slot(job, stage, BEFORE_COMMANDS, NULL);
    synchronise(job, stage, AT_START, AT_END);
    run_slot(job, stage, AT_END, NULL);
    if (stage->first[AT_END] < stage->first[LS_SLOT_COUNT])
        synchronise(job, stage, AT_END, LS_SLOT_COUNT);
}

/* Numbers a run of the stage's own systems; no other run of that stage in this tick has the same
 * number. */
static void set_run_number(ls_world *world, uint32_t stage)
{
    world->run_number = world->scratch->stage_runs[stage];
    world->iteration = world->scratch->stage_runs[stage] - world->scratch->loop_starts[stage];
}

static ls_status fail_loop(const ls_world *world, const ls_plan_gate *gate, const ls_stage *stage,
                           ls_error *error)
{
    const char *name = gate->set ? gate->set->name : gate->stage->name;
    return ls_error_set(error, LS_ERROR_LIMIT,
                        "tick %" PRIu64
                        ": %s \"%s\" wants stage \"%s\" to run again after %u times, "
                        "its iterations_max",
                        world->state.tick, gate->set ? "set" : "the criterion of stage", name,
                        stage->name, gate->when->iterations_max);
}

/* Whether the tick has to fail. The caller of ls_tick_run() writes the message. */
static bool has_failed(ls_world *world)
{
    return world->views->conflict.is_set || world->scratch->breach.is_set ||
           world->scratch->partner_breach.is_set || ls_tick_has_cycle(world);
}

static ls_status run_own_systems(const ls_tick_job *job, uint32_t index, ls_executor *executor,
                                 ls_error *error)
{
    ls_world *world = job->world;
    const ls_program *program = world->program;
    const ls_plan_stage *stage = &program->stages[index];
    uint32_t looping = 0;
    for (uint32_t iteration = 0; looping < program->gate_count || iteration == 0; iteration++) {
        set_run_number(world, index);
        if (program->gate_count)
            open_sets(job, stage, iteration == 0);
        run_slots(job, stage, executor);
        world->scratch->stage_runs[index]++;
        if (has_failed(world))
            return LS_ERROR_REFUSED;
        looping = find_looping(world);
        if (looping < program->gate_count &&
            iteration + 1 >= program->gates[looping].when->iterations_max)
            return fail_loop(world, &program->gates[looping], stage->stage, error);
    }
    return LS_OK;
}

static ls_status run_stages(const ls_tick_job *job, uint32_t first, uint32_t end,
                            ls_executor *executor, ls_error *error);

/* Runs the stage's own systems, then the stages within it. */
static ls_status run_with_nested(const ls_tick_job *job, uint32_t index, ls_executor *executor,
                                 ls_error *error)
{
    ls_status status = run_own_systems(job, index, executor, error);
    uint32_t end = job->world->program->stages[index].end;
    return status == LS_OK && index + 1 < end ? run_stages(job, index + 1, end, executor, error)
                                              : status;
}

static void skip_stages(const ls_tick_job *job, uint32_t first, uint32_t end)
{
    const ls_world *world = job->world;
    const ls_plan_stage *stages = world->program->stages;
    for (uint32_t i = first; i < end; i++) {
        for (uint32_t j = stages[i].first[0]; j < stages[i].first[LS_SLOT_COUNT]; j++) {
            world->scratch->runs[j].is_off = world->scratch->runs[j].is_refused = true;
            world->scratch->runs[j].has_run = false;
            note_off(job, j, world->scratch->stage_runs[i]);
        }
    }
}

/* Runs a stage with a condition, and all stages within it. */
static ls_status run_gated(const ls_tick_job *job, uint32_t index, ls_executor *executor,
                           ls_error *error)
{
    ls_world *world = job->world;
    const ls_plan_stage *stage = &world->program->stages[index];
    const ls_plan_gate *gate = &world->program->gates[stage->gate];
    for (uint32_t i = index; gate->when->iterations_max && i < stage->end; i++)
        world->scratch->loop_starts[i] = world->scratch->stage_runs[i];
    for (uint32_t iteration = 0;; iteration++) {
        set_run_number(world, index);
        world->iteration = iteration;
        uint64_t start_ns = ls_trace_now(job->trace);
        evaluate_gate(job, stage->gate);
        note_slice(job, LS_TRACE_CRITERIA, index, start_ns);
        /* The stages within this one ask only their own gates, so this decision stays valid. */
        ls_decision decision = world->scratch->gates[stage->gate].decision;
        ls_status status = LS_OK;
        if (runs(decision))
            status = run_with_nested(job, index, executor, error);
        else
            skip_stages(job, index, stage->end);
        if (status != LS_OK || decision < LS_NO_AND_AGAIN)
            return status;
        world->scratch->stage_runs[index] += !runs(decision);
        if (iteration + 1 == gate->when->iterations_max)
            return fail_loop(world, gate, stage->stage, error);
    }
}

/* Recursive with the functions above, as deep as stages are nested. */
static ls_status run_stages(const ls_tick_job *job, uint32_t first, uint32_t end,
                            ls_executor *executor, ls_error *error)
{
    const ls_plan_stage *stages = job->world->program->stages;
    ls_status status = LS_OK;
    for (uint32_t i = first; status == LS_OK && i < end; i = stages[i].end) {
        uint64_t start_ns = ls_trace_now(job->trace);
        status = stages[i].gate == UINT32_MAX ? run_with_nested(job, i, executor, error)
                                              : run_gated(job, i, executor, error);
        note_slice(job, LS_TRACE_STAGE, i, start_ns);
    }
    return status;
}

/* A part that is one system runs on this thread: the time of a slot with it alone would mislead the
 * thread policy. Steps of pars run too, to merge the sides' changes; systems outside of the part
 * count as having run. */
static ls_status run_part(const ls_tick_job *job, ls_executor *executor, ls_error *error)
{
    const ls_tick_part *part = job->part;
    const ls_program *program = job->world->program;
    const ls_plan_stage *stage = &program->stages[part->stage];
    ls_run *runs = job->world->scratch->runs;
    bool is_system = part->position != UINT32_MAX;
    for (uint32_t i = 0; i < program->system_count; i++) {
        runs[i].has_run = true;
        runs[i].is_off = is_system && i != part->position && !program->systems[i].step;
    }
    ls_status status = LS_OK;
    if (is_system) {
        run_slots(job, stage, ls_executor_threads(executor) > 1 ? NULL : executor);
        status = has_failed(job->world) ? LS_ERROR_REFUSED : LS_OK;
    } else {
        status = run_with_nested(job, part->stage, executor, error);
    }
    for (uint32_t i = 0; i < program->system_count; i++)
        runs[i].is_off = false;
    return status;
}

static ls_status run_all(const ls_tick_job *job, ls_executor *executor, ls_error *error)
{
    uint64_t start_ns = ls_trace_now(job->trace);
    ls_status status = run_stages(job, 0, job->world->program->stage_count, executor, error);
    note_slice(job, LS_TRACE_TICK, 0, start_ns);
    return status;
}

ls_status ls_tick_run(const ls_tick_job *job, ls_executor *executor, ls_error *error)
{
    ls_world *world = job->world;
    ls_store_own_written(world);
    world->views->conflict.is_set = world->scratch->has_cycle = false;
    world->scratch->breach.is_set = world->scratch->partner_breach.is_set = false;
    size_t stages = world->program->stage_count;
    memset(world->scratch->stage_runs, 0, sizeof *world->scratch->stage_runs * stages);
    memset(world->scratch->loop_starts, 0, sizeof *world->scratch->loop_starts * stages);
    ls_executor_enter(executor, world);
    ls_status status = job->part ? run_part(job, executor, error) : run_all(job, executor, error);
    ls_executor_leave(executor);
    world->iteration = world->run_number = 0;
    world->has_events = status == LS_OK;
    world->scratch->has_part_events = job->part != NULL;
    if (status != LS_OK || job->part)
        return status;
    ls_kept_events_age(world);
    world->state.tick++;
    return LS_OK;
}

ls_status ls_tick_rerun(const ls_tick_job *job)
{
    ls_snapshot *before = ls_world_snapshot(job->world);
    ls_status status = ls_tick_run(job, NULL, NULL);
    ls_world_restore(job->world, before);
    ls_snapshot_destroy(before);
    return status;
}
