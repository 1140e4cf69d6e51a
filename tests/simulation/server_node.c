#include "server_node.h"

#include "failing_memory.h"
#include "held_sim.h"
#include "server_log.h"
#include "watch.h"

#include "server/room_state.h"
#include "server/server_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static node_room *room_of(struct server_node *self, const ls_room *inner)
{
    for (uint32_t i = 0; i < self->shared->plan.room_count; i++)
        if (self->rooms[i].room == inner)
            return &self->rooms[i];
    return NULL;
}

static void room_ended(void *context, ls_room *inner)
{
    struct server_node *self = context;
    node_room *room = room_of(self, inner);
    LS_ASSERT(room);
    bool was_inside = failing_memory_pause();
    watch_room(self, room);
    failing_memory_go_on(was_inside);
    ls_room_stats stats = ls_room_get_stats(inner);
    room->is_over = room->has_final_root = true;
    room->final_tick = stats.tick;
    room->final_root = ls_room_final_root(inner);
    room->ended_by = stats.ended_by;
    room->room = NULL;
    if (stats.ended_by == LS_CLOSING_FAILED)
        verdict_fail(&self->shared->verdict, SOUND, "%s failed: %s", room->name,
                     ls_room_end_reason(inner));
}

static int64_t take_bytes(void *context, const void *data, size_t bytes)
{
    (void)context, (void)data;
    return (int64_t)bytes;
}

static int agree(void *context)
{
    (void)context;
    return 0;
}

/* Opens an evidence bundle, which is written and never read. */
static ls_status open_evidence(void *context, const ls_room *room, uint64_t tick, ls_sink *sink,
                               char name[LS_RECORDING_TEXT_BYTES], ls_error *error)
{
    (void)context, (void)room, (void)error;
    *sink = (ls_sink){.append = take_bytes, .sync = agree, .close = agree};
    snprintf(name, LS_RECORDING_TEXT_BYTES, "desync-%" PRIu64, tick);
    return LS_OK;
}

static ls_room_config make_config(struct server_node *self, node_room *room)
{
    const struct plan *plan = &self->shared->plan;
    const plan_room *from = &plan->rooms[room->index];
    ls_room_config config = ls_room_config_default();
    config.name = room->name;
    config.match = ls_program_match(self->shared->program, plan->seed);
    config.match.player_count = from->seats;
    config.match.tick_rate = plan->tick_rate;
    if (plan->sim == PLAN_SKIRMISH)
        config.match.options[0] = 200;
    config.wait_players = from->wait_players;
    config.ticks_max = from->ticks_max;
    config.policy = from->policy;
    config.desync = from->desync;
    config.sync_ticks = from->sync_ticks;
    config.keep_seats_s = from->keep_seats_s;
    config.players_may_pause = true;
    config.open_evidence = open_evidence;
    return config;
}

static void open_new(struct server_node *self, node_room *room)
{
    ls_error error = {""};
    ls_room_config config = make_config(self, room);
    ls_sink sink = disk_open(&room->disk);
    config.sink = &sink;
    if (ls_server_open_room(self->server, &config, &room->room, &error) != LS_OK)
        verdict_fail(&self->shared->verdict, SOUND, "%s cannot be opened: %s", room->name,
                     error.text);
}

/* Resumes a room from its recording. A damaged recording is never continued: when it has rotted,
 * the operator replaces it by a copy. */
static ls_status resume(node_room *room, ls_recorder **recorder, ls_recording_end *found,
                        ls_error *error)
{
    bool is_rotten = room->disk.rot_mask != 0;
    ls_recorder_existing existing = {.name = room->name, .existing = disk_reopen(&room->disk)};
    ls_status status = ls_recorder_resume_on(&existing, recorder, found, error);
    if (!is_rotten || (status != LS_ERROR_CORRUPT && status != LS_ERROR_INCOMPATIBLE))
        return status;
    verdict_note(&room->shared->verdict, "%s is damaged: the copy replaces it", room->name);
    disk_heal(&room->disk);
    existing.existing = disk_reopen(&room->disk);
    return ls_recorder_resume_on(&existing, recorder, found, error);
}

static void reopen(struct server_node *self, node_room *room)
{
    ls_error error = {""};
    ls_recorder *recorder = NULL;
    ls_recording_end found;
    struct verdict *verdict = &self->shared->verdict;
    ls_status status = resume(room, &recorder, &found, &error);
    if (status == LS_ERROR_REFUSED && found.is_closed) {
        /* The match was over when the server died; only its last clients had not left. */
        room->is_over = true;
        room->final_tick = found.tick_count;
        return;
    }
    if (status != LS_OK) {
        verdict_fail(verdict, DURABLE, "%s cannot go on: %s", room->name, error.text);
        return;
    }
    /* Copy the bytes that the room reads: the recorder appends to the originals meanwhile. */
    bool was_inside = failing_memory_pause();
    size_t bytes = room->disk.memory.bytes;
    uint8_t *copy = ls_alloc(bytes);
    memcpy(copy, room->disk.memory.data, bytes);
    ls_free(room->history);
    room->history = copy;
    ls_room_config config = make_config(self, room);
    config.recorder = recorder;
    config.epoch = self->epoch;
    config.seats = room->has_seats ? &room->seats : NULL;
    ledger_begin_epoch(&room->ledger, self->epoch, found.tick_count);
    watch_restart(self, room, found.tick_count);
    failing_memory_go_on(was_inside);
    ls_recording *recording;
    LS_ASSERT(ls_recording_open_memory(room->name, copy, bytes, &recording, &error) == LS_OK);
    config.series = ls_series_of(recording);
    room->promised = room->promised_synced = found.tick_count;
    if (ls_server_open_room(self->server, &config, &room->room, &error) != LS_OK)
        verdict_fail(verdict, SOUND, "%s cannot be taken up: %s", room->name, error.text);
}

static uint64_t shown_ns(const struct server_node *self)
{
    return node_clock_show(&self->clock, self->shared->now_ns);
}

static void start(void *context)
{
    struct server_node *self = context;
    struct run_shared *shared = self->shared;
    ls_error error = {""};
    bool is_first = self->starts_ns == shared->start_ns;
    bool was_inside = failing_memory_pause();
    self->link = ls_network_listen(shared->network, 32);
    failing_memory_go_on(was_inside);
    ls_server_config config = ls_server_config_default();
    config.program = shared->program;
    config.link = self->link;
    config.jobs = shared->plan.job_ns ? &self->jobs.jobs : NULL;
    config.identity = &shared->identity;
    config.entropy = &shared->entropy;
    config.unix_s = node_clock_unix_s(&self->clock, shared->now_ns);
    config.log = server_log_line;
    config.log_context = self;
    config.peers_max = 32;
    config.rooms_max = PLAN_ROOMS_MAX;
    config.room_ended = room_ended;
    config.room_context = self;
    LS_ASSERT(ls_server_create(&config, &self->server, &error) == LS_OK);
    self->epoch += !is_first;
    for (uint32_t i = 0; i < shared->plan.room_count; i++) {
        node_room *room = &self->rooms[i];
        if (room->is_over)
            continue;
        disk_revive(&room->disk);
        room->has_failed = false;
        if (is_first)
            open_new(self, room);
        else
            reopen(self, room);
    }
    if (self->is_draining)
        ls_server_drain(self->server, shown_ns(self));
    self->wish_ns = shared->now_ns;
}

void server_node_init(struct server_node *self, struct run_shared *shared, struct player *players)
{
    *self = (struct server_node){.shared = shared,
                                 .players = players,
                                 .draws = draws_make(shared->plan.seed, 2),
                                 .starts_ns = shared->start_ns};
    slow_jobs_init(&self->jobs, draws_make(shared->plan.seed, 3), shared->plan.job_ns);
    for (uint32_t i = 0; i < shared->plan.room_count; i++) {
        node_room *room = &self->rooms[i];
        room->shared = shared;
        room->index = i;
        snprintf(room->name, sizeof room->name, "room%u", i);
        ledger_init(&room->ledger, &shared->verdict, i);
        disk_init(&room->disk, draws_make(shared->plan.seed, 10 + i), shared->plan.short_percent);
        watch_restart(self, room, 0);
    }
}

static void forget_process(struct server_node *self)
{
    self->server = NULL;
    ls_network_kill(self->link);
    self->link = NULL;
    for (uint32_t i = 0; i < self->shared->plan.room_count; i++)
        self->rooms[i].room = NULL;
    self->jobs.count = 0;
}

static void end_process(struct server_node *self)
{
    ls_server_destroy(self->server);
    forget_process(self);
}

void server_node_reset(struct server_node *self)
{
    for (uint32_t i = 0; i < self->shared->plan.room_count; i++)
        self->rooms[i].disk.is_gone = true;
    if (self->server)
        end_process(self);
    for (uint32_t i = 0; i < self->shared->plan.room_count; i++) {
        ledger_reset(&self->rooms[i].ledger);
        disk_reset(&self->rooms[i].disk);
        ls_free(self->rooms[i].history);
    }
}

/* Keeps the seats as a seats file would: a new copy whenever they have changed. */
static void keep_seats(node_room *room)
{
    if (!room->room || ls_room_seats_version(room->room) == room->seats_version)
        return;
    room->seats_version = ls_room_seats_version(room->room);
    room->has_seats = true;
    ls_room_seats(room->room, &room->seats);
}

/* True when the player that paused the match is dead: the server must then resume the match by
 * itself. */
static bool has_no_holder(const struct server_node *self, const ls_room *room)
{
    unsigned index, life;
    const ls_server_session *session = room->sessions;
    while (session && session->seat != room->pause.player)
        session = session->next;
    if (!session || sscanf(session->entrant.name, "p%u.%u", &index, &life) != 2)
        return room->pause.player < room->match.config.player_count;
    return !self->players[index].client || self->players[index].life != life;
}

/* Resumes paused matches whose player is alive, because a pause request may still be in flight when
 * the second phase begins. */
static void let_go(struct server_node *self)
{
    for (uint32_t i = 0; i < self->shared->plan.room_count; i++) {
        ls_room *room = self->rooms[i].room;
        if (room && ls_room_get_stats(room).is_paused && !has_no_holder(self, room))
            ls_room_pause(room, false);
    }
}

uint64_t server_node_next_ns(const struct server_node *self)
{
    if (!self->server)
        return self->starts_ns;
    uint64_t jobs_ns = slow_jobs_next_ns(&self->jobs);
    uint64_t next = self->wish_ns < jobs_ns ? self->wish_ns : jobs_ns;
    return next > self->stalled_until_ns ? next : self->stalled_until_ns;
}

/* Checks a recording as it was written, and also with the flipped bit if it has rotted. */
static uint64_t check_bytes(node_room *room, uint64_t promised, const ls_program *program)
{
    struct disk *disk = &room->disk;
    const ls_memory_sink *memory = &disk->memory;
    disk_flip(disk);
    uint64_t count =
        ledger_check_recording(&room->ledger, memory->data, memory->bytes, promised, program);
    disk_flip(disk);
    if (disk->rot_mask)
        ledger_check_rotten(&room->ledger, memory->data, memory->bytes, disk->rot_at, count);
    return count;
}

/* Checks what is left of a recording: the promised ticks, possibly followed by more of the
 * match. */
static void check_left(struct server_node *self, node_room *room, bool is_machine)
{
    uint64_t promised = is_machine ? room->promised_synced : room->promised;
    uint64_t count = check_bytes(room, promised, NULL);
    room->lost_ticks |= count < ledger_tick_count(&room->ledger);
    /* Promise only what is left: the next server may die before it has resumed the room. */
    room->promised = count;
    if (is_machine || room->promised_synced > count)
        room->promised_synced = count;
    verdict_note(&self->shared->verdict, "%s has %" PRIu64 " of %" PRIu64 " ticks", room->name,
                 count, ledger_tick_count(&room->ledger));
}

void server_node_crash_after_sync(struct server_node *self)
{
    self->dies_after_sync = true;
}

/* Checks the recordings after a server's death, and schedules the start of the next server. */
static void check_and_restart(struct server_node *self, bool is_machine)
{
    self->shared->is_up = false;
    for (uint32_t i = 0; i < self->shared->plan.room_count; i++)
        if (!self->rooms[i].is_over)
            check_left(self, &self->rooms[i], is_machine);
    for (uint32_t i = 0; i < self->shared->plan.player_count; i++)
        self->players[i].is_excused = self->players[i].is_disturbed = true;
    self->stalled_until_ns = 0;
    self->starts_ns = self->shared->now_ns + draws_range(&self->draws, 100, 4000) * RUN_MS;
}

void server_node_crash(struct server_node *self, bool is_machine)
{
    if (!self->server || server_node_is_done(self))
        return;
    verdict_note(&self->shared->verdict, "the server's %s dies",
                 is_machine ? "machine" : "process");
    for (uint32_t i = 0; i < self->shared->plan.room_count; i++)
        if (!self->rooms[i].is_over)
            disk_die(&self->rooms[i].disk, is_machine);
    end_process(self);
    check_and_restart(self, is_machine);
}

/* Handles a server that died for lack of memory within a step or a start: its memory must not be
 * touched. Ticks that it recorded count as closed, although no client has seen them. */
static void die_without_memory(struct server_node *self)
{
    verdict_note(&self->shared->verdict, "the server has no memory");
    self->server = NULL;
    for (uint32_t i = 0; i < self->shared->plan.room_count; i++)
        if (!self->rooms[i].is_over)
            disk_die(&self->rooms[i].disk, false);
    for (uint32_t i = 0; i < self->shared->plan.room_count; i++)
        if (!self->rooms[i].is_over)
            watch_adopt(self, &self->rooms[i]);
    forget_process(self);
    check_and_restart(self, false);
}

static void work(void *context)
{
    struct server_node *self = context;
    uint64_t now_ns = self->shared->now_ns;
    slow_jobs_run(&self->jobs, now_ns);
    if (self->shared->is_calm)
        let_go(self);
    ls_server_set_clock(self->server, shown_ns(self), node_clock_unix_s(&self->clock, now_ns));
    self->wish_ns = node_clock_reach(&self->clock, ls_server_step(self->server, shown_ns(self)));
}

void server_node_step(struct server_node *self)
{
    uint64_t now_ns = self->shared->now_ns;
    bool may_start = !self->server && now_ns >= self->starts_ns;
    if (may_start && failing_memory_run(STARVE_HOUSE, start, self)) {
        die_without_memory(self);
        return;
    }
    self->shared->is_up = self->server && now_ns >= self->stalled_until_ns;
    if (!self->shared->is_up)
        return;
    bool has_jobs = slow_jobs_next_ns(&self->jobs) <= now_ns;
    if (!has_jobs && self->wish_ns > now_ns && !ls_link_wait(self->link, 0))
        return;
    if (failing_memory_run(STARVE_HOUSE, work, self)) {
        die_without_memory(self);
        return;
    }
    bool has_synced = false;
    for (uint32_t i = 0; i < self->shared->plan.room_count; i++) {
        uint64_t synced = self->rooms[i].promised_synced;
        watch_room(self, &self->rooms[i]);
        keep_seats(&self->rooms[i]);
        has_synced |= self->rooms[i].promised_synced > synced;
    }
    if (has_synced && self->dies_after_sync && !self->shared->is_calm) {
        self->dies_after_sync = false;
        server_node_crash(self, true);
    }
}

void server_node_stall(struct server_node *self, uint64_t until_ns)
{
    verdict_note(&self->shared->verdict, "the server stalls");
    self->stalled_until_ns = until_ns;
    for (uint32_t i = 0; i < self->shared->plan.player_count; i++)
        self->players[i].is_disturbed = true;
}

void server_node_shift_clock(struct server_node *self)
{
    uint64_t now_ns = self->shared->now_ns;
    uint64_t draw = draws_range(&self->draws, 0, 2);
    verdict_note(&self->shared->verdict, "the server's clock %s",
                 draw == 0   ? "stands still"
                 : draw == 1 ? "jumps"
                             : "is set");
    if (draw == 0)
        node_clock_stand(&self->clock, now_ns,
                         now_ns + draws_range(&self->draws, 10, 4000) * RUN_MS);
    else if (draw == 1)
        self->clock.ahead_ns += draws_range(&self->draws, 1, 20000) * RUN_MS;
    else
        self->clock.wall_s = node_clock_draw_wall(&self->draws);
    self->wish_ns = now_ns;
    for (uint32_t i = 0; draw < 2 && i < self->shared->plan.player_count; i++)
        self->players[i].is_disturbed = true;
}

void server_node_rot_snapshot(struct server_node *self, node_room *room)
{
    if (!room->room)
        return;
    ls_snapshot_blob *blob = &room->room->snapshots.blobs[draws_range(&self->draws, 0, 1)];
    if (!blob->bytes)
        return;
    blob->bytes[draws_next(&self->draws) % blob->count] ^= 16;
    verdict_note(&self->shared->verdict, "%s: the snapshot of tick %" PRIu64 " rots", room->name,
                 blob->tick);
}

void server_node_calm(struct server_node *self)
{
    self->stalled_until_ns = self->clock.stands_till_ns = 0;
    self->clock.wall_s = 0;
    self->wish_ns = self->shared->now_ns;
}

void server_node_drain(struct server_node *self)
{
    self->is_draining = true;
    if (self->server)
        ls_server_drain(self->server, shown_ns(self));
    self->wish_ns = self->shared->now_ns;
}

bool server_node_is_done(const struct server_node *self)
{
    for (uint32_t i = 0; i < self->shared->plan.room_count; i++)
        if (!self->rooms[i].is_over)
            return false;
    return true;
}

void server_node_check_recordings(struct server_node *self)
{
    for (uint32_t i = 0; i < self->shared->plan.room_count; i++) {
        node_room *room = &self->rooms[i];
        const ls_memory_sink *memory = &room->disk.memory;
        uint64_t promised = room->has_failed ? room->promised_synced : room->final_tick;
        check_bytes(room, promised, self->shared->program);
        if (room->has_final_root)
            ledger_check_root(&room->ledger, room->ledger.epoch, room->final_tick, room->final_root,
                              "the end");
        if (!room->has_failed && room->has_final_root && !memory->closed)
            verdict_fail(&self->shared->verdict, DURABLE, "%s: the recording was not closed",
                         room->name);
    }
}
