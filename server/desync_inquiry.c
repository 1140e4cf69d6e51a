#include "server/desync_inquiry.h"

#include "core/base/fault_injection.h"
#include "proto/text.h"
#include "server/desync_log.h"
#include "server/evidence_budget.h"
#include "server/sessions.h"
#include <lockstep/evidence_limits.h>

#include <stdio.h>

_Static_assert(LS_CLIENT_EVIDENCE_PIN_NS >=
                   LS_SERVER_EVIDENCE_STATE_NS + LS_SERVER_EVIDENCE_NS * LS_SERVER_INQUIRIES_OPEN,
               "a waiting client pins its state until its turn is over");

static ls_server_session *session_of(const ls_room *room, const ls_desync_inquiry *inquiry)
{
    ls_server_session *session = ls_sessions_find(room->server, inquiry->peer);
    return session && session->phase == LS_SERVER_SESSION_ACTIVE && session->room == room ? session
                                                                                          : NULL;
}

static bool ask_once(ls_server_session *session)
{
    ls_room *room = session->room;
    bool *of_seat =
        session->seat == LS_SEAT_NONE ? NULL : &room->match.seats.items[session->seat].was_asked;
    bool was = session->was_asked || (of_seat && *of_seat);
    session->was_asked = true;
    if (of_seat && !*of_seat) {
        *of_seat = true;
        ls_room_note_seats(room);
    }
    return !was;
}

/* Copies the facts that may be gone when the answers arrive. */
static ls_evidence *note_facts(const ls_server_session *session)
{
    const ls_room *room = session->room;
    ls_evidence *facts = ls_alloc(sizeof *facts);
    facts->verdict_tick = session->referee.tick;
    facts->expected = session->referee.expected;
    facts->found = session->referee.found;
    facts->seat = session->seat == LS_SEAT_NONE ? LS_HANDSHAKE_PLAYER_NONE : (uint8_t)session->seat;
    ls_text_copy(facts->name, sizeof facts->name, session->entrant.name);
    ls_text_copy(facts->recording, sizeof facts->recording, room->evidence.recording);
    ls_text_copy(facts->server.build, sizeof facts->server.build, room->host->build);
    ls_text_copy(facts->client.build, sizeof facts->client.build, session->entrant.build);
    facts->server.threads = ls_executor_threads(room->match.driver.executor);
    facts->network.slack_us = ls_state_slack_us(&session->slack, room->server->stepped_ns);
    facts->network.acked = session->ack;
    facts->network.unopened = session->seal.opens_failed;
    return facts;
}

/* Returns the reason not to ask this client; NULL: ask it. Notes that it was asked, because that
 * happens only once. */
static const char *refusal(ls_server_session *session)
{
    const ls_room *room = session->room;
    if (!room->match.driver.history)
        return "no states are kept: evidence_ms is 0";
    if (room->stats.inquiries == LS_SERVER_INQUIRIES)
        return "this match has used its number of inquiries";
    if (room->evidence.inquiry_count == LS_SERVER_INQUIRIES_OPEN)
        return "too many inquiries are open";
    if (room->handover != LS_HANDOVER_NONE) /* the successor shall ask */
        return "its match moves to another process";
    return !ask_once(session) ? "its state was already requested" : NULL;
}

static ls_desync_subject text_of(const ls_desync_inquiry *inquiry)
{
    uint8_t seat = inquiry->facts->seat;
    return (ls_desync_subject){.tick = inquiry->exchange->tick,
                               .peer = inquiry->peer,
                               .seat = seat == LS_HANDSHAKE_PLAYER_NONE ? -1 : seat,
                               .name = inquiry->facts->name};
}

/* Hashes the server's frames of the ticks that the client hashed. If the server no longer has these
 * frames, they count as equal. */
static uint64_t sum_inputs(const ls_tick_ring *ring, const ls_state_exchange *exchange)
{
    uint64_t first = exchange->theirs.inputs_first, end = exchange->tick;
    bool is_known = first <= end && end - first <= LS_EVIDENCE_INPUT_TICKS &&
                    first >= ls_tick_ring_first(ring) && end <= ring->next;
    uint64_t sum = is_known ? 0 : exchange->theirs.inputs;
    for (uint64_t tick = first; is_known && tick < end; tick++) {
        ls_ticks_body body = ls_tick_ring_body(ring, tick);
        sum += ls_evidence_frame_hash(tick, body.data, body.bytes);
    }
    return sum;
}

/* Counts a difference by what is known of its cause at once; `lockstep explain` finds the rest. */
static const char *count_cause(ls_room *room, const ls_desync_inquiry *inquiry)
{
    const ls_state_exchange *exchange = inquiry->exchange;
    const ls_tick_ring *ring = inquiry->has_frames ? &inquiry->bundle->ring : &room->match.ring;
    if (exchange->theirs.inputs != sum_inputs(ring, exchange)) {
        room->stats.found_inputs++;
        return "inputs";
    }
    if (strcmp(inquiry->facts->server.build, inquiry->facts->client.build) != 0) {
        room->stats.found_builds++;
        return "build";
    }
    room->stats.found_states++;
    return "state";
}

static void log_finding(ls_room *room, const ls_desync_inquiry *inquiry, uint64_t now_ns)
{
    const ls_state_exchange *exchange = inquiry->exchange;
    const ls_state_exchange_finding *first = &exchange->findings[0];
    const ls_desync_subject subject = text_of(inquiry);
    const char *cause = count_cause(room, inquiry);
    char text[LS_SERVER_LOG_BYTES];
    char server[LS_EVENT_LOG_QUOTED_BYTES], client[LS_EVENT_LOG_QUOTED_BYTES];
    snprintf(text, sizeof text,
             "component=%s entity=%s field=%s server=%.100s client=%.100s differences=%u "
             "columns=%u pages=%u ms=%llu whole=%d cause=%s",
             first->component, first->entity, first->field,
             ls_event_log_name(first->server, server), ls_event_log_name(first->client, client),
             exchange->finding_count, exchange->columns_differ, exchange->pages_differ,
             (unsigned long long)((now_ns - inquiry->since_ns) / 1000000),
             exchange->claimed_root == exchange->theirs.root, cause);
    ls_desync_log_write(room, &subject, "desync_cell", text);
}

bool ls_desync_inquiry_begin(ls_server_session *session, uint64_t now_ns)
{
    ls_room *room = session->room;
    ls_room_evidence *self = &room->evidence;
    const char *why = refusal(session);
    if (why) {
        ls_sessions_note_unexplained(session, why);
        return false;
    }
    room->stats.inquiries++;
    ls_desync_inquiry **last = &self->inquiries;
    while (*last)
        last = &(*last)->next;
    *last = ls_alloc(sizeof **last);
    **last = (ls_desync_inquiry){.exchange = ls_state_exchange_create(session->referee.tick),
                                 .facts = note_facts(session),
                                 .peer = session->peer,
                                 .since_ns = now_ns};
    self->inquiry_count++;
    ls_flag_raise(room->flag);
    return true;
}

bool ls_desync_inquiry_is_open(const ls_server_session *session)
{
    const ls_desync_inquiry *inquiry = session->room->evidence.inquiries;
    while (inquiry && inquiry->peer != session->peer)
        inquiry = inquiry->next;
    return inquiry != NULL;
}

bool ls_desync_inquiry_receive(ls_server_session *session, const ls_plain *plain)
{
    ls_room *room = session->room;
    ls_desync_inquiry *inquiry = room->evidence.inquiries; /* only the first is asked */
    ls_evidence_chunk chunk;
    if (!ls_evidence_chunk_decode(plain, &chunk) || !inquiry || inquiry->peer != session->peer ||
        ls_driver_has_exchange(&room->match.driver, inquiry->exchange) ||
        !inquiry->first_asked_ns || !ls_state_exchange_receive(inquiry->exchange, &chunk))
        return false;
    if (inquiry->exchange->state == LS_STATE_EXCHANGE_WORK) {
        inquiry->asked_ns = 0;
        ls_flag_raise(room->flag);
    }
    return true;
}

static void discard(ls_room *room, ls_state_exchange *exchange)
{
    if (exchange->snapshot)
        ls_driver_discard(&room->match.driver, exchange->snapshot);
    if (exchange->earlier)
        ls_driver_discard(&room->match.driver, exchange->earlier);
    exchange->snapshot = exchange->earlier = NULL;
}

static bool take_frames(const ls_room *room, ls_evidence_bundle *bundle)
{
    ls_evidence_bundle_source source = {.ring = &room->match.ring,
                                        .referee = &room->match.referee,
                                        .is_paused = room->match.is_paused};
    for (uint32_t i = 0; i < room->match.config.player_count; i++)
        source.players |= (uint64_t)room->match.seats.items[i].is_in_stream << i;
    return ls_evidence_bundle_take(bundle, &source);
}

/* Prepares the bundle once the states are pinned: copies their frames and roots before the ring
 * drops them. */
static void prepare_bundle(ls_room *room, ls_desync_inquiry *inquiry)
{
    inquiry->bundle = ls_evidence_bundle_create(inquiry->exchange, inquiry->facts);
    ls_room_recording_header(&room->recording, &inquiry->bundle->header);
    inquiry->bundle->header.first_epoch = room->epoch;
    inquiry->bundle->header.origin = room->recording.salt;
    inquiry->bundle->identity = room->host->identity;
    inquiry->bundle->job.flag = room->flag;
    inquiry->has_frames = take_frames(room, inquiry->bundle);
}

static void log_bundle(const ls_room *room, const ls_evidence_bundle *bundle, const char *why)
{
    char name[LS_EVENT_LOG_QUOTED_BYTES], reason[LS_EVENT_LOG_QUOTED_BYTES];
    if (why)
        ls_event_log_write(&room->log, "evidence_failed tick=%llu reason=%s",
                           (unsigned long long)bundle->exchange->tick,
                           ls_event_log_quote(why, reason));
    else
        ls_event_log_write(&room->log, "evidence_written tick=%llu file=%s bytes=%llu",
                           (unsigned long long)bundle->exchange->tick,
                           ls_event_log_quote(bundle->name, name),
                           (unsigned long long)bundle->bytes_put);
}

/* Logs a finished bundle and returns unused bytes to the budget. A failed file still counts as a
 * file, so a failing disk is not tried forever. */
static void note_bundle(ls_room *room, const ls_evidence_bundle *bundle)
{
    bool is_written = bundle->status == LS_OK;
    ls_evidence_budget_release(&room->server->stats,
                               bundle->bytes_max - (is_written ? bundle->bytes_put : 0));
    room->stats.evidence_files += is_written;
    log_bundle(room, bundle, is_written ? NULL : bundle->error.text);
}

static void end_bundle(ls_room *room, ls_evidence_bundle *bundle)
{
    discard(room, bundle->exchange);
    ls_evidence_bundle_destroy(bundle);
}

static ls_status open_file(ls_room *room, ls_evidence_bundle *bundle, ls_error *error)
{
    const ls_room_evidence *self = &room->evidence;
    ls_server_stats *budget = &room->server->stats;
    bundle->bytes_max = ls_evidence_budget_reserve(budget, error);
    if (!bundle->bytes_max)
        return LS_ERROR_LIMIT;
    ls_status status =
        self->open(self->context, room, bundle->exchange->tick, &bundle->file, bundle->name, error);
    if (status != LS_OK) {
        ls_evidence_budget_release(budget, bundle->bytes_max);
        budget->evidence_files--; /* no file was created */
    }
    return status;
}

/* Writes the bundle. Any answer is worth a bundle, even column hashes alone. */
static void begin_bundle(ls_room *room, ls_desync_inquiry *inquiry, uint64_t now_ns)
{
    ls_evidence_bundle *bundle = inquiry->bundle;
    ls_error error;
    ls_status status = LS_OK;
    bundle->header.first_tick = ls_evidence_bundle_first(bundle);
    bundle->evidence->network.answers_ms = (uint32_t)((now_ns - inquiry->since_ns) / 1000000);
    /* Adds the later frames and roots, if the ring still has them. */
    (void)!(inquiry->has_frames && take_frames(room, bundle));
    bundle->evidence->server.inputs = sum_inputs(&bundle->ring, bundle->exchange);
    if (!inquiry->has_frames)
        status = ls_error_set(&error, LS_ERROR_NOT_FOUND, "its frames are gone");
    if (status == LS_OK)
        status = open_file(room, bundle, &error);
    if (status != LS_OK) {
        log_bundle(room, bundle, error.text);
        end_bundle(room, bundle);
        return;
    }
    bundle->next = room->evidence.bundles;
    room->evidence.bundles = bundle;
    ls_evidence_bundle_submit(bundle, room->host->disk_jobs);
}

static void collect_bundles(ls_room *room)
{
    ls_evidence_bundle **at = &room->evidence.bundles;
    while (*at) {
        ls_evidence_bundle *bundle = *at;
        if (!ls_job_take(&bundle->job)) {
            at = &bundle->next;
            continue;
        }
        *at = bundle->next;
        note_bundle(room, bundle);
        end_bundle(room, bundle);
    }
}

static void free_inquiry(ls_desync_inquiry *inquiry)
{
    if (inquiry->bundle) {
        ls_evidence_bundle_destroy(inquiry->bundle);
    } else {
        ls_state_exchange_destroy(inquiry->exchange);
        ls_free(inquiry->facts);
    }
    ls_free(inquiry);
}

/* Ends an inquiry: logs the result and begins the bundle. The verdict can then be applied. */
static void conclude(ls_room *room, ls_desync_inquiry *inquiry, const char *why, uint64_t now_ns)
{
    const ls_state_exchange *exchange = inquiry->exchange;
    const ls_desync_subject subject = text_of(inquiry);
    room->stats.inquiries_found += exchange->state == LS_STATE_EXCHANGE_FOUND;
    if (exchange->state == LS_STATE_EXCHANGE_FOUND)
        log_finding(room, inquiry, now_ns);
    else
        ls_desync_log_unexplained(room, &subject, why);
    if (exchange->has_columns && inquiry->bundle) {
        begin_bundle(room, inquiry, now_ns);
        ls_free(inquiry);
    } else {
        discard(room, inquiry->exchange);
        free_inquiry(inquiry);
    }
    room->evidence.inquiry_count--;
    room->resend_ns = now_ns;
}

static void ask(ls_server_session *session, ls_desync_inquiry *inquiry, uint64_t now_ns)
{
    if (inquiry->asked_ns && now_ns - inquiry->asked_ns < LS_SERVER_EVIDENCE_RESEND_NS)
        return;
    inquiry->asked_ns = now_ns;
    if (!inquiry->first_asked_ns)
        inquiry->first_asked_ns = now_ns;
    ls_evidence_request request = ls_state_exchange_request(inquiry->exchange);
    ls_plain plain;
    ls_evidence_request_encode(&request, &plain);
    ls_sessions_send(session, &plain, now_ns);
}

/* Returns the reason for a timeout; NULL: none. Before the first question and between questions,
 * the server's own simulation is what delays. */
static const char *lateness(const ls_desync_inquiry *inquiry, uint64_t now_ns)
{
    static const char lag[] = "the server's simulation is behind";
    if (!inquiry->first_asked_ns)
        return inquiry->exchange->state == LS_STATE_EXCHANGE_WORK &&
                       now_ns - inquiry->since_ns >= LS_SERVER_EVIDENCE_STATE_NS
                   ? lag
                   : NULL;
    if (now_ns - inquiry->first_asked_ns < LS_SERVER_EVIDENCE_NS || LS_FAULT(INQUIRY_WITHOUT_END))
        return NULL;
    return inquiry->asked_ns ? "it does not answer" : lag;
}

/* Returns the reason why the inquiry ends now; NULL: it continues. */
static const char *end_of(const ls_room *room, const ls_desync_inquiry *inquiry, uint64_t now_ns)
{
    bool has_failed =
        ls_driver_has_failed(&room->match.driver) || room->stats.ended_by == LS_CLOSING_FAILED;
    if (inquiry->exchange->state >= LS_STATE_EXCHANGE_FOUND)
        return inquiry->exchange->why;
    if (!session_of(room, inquiry))
        return "it has left";
    if (has_failed)
        return "the match cannot continue";
    return lateness(inquiry, now_ns);
}

void ls_desync_inquiry_step(ls_room *room, uint64_t now_ns)
{
    collect_bundles(room);
    ls_desync_inquiry **at = &room->evidence.inquiries;
    while (*at) {
        ls_desync_inquiry *inquiry = *at;
        bool is_first = inquiry == room->evidence.inquiries;
        if (ls_driver_has_exchange(&room->match.driver, inquiry->exchange)) {
            at = &inquiry->next;
            continue;
        }
        if (inquiry->exchange->snapshot && !inquiry->bundle && room->evidence.open)
            prepare_bundle(room, inquiry);
        const char *why = end_of(room, inquiry, now_ns);
        if (why) {
            *at = LS_FAULT(INQUIRY_FORGETS) ? NULL : inquiry->next;
            conclude(room, inquiry, why, now_ns);
            continue;
        }
        if (is_first && inquiry->exchange->state == LS_STATE_EXCHANGE_ASK)
            ask(session_of(room, inquiry), inquiry, now_ns);
        at = &inquiry->next;
    }
}

void ls_desync_inquiry_submit(ls_room *room)
{
    for (ls_desync_inquiry *inquiry = room->evidence.inquiries; inquiry; inquiry = inquiry->next)
        if (!ls_driver_has_exchange(&room->match.driver, inquiry->exchange) &&
            inquiry->exchange->state == LS_STATE_EXCHANGE_WORK)
            ls_driver_add_exchange(&room->match.driver, inquiry->exchange);
}

bool ls_desync_inquiry_is_over(const ls_room *room)
{
    return !room->evidence.bundles;
}

void ls_desync_inquiry_reset(ls_room *room)
{
    ls_room_evidence *self = &room->evidence;
    for (ls_evidence_bundle *bundle; (bundle = self->bundles);) {
        self->bundles = bundle->next;
        ls_job_wait(room->host->disk_jobs, &bundle->job);
        note_bundle(room, bundle);
        ls_evidence_bundle_destroy(bundle);
    }
    for (ls_desync_inquiry *inquiry; (inquiry = self->inquiries);) {
        self->inquiries = inquiry->next;
        free_inquiry(inquiry);
    }
}
