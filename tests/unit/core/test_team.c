/* Threads that run one job after another. */
#include "harness.h"

#include "core/base/team.h"
#include <lockstep/executor.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

/* Numbers that workers take one by one. `late` counts workers that still run when the caller has
 * returned. */
typedef struct job {
    atomic_uint next, taken[64], helped, late;
    atomic_bool is_over;
    uint32_t count;
} job;

static void take(void *argument, uint32_t worker)
{
    job *self = argument;
    if (worker)
        atomic_fetch_add(&self->helped, 1);
    for (uint32_t i; (i = atomic_fetch_add(&self->next, 1)) < self->count;)
        atomic_fetch_add(&self->taken[i], 1);
    atomic_fetch_add(&self->late, atomic_load(&self->is_over));
}

static void nap(long ns)
{
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

static uint32_t do_one(ls_team *team, uint32_t count)
{
    job self = {.count = count};
    ls_team_run(team, take, &self);
    atomic_store(&self.is_over, true);
    for (uint32_t i = 0; i < LS_COUNT_OF(self.taken); i++)
        assert_int_equal(self.taken[i], i < count);
    assert_int_equal(self.late, 0);
    return self.helped;
}

TEST(test_team_does_all_of_each_job_once)
{
    for (uint32_t threads = 1; threads <= 5; threads++) {
        ls_team *team;
        assert_int_equal(ls_team_create(threads, false, &team, NULL), LS_OK);
        for (uint32_t i = 0; i < 3000; i++)
            do_one(team, i % 65);
        ls_team_destroy(team);
    }
}

/* The caller waits until a worker has come. */
typedef struct meeting {
    atomic_bool has_come;
    uint32_t cpu;
} meeting;

static void meet(void *argument, uint32_t worker)
{
    meeting *self = argument;
    if (worker) {
        self->cpu = (uint32_t)sched_getcpu();
        atomic_store(&self->has_come, true);
    }
    while (!atomic_load(&self->has_come))
        sched_yield();
}

TEST(test_team_wakes_those_who_sleep)
{
    ls_team *team;
    assert_int_equal(ls_team_create(2, false, &team, NULL), LS_OK);
    for (uint32_t i = 0; i < 200; i++) {
        meeting self = {0};
        if (i % 3 == 1)
            nap(1000 * (long)i * 3); /* the workers are about to sleep, or have slept for long */
        bool is_tick = i % 2;
        if (is_tick)
            ls_team_enter(team, i % 4 == 1);
        ls_team_run(team, meet, &self);
        if (is_tick)
            ls_team_leave(team);
        assert_true(self.has_come);
    }
    ls_team_destroy(team);
}

/* The worker stays in the job when the caller has done its part. */
typedef struct visit {
    atomic_bool has_come, is_over;
    bool is_late;
} visit;

static void stay(void *argument, uint32_t worker)
{
    visit *self = argument;
    if (worker) {
        atomic_store(&self->has_come, true);
        nap(20000000);
        self->is_late = atomic_load(&self->is_over);
    }
    while (!atomic_load(&self->has_come))
        sched_yield();
}

TEST(test_team_waits_for_who_is_inside)
{
    ls_team *team;
    assert_int_equal(ls_team_create(2, false, &team, NULL), LS_OK);
    visit self = {0};
    ls_team_run(team, stay, &self);
    atomic_store(&self.is_over, true);
    ls_team_destroy(team);
    assert_false(self.is_late);
}

TEST(test_team_goes_at_any_moment)
{
    for (uint32_t i = 0; i < 60; i++) {
        ls_team *team;
        assert_int_equal(ls_team_create(1 + i % 4, false, &team, NULL), LS_OK);
        if (i % 3)
            do_one(team, 10);
        if (i % 5 == 4)
            nap(2000000);
        ls_team_destroy(team);
    }
    ls_team_destroy(NULL);
}

TEST(test_team_is_pinned_one_cpu_each)
{
    cpu_set_t usable, after;
    ls_error error;
    ls_team *team;
    assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof usable, &usable), 0);
    uint32_t cpus = (uint32_t)CPU_COUNT(&usable);
    if (cpus < LS_THREADS_MAX) {
        assert_int_equal(ls_team_create(cpus + 1, true, &team, &error), LS_ERROR_USAGE);
        assert_null(team);
        assert_non_null(strstr(error.text, "at most"));
        assert_non_null(strstr(error.text, "unpinned"));
    }
    if (cpus < 2)
        skip();
    assert_int_equal(ls_team_create(2, true, &team, &error), LS_OK);
    uint32_t second = 0;
    for (uint32_t left = 2; left -= CPU_ISSET(second, &usable); second++)
        ;
    for (uint32_t i = 0; i < 50; i++) {
        meeting self = {0};
        ls_team_run(team, meet, &self);
        assert_int_equal(self.cpu, second);
    }
    assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&usable, &after));
    ls_team_destroy(team);
}
