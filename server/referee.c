#include "server/referee.h"

void ls_referee_init(ls_referee *referee)
{
    *referee = (ls_referee){0};
}

void ls_referee_push(ls_referee *referee, uint64_t root)
{
    referee->roots[referee->next++ % LS_SERVER_ROOTS] = root;
}

static ls_report accuse(ls_referee_case *client, uint64_t tick, uint64_t expected, uint64_t found,
                        uint64_t now_ns)
{
    if (!client->is_suspect) {
        client->is_suspect = true;
        client->since_ns = now_ns;
    } else if (tick >= client->tick) {
        return LS_REPORT_WRONG;
    }
    client->tick = tick;
    client->expected = expected;
    client->found = found;
    return LS_REPORT_WRONG;
}

ls_report ls_referee_hear(const ls_referee *referee, ls_referee_case *client, uint64_t tick,
                          uint64_t root, uint64_t now_ns)
{
    bool is_kept = tick < referee->next && referee->next - tick <= LS_SERVER_ROOTS;
    if (!is_kept || client->has_diverged)
        return LS_REPORT_IGNORED;
    uint64_t expected = referee->roots[tick % LS_SERVER_ROOTS];
    if (root != expected)
        return accuse(client, tick, expected, root, now_ns);
    if (tick >= client->right_next) {
        client->right_next = tick + 1;
        client->right_count++;
    }
    return LS_REPORT_RIGHT;
}

bool ls_referee_decide(ls_referee_case *client, uint64_t now_ns)
{
    if (!client->is_suspect || client->has_diverged)
        return false;
    /* Right up to the tick before: nothing earlier can turn out wrong. */
    bool is_first = client->right_next == client->tick;
    if (!is_first && now_ns - client->since_ns < LS_SERVER_DESYNC_GRACE_NS)
        return false;
    client->has_diverged = true;
    return true;
}
