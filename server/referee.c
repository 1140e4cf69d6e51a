#include "server/referee.h"

#include "core/base/bounds.h"
#include "core/base/fault_injection.h"
#include "proto/root_batch.h"

#include <string.h>

void ls_referee_init(ls_referee *referee, uint64_t first)
{
    *referee = (ls_referee){.next = first, .first = first};
}

void ls_referee_push(ls_referee *referee, uint64_t root)
{
    referee->roots[referee->next++ % LS_SERVER_ROOTS] = root;
}

static void note_report(ls_referee_case *client, uint64_t tick)
{
    if (tick >= client->reported_next)
        client->reported_next = tick + 1;
}

static uint32_t word_of(uint64_t tick)
{
    return tick % LS_SERVER_ROOTS / 64;
}

static uint64_t bit_of(uint64_t tick)
{
    return UINT64_C(1) << tick % 64;
}

static void note_right(ls_referee_case *client, uint64_t tick)
{
    uint64_t next = client->right_next;
    if (tick >= next) {
        if (tick - next >= LS_SERVER_ROOTS)
            memset(client->right_bits, 0, sizeof client->right_bits);
        else
            for (; next < tick; next++)
                client->right_bits[word_of(next)] &= ~bit_of(next);
        client->right_next = tick + 1;
        client->right_count++;
    }
    client->right_bits[word_of(tick)] |= bit_of(tick);
}

static uint64_t last_of(ls_referee_held report)
{
    return report.tick + report.more;
}

static ls_report accuse(ls_referee_case *client, ls_referee_held report, uint64_t expected,
                        uint64_t now_ns)
{
    uint64_t tick = last_of(report);
    bool is_finer = tick == client->tick && client->more && !report.more;
    if (!client->is_suspect) {
        client->is_suspect = true;
        client->since_ns = now_ns;
    } else if (tick >= client->tick && !is_finer) {
        return LS_REPORT_WRONG;
    }
    client->tick = tick;
    client->more = report.more;
    client->expected = expected;
    client->found = report.root;
    return LS_REPORT_WRONG;
}

static uint64_t root_at(const ls_referee *referee, uint64_t tick)
{
    return referee->roots[(tick - LS_FAULT(REFEREE_OFF_BY_ONE)) % LS_SERVER_ROOTS];
}

/* The root that a correct report of these ticks has. */
static uint64_t expect(const ls_referee *referee, ls_referee_held report)
{
    if (!report.more)
        return root_at(referee, report.tick);
    uint64_t batch = report.tick;
    for (uint32_t i = 0; i <= report.more; i++)
        batch = ls_root_batch_add(batch, root_at(referee, report.tick + i));
    return batch;
}

static ls_report compare(const ls_referee *referee, ls_referee_case *client, ls_referee_held report,
                         uint64_t now_ns)
{
    bool is_kept = report.tick >= referee->first && report.tick >= client->reload_from &&
                   referee->next - report.tick <= LS_SERVER_ROOTS;
    if (!is_kept || client->has_diverged)
        return LS_REPORT_IGNORED;
    if (LS_FAULT(REFEREE_FORGIVES) && report.tick < client->right_next + 8)
        return LS_REPORT_IGNORED;
    uint64_t expected = expect(referee, report);
    /* This report may be about the client's old world, sent before the client replaced it. */
    if (report.root != expected && client->was_reloaded && report.tick == client->reload_from)
        return LS_REPORT_IGNORED;
    if (report.root != expected)
        return accuse(client, report, expected, now_ns);
    for (uint32_t i = 0; i <= report.more; i++)
        note_right(client, report.tick + i);
    note_report(client, last_of(report));
    return LS_REPORT_RIGHT;
}

static ls_report hold(ls_referee_case *client, ls_referee_held report)
{
    for (uint32_t i = 0; i < client->held_count; i++)
        if (client->held[i].tick == report.tick && client->held[i].root == report.root &&
            client->held[i].more == report.more)
            return LS_REPORT_HELD;
    if (client->held_count == LS_SERVER_REPORTS_HELD)
        return LS_REPORT_REFUSED;
    client->held[client->held_count++] = report;
    note_report(client, last_of(report));
    return LS_REPORT_HELD;
}

/* Whether only the end of a batch can be compared. Its roots then have to come one by one. */
static bool begins_too_early(const ls_referee *referee, const ls_referee_case *client,
                             ls_referee_held report)
{
    uint64_t known = ls_max(referee->first, client->reload_from);
    if (referee->next > LS_SERVER_ROOTS)
        known = ls_max(known, referee->next - LS_SERVER_ROOTS);
    return report.tick < known && known <= last_of(report);
}

ls_report ls_referee_report(const ls_referee *referee, ls_referee_case *client,
                            ls_referee_held report, uint64_t closed, uint64_t now_ns)
{
    if (begins_too_early(referee, client, report) && !client->has_diverged)
        return LS_REPORT_REFUSED;
    if (last_of(report) < referee->next)
        return compare(referee, client, report, now_ns);
    if (client->has_diverged)
        return LS_REPORT_IGNORED;
    if (last_of(report) > closed)
        return LS_REPORT_REFUSED;
    return hold(client, report);
}

bool ls_referee_check_held(const ls_referee *referee, ls_referee_case *client, uint64_t near,
                           uint64_t now_ns)
{
    bool is_near = false;
    uint32_t left = 0;
    for (uint32_t i = 0; i < client->held_count; i++) {
        ls_referee_held report = client->held[i];
        if (last_of(report) >= referee->next)
            client->held[left++] = report;
        else
            is_near |= compare(referee, client, report, now_ns) == LS_REPORT_RIGHT &&
                       last_of(report) >= near;
    }
    client->held_count = left;
    return is_near;
}

bool ls_referee_is_mute(const ls_referee *referee, ls_referee_case *client, uint64_t ticks_max,
                        uint64_t step_max)
{
    uint64_t moved = referee->next - client->missed_next;
    bool is_known = client->is_suspect || client->reload_from == UINT64_MAX;
    bool has_reported = client->reported_next > client->missed_from;
    client->missed_next = referee->next;
    client->missed_from = client->reported_next;
    client->missed += moved < step_max ? moved : step_max;
    if (is_known || has_reported)
        client->missed = 0;
    if (client->missed < ticks_max)
        return false;
    client->missed = 0;
    return true;
}

bool ls_referee_decide(ls_referee_case *client, uint64_t grace_ns, uint64_t now_ns)
{
    if (!client->is_suspect || client->has_diverged)
        return false;
    /* The root before was right: the difference begins at this tick, which is final without a
     * wait. */
    bool is_first = ls_referee_unreported_from(client) == client->tick;
    if (!is_first && now_ns - client->since_ns < grace_ns)
        return false;
    client->has_diverged = true;
    return true;
}

static bool is_right(const ls_referee_case *client, uint64_t tick)
{
    return tick < client->right_next && client->right_next - tick <= LS_SERVER_ROOTS &&
           client->right_bits[word_of(tick)] & bit_of(tick);
}

uint64_t ls_referee_unreported_from(const ls_referee_case *client)
{
    uint64_t next = client->tick - client->more;
    while (next < client->tick && is_right(client, next))
        next++;
    next = ls_min(next, client->right_next);
    while (next && client->right_next - next < LS_SERVER_ROOTS && !is_right(client, next - 1))
        next--;
    return ls_min(ls_max(next, client->reload_from), client->tick);
}
