/* lockstep watch: plays a recording in the terminal, follows a running match, or serves recordings
 * to a browser. */
#include "cli/common/arguments.h"
#include "cli/common/clock.h"
#include "cli/common/command.h"
#include "cli/common/named_text.h"
#include "cli/common/number.h"
#include "cli/common/screen.h"
#include "cli/watch/fetched_recording.h"
#include "cli/watch/viewer_site.h"
#include "cli/watch/watch_view.h"
#include "core/base/platform.h"

#include <curses.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    ESCAPE = 27,
    SCROLL_LINES = 5,
    SCROLL_MAX = 10000,
    SPEED_MIN = 1,
    SPEED_DEFAULT = 16,
    SPEED_MAX = 16 * 256
};

/* The time from one picture to the next, and the part of it in which ticks may run. */
#define PICTURE_NS (LS_SECOND_NS / 30)
#define WORK_NS    (LS_SECOND_NS / 40)
#define IDLE_MS    250

typedef struct watch_options {
    ls_match_playback_options playback;
    const char *path;
    uint64_t tick;
    bool has_tick, is_web;
    const char *listen, *site;
    const char *key; /* the argument of --key */
    ls_screen_colours colours;
    ls_server_keys keys;
} watch_options;

static const char *const colours[] = {"auto", "always", "never", NULL};

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Ticks:"),
    LS_ARGUMENT_NUMBER("from", "TICK", watch_options, tick, 0, UINT64_MAX,
                       "Begin at this tick (default: the first)",
                       .has = offsetof(watch_options, has_tick)),
    LS_ARGUMENT_TITLE("Running match:"),
    LS_ARGUMENT_TEXT(
        "key", "KEY|FILE", watch_options, key,
        "With a URL: show only a match that this server signs; as of `lockstep verify`"),
    LS_ARGUMENT_TITLE("Terminal:"),
    LS_ARGUMENT_CHOICE("color", "auto|always|never", watch_options, colours, colours,
                       "Use colours: auto if the terminal has them, unless the variable NO_COLOR "
                       "is set (default auto)"),
    LS_ARGUMENT_TITLE("Browser:"),
    LS_ARGUMENT_FLAG("web", watch_options, is_web,
                     "Show it in a browser instead: serve the viewer and the file, or all "
                     "recordings of a folder, and print the URL"),
    LS_ARGUMENT_TEXT("listen", "[ADDR:]PORT", watch_options, listen,
                     "With --web: where (default: a free port of this machine alone)"),
    LS_ARGUMENT_TEXT("site", "DIR", watch_options, site,
                     "With --web: the viewer that web/build made (default: beside this build)"),
    {0},
};
static const ls_arguments_part argument_parts[] = {
    {&ls_match_playback_arguments, offsetof(watch_options, playback)}, {0}};
static const ls_arguments argument_table = {
    .list = argument_list,
    .parts = argument_parts,
    LS_ARGUMENTS_RECORDING(watch_options, path),
    .doc = "Show a recording in the terminal: a map where the simulation has positions, else a "
           "table of its entities; the values of any entity; play, pause, steps forward and back, "
           "any speed, any tick. `?` lists the keys. With --web a browser shows it. "
           "http://HOST:PORT/live/ROOM/ in the place of FILE follows a running match that `serve "
           "--broadcast-dir` publishes, some three seconds late; `l` goes to its newest ticks. "
           "http://HOST:PORT/NAME.lsr is fetched first; https:// works, too.\vExit codes:\n"
           "  0  good\n"
           "  1  a state that was shown differs from the recording's hash\n"
           "  2  wrong use, no such file or match, or no terminal\n"
           "  3  another version or simulation\n"
           "  4  the file or the match is too damaged to be played, or not signed as --key asks\n"
           "  5  the file cannot be read, or the server does not answer\n"
           "  129, 130, 143  a second SIGHUP, SIGINT or SIGTERM ended it at once\n"
           "  134  the simulation failed an assertion"};

/* Takes the result of a step. An error stops the playback and is shown in the picture. */
static void take(ls_watch *watch, ls_status status, const ls_error *error)
{
    watch->message.text[0] = 0;
    if (!status)
        return;
    /* Leave out the name of the file: there is one line only, and the title has the name. */
    ls_error_set(&watch->message, status, "%s",
                 ls_named_text_rest(error->text, watch->playback.path));
    watch->is_playing = watch->live.is_following = false;
    watch->has_diverged |= status == LS_ERROR_DIVERGED;
}

static void go(ls_watch *watch, uint64_t tick)
{
    ls_error error;
    take(watch, ls_match_playback_seek(&watch->playback, tick, &error), &error);
}

static void seek_by(ls_watch *watch, int64_t ticks)
{
    ls_replay_player *player = watch->playback.player;
    uint64_t tick = ls_replay_player_tick(player), first = ls_replay_player_first(player);
    uint64_t back = (uint64_t)-ticks, last = ls_replay_player_last(player);
    if (ticks < 0)
        go(watch, tick - first > back ? tick - back : first);
    else
        go(watch, last - tick > (uint64_t)ticks ? tick + (uint64_t)ticks : last);
}

/* Goes to the newest ticks of a running match, and follows it. */
static void go_live(ls_watch *watch)
{
    if (!watch->live.feed)
        return;
    watch->speed_16ths = SPEED_DEFAULT;
    watch->is_playing = watch->live.is_following = true;
    go(watch, ls_watch_live_tick(&watch->playback));
}

static void choose(ls_watch *watch, bool is_forward)
{
    uint32_t count, at = 0;
    ls_entity *entities = ls_watch_entities(ls_replay_player_world(watch->playback.player), &count);
    while (at < count && entities[at] != watch->chosen)
        at++;
    bool is_found = at < count;
    if (is_forward)
        at = is_found && at + 1 < count ? at + 1 : 0;
    else
        at = is_found && at > 0 ? at - 1 : count - 1;
    watch->first_line = 0;
    watch->chosen = count ? entities[at] : LS_ENTITY_NULL;
    ls_free(entities);
}

static void answer(ls_watch *watch, int key)
{
    size_t length = strlen(watch->answer);
    uint64_t tick;
    if (key >= '0' && key <= '9' && length + 1 < sizeof watch->answer) {
        watch->answer[length] = (char)key;
        watch->answer[length + 1] = 0;
    } else if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && length) {
        watch->answer[length - 1] = 0;
    } else if (key == '\n' || key == '\r' || key == KEY_ENTER) {
        watch->is_asking = false;
        if (ls_parse_u64(watch->answer, 0, UINT64_MAX, &tick))
            go(watch, tick);
    } else if (key == ESCAPE) {
        watch->is_asking = false;
    }
}

static void move_in_time(ls_watch *watch, int key)
{
    int64_t ten_seconds =
        10 * (int64_t)ls_replay_player_header(watch->playback.player)->match.tick_rate;
    bool is_at_end = ls_replay_player_tick(watch->playback.player) ==
                         ls_replay_player_last(watch->playback.player) &&
                     !ls_watch_live_has_more(&watch->live);
    switch (key) {
    case ' ':
        watch->is_playing = !watch->is_playing && !is_at_end;
        break;
    case KEY_RIGHT:
    case '.':
        watch->is_playing = false;
        seek_by(watch, 1);
        break;
    case KEY_LEFT:
    case ',':
        watch->is_playing = false;
        seek_by(watch, -1);
        break;
    case KEY_NPAGE:
        seek_by(watch, ten_seconds);
        break;
    case KEY_PPAGE:
        seek_by(watch, -ten_seconds);
        break;
    case KEY_HOME:
        go(watch, ls_replay_player_first(watch->playback.player));
        break;
    case KEY_END:
        go(watch, ls_replay_player_last(watch->playback.player));
        break;
    default:
        return;
    }
    watch->live.is_following = false;
}

/* Handles a key. False: leave the program. */
static bool press(ls_watch *watch, int key)
{
    if (watch->is_asking) {
        answer(watch, key);
        return true;
    }
    watch->shows_help = key == '?' && !watch->shows_help;
    switch (key) {
    case 'q':
        return false;
    case '+':
    case '=':
        watch->speed_16ths *= watch->speed_16ths < SPEED_MAX ? 2 : 1;
        break;
    case '-':
        watch->speed_16ths /= watch->speed_16ths > SPEED_MIN ? 2 : 1;
        break;
    case 'g':
        watch->is_asking = true;
        watch->answer[0] = 0;
        break;
    case '\t':
    case 'n':
    case KEY_DOWN:
        choose(watch, true);
        break;
    case 'p':
    case KEY_UP:
        choose(watch, false);
        break;
    case 'w':
    case ESCAPE:
        watch->chosen = LS_ENTITY_NULL;
        break;
    case '[':
        watch->first_line -= watch->first_line < SCROLL_LINES ? watch->first_line : SCROLL_LINES;
        break;
    case ']':
        watch->first_line += watch->first_line < SCROLL_MAX ? SCROLL_LINES : 0;
        break;
    case 'l':
        go_live(watch);
        break;
    case 'm':
        watch->shows_map = watch->has_map && !watch->shows_map;
        break;
    default:
        move_in_time(watch, key);
        break;
    }
    return true;
}

static uint64_t tick_ns(const ls_watch *watch)
{
    return LS_SECOND_NS * SPEED_DEFAULT /
           ls_replay_player_header(watch->playback.player)->match.tick_rate / watch->speed_16ths;
}

/* Runs the ticks that are due. A machine that is too slow plays at the speed that it reaches. */
static void play(ls_watch *watch, uint64_t *due_ns)
{
    uint64_t start_ns = ls_monotonic_ns(), now_ns = start_ns;
    ls_replay_player *player = watch->playback.player;
    ls_error error;
    while (watch->is_playing && !watch->live.is_waiting &&
           ls_replay_player_tick(player) < ls_replay_player_last(player) && now_ns >= *due_ns &&
           now_ns - start_ns < WORK_NS) {
        take(watch, ls_match_playback_step(&watch->playback, &error), &error);
        *due_ns += tick_ns(watch);
        now_ns = ls_monotonic_ns();
    }
    watch->is_playing &= ls_replay_player_tick(player) < ls_replay_player_last(player) ||
                         ls_watch_live_has_more(&watch->live);
    if (now_ns > *due_ns)
        *due_ns = now_ns;
}

static uint32_t wait_ms(const ls_watch *watch, uint64_t due_ns, uint64_t picture_ns)
{
    uint64_t now_ns = ls_monotonic_ns(), until_ns = due_ns > picture_ns ? due_ns : picture_ns;
    if (!watch->is_playing)
        return IDLE_MS;
    return until_ns > now_ns ? (uint32_t)((until_ns - now_ns) / LS_NS_PER_MS) : 0;
}

static void run(ls_watch *watch)
{
    uint64_t due_ns = ls_monotonic_ns(), picture_ns = due_ns;
    bool is_filling = true;
    while (!ls_screen_is_over()) {
        ls_watch_live_update(&watch->live, &watch->playback);
        if (watch->is_playing && ls_watch_live_is_late(&watch->live, &watch->playback))
            go_live(watch);
        if (watch->has_map)
            ls_watch_map_cover(&watch->map, ls_replay_player_world(watch->playback.player));
        ls_watch_draw(watch);
        picture_ns = ls_monotonic_ns() + PICTURE_NS;
        /* While the playback is paused, states around the present tick are computed, a few ticks at
         * a time. */
        int key = ls_screen_key(
            is_filling && !watch->is_playing ? 0 : wait_ms(watch, due_ns, picture_ns));
        bool was_playing = watch->is_playing;
        for (; key >= 0; key = ls_screen_key(0)) {
            is_filling = true;
            if (!press(watch, key))
                return;
        }
        if (watch->is_playing && !was_playing)
            due_ns = ls_monotonic_ns();
        if (watch->is_playing)
            play(watch, &due_ns);
        else if (is_filling)
            is_filling = ls_replay_player_fill(watch->playback.player, 32);
    }
}

static ls_status open_match(ls_watch *watch, watch_options *options, ls_error *error)
{
    const ls_watch_live_config live = {options->path, &options->playback, &options->keys};
    if (ls_live_is_url(options->path)) {
        ls_status status =
            options->key ? ls_server_keys_read(options->key, &options->keys, error) : LS_OK;
        return status ? status : ls_watch_live_open(&watch->live, &live, &watch->playback, error);
    }
    if (options->key)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "--key is for the URL of a running match; `lockstep verify --key` "
                            "checks a file");
    return ls_match_playback_open(options->path, &options->playback, &watch->playback, error);
}

/* Returns the error that ended the view, or LS_OK if the user ended it. */
static ls_status conclude(const ls_watch *watch, const char *path, ls_error *error)
{
    if (watch->has_diverged) {
        const ls_root_difference *difference = ls_replay_player_divergence(watch->playback.player);
        return ls_error_set(error, LS_ERROR_DIVERGED,
                            "%s diverged before tick %" PRIu64 ": expected root %016" PRIx64
                            ", found %016" PRIx64,
                            path, difference->tick, difference->expected, difference->found);
    }
    if (watch->live.status)
        return ls_error_set(error, watch->live.status, "%.256s: %.512s", path,
                            watch->live.error.text);
    return LS_OK;
}

static ls_status show(ls_watch *watch, watch_options *options, ls_error *error)
{
    ls_status status = open_match(watch, options, error);
    if (!status && options->has_tick)
        status = ls_match_playback_seek_shown(&watch->playback, options->tick, error);
    if (!status)
        status = ls_screen_begin("`lockstep replay print`", options->colours, error);
    if (status)
        return status;
    watch->has_map = watch->shows_map =
        ls_watch_map_find(watch->playback.loaded.program, &watch->map);
    if (!options->has_tick)
        go_live(watch);
    run(watch);
    ls_screen_end();
    return conclude(watch, options->path, error);
}

static ls_exit run_watch(int count, char **arguments)
{
    watch_options options = {0};
    ls_watch watch = {.speed_16ths = SPEED_DEFAULT};
    ls_error error;
    ls_arguments_parse(&argument_table, count, arguments, &options);
    if (options.is_web && ls_live_is_url(options.path)) {
        ls_error_set(&error, LS_ERROR_USAGE,
                     "--web shows files; a browser follows a running match at "
                     "http://HOST:PORT/#live=ROOM");
        return ls_command_fail("watch", LS_ERROR_USAGE, &error);
    }
    if (options.is_web) {
        const ls_viewer_site_config config = {options.path, options.listen, options.site,
                                              options.tick, options.has_tick};
        ls_status web_status = ls_viewer_site_run(&config, &error);
        return web_status ? ls_command_fail("watch", web_status, &error) : LS_EXIT_GOOD;
    }
    ls_status status = show(&watch, &options, &error);
    ls_match_playback_close(&watch.playback);
    ls_watch_live_close(&watch.live);
    ls_server_keys_reset(&options.keys);
    return status ? ls_command_fail("watch", status, &error) : LS_EXIT_GOOD;
}

ls_exit ls_command_watch(int count, char **arguments)
{
    static const ls_fetched_command command = {"watch", run_watch, .follows_matches = true};
    return ls_fetched_recording_run(&command, count, arguments);
}
