#include "server/evidence.h"

#include "proto/evidence_limits.h"
#include "proto/text.h"
#include "server/record.h"
#include "server/sessions.h"

#include <stdio.h>

static ls_session *subject(const ls_room *room)
{
    ls_session *session = ls_sessions_find(room->server, room->evidence.peer);
    return session && session->phase == LS_SESSION_ACTIVE && session->room == room ? session : NULL;
}

static bool was_asked(ls_session *session)
{
    ls_room *room = session->room;
    bool *of_seat =
        session->seat == LS_SEAT_NONE ? NULL : &room->seats.items[session->seat].has_shown;
    bool was = session->has_shown || (of_seat && *of_seat);
    session->has_shown = true;
    if (of_seat)
        *of_seat = true;
    return was;
}

/* What is known of it now, and may be gone when the answers are there. */
static ls_evidence *note_facts(const ls_session *session)
{
    const ls_room *room = session->room;
    ls_evidence *facts = ls_alloc(sizeof *facts);
    facts->verdict_tick = session->referee.tick;
    facts->expected = session->referee.expected;
    facts->found = session->referee.found;
    facts->seat = session->seat == LS_SEAT_NONE ? LS_HANDSHAKE_PLAYER_NONE : (uint8_t)session->seat;
    ls_text_copy(facts->name, sizeof facts->name, session->entrant.name);
    ls_text_copy(facts->recording, sizeof facts->recording, room->evidence.recording);
    ls_text_copy(facts->server.build, sizeof facts->server.build, room->server->build);
    ls_text_copy(facts->client.build, sizeof facts->client.build, session->entrant.build);
    facts->server.threads = ls_executor_threads(room->driver.executor);
    facts->network.slack_us = ls_sessions_slack(session);
    facts->network.acked = session->ack;
    facts->network.unopened = session->seal.opens_failed;
    return facts;
}

bool ls_room_evidence_begin(ls_session *session, uint64_t now_ns)
{
    ls_room *room = session->room;
    ls_room_evidence *self = &room->evidence;
    if (!room->driver.past || self->inquiry || self->bundle ||
        room->stats.inquiries == LS_SERVER_INQUIRIES || was_asked(session))
        return false;
    room->stats.inquiries++;
    self->inquiry = ls_inquiry_create(session->referee.tick);
    self->facts = note_facts(session);
    self->peer = session->peer;
    self->since_ns = now_ns;
    self->asked_ns = 0;
    ls_flag_raise(room->flag);
    return true;
}

bool ls_room_evidence_is_open(const ls_session *session)
{
    const ls_room_evidence *self = &session->room->evidence;
    return self->inquiry && self->peer == session->peer;
}

bool ls_room_evidence_hear(ls_session *session, const ls_plain *plain)
{
    ls_room_evidence *self = &session->room->evidence;
    ls_evidence_chunk chunk;
    if (!ls_evidence_chunk_decode(plain, &chunk) || !ls_room_evidence_is_open(session) ||
        self->is_working || !ls_inquiry_hear(self->inquiry, &chunk))
        return false;
    if (self->inquiry->state == LS_INQUIRY_WORK) {
        self->asked_ns = 0;
        ls_flag_raise(session->room->flag);
    }
    return true;
}

/* Who it is about, as the line of the verdict has it. */
static void log_about(const ls_room *room, const char *event, const char *text)
{
    const ls_room_evidence *self = &room->evidence;
    int seat = self->facts->seat == LS_HANDSHAKE_PLAYER_NONE ? -1 : self->facts->seat;
    char name[LS_JOURNAL_QUOTED_BYTES];
    ls_journal_write(&room->journal, "%s tick=%llu peer=%u player=%d name=%s %s", event,
                     (unsigned long long)self->inquiry->tick, ls_peer_slot(self->peer), seat,
                     ls_journal_quote(self->facts->name, name), text);
}

static void log_finding(const ls_room *room, uint64_t now_ns)
{
    const ls_inquiry *inquiry = room->evidence.inquiry;
    const ls_inquiry_finding *first = &inquiry->findings[0];
    char text[LS_SERVER_LOG_BYTES];
    char server[LS_JOURNAL_QUOTED_BYTES], client[LS_JOURNAL_QUOTED_BYTES];
    snprintf(text, sizeof text,
             "component=%s entity=%s field=%s server=%.100s client=%.100s differences=%u "
             "columns=%u pages=%u ms=%llu whole=%d",
             first->component, first->entity, first->field, ls_journal_name(first->server, server),
             ls_journal_name(first->client, client), inquiry->finding_count,
             inquiry->columns_differ, inquiry->pages_differ,
             (unsigned long long)((now_ns - room->evidence.since_ns) / 1000000),
             inquiry->claimed_root == inquiry->theirs.root);
    log_about(room, "desync_cell", text);
}

static void log_nothing(const ls_room *room, const char *why)
{
    char reason[LS_JOURNAL_QUOTED_BYTES], text[LS_JOURNAL_QUOTED_BYTES + 8];
    snprintf(text, sizeof text, "reason=%s", ls_journal_quote(why, reason));
    log_about(room, "desync_unexplained", text);
}

static void discard(ls_room *room, ls_inquiry *inquiry)
{
    if (inquiry->snapshot)
        ls_driver_discard(&room->driver, inquiry->snapshot);
    if (inquiry->earlier)
        ls_driver_discard(&room->driver, inquiry->earlier);
    inquiry->snapshot = inquiry->earlier = NULL;
}

static void sum_inputs(const ls_room *room, ls_bundle *bundle)
{
    uint64_t first = bundle->inquiry->theirs.inputs_first, end = bundle->inquiry->tick;
    const ls_tick_ring *ring = &room->ring;
    bool is_known = first <= end && end - first <= LS_EVIDENCE_INPUT_TICKS &&
                    first >= ls_tick_ring_first(ring) && end <= ring->next;
    bundle->evidence->server.inputs = is_known ? 0 : ~bundle->inquiry->theirs.inputs;
    for (uint64_t tick = first; is_known && tick < end; tick++) {
        ls_ticks_body body = ls_tick_ring_body(ring, tick);
        bundle->evidence->server.inputs += ls_evidence_frame_hash(tick, body.data, body.bytes);
    }
}

static uint64_t players_now(const ls_room *room)
{
    uint64_t players = 0;
    for (uint32_t i = 0; i < room->match.player_count; i++)
        players |= (uint64_t)room->seats.items[i].is_in_stream << i;
    return players;
}

static bool fill_bundle(ls_room *room, ls_bundle *bundle)
{
    uint64_t first = ls_bundle_first(bundle);
    ls_room_record_header(room, &bundle->header);
    bundle->header.first_tick = first;
    bundle->header.first_epoch = room->epoch;
    bundle->header.origin = room->record.salt;
    bundle->identity = &room->server->handshake.identity;
    bundle->job.flag = room->flag;
    if (room->referee.next - first > LS_SERVER_ROOTS || !ls_bundle_take_frames(bundle, &room->ring))
        return false;
    ls_bundle_rewind(bundle, players_now(room), room->is_paused);
    uint64_t end =
        room->referee.next < room->ring.next + 1 ? room->referee.next : room->ring.next + 1;
    bundle->root_count = (uint32_t)(end - first);
    bundle->roots = ls_alloc(sizeof *bundle->roots * bundle->root_count);
    for (uint32_t i = 0; i < bundle->root_count; i++)
        bundle->roots[i] = room->referee.roots[(first + i) % LS_SERVER_ROOTS];
    sum_inputs(room, bundle);
    return true;
}

static void log_bundle(const ls_room *room, const ls_bundle *bundle, const char *why)
{
    char name[LS_JOURNAL_QUOTED_BYTES], reason[LS_JOURNAL_QUOTED_BYTES];
    if (why)
        ls_journal_write(&room->journal, "evidence_failed tick=%llu reason=%s",
                         (unsigned long long)bundle->inquiry->tick, ls_journal_quote(why, reason));
    else
        ls_journal_write(&room->journal, "evidence_written tick=%llu file=%s bytes=%llu",
                         (unsigned long long)bundle->inquiry->tick,
                         ls_journal_quote(bundle->name, name), (unsigned long long)bundle->bytes);
}

static void note_bundle(ls_room *room, const ls_bundle *bundle)
{
    bool is_written = bundle->status == LS_OK;
    room->stats.evidence_files += is_written;
    log_bundle(room, bundle, is_written ? NULL : bundle->error.text);
}

static void end_bundle(ls_room *room, ls_bundle *bundle)
{
    discard(room, bundle->inquiry);
    ls_bundle_destroy(bundle);
}

/* Of whatever the client has shown: also columns alone are worth it. */
static void begin_bundle(ls_room *room, uint64_t now_ns)
{
    ls_room_evidence *self = &room->evidence;
    ls_bundle *bundle = ls_bundle_create(self->inquiry, self->facts);
    ls_error error;
    bundle->evidence->network.answers_ms = (uint32_t)((now_ns - self->since_ns) / 1000000);
    ls_status status = LS_OK;
    if (!fill_bundle(room, bundle))
        status = ls_error_set(&error, LS_ERROR_NOT_FOUND, "its frames are gone");
    if (status == LS_OK)
        status = self->open(self->context, room, bundle->inquiry->tick, &bundle->sink, bundle->name,
                            &error);
    if (status != LS_OK) {
        log_bundle(room, bundle, error.text);
        end_bundle(room, bundle);
        return;
    }
    self->bundle = bundle;
    ls_bundle_submit(bundle, room->server->disk_jobs);
}

static void collect_bundle(ls_room *room)
{
    ls_room_evidence *self = &room->evidence;
    ls_bundle *bundle = self->bundle;
    if (!bundle || !ls_job_take(&bundle->job))
        return;
    note_bundle(room, bundle);
    end_bundle(room, bundle);
    self->bundle = NULL;
}

/* The sentence is due now. */
static void conclude(ls_room *room, const char *why, uint64_t now_ns)
{
    ls_room_evidence *self = &room->evidence;
    ls_inquiry *inquiry = self->inquiry;
    room->stats.inquiries_found += inquiry->state == LS_INQUIRY_FOUND;
    if (inquiry->state == LS_INQUIRY_FOUND)
        log_finding(room, now_ns);
    else
        log_nothing(room, why);
    if (inquiry->has_columns && self->open) {
        begin_bundle(room, now_ns);
    } else {
        discard(room, inquiry);
        ls_inquiry_destroy(inquiry);
        ls_free(self->facts);
    }
    self->inquiry = NULL;
    self->facts = NULL;
    self->peer = LS_PEER_NONE;
    room->repeat_ns = now_ns;
}

static void ask(ls_room *room, ls_session *session, uint64_t now_ns)
{
    ls_room_evidence *self = &room->evidence;
    if (self->asked_ns && now_ns - self->asked_ns < LS_SERVER_EVIDENCE_RESEND_NS)
        return;
    self->asked_ns = now_ns;
    ls_evidence_request request = ls_inquiry_request(self->inquiry);
    ls_plain plain;
    ls_evidence_request_encode(&request, &plain);
    ls_sessions_send(session, &plain, now_ns);
}

void ls_room_evidence_step(ls_room *room, uint64_t now_ns)
{
    ls_room_evidence *self = &room->evidence;
    collect_bundle(room);
    if (!self->inquiry)
        return;
    self->is_working &= self->inquiry == room->driver.inquiry;
    if (self->is_working)
        return;
    ls_session *session = subject(room);
    bool has_failed =
        ls_driver_has_failed(&room->driver) || room->stats.ended_by == LS_CLOSING_FAILED;
    if (self->inquiry->state >= LS_INQUIRY_FOUND)
        conclude(room, self->inquiry->why, now_ns);
    else if (!session || has_failed)
        conclude(room, session ? "the match cannot go on" : "it has left", now_ns);
    else if (now_ns - self->since_ns >= LS_SERVER_EVIDENCE_NS)
        conclude(room, "it does not answer", now_ns);
    else if (self->inquiry->state == LS_INQUIRY_ASK)
        ask(room, session, now_ns);
}

void ls_room_evidence_submit(ls_room *room)
{
    ls_room_evidence *self = &room->evidence;
    if (self->inquiry && !self->is_working && self->inquiry->state == LS_INQUIRY_WORK)
        self->is_working = ls_driver_inquire(&room->driver, self->inquiry);
}

void ls_room_evidence_reset(ls_room *room)
{
    ls_room_evidence *self = &room->evidence;
    if (self->bundle) {
        ls_job_wait(room->server->disk_jobs, &self->bundle->job);
        note_bundle(room, self->bundle);
    }
    ls_bundle_destroy(self->bundle);
    ls_inquiry_destroy(self->inquiry);
    ls_free(self->facts);
    self->bundle = NULL;
    self->inquiry = NULL;
    self->facts = NULL;
}
