/* One thread asks, as the admin thread does, and this one serves, as the network thread does. */
#include "cli/serve/admin_desk.h"

#include "test.h"
#include "tests/support/link_memory.h"

typedef struct fixture {
    ls_network *network;
    ls_link *link;
    ls_admin_desk desk;
    ls_service_rights rights;
    ls_admin_task task;
    ls_thread thread;
    uint32_t asks, answers;
    bool is_done;
} fixture;

static void ask(void *argument)
{
    fixture *f = argument;
    for (uint32_t i = 0; i < f->asks; i++) {
        f->task.verb = LS_ADMIN_BANS;
        f->answers += ls_admin_desk_ask(&f->desk, &f->task);
        if (f->task.bans.count != 1)
            f->answers = 0;
        ls_bans_reset(&f->task.bans);
    }
    __atomic_store_n(&f->is_done, true, __ATOMIC_RELEASE);
}

static bool is_done(const fixture *f)
{
    return __atomic_load_n(&f->is_done, __ATOMIC_ACQUIRE);
}

static void begin(fixture *f, uint32_t asks)
{
    ls_ban ban;
    const ls_bans none = {0};
    *f = (fixture){.asks = asks};
    f->network = ls_network_create(1, &(ls_impairment_conditions){0});
    f->link = ls_network_open(f->network);
    assert_ok(ls_ban_parse("192.0.2.7", &ban, NULL));
    assert_ok(ls_bans_add(&none, &ban, &f->rights.bans, NULL));
    ls_admin_desk_init(&f->desk, f->link);
    assert_true(ls_thread_start(&f->thread, ask, f));
}

static void end(fixture *f)
{
    ls_thread_join(&f->thread);
    ls_admin_desk_destroy(&f->desk);
    ls_bans_reset(&f->rights.bans);
    ls_link_destroy(f->link);
    ls_network_destroy(f->network);
}

TEST(test_admin_desk_answers_each_task_once)
{
    fixture f;
    const ls_admin_subject subject = {.rights = &f.rights};
    begin(&f, 1000);
    while (!is_done(&f))
        ls_admin_desk_serve(&f.desk, &subject, 0);
    end(&f);
    assert_int_equal(f.answers, 1000);
}

TEST(test_admin_desk_that_closes_gives_the_task_back)
{
    fixture f;
    uint64_t begin_ns = ls_monotonic_ns();
    begin(&f, 3);
    f.task.bans.count = 0;
    ls_admin_desk_close(&f.desk);
    end(&f);
    assert_int_equal(f.answers, 0);
    assert_true(ls_monotonic_ns() - begin_ns < LS_ADMIN_TASK_TIMEOUT_NS);
}
