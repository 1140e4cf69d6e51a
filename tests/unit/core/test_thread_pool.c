/* Executors on the application's own thread pool: no result depends on when or where it runs a
 * task. */
#include "harness.h"

#include "sample_sim.h"

#include "core/base/platform_cpu.h"
#include "core/base/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { TICKS = 40, BEASTS = 3000, SPARKS = 100, QUEUE_MAX = 64 };

typedef enum pool_kind {
    ON_THREADS,   /* each task as soon as a thread is free */
    AFTER_A_TICK, /* on threads, but only once release_tasks() allows it */
    IN_WAIT,      /* never in time: on the thread that waits */
    IN_SUBMIT,    /* at once, on the thread that submits */
} pool_kind;

typedef struct pool {
    pool_kind kind;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct {
        ls_thread_pool_task *task;
        void *argument;
    } queue[QUEUE_MAX];
    uint32_t first, end, allowed; /* tasks before `allowed` may begin */
    uint32_t running, open_max;   /* tasks that run; the most that were submitted and had not run */
    bool is_ending;
    uint64_t float_control;     /* of its threads; 0: as they start */
    atomic_bool has_other_mode; /* a task has left another one behind */
    uint32_t thread_count;
    pthread_t threads[4];
} pool;

static void run_one(pool *self)
{
    uint32_t at = self->first++ % QUEUE_MAX;
    ls_thread_pool_task *task = self->queue[at].task;
    void *argument = self->queue[at].argument; /* the place is free once the mutex is */
    self->running++;
    pthread_mutex_unlock(&self->mutex);
    task(argument);
    pthread_mutex_lock(&self->mutex);
    self->running--;
    pthread_cond_broadcast(&self->changed);
}

static void *run_tasks(void *argument)
{
    pool *self = argument;
    if (self->float_control)
        ls_float_control_set(self->float_control);
    uint64_t mode = ls_float_control();
    pthread_mutex_lock(&self->mutex);
    while (!self->is_ending) {
        if (self->first < self->allowed)
            run_one(self);
        else
            pthread_cond_wait(&self->changed, &self->mutex);
    }
    pthread_mutex_unlock(&self->mutex);
    if (ls_float_control() != mode)
        atomic_store(&self->has_other_mode, true);
    return NULL;
}

static void submit(void *context, ls_thread_pool_task *task, void *argument)
{
    pool *self = context;
    pthread_mutex_lock(&self->mutex);
    assert_true(self->end - self->first < QUEUE_MAX);
    self->queue[self->end % QUEUE_MAX].task = task;
    self->queue[self->end++ % QUEUE_MAX].argument = argument;
    uint32_t open = self->end - self->first;
    self->open_max = open > self->open_max ? open : self->open_max;
    if (self->kind == ON_THREADS)
        self->allowed = self->end;
    if (self->kind == IN_SUBMIT)
        run_one(self);
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->mutex);
}

static void release_tasks(pool *self)
{
    pthread_mutex_lock(&self->mutex);
    self->allowed = self->end;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->mutex);
}

static void wait_for_one(void *context)
{
    pool *self = context;
    pthread_mutex_lock(&self->mutex);
    self->allowed = self->end;
    pthread_cond_broadcast(&self->changed);
    if (self->thread_count == 0 && self->first < self->end)
        run_one(self);
    else if (self->first < self->end || self->running)
        pthread_cond_wait(&self->changed, &self->mutex);
    pthread_mutex_unlock(&self->mutex);
}

static void start(pool *self)
{
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->changed, NULL);
    for (uint32_t i = 0; i < self->thread_count; i++)
        assert_int_equal(pthread_create(&self->threads[i], NULL, run_tasks, self), 0);
}

/* Every task has run: the executors have taken back their memory. */
static void stop(pool *self)
{
    pthread_mutex_lock(&self->mutex);
    assert_int_equal(self->first, self->end);
    self->is_ending = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->mutex);
    for (uint32_t i = 0; i < self->thread_count; i++)
        pthread_join(self->threads[i], NULL);
    assert_false(self->has_other_mode);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->mutex);
}

static ls_thread_pool pool_of(pool *self)
{
    return (ls_thread_pool){.submit = submit, .wait = wait_for_one, .context = self};
}

static ls_executor *make_executor(pool *self, uint32_t threads, uint64_t shuffle_seed)
{
    const ls_executor_config config = {
        .threads = threads, .shuffle_seed = shuffle_seed, .share_from = 1, .pool = pool_of(self)};
    ls_executor *executor;
    assert_int_equal(ls_executor_create(&config, &executor, NULL), LS_OK);
    return executor;
}

static void advance(ls_world *world, ls_executor *executor)
{
    sample_frame sample;
    sample_frame_init(&sample, world);
    assert_int_equal(ls_world_advance(world, &sample.frame, executor, NULL), LS_OK);
}

static void compare(pool self, uint32_t threads, uint64_t shuffle_seed)
{
    ls_program *program;
    ls_world *serial, *world;
    assert_int_equal(ls_program_create(&sample_sim, &program, NULL), LS_OK);
    ls_match match = ls_program_match(program, 77);
    match.options[SAMPLE_BEASTS] = BEASTS;
    match.options[SAMPLE_SPARKS] = SPARKS;
    assert_int_equal(ls_world_create(program, &match, &serial, NULL), LS_OK);
    assert_int_equal(ls_world_create(program, &match, &world, NULL), LS_OK);
    start(&self);
    ls_executor *executor = make_executor(&self, threads, shuffle_seed);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        advance(serial, NULL);
        advance(world, executor);
        assert_int_equal(ls_world_root(world), ls_world_root(serial));
        if (self.kind == AFTER_A_TICK && tick % 3)
            release_tasks(&self);
    }
    ls_executor_destroy(executor);
    assert_true(self.open_max <= threads - 1);
    assert_int_equal(self.end > 0, threads > 1);
    stop(&self);
    ls_world_destroy(world);
    ls_world_destroy(serial);
    ls_program_destroy(program);
}

TEST(test_thread_pool_of_any_size_gives_the_same)
{
    compare((pool){.kind = ON_THREADS, .thread_count = 1}, 2, 0);
    compare((pool){.kind = ON_THREADS, .thread_count = 1}, 4, 0);
    compare((pool){.kind = ON_THREADS, .thread_count = 2}, 4, 0);
    compare((pool){.kind = ON_THREADS, .thread_count = 4}, 4, 0);
    compare((pool){.kind = ON_THREADS, .thread_count = 4}, 2, 0);
    compare((pool){.kind = ON_THREADS, .thread_count = 2}, 3, 5);
    compare((pool){.kind = ON_THREADS, .thread_count = 2}, 1, 0);
}

TEST(test_thread_pool_may_be_late)
{
    compare((pool){.kind = AFTER_A_TICK, .thread_count = 2}, 4, 0);
    compare((pool){.kind = AFTER_A_TICK, .thread_count = 1}, 2, 7);
}

TEST(test_thread_pool_that_never_comes_leaves_all_to_the_caller)
{
    compare((pool){.kind = IN_WAIT}, 4, 0);
    compare((pool){.kind = IN_WAIT}, 2, 3);
}

TEST(test_thread_pool_may_run_tasks_on_the_calling_thread)
{
    compare((pool){.kind = IN_SUBMIT}, 4, 0);
    compare((pool){.kind = IN_SUBMIT}, 2, 3);
}

/* The caller waits until a worker has come, unless none will. */
typedef struct meeting {
    atomic_uint workers;
    bool has_none;
    uint64_t mode;        /* of the caller */
    atomic_uint in_other; /* workers with another floating-point mode */
} meeting;

static void meet(void *argument, uint32_t worker)
{
    meeting *self = argument;
    if (worker) {
        atomic_fetch_add(&self->in_other, ls_float_control() != self->mode);
        atomic_fetch_add(&self->workers, 1);
    }
    while (!self->has_none && atomic_load(&self->workers) == 0)
        sched_yield();
}

TEST(test_thread_pool_works_in_the_mode_of_the_caller)
{
    meeting self = {.mode = ls_float_control()};
    pool threads = {.thread_count = 2, .float_control = self.mode ^ LS_FLOAT_FLUSH};
    start(&threads);
    const ls_team_pool given = {submit, wait_for_one, &threads};
    ls_team *team = ls_team_create_on_pool(3, &given);
    for (uint32_t i = 0; i < 500; i++) {
        atomic_store(&self.workers, 0);
        ls_team_run(team, meet, &self);
        /* A task of the job before may enter this one and return before the caller submits: then
         * the pool gets one more of the same worker. */
        assert_in_range(self.workers, 1, 2 * 2);
        assert_int_equal(self.in_other, 0);
    }
    ls_team_destroy(team);
    stop(&threads);
}

/* A worker on the thread that submits would wait for the caller, which is the same thread. */
TEST(test_thread_pool_makes_no_worker_of_the_calling_thread)
{
    meeting self = {.has_none = true};
    pool none = {.kind = IN_SUBMIT};
    start(&none);
    const ls_team_pool given = {submit, wait_for_one, &none};
    ls_team *team = ls_team_create_on_pool(3, &given);
    for (uint32_t i = 1; i <= 10; i++) {
        ls_team_run(team, meet, &self);
        assert_int_equal(none.end, 2 * i);
    }
    assert_int_equal(self.workers, 0);
    ls_team_destroy(team);
    stop(&none);
}

TEST(test_thread_pool_refuses_what_it_cannot_use)
{
    const struct {
        ls_executor_config config;
        const char *says;
    } wrong[] = {
        {{.threads = 2, .pool = {.submit = submit}}, "lacks wait"},
        {{.threads = 2, .pool = {.wait = wait_for_one}}, "lacks submit"},
        {{.threads = 2, .is_pinned = true, .pool = {.submit = submit, .wait = wait_for_one}},
         "cannot be pinned"}};
    for (uint32_t i = 0; i < LS_COUNT_OF(wrong); i++) {
        ls_error error = {""};
        ls_executor *executor;
        assert_int_equal(ls_executor_create(&wrong[i].config, &executor, &error), LS_ERROR_USAGE);
        assert_null(executor);
        assert_non_null(strstr(error.text, wrong[i].says));
    }
}
