#include "cli/room.h"

#include "cli/build.h"
#include "cli/clock.h"
#include "cli/log.h"
#include "cli/loop.h"
#include "cli/meter.h"
#include "cli/sim_load.h"
#include "cli/stop.h"
#include "cli/user_file.h"
#include "proto/link_enet.h"
#include "replays/file_sink.h"
#include "server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define LOCK_PATIENCE_NS (2 * LS_NS_PER_S)
#define LOCK_LOOK_NS     (5 * LS_NS_PER_MS)

struct room {
    const ls_room_options *options;
    ls_log log;
    ls_loaded_sim loaded;
    ls_match match;
    ls_identity identity;
    ls_link *link;
    ls_executor *executor;
    ls_server *server;
    char recording[PATH_MAX]; /* "" for none */
};

/* Whether the file is there, can be read and begins as no identity does. */
static bool is_foreign(const char *path)
{
    static const char head[] = "lockstep identity ";
    char begin[sizeof head] = "";
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    ssize_t count = read(descriptor, begin, sizeof begin - 1);
    close(descriptor);
    return count >= 0 && strcmp(begin, head) != 0;
}

/* The mode of a file is judged before its content: nobody shall be told to chmod a foreign one. */
static ls_status load_given_identity(const char *path, ls_identity *identity, ls_error *error)
{
    ls_status status = ls_identity_load_or_create(path, identity, NULL, error);
    if ((status == LS_ERROR_REFUSED || status == LS_ERROR_CORRUPT) && is_foreign(path))
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "%s is not an identity file; give --identity another name, and one is "
                            "made there",
                            path);
    return status;
}

/* Without --identity a machine on which nothing can be kept (a container, a service without a home)
 * still serves; its players then cannot recognise it the next time, and the log says so. */
static ls_status load_identity(struct room *room, ls_error *error)
{
    const char *path = room->options->identity;
    if (path)
        return load_given_identity(path, &room->identity, error);
    char own[PATH_MAX];
    ls_status status = ls_user_file("identity", own, error);
    if (!status)
        status = ls_identity_load_or_create(own, &room->identity, NULL, error);
    if (status != LS_ERROR_IO && status != LS_ERROR_NOT_FOUND)
        return status;
    char line[LS_ERROR_TEXT_BYTES + 128];
    snprintf(line, sizeof line,
             "identity_temporary reason=\"%s\" remedy=\"keep a key with --identity FILE\"",
             error->text);
    ls_log_line(&room->log, line);
    ls_identity_init(&room->identity, NULL);
    return LS_OK;
}

static ls_status listen_on(struct room *room, ls_error *error)
{
    ls_link_enet_config config = ls_link_enet_config_default();
    config.address = room->options->address;
    config.port = room->options->port;
    config.peers_max = room->options->peers_max;
    config.peers_per_address = room->options->peers_per_address;
    ls_status status = ls_link_enet_listen(&config, &room->link, error);
    if (status == LS_ERROR_IO && config.address) {
        ls_error why = *error;
        bool is_foreign_address = strstr(why.text, strerror(EADDRNOTAVAIL)) != NULL;
        ls_error_set(error, status, "--bind %s: %.512s%s", config.address, why.text,
                     is_foreign_address ? "; it takes an address of this machine" : "");
    }
    return status;
}

/* SIM-DATE-TIME-SEED.lsr; a second match of the same second gets a number, since no recording is
 * ever replaced. */
static ls_status name_recording(struct room *room, ls_error *error)
{
    char time[LS_CLOCK_TEXT_BYTES];
    ls_clock_format_file(time);
    for (uint32_t i = 1; i < 1000; i++) {
        char number[16] = "";
        if (i > 1)
            snprintf(number, sizeof number, "-%u", i);
        int count =
            snprintf(room->recording, sizeof room->recording, "%s/%s-%s-%" PRIu64 "%s.lsr",
                     room->options->record, room->loaded.sim->name, time, room->match.seed, number);
        if (count < 0 || (size_t)count >= sizeof room->recording)
            break;
        if (access(room->recording, F_OK) != 0)
            return LS_OK;
    }
    return ls_error_set(error, LS_ERROR_IO, "no name is left for a recording in %s",
                        room->options->record);
}

/* A recording gets its name with the first sync, in ls_server_create: whoever chooses one waits
 * until the one before has his, but not for ever for whoever else locks the folder. Without the
 * lock a second server of the same second and seed fails to start. -1: the folder cannot be opened.
 */
static int lock_recordings(const char *folder)
{
    int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    uint64_t until_ns = ls_clock_now_ns() + LOCK_PATIENCE_NS;
    while (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0 &&
           (errno == EWOULDBLOCK || errno == EINTR) && ls_clock_now_ns() < until_ns)
        ls_clock_sleep_until(ls_clock_now_ns() + LOCK_LOOK_NS);
    return lock;
}

static ls_status make_record_folder(const char *path, ls_error *error)
{
    ls_status status = ls_make_folders(path, 0777, error);
    if (status) {
        ls_error why = *error;
        ls_error_set(error, status,
                     "--record %s: %.512s; it takes a folder that this user can make and write",
                     path, why.text);
    }
    return status;
}

static ls_status open_recording(struct room *room, ls_sink *sink, ls_error *error)
{
    ls_status status = name_recording(room, error);
    if (!status)
        status = ls_file_sink_create(room->recording, sink, error);
    return status;
}

static ls_status create_server(struct room *room, ls_error *error)
{
    ls_sink sink;
    ls_server_config config = ls_server_config_default();
    config.program = room->loaded.program;
    config.match = room->match;
    config.link = room->link;
    config.identity = &room->identity;
    config.executor = room->executor;
    config.log = ls_log_line;
    config.log_context = &room->log;
    config.build = LS_BUILD_TEXT;
    config.unix_s = ls_clock_unix_s();
    config.peers_max = room->options->peers_max;
    config.wait_players = room->options->wait_players;
    config.ticks_max = room->options->ticks;
    config.end_when_empty = room->options->end_when_empty;
    if (!room->options->record)
        return ls_server_create(&config, &room->server, error);
    ls_status status = make_record_folder(room->options->record, error);
    if (status)
        return status;
    int lock = lock_recordings(room->options->record);
    status = open_recording(room, &sink, error);
    config.sink = &sink;
    config.recording_name = room->recording;
    if (!status)
        status = ls_server_create(&config, &room->server, error);
    if (lock >= 0)
        close(lock);
    return status;
}

static ls_status open_room(struct room *room, ls_error *error)
{
    const ls_room_options *options = room->options;
    ls_status status = ls_log_open(options->log, &room->log, error);
    if (!status)
        status = ls_sim_load(options->match.sim, &room->loaded, error);
    if (!status)
        status = ls_match_options_apply(&options->match, room->loaded.program, &room->match, error);
    if (!status)
        status = load_identity(room, error);
    if (!status)
        status = listen_on(room, error);
    if (!status)
        status = ls_match_options_executor(&options->match, &room->executor, error);
    if (!status)
        status = create_server(room, error);
    return status;
}

static void close_room(struct room *room)
{
    ls_server_destroy(room->server);
    ls_executor_destroy(room->executor);
    ls_link_destroy(room->link);
    ls_identity_reset(&room->identity);
    ls_sim_unload(&room->loaded);
    ls_log_close(&room->log);
}

/* The line that a player is given. On all interfaces there is no one address; the one that works on
 * this machine is a start. */
static void print_address(struct room *room)
{
    ls_server_address address = {
        .port = ls_link_enet_port(room->link), .has_key = true, .key = room->identity.public_key};
    const char *host = room->options->address;
    if (!host || strcmp(host, "0.0.0.0") == 0)
        host = "127.0.0.1";
    snprintf(address.host, sizeof address.host, "%s", host);
    char text[LS_SERVER_ADDRESS_TEXT_BYTES];
    ls_server_address_format(&address, text);
    printf("listening %s\n", text);
    fflush(stdout);
    char line[LS_SERVER_ADDRESS_TEXT_BYTES + 256];
    snprintf(line, sizeof line, "listening address=%s sim=%s seed=%" PRIu64 " players=%u rate=%u",
             text, room->loaded.sim->name, room->match.seed, room->match.player_count,
             room->match.tick_rate);
    ls_log_line(&room->log, line);
}

static void serve(struct room *room)
{
    ls_meter meter;
    ls_server_stats stats = ls_server_get_stats(room->server);
    ls_meter_start(&meter, ls_clock_now_ns(), &stats);
    while (!ls_server_is_done(room->server)) {
        uint64_t now_ns = ls_clock_now_ns(), tick = stats.tick;
        if (ls_stop_is_asked())
            ls_server_drain(room->server, now_ns);
        uint64_t wake_ns = ls_server_step(room->server, now_ns);
        stats = ls_server_get_stats(room->server);
        if (stats.tick != tick)
            ls_meter_add(&meter, ls_clock_now_ns() - now_ns);
        if (!room->options->is_quiet) {
            if (now_ns >= ls_meter_due_ns(&meter))
                ls_meter_print(&meter, now_ns, room->server);
            if (wake_ns > ls_meter_due_ns(&meter))
                wake_ns = ls_meter_due_ns(&meter);
        }
        if (!ls_server_is_done(room->server))
            ls_loop_wait(room->link, wake_ns);
    }
}

static ls_status print_end(struct room *room, ls_error *error)
{
    ls_server_stats stats = ls_server_get_stats(room->server);
    printf("ended tick=%" PRIu64 " root=%016" PRIx64 " desyncs=%" PRIu64 "\n", stats.tick,
           ls_world_root(ls_server_world(room->server)), stats.desyncs);
    if (room->recording[0])
        printf("recorded %s bytes=%" PRIu64 "\n", room->recording, stats.recording_bytes);
    fflush(stdout);
    if (stats.recording_failed)
        return ls_error_set(error, LS_ERROR_IO,
                            "the recording %s is incomplete: the log says why; what is there can "
                            "be verified",
                            room->recording);
    return LS_OK;
}

ls_status ls_room_serve(const ls_room_options *options, ls_error *error)
{
    struct room room = {.options = options};
    ls_status status = open_room(&room, error);
    if (!status) {
        print_address(&room);
        serve(&room);
        status = print_end(&room, error);
    }
    close_room(&room);
    return status;
}
