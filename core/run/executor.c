/* Executors. On one thread systems run in serial order; core/run/work_queue.c distributes them to
 * several threads. */
#include "core/run/executor_internal.h"

#include "core/base/platform_cpu.h"
#include "core/run/run.h"
#include "core/run/tick_check.h"
#include "core/run/work_queue.h"
#include <lockstep/executor.h>

/* The default of share_from without a cycle counter: worlds with fewer living entities run on one
 * thread. */
enum { ENTITIES_TO_SHARE = 1024 };

struct ls_executor {
    ls_executor_config config;
    ls_team *team; /* NULL: one thread */
    ls_work_queue queue;
};

uint32_t ls_executor_threads(const ls_executor *executor)
{
    return executor ? executor->config.threads : 1;
}

static void run_alone(const ls_tick_job *job, uint32_t position, uint64_t page_seed)
{
    if (!job->world->scratch->runs[position].is_off)
        ls_run_alone(job, position, page_seed);
}

static void run_measured(const ls_tick_job *job, uint32_t first, uint32_t end)
{
    uint64_t before = ls_cycles();
    for (uint32_t i = first; i < end; i++) {
        run_alone(job, i, 0);
        uint64_t now = ls_cycles();
        ls_thread_policy_spend(job->world->scratch->policy, i, now - before);
        before = now;
    }
}

/* Relaxed, here and in run_shuffled(), because one thread runs all systems. `pending` is atomic for
 * the work queue. */
static uint32_t load_pending(const ls_tick_job *job, uint32_t position)
{
    return atomic_load_explicit(&job->world->scratch->runs[position].pending, memory_order_relaxed);
}

/* Runs systems in a random legal order: any system with all predecessors ended may be next. */
static void run_shuffled(const ls_tick_job *job, uint64_t seed, uint32_t first, uint32_t end)
{
    const ls_program *program = job->world->program;
    ls_random_stream stream = ls_random_child(ls_random_root(seed), job->world->state.tick);
    uint64_t page_seed = ls_random_draw(stream, LS_SYSTEMS_MAX) | 1;
    bool is_done[LS_SYSTEMS_MAX] = {false};
    for (uint32_t i = first; i < end; i++)
        atomic_store_explicit(&job->world->scratch->runs[i].pending,
                              program->systems[i].predecessor_count, memory_order_relaxed);
    for (uint32_t step = first; step < end; step++) {
        uint32_t candidates[LS_SYSTEMS_MAX], count = 0;
        for (uint32_t i = first; i < end; i++) {
            if (!is_done[i] && load_pending(job, i) == 0)
                candidates[count++] = i;
        }
        LS_ASSERT(count > 0); /* the order has no cycle */
        uint32_t chosen = candidates[ls_random_below(ls_random_draw(stream, step), count)];
        run_alone(job, chosen, page_seed);
        is_done[chosen] = true;
        for (uint32_t i = 0; i < program->systems[chosen].successor_count; i++)
            atomic_fetch_sub_explicit(
                &job->world->scratch->runs[program->systems[chosen].successors[i]].pending, 1,
                memory_order_relaxed);
    }
}

static void run_paced(ls_executor *executor, const ls_tick_job *job, uint32_t first, uint32_t end)
{
    ls_world *world = job->world;
    uint32_t share_from = executor->config.share_from;
    bool has_home =
        executor->queue.has_homes && ls_thread_policy_has_home(world->scratch->policy, first);
    bool is_one_chunk = end - first == 1 &&
                        world->scratch->runs[first].chunks < 2 && /* chunks of its last run */
                        !ls_thread_policy_is_hint(world->scratch->policy, first);
    bool is_serial =
        share_from ? ls_store_count_living(world, share_from) < share_from : is_one_chunk;
    if (is_serial && !has_home && !executor->config.shuffle_seed) {
        ls_run_serially(job, first, end);
        return;
    }
    ls_thread_policy_run run = {.first = first, .end = end, .is_forced = share_from || has_home};
    ls_thread_policy_begin(world->scratch->policy, world, executor->config.threads, &run);
    if (executor->config.shuffle_seed)
        ls_thread_policy_shuffle(
            world->scratch->policy, &run,
            ls_random_child(ls_random_root(executor->config.shuffle_seed), world->state.tick));
    if (run.is_shared)
        ls_work_queue_run(&executor->queue, executor->team, job, &run);
    else if (run.is_measured)
        run_measured(job, first, end);
    else
        ls_run_serially(job, first, end);
    ls_thread_policy_end(world->scratch->policy, world, &run);
}

void ls_executor_run_here(ls_executor *executor, const ls_tick_job *job, uint32_t first,
                          uint32_t end)
{
    if (job->check)
        job->check->run_systems(job->check, job, first, end);
    else if (executor && executor->config.shuffle_seed)
        run_shuffled(job, executor->config.shuffle_seed, first, end);
    else
        ls_run_serially(job, first, end);
}

void ls_executor_run(ls_executor *executor, const ls_tick_job *job, uint32_t first, uint32_t end)
{
    if (executor && executor->team && !job->check)
        run_paced(executor, job, first, end);
    else
        ls_executor_run_here(executor, job, first, end);
}

void ls_executor_enter(ls_executor *executor, ls_world *world)
{
    if (!executor || !executor->team)
        return;
    if (!world->scratch->policy)
        world->scratch->policy = ls_thread_policy_create(world->program);
    ls_run_prepare(world, executor->config.threads);
    ls_team_enter(executor->team,
                  ls_thread_policy_is_shared(world->scratch->policy, world->program));
}

void ls_executor_leave(ls_executor *executor)
{
    if (executor && executor->team)
        ls_team_leave(executor->team);
}

/* The next free thread takes the next range, in order. */
struct range_job {
    ls_range_function *function;
    void *argument;
    uint32_t count, step;
    atomic_uint next; /* relaxed: deals out numbers, each once; the team orders all else */
};

static void take_ranges(void *argument, uint32_t worker)
{
    struct range_job *job = argument;
    uint32_t first;
    (void)worker;
    while ((first = atomic_fetch_add_explicit(&job->next, job->step, memory_order_relaxed)) <
           job->count)
        job->function(job->argument, first,
                      job->count - first < job->step ? job->count - first : job->step);
}

enum { RANGES_PER_THREAD = 8 };

void ls_executor_for(ls_executor *executor, uint32_t count, ls_range_function *function,
                     void *argument)
{
    if (!executor || !executor->team || count < 2) {
        function(argument, 0, count);
        return;
    }
    struct range_job ranges = {.function = function, .argument = argument, .count = count};
    ranges.step = count / (executor->config.threads * RANGES_PER_THREAD);
    ranges.step += ranges.step == 0;
    ls_team_run(executor->team, take_ranges, &ranges);
}

struct ls_trace *ls_executor_trace(const ls_executor *executor)
{
    return executor ? executor->config.trace : NULL;
}

static ls_status check_config(const ls_executor_config *config, ls_error *error)
{
    if (config->threads < 1 || config->threads > LS_THREADS_MAX)
        return ls_error_set(error, LS_ERROR_USAGE, "threads are 1 to %d, not %u", LS_THREADS_MAX,
                            config->threads);
    if (config->check && (config->threads > 1 || config->shuffle_seed))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "a check runs on one thread, and in the serial order");
    if (!config->pool.submit != !config->pool.wait)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "a thread pool has both functions, submit and wait; this one lacks %s",
                            config->pool.submit ? "wait" : "submit");
    if (config->pool.submit && config->is_pinned)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "the threads of a pool cannot be pinned; pin them where they start");
    return LS_OK;
}

ls_status ls_executor_create(const ls_executor_config *config, ls_executor **executor,
                             ls_error *error)
{
    *executor = NULL;
    ls_status status = check_config(config, error);
    if (status != LS_OK)
        return status;
    ls_executor *made = ls_alloc(sizeof *made);
    made->config = *config;
    if (!LS_HAS_CLOCK && made->config.share_from == 0)
        made->config.share_from = ENTITIES_TO_SHARE;
    if (config->threads > 1 && config->pool.submit)
        made->team = ls_team_create_on_pool(
            config->threads,
            &(ls_team_pool){config->pool.submit, config->pool.wait, config->pool.context});
    else if (config->threads > 1)
        status = ls_team_create(config->threads, config->is_pinned, &made->team, error);
    if (status != LS_OK) {
        ls_free(made);
        return status;
    }
    made->queue.has_homes = !config->pool.submit; /* a pool runs a worker on any of its threads */
    *executor = made;
    return LS_OK;
}

bool ls_executor_checks(const ls_executor *executor)
{
    return executor && executor->config.check;
}

void ls_executor_destroy(ls_executor *executor)
{
    if (!executor)
        return;
    ls_team_destroy(executor->team);
    ls_free(executor);
}
