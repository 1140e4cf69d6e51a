#include "watch.h"

#include "held_sim.h"

#include "client/client_internal.h"
#include "server/room_state.h"
#include "server/server_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct view {
    struct server_node *node;
    node_room *room;
    const ls_room *inner;
    struct verdict *verdict;
};

static const ls_server_session *session_of(const struct view *view, uint32_t seat)
{
    const ls_server_session *session = view->inner->sessions;
    while (session && session->seat != seat)
        session = session->next;
    return session;
}

/* Notes which process of which client has the seat. */
static void note_holder(const struct view *view, uint32_t index)
{
    seat_watch *watch = &view->room->watch[index];
    const ls_server_session *session = session_of(view, index);
    unsigned holder, life;
    if (!session || sscanf(session->entrant.name, "p%u.%u", &holder, &life) != 2)
        return;
    if (watch->session && watch->session != session->since_ns + 1 && watch->holder != holder &&
        watch->had_session)
        verdict_fail(view->verdict, CONTAINED, "%s: p%u has taken p%u's seat", view->room->name,
                     holder, watch->holder);
    if (watch->session != session->since_ns + 1 || watch->holder != holder || watch->life != life) {
        watch->session = session->since_ns + 1;
        watch->landed = 0;
        watch->has_state = 0;
    }
    watch->holder = holder;
    watch->life = life;
}

static void see_order(const struct view *view, uint64_t tick, const ls_input *input)
{
    seat_watch *watch = &view->room->watch[input->player];
    watch->landed++;
    if (watch->holder == PLAN_PLAYERS_MAX)
        verdict_fail(view->verdict, INPUT_ONCE, "tick %" PRIu64 " has an order of nobody's seat %u",
                     tick, input->player);
    else if (!orders_land(&view->node->players[watch->holder].orders, watch->life, tick,
                          input->data, input->bytes))
        verdict_fail(view->verdict, INPUT_ONCE,
                     "tick %" PRIu64 " has an order %02x%02x of %u bytes that p%u did not give, "
                     "or twice, or too late: %u given, %u landed",
                     tick, input->data[1], input->data[0], input->bytes, watch->holder,
                     view->node->players[watch->holder].orders.count,
                     view->node->players[watch->holder].orders.landed);
}

static void see_state(const struct view *view, uint64_t tick, const ls_input *input)
{
    seat_watch *watch = &view->room->watch[input->player];
    uint64_t bit = UINT64_C(1) << tick % 64;
    const uint8_t *kept = watch->states[tick % 64];
    const ls_seat *seat = &view->inner->match.seats.items[input->player];
    bool is_known = (watch->has_state & bit) &&
                    !seat->absent_until_ns; /* states of a lost session do not count */
    bool is_state = input->kind == LS_STATE;
    if (is_known && (!is_state || memcmp(kept, input->data, input->bytes) != 0))
        verdict_fail(view->verdict, INPUT_ONCE,
                     "tick %" PRIu64 " has not the state that seat %u had said first", tick,
                     input->player);
    if (!is_state && memcmp(watch->last, input->data, input->bytes) != 0)
        verdict_fail(view->verdict, INPUT_ONCE,
                     "tick %" PRIu64 " substitutes something for seat %u", tick, input->player);
    bool is_own = input->data[0] == watch->holder + 1 &&
                  (input->data[1] | input->data[2] << 8) == (int)watch->life;
    uint64_t stated = 0; /* the tick that the state was made for */
    for (uint32_t i = 3; i < HELD_BYTES; i++)
        stated |= (uint64_t)input->data[i] << 8 * (i - 3);
    /* A tick without a state takes that of another tick, at most this many ticks away. */
    uint64_t apart = stated < tick ? tick - stated : stated - tick;
    is_own &= apart < LS_CLIENT_STATES + RUN_HELD_TICKS;
    bool is_contrary =
        view->node->shared->plan.players[watch->holder % PLAN_PLAYERS_MAX].role == ROLE_CONTRARIAN;
    if (is_state && !is_own && !is_contrary)
        verdict_fail(view->verdict, INPUT_ONCE,
                     "tick %" PRIu64 " has a state of seat %u that p%u.%u never said", tick,
                     input->player, watch->holder, watch->life);
    memcpy(watch->last, input->data, input->bytes);
    watch->has_state &= ~bit;
}

static void see_input(const struct view *view, uint64_t tick, const ls_input *input)
{
    if (input->kind == LS_PAUSE || input->kind == LS_RESUME)
        return;
    seat_watch *watch = &view->room->watch[input->player];
    if (input->kind == LS_JOIN || input->kind == LS_LEAVE) {
        if (watch->is_in_stream == (input->kind == LS_JOIN))
            verdict_fail(view->verdict, SOUND, "tick %" PRIu64 ": seat %u comes or goes twice",
                         tick, input->player);
        watch->is_in_stream = input->kind == LS_JOIN;
        memset(watch->last, 0, sizeof watch->last);
        return;
    }
    if (!watch->is_in_stream)
        verdict_fail(view->verdict, INPUT_ONCE, "tick %" PRIu64 ": seat %u is not in the match",
                     tick, input->player);
    if (input->kind == LS_INPUT)
        see_order(view, tick, input);
    else
        see_state(view, tick, input);
}

static void see_frame(const struct view *view, uint64_t tick, const ls_ticks_body *body)
{
    ls_reader reader;
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    ls_reader_init(&reader, body->data, body->bytes);
    if (!ls_frame_decode(&reader, tick, view->inner->match.config.player_count, inputs, &frame)) {
        verdict_fail(view->verdict, SOUND, "tick %" PRIu64 " cannot be read", tick);
        return;
    }
    ledger_close(&view->room->ledger, body->data, body->bytes);
    for (uint32_t i = 0; i < frame.count; i++)
        see_input(view, tick, &inputs[i]);
    verdict_note(view->verdict, "%s tick=%" PRIu64 " bytes=%u", view->room->name, tick,
                 body->bytes);
}

static void see_frames(const struct view *view)
{
    const ls_tick_ring *ring = &view->inner->match.ring;
    uint64_t tick = ledger_tick_count(&view->room->ledger);
    if (ring->next < tick || ring->next - tick > ring->count) {
        verdict_fail(view->verdict, TICK_STAYS, "%s is at tick %" PRIu64 ", it was at %" PRIu64,
                     view->room->name, ring->next, tick);
        return;
    }
    for (; tick < ring->next; tick++) {
        ls_ticks_body body = ls_tick_ring_body(ring, tick);
        see_frame(view, tick, &body);
    }
}

/* Checks that the ticks in the server's ring are those that were sent. */
static void look_at_ring(const struct view *view)
{
    const ls_tick_ring *ring = &view->inner->match.ring;
    if (!ring->count)
        return;
    uint64_t tick = ls_tick_ring_first(ring);
    ls_ticks_body body = ls_tick_ring_body(ring, tick);
    const ledger_line *line = &view->room->ledger.lines[view->room->ledger.epoch];
    if (body.bytes != line->ticks[tick].count ||
        memcmp(body.data, line->ticks[tick].bytes, body.bytes) != 0)
        verdict_fail(view->verdict, TICK_STAYS, "%s keeps another tick %" PRIu64 " than it closed",
                     view->room->name, tick);
}

static void see_roots(const struct view *view)
{
    const ls_referee *referee = &view->inner->match.referee;
    node_room *room = view->room;
    uint64_t first = referee->next > LS_SERVER_ROOTS ? referee->next - LS_SERVER_ROOTS : 0;
    if (room->roots_seen < first)
        room->roots_seen = first;
    for (; room->roots_seen < referee->next; room->roots_seen++) {
        uint64_t root = referee->roots[room->roots_seen % LS_SERVER_ROOTS];
        ledger_check_root(&room->ledger, room->ledger.epoch, room->roots_seen, root, "the server");
        verdict_note(view->verdict, "%s root tick=%" PRIu64 " %016" PRIx64, room->name,
                     room->roots_seen, root);
    }
}

static bool is_expected(const struct view *view, uint32_t seat)
{
    const ls_server *server = view->inner->server;
    for (uint32_t i = 0; i < LS_SERVER_PENDING; i++) {
        const ls_pending *pending = &server->pending.items[i];
        if (pending->until_ns && pending->connect_id && pending->room == view->inner &&
            pending->entrant.seat == seat && !pending->entrant.takes_over)
            return true;
    }
    for (uint32_t i = 0; i < server->peers_max; i++) {
        const ls_server_session *session = &server->sessions[i];
        if (session->phase != LS_SERVER_SESSION_FREE && session->room == view->inner &&
            session->seat == seat && !session->entrant.takes_over)
            return true;
    }
    return false;
}

/* Checks that the seat of an absent player is not kept for longer than allowed. */
static void look_at_absence(const struct view *view, uint32_t index)
{
    const ls_room *room = view->inner;
    uint64_t until_ns = room->match.seats.items[index].absent_until_ns;
    uint64_t now_ns = node_clock_show(&view->node->clock, view->node->shared->now_ns);
    seat_watch *watch = &view->room->watch[index];
    if (!until_ns || now_ns < until_ns)
        watch->overdue_tick = 0;
    else if (!watch->overdue_tick)
        watch->overdue_tick = room->match.ring.next + 1;
    bool is_over = watch->overdue_tick && room->match.ring.next > watch->overdue_tick;
    if ((is_over && room->state < LS_ROOM_ENDING) || until_ns > now_ns + room->keep_seats_ns)
        verdict_fail(view->verdict, SOUND, "seat %u is kept for too long", index);
}

static void look_at_seat(const struct view *view, uint32_t index)
{
    const ls_seat *seat = &view->inner->match.seats.items[index];
    seat_watch *watch = &view->room->watch[index];
    bool has_session = session_of(view, index) != NULL;
    watch->had_session = has_session;
    look_at_absence(view, index);
    if (seat->is_in_stream && !has_session && !seat->wants_leave && !seat->absent_until_ns &&
        view->inner->state < LS_ROOM_ENDING)
        verdict_fail(view->verdict, SOUND, "%s: seat %u is in the match, and nobody has it",
                     view->room->name, index);
    if (seat->is_taken && !is_expected(view, index))
        verdict_fail(view->verdict, SOUND, "%s: seat %u is taken by nobody", view->room->name,
                     index);
    if (!has_session)
        return;
    if (seat->sequence != watch->landed + seat->count)
        verdict_fail(view->verdict, INPUT_ONCE,
                     "%s: seat %u has taken %u orders; %u landed and %u wait", view->room->name,
                     index, seat->sequence, watch->landed, seat->count);
    if (!seat->states)
        return;
    uint32_t bytes = view->inner->match.seats.sim->state_bytes;
    for (uint32_t i = 0; i < 64; i++) {
        uint64_t bit = UINT64_C(1) << i;
        if ((seat->has_state & watch->has_state & bit) &&
            memcmp(watch->states[i], seat->states + i * bytes, bytes) != 0)
            verdict_fail(view->verdict, INPUT_ONCE,
                         "%s: seat %u holds another state than the first", view->room->name, index);
        if (seat->has_state & bit)
            memcpy(watch->states[i], seat->states + i * bytes, bytes);
    }
    watch->has_state = seat->has_state;
}

/* Checks that the server accepted no packet beyond the client's count of sent ones. */
static void look_at_seals(const struct view *view)
{
    for (const ls_server_session *session = view->inner->sessions; session; session = session->next)
        for (uint32_t i = 0; i < view->node->shared->plan.player_count; i++) {
            const ls_client *client = view->node->players[i].client;
            for (uint32_t channel = 0; client && channel < LS_CHANNEL_COUNT; channel++)
                if (memcmp(client->connection.seal.send_keys[channel],
                           session->seal.receive_keys[channel], LS_SEAL_KEY_BYTES) == 0 &&
                    session->seal.receive_next[channel] >
                        client->connection.seal.send_next[channel])
                    verdict_fail(view->verdict, CONTAINED,
                                 "%s: the server has heard more of p%u than it said",
                                 view->room->name, i);
        }
}

/* Checks that the match waits for no client, except under the policy `wait`. */
static void look_at_pace(const struct view *view)
{
    node_room *room = view->room;
    const ls_room *inner = view->inner;
    uint64_t now_ns = view->node->shared->now_ns;
    bool may_stand = inner->state != LS_ROOM_RUNNING || inner->policy == LS_ROOM_WAIT ||
                     inner->match.is_paused || inner->pause.is_wanted ||
                     now_ns < view->node->clock.stands_till_ns;
    if (may_stand || room->may_stand || inner->match.ring.next != room->moved_tick) {
        room->moved_tick = inner->match.ring.next;
        room->moved_ns = now_ns;
    }
    room->may_stand = may_stand;
    if (now_ns - room->moved_ns > LS_SECOND_NS)
        verdict_fail(view->verdict, CONTAINED, "%s stands at tick %" PRIu64, room->name,
                     room->moved_tick);
}

/* Checks that inquiries are few, none waits too long, and no desync is forgotten. */
static void look_at_cases(const struct view *view)
{
    const ls_room_stats *stats = &view->inner->stats;
    const ls_room_evidence *evidence = &view->inner->evidence;
    const ls_desync_inquiry *first = evidence->inquiries;
    uint64_t now_ns = node_clock_show(&view->node->clock, view->node->shared->now_ns);
    uint32_t count = 0;
    for (const ls_desync_inquiry *it = first; it; it = it->next)
        count++;
    if (count > LS_SERVER_INQUIRIES_OPEN || stats->inquiries > LS_SERVER_INQUIRIES)
        verdict_fail(view->verdict, SOUND, "%s asks more than it may", view->room->name);
    if (first && first->first_asked_ns &&
        !ls_driver_has_exchange(&view->inner->match.driver, first->exchange) &&
        now_ns > first->first_asked_ns + LS_SERVER_EVIDENCE_NS + LS_SECOND_NS / 2)
        verdict_fail(view->verdict, CONTAINED, "%s waits for one who does not answer",
                     view->room->name);
    if (stats->desyncs != stats->inquiries_found + stats->desyncs_unexplained + count)
        verdict_fail(view->verdict, NAMED_DESYNC, "%s has forgotten one who differs",
                     view->room->name);
}

/* Checks that a player's pause ends when the player leaves. */
static void look_at_pause(const struct view *view)
{
    const ls_room *inner = view->inner;
    if (inner->pause.is_wanted && inner->pause.player < inner->match.config.player_count &&
        !session_of(view, inner->pause.player))
        verdict_fail(view->verdict, CONTAINED, "%s stands for a player who is gone",
                     view->room->name);
}

/* Checks that the server inquires only about clients with a difference. */
static void look_at_inquiries(const struct view *view)
{
    const ls_room_stats *stats = &view->inner->stats;
    bool is_clean = view->node->shared->plan.is_clean;
    look_at_cases(view);
    if ((is_clean && stats->desyncs) || stats->inquiries > stats->desyncs ||
        stats->inquiries_found > stats->inquiries)
        verdict_fail(view->verdict, NO_FALSE_DESYNC, "%s asks what differs, and nothing does",
                     view->room->name);
}

static void note_promises(const struct view *view)
{
    node_room *room = view->room;
    ls_room_stats stats = ls_room_get_stats(view->inner);
    if (stats.recording_failed && !room->has_failed) {
        room->has_failed = true;
        verdict_note(view->verdict, "%s is recorded no more", room->name);
    }
    if (stats.recording_failed || stats.state == LS_ROOM_RESTORING)
        return;
    room->promised = stats.tick;
    room->promised_synced = stats.tick - stats.recording_unsynced_ticks;
}

static void adopt_frame(const struct view *view, const ls_frame *frame)
{
    uint8_t bytes[LS_FRAME_BYTES_MAX];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_frame_encode(frame, &writer);
    ledger_close(&view->room->ledger, bytes, (uint32_t)writer.count);
    for (uint32_t i = 0; i < frame->count; i++)
        if (frame->inputs[i].kind == LS_INPUT)
            see_order(view, frame->tick, &frame->inputs[i]);
    verdict_note(view->verdict, "%s tick=%" PRIu64 " was closed by the dead", view->room->name,
                 frame->tick);
}

/* Adds the ticks to the ledger that a server sent, but could not record. */
static void adopt_unrecorded(const struct view *view)
{
    const ls_tick_ring *ring = &view->inner->match.ring;
    uint64_t tick = ledger_tick_count(&view->room->ledger);
    const ls_room_recording *recording = &view->inner->recording;
    bool has_failed = recording->phase == LS_ROOM_RECORDING_FAILED ||
                      (recording->phase >= LS_ROOM_RECORDING_CLOSING && !recording->is_whole);
    if (tick < ring->next && !has_failed)
        verdict_fail(view->verdict, DURABLE, "%s has closed tick %" PRIu64 " and not recorded it",
                     view->room->name, tick);
    for (; tick < ring->next && tick >= ls_tick_ring_first(ring); tick++) {
        ls_ticks_body body = ls_tick_ring_body(ring, tick);
        ls_reader reader;
        ls_input inputs[LS_FRAME_INPUTS_MAX];
        ls_frame frame;
        ls_reader_init(&reader, body.data, body.bytes);
        LS_ASSERT(
            ls_frame_decode(&reader, tick, view->inner->match.config.player_count, inputs, &frame));
        adopt_frame(view, &frame);
    }
}

static void adopt_recorded(const struct view *view)
{
    node_room *room = view->room;
    const ls_memory_sink *memory = &room->disk.memory;
    ls_recording *recording;
    const ls_recording_tick *tick;
    ls_error error;
    disk_flip(&room->disk);
    if (ls_recording_open_memory(room->name, memory->data, memory->bytes, &recording, &error) !=
        LS_OK)
        goto put_back; /* the ledger reports the error */
    while (ls_recording_next(recording, &tick, &error) == LS_OK && tick)
        if (tick->frame.tick == ledger_tick_count(&room->ledger))
            adopt_frame(view, &tick->frame);
    ls_recording_close(recording);
put_back:
    disk_flip(&room->disk);
}

void watch_adopt(struct server_node *node, node_room *room)
{
    struct view view = {node, room, room->room, &node->shared->verdict};
    adopt_recorded(&view);
    if (room->room && room->room->state != LS_ROOM_RESTORING)
        adopt_unrecorded(&view);
}

void watch_room(struct server_node *node, node_room *room)
{
    if (!room->room || room->room->state == LS_ROOM_RESTORING)
        return;
    struct view view = {node, room, room->room, &node->shared->verdict};
    for (uint32_t i = 0; i < room->room->match.config.player_count; i++)
        note_holder(&view, i);
    see_frames(&view);
    look_at_ring(&view);
    see_roots(&view);
    for (uint32_t i = 0; i < room->room->match.config.player_count; i++)
        look_at_seat(&view, i);
    look_at_seals(&view);
    look_at_pace(&view);
    look_at_pause(&view);
    look_at_inquiries(&view);
    note_promises(&view);
}

static void replay_frame(node_room *room, uint32_t players, uint64_t tick, const ledger_tick *kept)
{
    ls_reader reader;
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    ls_reader_init(&reader, kept->bytes, kept->count);
    LS_ASSERT(ls_frame_decode(&reader, tick, players, inputs, &frame));
    for (uint32_t i = 0; i < frame.count; i++) {
        if (inputs[i].player >= players)
            continue;
        seat_watch *watch = &room->watch[inputs[i].player];
        if (inputs[i].kind == LS_JOIN || inputs[i].kind == LS_LEAVE) {
            watch->is_in_stream = inputs[i].kind == LS_JOIN;
            memset(watch->last, 0, sizeof watch->last);
        }
        if (inputs[i].kind == LS_STATE || inputs[i].kind == LS_SUBSTITUTE)
            memcpy(watch->last, inputs[i].data, inputs[i].bytes);
    }
}

void watch_restart(struct server_node *node, node_room *room, uint64_t count)
{
    const struct plan *plan = &node->shared->plan;
    memset(room->watch, 0, sizeof room->watch);
    for (uint32_t i = 0; i < LS_COUNT_OF(room->watch); i++)
        room->watch[i].holder = PLAN_PLAYERS_MAX;
    const ledger_line *line = &room->ledger.lines[room->ledger.epoch];
    for (uint64_t tick = 0; tick < count; tick++)
        replay_frame(room, plan->rooms[room->index].seats, tick, &line->ticks[tick]);
    for (uint32_t i = 0; i < plan->player_count; i++) {
        struct player *player = &node->players[i];
        if (plan->players[i].room == room->index)
            orders_rewind(&player->orders, count);
    }
    room->roots_seen = 0;
    room->may_stand = true;
}

void watch_describe(const struct server_node *node, const node_room *room)
{
    struct verdict *verdict = &node->shared->verdict;
    const ls_room *inner = room->room;
    if (!inner)
        return;
    verdict_note(verdict, "%s state=%d tick=%" PRIu64 " paused=%d/%d policy=%d", room->name,
                 inner->state, inner->match.ring.next, inner->match.is_paused,
                 inner->pause.is_wanted, inner->policy);
    for (uint32_t i = 0; i < inner->match.config.player_count; i++) {
        const ls_seat *seat = &inner->match.seats.items[i];
        verdict_note(verdict,
                     "%s seat %u taken=%d in=%d join=%d leave=%d states=%" PRIx64 " sequence=%u "
                     "waiting=%u",
                     room->name, i, seat->is_taken, seat->is_in_stream, seat->wants_join,
                     seat->wants_leave, seat->has_state, seat->sequence, seat->count);
    }
    for (const ls_server_session *session = inner->sessions; session; session = session->next)
        verdict_note(verdict, "%s session %s seat=%d ack=%" PRIu64 " asked=%d wrong=%d", room->name,
                     session->entrant.name, (int)session->seat, session->ack,
                     session->has_asked_join, session->referee.is_suspect);
    for (uint32_t i = 0; i < node->shared->plan.player_count; i++) {
        const ls_client *client = node->players[i].client;
        if (client)
            verdict_note(verdict,
                         "%s next=%" PRIu64 " have=%" PRIu64 " head=%" PRIu64 " states=%" PRIu64
                         "..%" PRIu64 " lead=%u playing=%d",
                         node->players[i].name, client->playback.frames.next,
                         client->playback.frames.have, client->playback.frames.head,
                         client->outbox.states.first, client->outbox.states.next,
                         client->outbox.delay.ticks, client->playback.is_playing);
    }
}
