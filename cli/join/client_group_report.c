#include "cli/join/client_group_report.h"

#include "cli/common/clock.h"
#include "cli/join/probe.h"
#include "cli/module/describe.h"
#include "core/base/bounds.h"
#include "core/base/json_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Totals of all members: sums, or the worst value if a sum has no meaning. */
struct totals {
    uint32_t states[LS_CLIENT_FAILED + 1]; /* members by their state */
    uint32_t to_come;                      /* members that have not asked for entry yet */
    uint32_t diverged;
    uint64_t tick, delay, behind_ns, late_p99_ns, rtt_ns, received, sent, roots;
    uint32_t loss_permille, congestion;
    uint64_t ahead, rollbacks, rollback_ticks;
    uint64_t depth_ns, stalls, snaps; /* statistics of the playout */
    uint64_t substitutes;
    char text[LS_DESCRIBE_BYTES]; /* the simulation's description of the match */
};

#define OTHERS_BYTES 160

static void add_member(const ls_client_group_member *member, struct totals *all)
{
    ls_client_stats stats = ls_client_get_stats(member->client);
    const ls_world *world = ls_client_world(member->client);
    all->states[ls_client_get_state(member->client)]++;
    all->diverged += stats.has_diverged;
    all->tick = ls_max(all->tick, stats.tick);
    all->delay = ls_max(all->delay, stats.delay_ticks);
    all->behind_ns = ls_max(all->behind_ns, stats.behind_ns);
    all->late_p99_ns = ls_max(all->late_p99_ns, stats.late_p99_ns);
    all->rtt_ns = ls_max(all->rtt_ns, stats.rtt_ns);
    all->loss_permille = (uint32_t)ls_max(all->loss_permille, stats.loss_permille);
    all->congestion = (uint32_t)ls_max(all->congestion, stats.congestion);
    all->received += stats.bytes_received;
    all->sent += stats.bytes_sent;
    all->roots += stats.roots_sent;
    all->substitutes += stats.substitutes;
    if (!all->text[0] && world)
        (void)ls_describe(world, all->text, NULL);
    if (!member->session)
        return;
    ls_session_stats session = ls_session_get_stats(member->session);
    all->ahead = ls_max(all->ahead, session.predicted_tick - stats.tick);
    all->rollbacks += session.prediction.rollbacks;
    all->rollback_ticks += session.prediction.rollback_ticks;
    all->depth_ns = ls_max(all->depth_ns, session.depth_ns);
    all->stalls += session.stalls;
    all->snaps += session.snaps;
}

/* Names the result of the root comparison. The server compares, and notifies a client only of a
 * difference. */
static const char *hash_state(const struct totals *all)
{
    return all->diverged ? "diverged" : all->roots ? "agreed" : "none";
}

/* Formats the counts of members that do not play: " (1 loading, 2 resuming)", or "". */
static void format_others(const struct totals *all, char text[OTHERS_BYTES])
{
    int used = 0;
    text[0] = 0;
    for (uint32_t state = 0; state < LS_COUNT_OF(all->states); state++) {
        if (!all->states[state] || state == LS_CLIENT_PLAYING)
            continue;
        used += snprintf(text + used, OTHERS_BYTES - (size_t)used, "%s%u %s", used ? ", " : " (",
                         all->states[state], ls_client_state_name((ls_client_state)state));
        LS_ASSERT(used < OTHERS_BYTES - 1);
    }
    if (all->to_come)
        used += snprintf(text + used, OTHERS_BYTES - (size_t)used, "%s%u to come",
                         used ? ", " : " (", all->to_come);
    LS_ASSERT(used < OTHERS_BYTES - 1);
    if (used)
        strcpy(text + used, ")");
}

static void print_text(const ls_client_group *group, const struct totals *all)
{
    char diverged[32] = "", rollbacks[96] = "-", others[OTHERS_BYTES];
    format_others(all, others);
    if (all->diverged)
        snprintf(diverged, sizeof diverged, " %u", all->diverged);
    if (group->options->predict_ticks)
        snprintf(rollbacks, sizeof rollbacks, "%" PRIu64 "  ahead %" PRIu64, all->rollbacks,
                 all->ahead);
    printf("tick %" PRIu64 "  playing %u of %u%s  delay %" PRIu64
           "  behind %.0f ms  rtt %.1f ms  loss %.1f %%  rollbacks %s  in %.1f kB/s  out %.1f kB/s "
           " hashes %s%s%s%s\n",
           all->tick, all->states[LS_CLIENT_PLAYING], group->options->count, others, all->delay,
           (double)all->behind_ns / (double)LS_NS_PER_MS,
           (double)all->rtt_ns / (double)LS_NS_PER_MS, all->loss_permille / 10.0, rollbacks,
           (double)(all->received - group->bytes_received) / 1000,
           (double)(all->sent - group->bytes_sent) / 1000, hash_state(all), diverged,
           all->text[0] ? "  " : "", all->text);
}

static void open_event(ls_builder *line, const char *event)
{
    ls_json_open(line, NULL, '{');
    ls_json_string(line, "event", event);
}

/* Completes, prints and frees the line. */
static void print_event(ls_builder *line)
{
    ls_json_close(line, '}');
    puts(line->data);
    ls_free(line->data);
}

static void print_json_line(const ls_client_group *group, const struct totals *all)
{
    ls_builder line = {0};
    open_event(&line, "second");
    ls_json_u64(&line, "tick", all->tick);
    ls_json_u64(&line, "clients", group->options->count);
    ls_json_u64(&line, "playing", all->states[LS_CLIENT_PLAYING]);
    ls_json_u64(&line, "to_come", all->to_come);
    ls_json_u64(&line, "delay_ticks", all->delay);
    ls_json_decimal(&line, "behind_ms", all->behind_ns / 1000, 3);
    ls_json_decimal(&line, "late_p99_ms", all->late_p99_ns / 1000, 3);
    ls_json_decimal(&line, "rtt_ms", all->rtt_ns / 1000, 3);
    ls_json_decimal(&line, "loss_percent", all->loss_permille, 1);
    ls_json_u64(&line, "congestion", all->congestion);
    ls_json_u64(&line, "in_bytes", all->received - group->bytes_received);
    ls_json_u64(&line, "out_bytes", all->sent - group->bytes_sent);
    ls_json_u64(&line, "ahead_ticks", all->ahead);
    ls_json_u64(&line, "rollbacks", all->rollbacks);
    ls_json_u64(&line, "rollback_ticks", all->rollback_ticks);
    ls_json_decimal(&line, "depth_ms", all->depth_ns / 1000, 3);
    ls_json_u64(&line, "stalls", all->stalls);
    ls_json_u64(&line, "snaps", all->snaps);
    ls_json_u64(&line, "substitutes", all->substitutes);
    ls_json_string(&line, "hashes", hash_state(all));
    ls_json_u64(&line, "diverged", all->diverged);
    ls_json_string(&line, "text", all->text);
    print_event(&line);
}

void ls_client_group_report_line(ls_client_group *group)
{
    struct totals all = {0};
    for (uint32_t i = 0; i < group->begun; i++)
        add_member(&group->members[i], &all);
    all.to_come = group->options->count - group->begun;
    if (group->options->is_json)
        print_json_line(group, &all);
    else
        print_text(group, &all);
    group->bytes_received = all.received;
    group->bytes_sent = all.sent;
}

static void open_client_event(ls_builder *line, const char *event, const ls_client *client,
                              uint32_t index)
{
    open_event(line, event);
    ls_json_u64(line, "client", index + 1);
    ls_json_string(line, "state", ls_client_state_name(ls_client_get_state(client)));
    ls_json_u64(line, "tick", ls_client_get_stats(client).tick);
}

void ls_client_group_report_state(const ls_client_group *group, uint32_t index)
{
    const ls_client *client = group->members[index].client;
    if (!group->options->is_json || ls_client_is_final(client))
        return;
    ls_builder line = {0};
    open_client_event(&line, "state", client, index);
    ls_json_string(&line, "reason", ls_client_reason(client));
    print_event(&line);
}

void ls_client_group_report_follow(const ls_client_group *group, uint32_t index,
                                   const char *address)
{
    const ls_client *client = group->members[index].client;
    ls_builder line = {0};
    if (group->options->is_json && client) {
        open_client_event(&line, "follow", client, index);
        ls_json_string(&line, "address", address);
        print_event(&line);
        return;
    }
    if (group->options->is_json)
        return;
    if (group->options->count > 1)
        printf("client %u: ", index + 1);
    printf("the match goes on at %s: following\n", address);
    fflush(stdout);
}

void ls_client_group_report_said(const ls_client_group *group, uint32_t index)
{
    ls_client *client = group->members[index].client;
    char text[LS_REASON_BYTES];
    while (ls_client_next_text(client, text)) {
        ls_builder line = {0};
        if (group->options->is_json) {
            open_client_event(&line, "say", client, index);
            ls_json_string(&line, "text", text);
            print_event(&line);
            continue;
        }
        if (group->options->count > 1)
            printf("client %u: ", index + 1);
        printf("the server says: %s\n", text);
    }
}

static void print_end_json(const ls_client_group_member *member, uint32_t index)
{
    ls_client_stats stats = ls_client_get_stats(member->client);
    ls_builder line = {0};
    open_client_event(&line, "end", member->client, index);
    ls_json_bool(&line, "diverged", stats.has_diverged);
    if (stats.has_diverged) {
        ls_json_u64(&line, "desync_tick", stats.desync_tick);
        ls_json_root(&line, "root", stats.root_own);
        ls_json_root(&line, "server_root", stats.root_server);
    }
    ls_json_u64(&line, "ticks_timed", stats.ticks_timed);
    ls_json_decimal(&line, "late_p50_ms", stats.late_p50_ns / 1000, 3);
    ls_json_decimal(&line, "late_p99_ms", stats.late_p99_ns / 1000, 3);
    ls_json_decimal(&line, "late_max_ms", stats.late_max_ns / 1000, 3);
    ls_json_decimal(&line, "arrived_p99_ms", stats.arrived_p99_ns / 1000, 3);
    ls_json_u64(&line, "states", stats.states_submitted);
    ls_json_u64(&line, "substitutes", stats.substitutes);
    ls_json_string(&line, "reason", ls_client_reason(member->client));
    print_event(&line);
}

/* Prints how late the ticks of a client were, unless it never was at the head, and how often the
 * server substituted its state. */
static void print_lateness(const ls_client_stats *stats)
{
    if (stats->ticks_timed)
        printf("  ticks late: half %.1f ms, 99 %% %.1f ms, max %.1f ms",
               (double)stats->late_p50_ns / (double)LS_NS_PER_MS,
               (double)stats->late_p99_ns / (double)LS_NS_PER_MS,
               (double)stats->late_max_ns / (double)LS_NS_PER_MS);
    if (stats->states_submitted)
        printf("  substituted %" PRIu64, stats->substitutes);
}

static void print_end(const ls_client_group *group, uint32_t index)
{
    const ls_client_group_member *member = &group->members[index];
    if (group->options->is_json) {
        print_end_json(member, index);
        return;
    }
    ls_client_stats stats = ls_client_get_stats(member->client);
    const char *state = ls_client_state_name(ls_client_get_state(member->client));
    if (group->options->count > 1)
        printf("client %u ", index + 1);
    printf("%s at tick %" PRIu64 ": %s", state, stats.tick, ls_client_reason(member->client));
    print_lateness(&stats);
    putchar('\n');
    if (stats.has_diverged)
        printf("client %u diverged at tick %" PRIu64 ": root %016" PRIx64
               ", the server has %016" PRIx64 "\n",
               index + 1, stats.desync_tick, stats.root_own, stats.root_server);
}

/* Whether a member's end is printed at once. As text, an error is not: the error of the whole group
 * will report it. */
static bool is_reported_at_once(const ls_client_group *group, const ls_client_group_member *member)
{
    return group->options->is_json || ls_client_get_state(member->client) == LS_CLIENT_ENDED ||
           ls_client_get_stats(member->client).has_diverged;
}

void ls_client_group_report_end(const ls_client_group *group, uint32_t index)
{
    if (is_reported_at_once(group, &group->members[index]))
        print_end(group, index);
}

static ls_status judge(const ls_client_group *group, const ls_client_group_member *member)
{
    if (ls_client_get_stats(member->client).has_diverged)
        return LS_ERROR_DIVERGED;
    switch (ls_client_get_state(member->client)) {
    case LS_CLIENT_REFUSED:
        return group->trust.refusal ? group->trust.refusal : ls_client_refusal(member->client);
    case LS_CLIENT_LOST:
        return LS_ERROR_IO;
    case LS_CLIENT_FAILED:
        return LS_ERROR_FAILED;
    default:
        return LS_OK;
    }
}

/* Prints the members' errors that differ from `reported`, the error of the whole group. */
static void print_others(const ls_client_group *group, const char *reported)
{
    for (uint32_t i = 0; i < group->begun; i++) {
        const ls_client_group_member *member = &group->members[i];
        if (judge(group, member) && !is_reported_at_once(group, member) &&
            strcmp(ls_client_reason(member->client), reported) != 0)
            print_end(group, i);
    }
}

/* Returns advice that only this program can give: which of its options to use, or how long to wait.
 */
static const char *remedy(const char *reason)
{
    if (strstr(reason, "all seats are taken"))
        return "; a seat of a client that vanished frees after 10 s";
    static const struct {
        const char *says, *remedy;
    } of[] = {{"a password or a connect token is needed", " (join --password-file, --token)"},
              {"more memory than the", " (join --memory-max)"},
              {"ticks a second, more than the", " (join --tick-rate-max)"},
              {"seats, more than the", " (join --players-max)"}};
    for (uint32_t i = 0; i < LS_COUNT_OF(of); i++)
        if (strstr(reason, of[i].says))
            return of[i].remedy;
    return "";
}

/* Explains why the connection was lost, with the server's address: the client itself knows only a
 * link. */
static ls_status explain_loss(const ls_client_group *group, const ls_client *client,
                              const char *who, ls_error *error)
{
    ls_error silence;
    const ls_server_address *address = &group->address;
    if (ls_client_server_key(client))
        return ls_error_set(error, LS_ERROR_IO, "%s%s:%u: %s%s", who, address->host, address->port,
                            ls_client_reason(client), remedy(ls_client_reason(client)));
    ls_status status = ls_probe_silence(address, &silence);
    return ls_error_set(error, status, "%s%s", who, silence.text);
}

static ls_status set_trouble(const ls_client_group *group, uint32_t index, ls_status status,
                             ls_error *error)
{
    const ls_client *client = group->members[index].client;
    ls_client_stats stats = ls_client_get_stats(client);
    if (status == LS_ERROR_DIVERGED)
        return ls_error_set(error, status,
                            "client %u diverged from the server at tick %" PRIu64
                            "; a server that records has the evidence",
                            index + 1, stats.desync_tick);
    const char *reason = ls_client_reason(client);
    uint32_t count = 0;
    for (uint32_t i = 0; i < group->begun; i++)
        count += strcmp(ls_client_reason(group->members[i].client), reason) == 0;
    char who[96] = "", others[48] = "";
    if (group->begun < group->options->count)
        snprintf(others, sizeof others, " (%u did not ask then)",
                 group->options->count - group->begun);
    if (group->options->count > 1)
        snprintf(who, sizeof who, "%u of %u clients%s: ", count, group->options->count, others);
    if (status == LS_ERROR_IO)
        return explain_loss(group, client, who, error);
    return ls_error_set(error, status, "%s%s%s", who, reason, remedy(reason));
}

/* Warns if the bit was never flipped: such a test of the desync detection must not seem to have
 * passed. */
static void print_corruption(const ls_client_group *group)
{
    ls_client_stats stats = ls_client_get_stats(group->members[0].client);
    if (group->options->corrupt_at != LS_TICK_NEVER && !stats.was_corrupted)
        fprintf(stderr,
                "lockstep join: warning: no bit was flipped: client 1 ended at tick %" PRIu64
                ", --corrupt-at is %" PRIu64 "\n",
                stats.tick, group->options->corrupt_at);
}

ls_status ls_client_group_report_judge(const ls_client_group *group, ls_error *error)
{
    print_corruption(group);
    static const ls_status order[] = {LS_ERROR_DIVERGED, LS_ERROR_FAILED,  LS_ERROR_INCOMPATIBLE,
                                      LS_ERROR_REFUSED,  LS_ERROR_CORRUPT, LS_ERROR_IO};
    for (uint32_t k = 0; k < LS_COUNT_OF(order); k++) {
        for (uint32_t i = 0; i < group->begun; i++) {
            if (judge(group, &group->members[i]) != order[k])
                continue;
            print_others(group, order[k] == LS_ERROR_DIVERGED
                                    ? ""
                                    : ls_client_reason(group->members[i].client));
            return set_trouble(group, i, order[k], error);
        }
    }
    return LS_OK;
}
