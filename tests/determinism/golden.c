/* One digest over the root of every tick of one match, played by the simulation's own bots. Every
 * build, executor and snapshot round trip must reproduce it.
 * usage: golden print SIM          prints the text of replays/golden/SIM.txt; SIM is built in, or
 *                                  "floats" of floats.c: tests/determinism/floats.txt
 *        golden check SIM FILE     plays in every mode below and compares; 0 if all agree
 *        golden check SIM FILE N   all modes but the first play only N ticks, for slow emulators
 *        golden check-unthreaded SIM FILE   leaves out the modes with threads */
#include "sims/builtin.h"
#include "tests/determinism/floats.h"
#include <lockstep/bytes.h>
#include <lockstep/hash.h>
#include <lockstep/lockstep.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS = 2000, TEXT_BYTES = 2048 };

static const uint64_t match_seed = 20240607;

typedef struct golden_mode {
    const char *name;
    ls_executor_config executor;
    bool has_round_trip; /* before each tick the world is encoded and restored */
} golden_mode;

static const golden_mode modes[] = {
    {"serial", {.threads = 1}, false},
    {"2 threads", {.threads = 2, .share_from = 1}, false},
    {"4 threads", {.threads = 4, .share_from = 1}, false},
    {"4 threads where they pay", {.threads = 4}, false},
    {"shuffle 1", {.threads = 1, .shuffle_seed = 1}, false},
    {"shuffle 2", {.threads = 1, .shuffle_seed = 2}, false},
    {"a snapshot's round trip at every tick", {.threads = 1}, true},
    {"round trips and 4 threads", {.threads = 4, .share_from = 1}, true},
};

static void require(bool condition, const char *what, const ls_error *error)
{
    if (condition)
        return;
    fprintf(stderr, "golden: %s: %s\n", what, error->text);
    exit(2);
}

/* Raises a simulation's options above the defaults: enough work to share among threads. */
static void set_options(const ls_sim *sim, ls_match *match)
{
    for (uint32_t i = 0; i < sim->option_count; i++) {
        if (strcmp(sim->options[i].name, "units") == 0)
            match->options[i] = 1500;
    }
}

typedef struct golden_play {
    ls_program *program;
    ls_match match;
    ls_world *world;
} golden_play;

static void begin(golden_play *play, const ls_sim *sim)
{
    ls_error error = {""};
    require(ls_program_create(sim, &play->program, &error) == LS_OK, "program", &error);
    play->match = ls_program_match(play->program, match_seed);
    set_options(sim, &play->match);
    require(ls_world_create(play->program, &play->match, &play->world, &error) == LS_OK, "world",
            &error);
}

static void end(golden_play *play)
{
    ls_world_destroy(play->world);
    ls_program_destroy(play->program);
}

/* Collects the inputs of a tick: all players join at tick 0, later the bots play. */
static uint32_t gather(const ls_world *world, ls_input *inputs,
                       uint8_t (*bytes)[LS_INPUT_BYTES_MAX])
{
    const ls_sim *sim = ls_program_sim(ls_world_program(world));
    const ls_match *match = ls_world_match(world);
    uint32_t count = 0;
    for (uint32_t player = 0; player < match->player_count; player++) {
        ls_input input = {.player = (uint8_t)player, .kind = LS_JOIN};
        if (ls_world_tick(world) > 0) {
            input.kind = LS_INPUT;
            input.data = bytes[player];
            input.bytes = sim->bot ? (uint16_t)sim->bot(world, player, bytes[player]) : 0;
            if (input.bytes == 0)
                continue;
            ls_error error = {"the bot made an input that the validator refuses"};
            require(sim->input_is_valid(match, player, input.data, input.bytes), "bot", &error);
        }
        inputs[count++] = input;
    }
    return count;
}

static void go_through_bytes(golden_play *play)
{
    ls_error error = {""};
    uint8_t *bytes;
    size_t count;
    ls_world *fresh;
    ls_snapshot *snapshot = ls_world_snapshot(play->world);
    ls_snapshot_encode(snapshot, &bytes, &count);
    ls_snapshot_destroy(snapshot);
    require(ls_world_create(play->program, &play->match, &fresh, &error) == LS_OK, "world", &error);
    require(ls_world_decode(fresh, bytes, count, &error) == LS_OK, "decode", &error);
    ls_free(bytes);
    ls_world_destroy(play->world);
    play->world = fresh;
}

/* Fills roots[0..ticks]. */
static void run(const ls_sim *sim, const golden_mode *mode, uint32_t ticks, uint64_t *roots)
{
    static uint8_t bytes[LS_PLAYERS_MAX][LS_INPUT_BYTES_MAX];
    ls_error error = {""};
    ls_executor *executor;
    golden_play play;
    begin(&play, sim);
    require(ls_executor_create(&mode->executor, &executor, &error) == LS_OK, "executor", &error);
    roots[0] = ls_world_root(play.world);
    for (uint32_t tick = 0; tick < ticks; tick++) {
        ls_input inputs[LS_PLAYERS_MAX];
        ls_frame frame = {.tick = tick, .inputs = inputs};
        frame.count = gather(play.world, inputs, bytes);
        require(ls_world_advance(play.world, &frame, executor, &error) == LS_OK, "advance", &error);
        if (mode->has_round_trip)
            go_through_bytes(&play);
        roots[tick + 1] = ls_world_root(play.world);
    }
    ls_executor_destroy(executor);
    end(&play);
}

static uint64_t digest_of(const uint64_t *roots)
{
    static uint8_t bytes[8 * (TICKS + 1)];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    for (uint32_t tick = 0; tick <= TICKS; tick++)
        ls_write_u64(&writer, roots[tick]);
    return ls_hash_bytes(bytes, writer.count);
}

static void describe(const ls_sim *sim, const uint64_t *roots, char *text)
{
    golden_play play;
    begin(&play, sim);
    const ls_option *options = ls_program_sim(play.program)->options; /* with those of modules */
    size_t used = (size_t)snprintf(
        text, TEXT_BYTES,
        "# The digest of a whole match; see docs/determinism.md. Made anew, with the reason in the "
        "commit, by\n#   build/tests/determinism/golden print %s > %s/%s.txt\n"
        "simulation %s %s\nseed %" PRIu64 "\nticks %u\nplayers %u\n",
        sim->name, sim == &floats_sim ? "tests/determinism" : "replays/golden", sim->name,
        sim->name, sim->version, play.match.seed, TICKS, play.match.player_count);
    for (uint32_t i = 0; i < play.match.option_count && used < TEXT_BYTES; i++)
        used += (size_t)snprintf(text + used, TEXT_BYTES - used, "option %s %" PRId64 "\n",
                                 options[i].name, play.match.options[i]);
    if (used < TEXT_BYTES)
        snprintf(text + used, TEXT_BYTES - used, "digest %016" PRIx64 "\n", digest_of(roots));
    end(&play);
}

/* Returns 1, and prints a line on stderr, when the file's content differs from the text. */
static int compare_text(const char *path, const char *text)
{
    char golden[TEXT_BYTES];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    size_t count = fread(golden, 1, sizeof golden - 1, file);
    fclose(file);
    golden[count] = 0;
    if (strcmp(golden, text) == 0)
        return 0;
    fprintf(stderr, "golden: %s holds\n%sbut this build gives\n%s", path, golden, text);
    return 1;
}

static int check(const ls_sim *sim, const char *path, uint32_t ticks, bool has_threads)
{
    static uint64_t serial[TICKS + 1], roots[TICKS + 1];
    char text[TEXT_BYTES];
    run(sim, &modes[0], TICKS, serial);
    describe(sim, serial, text);
    int failures = compare_text(path, text), count = 1;
    for (uint32_t i = 1; i < LS_COUNT_OF(modes); i++) {
        if (modes[i].executor.threads > 1 && !has_threads)
            continue;
        run(sim, &modes[i], ticks, roots);
        uint32_t tick = 0;
        while (tick <= ticks && roots[tick] == serial[tick])
            tick++;
        if (tick <= ticks)
            fprintf(stderr, "golden: %s differs from serial at tick %u\n", modes[i].name, tick);
        failures += tick <= ticks;
        count++;
    }
    printf("%s: %d modes, %d failures\n", sim->name, count, failures);
    return failures > 0;
}

static const ls_sim *find_sim(const char *name)
{
    return strcmp(name, floats_sim.name) == 0 ? &floats_sim : ls_sim_builtin(name);
}

int main(int argc, char **argv)
{
    const ls_sim *sim = argc > 2 ? find_sim(argv[2]) : NULL;
    if (sim && (argc == 4 || argc == 5) && strcmp(argv[1], "check") == 0) {
        long ticks = argc == 5 ? strtol(argv[4], NULL, 10) : TICKS;
        if (ticks >= 1 && ticks <= TICKS)
            return check(sim, argv[3], (uint32_t)ticks, true);
    }
    if (sim && argc == 4 && strcmp(argv[1], "check-unthreaded") == 0)
        return check(sim, argv[3], TICKS, false);
    if (sim && argc == 3 && strcmp(argv[1], "print") == 0) {
        static uint64_t roots[TICKS + 1];
        char text[TEXT_BYTES];
        run(sim, &modes[0], TICKS, roots);
        describe(sim, roots, text);
        fputs(text, stdout);
        return 0;
    }
    fprintf(stderr, "usage: %s print SIM | check SIM FILE [1..%d] | check-unthreaded SIM FILE\n",
            argv[0], TICKS);
    return 2;
}
