#include "web/engine.h"

#include "core/schedule/value_text.h"
#include "core/text/json_print.h"
#include "replays/evidence_record.h"
#include "replays/growing.h"
#include "web/compare.h"
#include "web/components.h"
#include "web/events.h"
#include "web/rows.h"
#include "web/simulation.h"
#include "web/text.h"
#include "web/timing.h"
#include <lockstep/identity.h>
#include <lockstep/replay_player.h>

#include <inttypes.h>
#include <string.h>

#define TICKS_MAX (UINT64_C(1) << 53)

/* The match of this instance, and a second one to compare it with. */
typedef struct match {
    uint8_t *bytes, *more; /* `more`: the bytes with those that follow; NULL: none */
    size_t count, more_count;
    bool is_growing; /* the recording has more to come */
    ls_recording *recording;
    ls_recording_signed signatures;
    ls_error signature_error; /* "" when all are right */
    ls_program *program;
    ls_replay_player *player; /* owns the recording */
    ls_web_timing *timing;    /* NULL: not measured */
    ls_world *proof;
    uint64_t proved_roots, proved_ticks;
    ls_root_difference difference;
    bool has_difference;
    ls_error error;
    ls_web_rows_data rows;
    uint8_t input_counts[LS_WEB_TICKS_MAX], event_counts[LS_WEB_TICKS_MAX];
} match;
static match matches[2], *web = matches;

enum {
    TEXT_RECORDING,
    TEXT_COMPONENTS,
    TEXT_PROOF,
    TEXT_SCHEDULE,
    TEXT_INPUTS,
    TEXT_PLAYER_EVENTS,
    TEXT_ENTITY,
    TEXT_WORLD,
    TEXT_DIFFERENCES,
    TEXT_COUNT
};
static ls_builder texts[TEXT_COUNT];

void ls_web_select(uint32_t which)
{
    LS_ASSERT(which < LS_COUNT_OF(matches));
    web = &matches[which];
}

uint8_t *ls_web_reserve(double bytes)
{
    if (!(bytes >= 0 && bytes <= (double)LS_RECORDING_FILE_BYTES_MAX) || web->bytes)
        return NULL;
    web->count = (size_t)bytes;
    web->bytes = ls_alloc(web->count + 1);
    return web->bytes;
}

uint8_t *ls_web_reserve_more(double bytes)
{
    if (!(bytes >= 0 && (double)web->count + bytes <= (double)LS_RECORDING_FILE_BYTES_MAX))
        return NULL;
    ls_free(web->more);
    web->more_count = web->count + (size_t)bytes;
    web->more = ls_alloc(web->more_count + 1);
    memcpy(web->more, web->bytes, web->count);
    return web->more + web->count;
}

const char *ls_web_error(void)
{
    return web->error.text;
}

int ls_web_read(void)
{
    LS_ASSERT(web->bytes && !web->recording);
    ls_status status =
        ls_recording_open_memory("this file", web->bytes, web->count, &web->recording, &web->error);
    if (status)
        return status;
    uint64_t first = ls_recording_get_header(web->recording)->first_tick;
    if (first > TICKS_MAX || ls_recording_find_end(web->recording)->tick_count > TICKS_MAX - first)
        return ls_error_set(&web->error, LS_ERROR_LIMIT,
                            "tick %" PRIu64 " is higher than a browser can count", first);
    return LS_OK;
}

const char *ls_web_recorded_name(void)
{
    return ls_recording_get_header(web->recording)->simulation.name;
}

const char *ls_web_own_name(void)
{
    return ls_sim_export()->name;
}

/* Makes the proof's own world, with the player's first state. */
static void begin_proof(void)
{
    ls_world *world = ls_replay_player_world(web->player);
    web->proof = ls_world_create_sibling(world);
}

static void check_signatures(void)
{
    web->signature_error = (ls_error){0};
    (void)ls_recording_check_signatures(web->recording, &web->signatures, &web->signature_error);
}

int ls_web_play(bool is_measured)
{
    LS_ASSERT(web->recording && !web->player);
    /* The linker removes every float probe that is not named. This one stands for all: the files
     * of a module are compiled with the same flags. */
    LS_ASSERT(ls_float_probe_entry);
    ls_status status = LS_OK;
    web->program = matches[0].program; /* a comparison needs worlds of one program */
    if (!web->program)
        status = ls_program_create(ls_sim_export(), &web->program, &web->error);
    if (status)
        return status;
    check_signatures();
    ls_replay_player_config config = {.program = web->program};
    if (is_measured) {
        status = ls_web_timing_create(web->program, &web->timing, &web->error);
        if (status)
            return status;
        config.executor = ls_web_timing_executor(web->timing);
    }
    status = ls_replay_player_create(web->recording, &config, &web->player, &web->error);
    if (!status)
        begin_proof();
    return status;
}

void ls_web_grow(bool has_more)
{
    web->is_growing = has_more;
    if (!web->more)
        return;
    ls_growing_take(web->recording, web->player, web->more, web->more_count);
    ls_free(web->bytes);
    web->bytes = web->more;
    web->count = web->more_count;
    web->more = NULL;
    check_signatures();
}

static void add_end(ls_builder *text)
{
    static const char *const kinds[] = {"running", "clean",   "open",   "torn",
                                        "zeros",   "damaged", "unknown"};
    ls_recording_end end;
    ls_error words = {0};
    ls_status status = ls_replay_player_end(web->player, &end, &words);
    ls_json_string(text, "end", kinds[end.kind]);
    ls_json_string(text, "endText", words.text);
    ls_json_bool(text, "isDamaged", status != LS_OK);
    ls_json_string(text, "reason",
                   end.is_closed ? ls_closing_reason_name(end.closing.reason) : NULL);
}

static void add_signatures(ls_builder *text, const ls_recording_header *header)
{
    char name[LS_PUBLIC_KEY_TEXT_BYTES] = "";
    ls_public_key key;
    memcpy(key.bytes, header->server_key, sizeof key.bytes);
    if (web->signatures.has_key)
        ls_public_key_format(&key, name);
    ls_json_words(text, "key", name);
    ls_json_u64(text, "signedTick", web->signatures.has_key ? web->signatures.tick : 0);
    ls_json_words(text, "forged", web->signature_error.text);
}

static void add_keyframes(ls_builder *text)
{
    const ls_recording_keyframe *list;
    uint32_t count = ls_recording_keyframes(web->recording, &list);
    ls_json_open(text, "keyframes", '[');
    for (uint32_t i = 0; i < count; i++)
        ls_json_u64(text, NULL, list[i].tick);
    ls_json_close(text, ']');
}

/* The desync that a recording of evidence was cut for. */
static void add_desync(ls_builder *text)
{
    static ls_evidence evidence;
    size_t bytes;
    ls_error error;
    const uint8_t *data = ls_recording_evidence(web->recording, &bytes);
    if (!data || ls_evidence_decode(data, bytes, &evidence, &error) || evidence.tick > TICKS_MAX)
        return;
    ls_json_open(text, "desync", '{');
    ls_json_u64(text, "tick", evidence.tick);
    ls_json_string(text, "player", evidence.name);
    ls_json_open(text, "findings", '[');
    for (uint32_t i = 0; i < evidence.finding_count; i++) {
        ls_json_open(text, NULL, '{');
        ls_json_string(text, "place", evidence.findings[i].place);
        ls_json_string(text, "server", evidence.findings[i].server);
        ls_json_string(text, "client", evidence.findings[i].client);
        ls_json_close(text, '}');
    }
    ls_json_close(text, ']');
    ls_json_close(text, '}');
}

const char *ls_web_recording(void)
{
    const ls_recording_header *header = ls_replay_player_header(web->player);
    ls_builder *text = ls_web_text_begin(&texts[TEXT_RECORDING]);
    ls_json_string(text, "simulation", header->simulation.name);
    ls_json_string(text, "version", header->simulation.version);
    ls_json_string(text, "summary", ls_sim_export()->summary);
    ls_json_string(text, "build", header->build);
    ls_json_i64(text, "created", header->created_unix_s);
    ls_json_u64_string(text, "seed", header->match.seed);
    ls_json_u64(text, "tickRate", header->match.tick_rate);
    ls_json_u64(text, "players", header->match.player_count);
    ls_json_u64(text, "first", ls_replay_player_first(web->player));
    ls_json_u64(text, "last", ls_replay_player_last(web->player));
    add_end(text);
    add_signatures(text, header);
    ls_web_options_print(web->program, &header->match, text);
    add_keyframes(text);
    add_desync(text);
    return ls_web_text_end(text);
}

const char *ls_web_components(void)
{
    ls_builder *text = ls_web_text_begin(&texts[TEXT_COMPONENTS]);
    ls_web_components_print(web->program, text);
    ls_web_events_print(web->program, text);
    return ls_web_text_end(text);
}

int ls_web_seek(double tick)
{
    if (!(tick >= 0 && tick <= (double)TICKS_MAX))
        return ls_error_set(&web->error, LS_ERROR_USAGE, "no tick has this number");
    return ls_replay_player_seek(web->player, (uint64_t)tick, &web->error);
}

double ls_web_tick(void)
{
    return (double)ls_replay_player_tick(web->player);
}

bool ls_web_fill(uint32_t ticks)
{
    return ls_replay_player_fill(web->player, ticks);
}

/* Compares the root of the proof's world, if the recording has it. */
static ls_status compare_root(void)
{
    uint64_t tick = ls_world_tick(web->proof), recorded;
    if (!ls_replay_player_root(web->player, tick, &recorded))
        return LS_OK;
    uint64_t root = ls_world_root(web->proof);
    if (root == recorded) {
        web->proved_roots++;
        return LS_OK;
    }
    web->difference = (ls_root_difference){tick, recorded, root};
    web->has_difference = true;
    return ls_error_set(&web->error, LS_ERROR_DIVERGED,
                        "the state before tick %" PRIu64 " differs: recorded root %016" PRIx64
                        ", simulated here %016" PRIx64,
                        tick, recorded, root);
}

/* How far to prove: to the last tick, or, while the recording grows, to the newest tick before
 * which the root is known. */
static uint64_t proof_end(void)
{
    uint64_t tick = ls_replay_player_last(web->player), root;
    uint64_t proved = ls_world_tick(web->proof);
    while (web->is_growing && tick > proved && !ls_replay_player_root(web->player, tick, &root))
        tick--;
    return tick;
}

/* Counts the events of the tick that the proof has just simulated. */
static void count_events(void)
{
    if (web->proved_ticks >= LS_WEB_TICKS_MAX)
        return;
    uint32_t count = ls_web_events_count(web->program, web->proof);
    web->event_counts[web->proved_ticks] = count < UINT8_MAX ? (uint8_t)count : UINT8_MAX;
}

const uint8_t *ls_web_event_counts(void)
{
    return web->event_counts;
}

int ls_web_prove(uint32_t ticks)
{
    ls_status status = LS_OK;
    if (web->has_difference)
        return LS_ERROR_DIVERGED;
    if (web->proved_ticks == 0 && web->proved_roots == 0)
        status = compare_root();
    uint64_t last = proof_end();
    for (uint32_t i = 0; !status && i < ticks && ls_world_tick(web->proof) < last; i++) {
        const ls_frame *frame = ls_replay_player_frame(web->player, ls_world_tick(web->proof));
        status = ls_world_advance(web->proof, frame, NULL, &web->error);
        if (!status) {
            count_events();
            web->proved_ticks++;
            status = compare_root();
        }
    }
    return status;
}

const char *ls_web_proof(void)
{
    ls_builder *text = ls_web_text_begin(&texts[TEXT_PROOF]);
    uint64_t tick = ls_world_tick(web->proof);
    ls_json_u64(text, "tick", tick);
    ls_json_u64(text, "ticks", web->proved_ticks);
    ls_json_u64(text, "roots", web->proved_roots);
    ls_json_bool(text, "isDone", tick == proof_end());
    if (web->has_difference) {
        ls_json_u64(text, "differsAt", web->difference.tick);
        ls_json_root(text, "expected", web->difference.expected);
        ls_json_root(text, "found", web->difference.found);
    }
    return ls_web_text_end(text);
}

const char *ls_web_schedule(double tick, uint32_t ticks)
{
    LS_ASSERT(web->timing);
    ls_builder *text = ls_web_text_begin(&texts[TEXT_SCHEDULE]);
    if (tick >= 0 && tick <= (double)TICKS_MAX)
        ls_web_timing_measure(web->timing, web->player, (uint64_t)tick, ticks);
    ls_web_timing_print(web->timing, text);
    return ls_web_text_end(text);
}

static bool is_within(double tick)
{
    return tick >= (double)ls_replay_player_first(web->player) &&
           tick < (double)ls_replay_player_last(web->player);
}

static bool is_held(const ls_input *input)
{
    return input->kind == LS_STATE || input->kind == LS_SUBSTITUTE;
}

const uint8_t *ls_web_input_counts(double first, uint32_t count)
{
    memset(web->input_counts, 0, sizeof web->input_counts);
    for (uint32_t i = 0; i < count && i < LS_WEB_TICKS_MAX; i++) {
        if (!is_within(first + i))
            continue;
        const ls_frame *frame = ls_replay_player_frame(web->player, (uint64_t)first + i);
        for (uint32_t k = 0; k < frame->count; k++)
            web->input_counts[i] += !is_held(&frame->inputs[k]);
    }
    return web->input_counts;
}

static void add_bytes(ls_builder *text, const ls_input *input)
{
    ls_builder hex = {0};
    for (uint32_t i = 0; i < input->bytes; i++)
        ls_builder_add(&hex, "%02x", input->data[i]);
    ls_json_string(text, "bytes", hex.data ? hex.data : "");
    ls_free(hex.data);
}

const char *ls_web_inputs(double tick)
{
    static const char *const kinds[] = {"order",      "join",  "leave", "state",
                                        "substitute", "pause", "resume"};
    ls_builder *text = ls_web_text_begin(&texts[TEXT_INPUTS]);
    ls_json_open(text, "inputs", '[');
    if (is_within(tick)) {
        const ls_frame *frame = ls_replay_player_frame(web->player, (uint64_t)tick);
        for (uint32_t i = 0; i < frame->count; i++) {
            ls_json_open(text, NULL, '{');
            ls_json_u64(text, "player", frame->inputs[i].player);
            ls_json_string(text, "kind", kinds[frame->inputs[i].kind]);
            add_bytes(text, &frame->inputs[i]);
            ls_json_close(text, '}');
        }
    }
    ls_json_close(text, ']');
    return ls_web_text_end(text);
}

const char *ls_web_player_events(double first)
{
    ls_builder *text = ls_web_text_begin(&texts[TEXT_PLAYER_EVENTS]);
    uint64_t tick = first >= 0 && first <= (double)TICKS_MAX ? (uint64_t)first : TICKS_MAX;
    ls_web_player_events_print(web->player, tick, text);
    return ls_web_text_end(text);
}

uint32_t ls_web_rows(int32_t first, int32_t second, int32_t third)
{
    const int32_t columns[LS_WEB_TERMS] = {first, second, third};
    ls_web_rows_collect(&web->rows, ls_replay_player_world(web->player), columns);
    return web->rows.count;
}

const uint64_t *ls_web_row_entities(void)
{
    return web->rows.entities;
}

const uint8_t *ls_web_row_cells(uint32_t term)
{
    LS_ASSERT(term < LS_WEB_TERMS);
    return web->rows.cells[term];
}

const uint8_t *ls_web_row_presence(void)
{
    return web->rows.presence;
}

const char *ls_web_entity(uint32_t low, uint32_t high)
{
    ls_entity entity = (ls_entity)high << 32 | low;
    ls_world *world = ls_replay_player_world(web->player);
    ls_builder *text = ls_web_text_begin(&texts[TEXT_ENTITY]), name = {0};
    ls_entity_print(&name, web->program, entity);
    bool is_alive = ls_world_is_alive(world, entity);
    ls_json_string(text, "name", name.data);
    ls_json_bool(text, "isAlive", is_alive);
    ls_json_open(text, "components", '{');
    for (uint32_t i = 0; is_alive && i < ls_program_column_count(web->program); i++) {
        const ls_component *component = ls_program_component(web->program, i);
        if (!component->is_singleton && ls_web_rows_has(world, component, entity))
            ls_cell_json(text, web->program, component->name, component,
                         component->bytes ? ls_world_cell(world, component, entity) : NULL);
    }
    ls_json_close(text, '}');
    ls_free(name.data);
    return ls_web_text_end(text);
}

const char *ls_web_world(void)
{
    ls_world *world = ls_replay_player_world(web->player);
    ls_builder *text = ls_web_text_begin(&texts[TEXT_WORLD]);
    ls_json_u64(text, "entities", ls_world_entity_count(world));
    ls_json_root(text, "root", ls_world_root(world));
    ls_web_world_print(web->program, world, text);
    return ls_web_text_end(text);
}

const char *ls_web_differences(void)
{
    ls_builder *text = ls_web_text_begin(&texts[TEXT_DIFFERENCES]);
    LS_ASSERT(matches[0].player && matches[1].player);
    ls_web_compare(matches[0].player, matches[1].player, text);
    return ls_web_text_end(text);
}
