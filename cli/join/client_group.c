#include "cli/join/client_group.h"

#include "cli/common/clock.h"
#include "cli/common/loop.h"
#include "cli/common/signals.h"
#include "cli/join/client_group_open.h"
#include "cli/join/client_group_report.h"
#include "core/base/bounds.h"
#include "core/base/platform.h"

#include <stdio.h>
#include <string.h>

/* The interval between steps of a session, which does not say when it is due, and of all members at
 * the end. */
#define LISTEN_NS (4 * LS_NS_PER_MS)
/* The interval between steps of the relay: its sockets are not in the wait. */
#define RELAY_NS LS_NS_PER_MS
/* The server judges the last roots after the last tick, so a member stays at least this long. */
#define LEAVE_NS (LS_SECOND_NS / 2)
/* Live lines start after this time even if no member is admitted yet; a refusal comes sooner. */
#define ENTER_NS (3 * LS_SECOND_NS)
/* How long to linger at the end: this plus two round trips, and at most LINGER_MAX_NS. */
#define LINGER_NS     (20 * LS_NS_PER_MS)
#define LINGER_MAX_NS (LS_SECOND_NS / 2)
/* Members that ask for entry at the same time. Each asks four times a second, which stays below the
 * 200 HELLOs a second that a server answers to one address. A server that admits only 20 a second,
 * the lowest default, admits all of these before one gives up. */
#define ENTERING_MAX 32
/* No further member enters when stepping all members takes longer: it would be admitted too late to
 * answer, and would make the others late. */
#define ROUND_MAX_NS (LS_SECOND_NS / 5)

/* Steps all members for a while at the end, so that a lost BYE can be sent again. */
static void linger(ls_client_group *group)
{
    uint64_t rtt_ns = 0;
    for (uint32_t i = 0; i < group->begun; i++)
        rtt_ns = ls_max(rtt_ns, ls_client_get_stats(group->members[i].client).rtt_ns);
    uint64_t until_ns = ls_monotonic_ns() + ls_min(2 * rtt_ns + LINGER_NS, LINGER_MAX_NS);
    for (uint64_t now_ns; (now_ns = ls_monotonic_ns()) < until_ns;) {
        uint64_t wake_ns = until_ns;
        for (uint32_t i = 0; i < group->begun; i++)
            (void)ls_client_step(group->members[i].client, now_ns);
        if (group->relay)
            wake_ns =
                ls_min(wake_ns, ls_min(ls_relay_step(group->relay, now_ns), now_ns + RELAY_NS));
        ls_loop_wait(group->members[0].link, ls_min(wake_ns, now_ns + LISTEN_NS));
    }
}

/* Whether the member counts as in play: a player from its JOIN on; a spectator once it has all
 * closed ticks, so that catching up does not count. */
static bool is_in_play(const ls_client_group *group, const ls_client_group_member *member,
                       const ls_client_stats *stats)
{
    if (ls_client_get_state(member->client) != LS_CLIENT_PLAYING)
        return false;
    return group->options->is_spectator ? stats->head - stats->tick <= 1 : stats->is_playing;
}

/* Makes a member leave when its ticks are done and the server has had time to judge them. */
static void leave_in_time(const ls_client_group *group, ls_client_group_member *member,
                          uint64_t now_ns)
{
    ls_client_stats stats = ls_client_get_stats(member->client);
    if (!member->has_entered && is_in_play(group, member, &stats)) {
        member->has_entered = true;
        member->first_tick = stats.tick;
    }
    uint64_t ticks = group->options->ticks;
    if (!member->leave_ns && member->has_entered && ticks &&
        stats.tick - member->first_tick >= ticks)
        member->leave_ns = now_ns + LEAVE_NS;
    if (member->leave_ns && now_ns >= member->leave_ns)
        ls_client_leave(member->client, "its ticks are done", now_ns);
}

/* Whether another client has taken over the seat with this file, and rewritten it. */
static bool is_seat_foreign(const ls_client_group *group)
{
    ls_resume_ticket now;
    bool is_foreign = group->has_seat &&
                      ls_seat_file_read(group->options->state, &now, NULL) == LS_OK &&
                      memcmp(now.secret, group->ticket.secret, LS_RESUME_BYTES) != 0;
    ls_wipe(&now, sizeof now);
    return is_foreign;
}

/* Writes the seat's file, so that the seat can be resumed after a crash of this process. If writing
 * fails, the member plays on without that protection. */
static void keep_seat(ls_client_group *group, const ls_client_group_member *member)
{
    const uint8_t *secret = ls_client_resume_secret(member->client);
    const ls_public_key *server = ls_client_server_key(member->client);
    if (!group->options->state || !secret || !server ||
        (group->has_seat && memcmp(group->ticket.secret, secret, LS_RESUME_BYTES) == 0))
        return;
    ls_error error;
    bool is_foreign = is_seat_foreign(group);
    group->has_seat = true;
    group->ticket.server = *server;
    memcpy(group->ticket.secret, secret, LS_RESUME_BYTES);
    if (is_foreign)
        fprintf(stderr,
                "lockstep join: warning: %s now belongs to another client; the seat is not "
                "kept: give each client a file of its own\n",
                group->options->state);
    else if (ls_seat_file_write(group->options->state, &group->ticket, &error))
        fprintf(stderr, "lockstep join: warning: %s; the seat is not kept\n", error.text);
}

/* Steps a member and returns when it is due next. A session does not say when it is due, so it is
 * updated at the rate of a display. */
static uint64_t advance_member(ls_client_group_member *member, uint64_t now_ns)
{
    uint64_t wake_ns = now_ns + LISTEN_NS;
    if (!member->session)
        wake_ns = ls_client_step(member->client, now_ns);
    else
        ls_session_update(member->session, now_ns);
    ls_event_update update;
    while (member->session && ls_session_poll(member->session, &update))
        continue;
    if (member->has_source)
        ls_input_source_play(&member->source, member->client, member->session);
    return wake_ns;
}

static void report_state(ls_client_group *group, uint32_t index)
{
    ls_client_group_member *member = &group->members[index];
    ls_client_state state = ls_client_get_state(member->client);
    if (member->has_reported && member->reported == state)
        return;
    member->has_reported = true;
    member->reported = state;
    ls_client_group_report_state(group, index);
}

/* Reports a member that has ended. It is still stepped for a while, because its BYE may have to be
 * sent again. */
static uint64_t end_member(ls_client_group *group, uint32_t index, uint64_t now_ns)
{
    ls_client_group_member *member = &group->members[index];
    if (!member->is_end_reported) {
        ls_client_group_report_end(group, index);
        group->refused += !member->has_loaded;
        member->ended_ns = now_ns;
    }
    member->is_end_reported = true;
    return now_ns - member->ended_ns < LINGER_MAX_NS ? now_ns + LINGER_NS : UINT64_MAX;
}

static uint64_t step_member(ls_client_group *group, uint32_t index, uint64_t now_ns)
{
    ls_client_group_member *member = &group->members[index];
    if (ls_signals_stop_is_requested() && !ls_client_is_final(member->client))
        ls_client_leave(member->client, "asked to stop", now_ns);
    uint64_t wake_ns = advance_member(member, now_ns);
    report_state(group, index);
    ls_client_group_report_said(group, index);
    keep_seat(group, member);
    leave_in_time(group, member, now_ns);
    if (member->leave_ns && member->leave_ns < wake_ns)
        wake_ns = member->leave_ns;
    if (ls_client_is_final(member->client))
        return end_member(group, index, now_ns);
    ls_error error;
    if (ls_client_get_state(member->client) < LS_CLIENT_LOADING)
        return wake_ns;
    group->refused = member->has_loaded ? group->refused : 0;
    member->has_loaded = true;
    if (ls_trust_remember(&group->trust, &error))
        fprintf(stderr, "lockstep join: warning: %s; the server is not remembered\n", error.text);
    return wake_ns;
}

static bool has_news(const ls_client_group *group, uint64_t now_ns)
{
    for (uint32_t i = 0; i < group->begun; i++)
        if (ls_client_get_state(group->members[i].client) >= LS_CLIENT_LOADING)
            return true;
    return now_ns - group->start_ns >= ENTER_NS;
}

static uint64_t live_line(ls_client_group *group, uint64_t now_ns)
{
    if (group->options->is_quiet)
        return UINT64_MAX;
    if (now_ns >= group->line_ns) {
        if (has_news(group, now_ns))
            ls_client_group_report_line(group);
        group->line_ns = now_ns + LS_SECOND_NS;
    }
    return group->line_ns;
}

/* Whether further members will ask for entry. After ENTERING_MAX refusals in a row, the rest would
 * be refused too. */
static bool has_more(const ls_client_group *group)
{
    return group->begun < group->options->count && group->refused < ENTERING_MAX &&
           !ls_signals_stop_is_requested();
}

static void begin_members(ls_client_group *group)
{
    uint32_t entering = 0;
    if (group->round_ns > ROUND_MAX_NS)
        return;
    for (uint32_t i = 0; i < group->begun; i++) {
        const ls_client *client = group->members[i].client;
        entering += !ls_client_is_final(client) && ls_client_get_state(client) < LS_CLIENT_LOADING;
    }
    for (; has_more(group) && entering < ENTERING_MAX; entering++)
        group->begun++;
}

/* Steps the members that are due or have packets. Returns when the next one is due; UINT64_MAX: all
 * have ended. */
static uint64_t step_members(ls_client_group *group)
{
    uint64_t wake_ns = UINT64_MAX, start_ns = ls_monotonic_ns();
    for (uint32_t i = 0; i < group->begun; i++) {
        ls_client_group_member *member = &group->members[i];
        uint64_t now_ns = ls_monotonic_ns();
        if (group->has_packets[i] || now_ns >= member->due_ns || ls_signals_stop_is_requested())
            member->due_ns = step_member(group, i, now_ns);
        group->has_packets[i] = 0;
        if (!ls_client_is_final(member->client))
            wake_ns = ls_min(wake_ns, member->due_ns);
    }
    group->round_ns = ls_monotonic_ns() - start_ns;
    return wake_ns;
}

static bool look(ls_socket_set *links, uint64_t timeout_ns, uint8_t *flags)
{
    uint64_t timeout_ms = ls_min(timeout_ns / LS_NS_PER_MS, LS_LOOP_WAIT_MS_MAX);
    return ls_socket_set_look(links, (uint32_t)timeout_ms, flags);
}

/* Waits as ls_loop_wait() does, but for all links of the set: after the first packet it sleeps for
 * LS_LOOP_SLEEP_NS, so that one step takes many packets, and looks again. Sets flags[number] of
 * each link that has packets. */
static void wait_for(ls_socket_set *links, uint64_t wake_ns, uint8_t *flags)
{
    uint64_t now_ns = ls_monotonic_ns(), sleep_ns = now_ns + LS_LOOP_SLEEP_NS;
    bool is_any = look(links, wake_ns > now_ns ? wake_ns - now_ns : 0, flags);
    now_ns = ls_monotonic_ns();
    if (is_any && sleep_ns < wake_ns)
        ls_clock_sleep_until(sleep_ns);
    else if (wake_ns > now_ns && wake_ns - now_ns < LS_NS_PER_MS)
        ls_clock_sleep_until(wake_ns);
    if (is_any)
        (void)look(links, 0, flags);
}

static void play(ls_client_group *group)
{
    group->start_ns = ls_monotonic_ns();
    group->line_ns = group->start_ns + LS_SECOND_NS;
    for (;;) {
        ls_signals_restart_limit();
        begin_members(group);
        uint64_t wake_ns = step_members(group), now_ns = ls_monotonic_ns();
        if (wake_ns == UINT64_MAX && !has_more(group))
            return;
        if (group->relay)
            wake_ns =
                ls_min(wake_ns, ls_min(ls_relay_step(group->relay, now_ns), now_ns + RELAY_NS));
        wait_for(group->links, ls_min(wake_ns, live_line(group, now_ns)), group->has_packets);
    }
}

ls_status ls_client_group_play(const ls_client_group_options *options, ls_error *error)
{
    ls_client_group *group = ls_alloc(sizeof *group);
    group->options = options;
    ls_status status = ls_client_group_open(group, error);
    if (!status) {
        play(group);
        linger(group);
        status = ls_client_group_report_judge(group, error);
    }
    status = ls_client_group_close(group, status, error);
    ls_free(group);
    return status;
}
