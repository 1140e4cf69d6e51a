#include "web/play.h"

#include "web/components.h"
#include "web/rows.h"
#include "web/simulation.h"
#include "web/socket_link.h"
#include "web/text.h"
#include <lockstep/handshake.h>
#include <lockstep/session.h>
#include <lockstep/state.h>

#include <string.h>

/* The memory for a match: a tab has at most 4 GiB of memory. */
#define MEMORY_MAX  (UINT64_C(1) << 30)
#define EVIDENCE_MS 2000

enum { TEXT_STATUS, TEXT_SEAT, TEXT_MATCH, TEXT_WORLD, TEXT_COUNT };

/* The texts of ls_web_begin(), in this order. */
enum { NAME, ROOM, PASSWORD, TOKEN, KEY, SECRET, BUILD, GIVEN_COUNT };

static ls_program *program;
static ls_link *link;
static ls_session *session;
static ls_packet message; /* the last one of next_message() */
static ls_error error;
static ls_builder texts[TEXT_COUNT];
static ls_web_rows_data rows;
static uint8_t buffer[LS_WEB_BUFFER_BYTES];

static uint64_t to_ns(double ms)
{
    LS_ASSERT(ms >= 0 && ms < 1e12);
    return (uint64_t)(ms * 1e6);
}

uint8_t *ls_web_buffer(void)
{
    return buffer;
}

const char *ls_web_error(void)
{
    return error.text;
}

/* Points at the texts of the buffer. */
static bool split(uint32_t bytes, const char *given[GIVEN_COUNT])
{
    uint32_t at = 0;
    LS_ASSERT(bytes <= sizeof buffer);
    for (uint32_t i = 0; i < GIVEN_COUNT; i++) {
        const uint8_t *end = memchr(buffer + at, 0, bytes - at);
        if (!end)
            return false;
        given[i] = (const char *)buffer + at;
        at = (uint32_t)(end - buffer) + 1;
    }
    return at == bytes;
}

static int digit_of(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = digit ? strchr(digits, digit) : NULL;
    return at ? (int)(at - digits) : -1;
}

static bool read_hex(const char *text, uint8_t *bytes, uint32_t count)
{
    if (strlen(text) != 2 * count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* Copies the text; false, and nothing is copied, if it does not fit. */
static bool take(char *to, size_t room, const char *text)
{
    size_t length = strlen(text);
    if (length >= room)
        return false;
    memcpy(to, text, length + 1);
    return true;
}

/* The credentials that the client's config points at. */
typedef struct credentials {
    ls_public_key key;
    ls_pass pass;
    uint8_t secret[LS_RESUME_BYTES];
} credentials;

static ls_status read_token(const char *text, credentials *own, ls_client_config *config)
{
    if (!text[0])
        return LS_OK;
    if (!ls_pass_parse(text, &own->pass))
        return ls_error_set(&error, LS_ERROR_USAGE,
                            "this is no connect token: give the whole text of its file");
    config->pass = &own->pass;
    if (!config->pin && own->pass.has_server_key)
        config->pin = &own->pass.server_key;
    return LS_OK;
}

static ls_status read_given(const char *const given[GIVEN_COUNT], credentials *own,
                            ls_client_config *config)
{
    if (!take(config->name, sizeof config->name, given[NAME]))
        return ls_error_set(&error, LS_ERROR_USAGE, "the name is longer than %d bytes",
                            LS_NAME_BYTES - 1);
    if (!take(config->room, sizeof config->room, given[ROOM]))
        return ls_error_set(&error, LS_ERROR_USAGE, "the name of the room is longer than %d bytes",
                            LS_ROOM_BYTES - 1);
    if (strlen(given[PASSWORD]) >= LS_PASSWORD_BYTES)
        return ls_error_set(&error, LS_ERROR_USAGE, "the password is longer than %d bytes",
                            LS_PASSWORD_BYTES - 1);
    if (given[PASSWORD][0] && given[TOKEN][0])
        return ls_error_set(&error, LS_ERROR_USAGE, "give a password or a connect token, not both");
    if (given[KEY][0] && !ls_public_key_parse(given[KEY], &own->key))
        return ls_error_set(&error, LS_ERROR_USAGE,
                            "the key of the server in this link is not complete");
    if (given[SECRET][0] && read_hex(given[SECRET], own->secret, LS_RESUME_BYTES))
        config->resume_secret = own->secret;
    config->pin = given[KEY][0] ? &own->key : NULL;
    config->password = given[PASSWORD][0] ? given[PASSWORD] : NULL;
    config->build = given[BUILD];
    return read_token(given[TOKEN], own, config);
}

int ls_web_begin(uint32_t bytes, bool is_spectator, uint32_t predict_ticks, double unix_s)
{
    const char *given[GIVEN_COUNT];
    credentials own = {0};
    LS_ASSERT(!session && split(bytes, given));
    LS_ASSERT(ls_float_probe_entry); /* named, so that the linker keeps it: see engine.c */
    ls_client_config config = ls_client_config_default();
    ls_status status = read_given(given, &own, &config);
    if (!status)
        status = ls_program_create(ls_sim_export(), &program, &error);
    if (!status) {
        link = ls_socket_link_create();
        config.program = program;
        config.link = link;
        config.is_spectator = is_spectator;
        config.unix_s = (uint64_t)unix_s;
        config.resume_ns = LS_CLIENT_RESUME_TIMEOUT_NS;
        config.memory_max = MEMORY_MAX;
        config.evidence_ms = EVIDENCE_MS;
        status = ls_session_create(&config, is_spectator ? 0 : predict_ticks, &session, &error);
    }
    ls_pass_reset(&own.pass);
    ls_wipe(&own, sizeof own);
    ls_wipe(buffer, sizeof buffer);
    return status;
}

bool ls_web_wants_socket(void)
{
    return ls_socket_link_take_wish(link);
}

void ls_web_socket_opened(void)
{
    ls_socket_link_opened(link);
}

void ls_web_socket_closed(void)
{
    ls_socket_link_closed(link);
}

bool ls_web_receive(uint32_t bytes, double now_ms)
{
    LS_ASSERT(bytes <= sizeof buffer);
    return ls_socket_link_receive(link, &(ls_packet){.bytes = bytes, .data = buffer},
                                  to_ns(now_ms));
}

const uint8_t *ls_web_next_message(void)
{
    return ls_socket_link_next(link, &message) ? message.data : NULL;
}

uint32_t ls_web_message_bytes(void)
{
    return message.bytes;
}

void ls_web_update(double now_ms)
{
    ls_event_update update;
    ls_session_update(session, to_ns(now_ms));
    while (ls_session_poll(session, &update))
        continue; /* dropped: the page learns what happens from the state */
}

void ls_web_leave(double now_ms)
{
    ls_client_leave(ls_session_client(session), "the player closed the match", to_ns(now_ms));
}

int ls_web_submit_state(uint32_t bytes)
{
    LS_ASSERT(bytes <= sizeof buffer);
    uint32_t wanted = ls_sim_export()->state_bytes;
    if (!bytes || bytes != wanted)
        return ls_error_set(&error, LS_ERROR_USAGE, "a state of this match has %u bytes, not %u",
                            wanted, bytes);
    ls_status status = ls_session_submit_state(session, buffer);
    return status == LS_ERROR_USAGE
               ? ls_error_set(&error, status, "the simulation does not accept this state")
               : LS_OK;
}

int ls_web_submit(uint32_t bytes)
{
    LS_ASSERT(bytes <= sizeof buffer);
    ls_status status = ls_session_submit(session, buffer, bytes);
    if (status == LS_ERROR_LIMIT)
        return ls_error_set(&error, status, "too many orders wait for the server");
    if (status)
        return ls_error_set(&error, status, "this order cannot be given now");
    return LS_OK;
}

static void add_desync(ls_builder *text, const ls_client_stats *stats)
{
    if (!stats->has_diverged)
        return;
    ls_json_open(text, "desync", '{');
    ls_json_u64(text, "tick", stats->desync_tick);
    ls_json_root(text, "own", stats->root_own);
    ls_json_root(text, "server", stats->root_server);
    ls_json_close(text, '}');
}

static void add_confirmed(ls_builder *text, ls_world *world)
{
    if (!world)
        return;
    ls_json_u64(text, "confirmed", ls_world_tick(world));
    ls_json_root(text, "root", ls_world_root(world));
}

const char *ls_web_status(void)
{
    ls_client *client = ls_session_client(session);
    ls_client_stats stats = ls_client_get_stats(client);
    char said[LS_REASON_BYTES];
    ls_builder *text = ls_web_text_begin(&texts[TEXT_STATUS]);
    ls_json_string(text, "state", ls_client_state_name(ls_client_get_state(client)));
    ls_json_bool(text, "isFinal", ls_client_is_final(client));
    ls_json_bool(text, "isEnded", ls_socket_link_is_ended(link));
    ls_json_string(text, "reason", ls_client_reason(client));
    ls_json_string(text, "said", ls_client_next_text(client, said) ? said : NULL);
    ls_json_i64(text, "player",
                stats.player == LS_HANDSHAKE_PLAYER_NONE ? -1 : (int64_t)stats.player);
    ls_json_bool(text, "isPlaying", stats.is_playing);
    ls_json_bool(text, "isPaused", stats.is_paused);
    ls_json_bool(text, "isStalled", ls_session_view_of(session).is_stalled);
    ls_json_u64(text, "head", stats.head);
    ls_json_u64(text, "roots", stats.roots_sent);
    ls_json_u64(text, "rttUs", stats.rtt_ns / 1000);
    ls_json_u64(text, "behindUs", stats.behind_ns / 1000);
    ls_json_u64(text, "lateUs", stats.late_p99_ns / 1000);
    ls_json_u64(text, "arrivedUs", stats.arrived_p99_ns / 1000);
    ls_json_u64(text, "silenceMs", stats.silence_ns / 1000000);
    ls_json_u64(text, "resumes", stats.resumes);
    add_desync(text, &stats);
    add_confirmed(text, ls_client_world(client));
    return ls_web_text_end(text);
}

const char *ls_web_seat(void)
{
    const ls_client *client = ls_session_client(session);
    const ls_public_key *key = ls_client_server_key(client);
    const uint8_t *secret = ls_client_resume_secret(client);
    char name[LS_PUBLIC_KEY_TEXT_BYTES];
    ls_builder *text = ls_web_text_begin(&texts[TEXT_SEAT]), hex = {0};
    if (key) {
        ls_public_key_format(key, name);
        ls_json_string(text, "key", name);
    }
    for (uint32_t i = 0; secret && i < LS_RESUME_BYTES; i++)
        ls_builder_add(&hex, "%02x", secret[i]);
    if (hex.data) {
        ls_json_string(text, "secret", hex.data);
        ls_wipe(hex.data, hex.count);
    }
    ls_free(hex.data);
    return ls_web_text_end(text);
}

const char *ls_web_match(void)
{
    const ls_world *world = ls_client_world(ls_session_client(session));
    ls_builder *text = ls_web_text_begin(&texts[TEXT_MATCH]);
    if (!world)
        return ls_web_text_end(text);
    const ls_match *match = ls_world_match(world);
    ls_json_string(text, "simulation", ls_sim_export()->name);
    ls_json_string(text, "version", ls_sim_export()->version);
    ls_json_u64_string(text, "seed", match->seed);
    ls_json_u64(text, "tickRate", match->tick_rate);
    ls_json_u64(text, "players", match->player_count);
    ls_web_options_print(program, match, text);
    ls_web_components_print(program, text);
    return ls_web_text_end(text);
}

static const ls_world *shown(void)
{
    return ls_session_view_of(session).predicted;
}

double ls_web_tick(void)
{
    return shown() ? (double)ls_world_tick(shown()) : -1;
}

const char *ls_web_world(void)
{
    const ls_world *world = shown();
    ls_builder *text = ls_web_text_begin(&texts[TEXT_WORLD]);
    ls_web_world_print(program, world, text);
    return ls_web_text_end(text);
}

uint32_t ls_web_rows(int32_t first, int32_t second, int32_t third)
{
    const int32_t columns[LS_WEB_TERMS] = {first, second, third};
    ls_web_rows_collect(&rows, shown(), columns);
    return rows.count;
}

const uint64_t *ls_web_row_entities(void)
{
    return rows.entities;
}

const uint8_t *ls_web_row_cells(uint32_t term)
{
    LS_ASSERT(term < LS_WEB_TERMS);
    return rows.cells[term];
}

const uint8_t *ls_web_row_presence(void)
{
    return rows.presence;
}
