#include "cli/serve/admin_desk.h"

/* The task: none, waiting, in the hands of the network thread, done. */
enum { EMPTY, POSTED, TAKEN, DONE };

void ls_admin_desk_init(ls_admin_desk *desk, ls_link *link)
{
    *desk = (ls_admin_desk){.link = link};
    ls_mutex_init(&desk->turn);
    ls_mutex_init(&desk->mutex);
    ls_wake_init(&desk->done);
}

void ls_admin_desk_destroy(ls_admin_desk *desk)
{
    ls_wake_destroy(&desk->done);
    ls_mutex_destroy(&desk->mutex);
    ls_mutex_destroy(&desk->turn);
}

void ls_admin_desk_begin_turn(ls_admin_desk *desk)
{
    ls_mutex_lock(&desk->turn);
}

void ls_admin_desk_end_turn(ls_admin_desk *desk)
{
    ls_mutex_unlock(&desk->turn);
}

/* Changes the state if it is `from`. Acquire and release: the thread that changes it sees all that
 * the other one wrote into the task before. */
static bool move(ls_admin_desk *desk, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(&desk->state, &from, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static bool is_done(ls_admin_desk *desk)
{
    return __atomic_load_n(&desk->state, __ATOMIC_ACQUIRE) == DONE;
}

bool ls_admin_desk_ask(ls_admin_desk *desk, ls_admin_task *task)
{
    uint64_t end_ns = ls_monotonic_ns() + LS_ADMIN_TASK_TIMEOUT_NS;
    desk->task = task;
    (void)move(desk, EMPTY, POSTED);
    ls_link_wake(desk->link);
    ls_mutex_lock(&desk->mutex);
    while (!is_done(desk)) {
        uint64_t now_ns = ls_monotonic_ns();
        if (now_ns < end_ns && !desk->is_closed)
            (void)ls_wake_wait_for(&desk->done, &desk->mutex, end_ns - now_ns);
        else if (move(desk, POSTED, EMPTY))
            break;
        else /* the network thread has taken it, so it is nearly done */
            ls_wake_wait(&desk->done, &desk->mutex);
    }
    ls_mutex_unlock(&desk->mutex);
    return move(desk, DONE, EMPTY);
}

void ls_admin_desk_close(ls_admin_desk *desk)
{
    ls_mutex_lock(&desk->mutex);
    desk->is_closed = true;
    ls_wake_one(&desk->done);
    ls_mutex_unlock(&desk->mutex);
}

void ls_admin_desk_serve(ls_admin_desk *desk, const ls_admin_subject *subject, uint64_t now_ns)
{
    if (!move(desk, POSTED, TAKEN))
        return;
    ls_admin_task_run(desk->task, subject, now_ns);
    ls_mutex_lock(&desk->mutex);
    (void)move(desk, TAKEN, DONE);
    ls_wake_one(&desk->done);
    ls_mutex_unlock(&desk->mutex);
}
