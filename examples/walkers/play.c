/* A network game: joins a match of walkers and draws it smoothly, although packets arrive unevenly.
 *
 *   play_walkers HOST:PORT[#KEY] [--predict N] [--bot] [--seconds N]
 *                [--screenshot F.bmp] [--report]
 *
 * W A S D or the arrow keys walk, the mouse aims, its button or the space bar fires. --bot lets the
 * computer play, --report prints one line of JSON at the end. */
#include "draw.h"
#include "picture.h"
#include <lockstep/link_enet.h>
#include <lockstep/server_address.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND_NS UINT64_C(1000000000)
#define SETTLE_NS (3 * SECOND_NS) /* the report ignores this start-up time */

typedef struct options {
    const char *server, *screenshot;
    uint32_t predict_ticks;
    uint64_t seconds; /* 0: until the window is closed */
    bool is_bot, reports;
} options;

typedef struct report {
    uint64_t frames, stalled_frames, longest_gap_ns, events, events_again, cancelled, last_id;
    uint64_t playing_ns, moved_ns; /* when playing began; when the playout last moved */
    double position;
} report;

typedef struct game {
    ls_link *link;
    ls_program *program;
    ls_session *session;
    SDL_Window *window;
    picture picture;
    report report;
    uint64_t bot_tick;
    bool fires;
} game;

static uint64_t now_ns(void)
{
    static uint64_t unit;
    if (!unit)
        unit = SDL_GetPerformanceFrequency();
    uint64_t count = SDL_GetPerformanceCounter();
    return count / unit * SECOND_NS + count % unit * SECOND_NS / unit;
}

static ls_status join(game *self, const options *options, ls_error *error)
{
    ls_server_address address;
    ls_status status = ls_server_address_parse(options->server, &address, error);
    if (!status)
        status = ls_program_create(&walkers, &self->program, error);
    if (!status)
        status = ls_link_enet_open(address.host, address.port, &self->link, error);
    if (status)
        return status;
    ls_client_config config = ls_client_config_default();
    config.program = self->program;
    config.link = self->link;
    /* Without a key it trusts any server at that address. */
    config.pin = address.has_key ? &address.key : NULL;
    config.unix_s = (uint64_t)time(NULL);
    snprintf(config.name, sizeof config.name, "walker");
    return ls_session_create(&config, options->predict_ticks, &self->session, error);
}

static void leave(game *self)
{
    if (self->session)
        ls_client_leave(ls_session_client(self->session), "closed", now_ns());
    ls_session_destroy(self->session); /* the session must be destroyed before link and program */
    ls_link_destroy(self->link);
    ls_program_destroy(self->program);
    SDL_DestroyRenderer(self->picture.renderer);
    SDL_DestroyWindow(self->window);
    SDL_Quit();
}

/* Lets the bot decide once per tick, from the predicted world, which a person would see. */
static void play_as_bot(game *self, uint8_t *state)
{
    const ls_world *world = ls_session_view_of(self->session).predicted;
    uint8_t player = ls_client_get_stats(ls_session_client(self->session)).player;
    uint8_t order[LS_INPUT_BYTES_MAX];
    walkers.bot_state(world, player, state);
    if (ls_world_tick(world) > self->bot_tick)
        self->fires = walkers.bot(world, player, order) > 0;
    self->bot_tick = ls_world_tick(world);
}

static void play_as_person(const game *self, uint8_t *state)
{
    const uint8_t *keys = SDL_GetKeyboardState(NULL);
    int x = (keys[SDL_SCANCODE_D] | keys[SDL_SCANCODE_RIGHT]) -
            (keys[SDL_SCANCODE_A] | keys[SDL_SCANCODE_LEFT]);
    int y = (keys[SDL_SCANCODE_S] | keys[SDL_SCANCODE_DOWN]) -
            (keys[SDL_SCANCODE_W] | keys[SDL_SCANCODE_UP]);
    uint8_t player = ls_client_get_stats(ls_session_client(self->session)).player;
    int mouse_x, mouse_y;
    SDL_GetMouseState(&mouse_x, &mouse_y);
    SDL_FPoint at = self->picture.walkers[player % LS_PLAYERS_MAX].at;
    double turn = atan2(mouse_y - at.y, mouse_x - at.x) / DRAW_TURN;
    walkers_state_encode(127 * x, 127 * y, (ls_angle)(int)(turn * 65536), state);
}

/* The client refuses inputs before its JOIN has run, and states for a tick that has one; the next
 * frame tries again. */
static void send_inputs(game *self, bool is_bot)
{
    if (!ls_client_get_stats(ls_session_client(self->session)).is_playing)
        return;
    uint8_t state[WALKERS_STATE_BYTES];
    if (is_bot)
        play_as_bot(self, state);
    else
        play_as_person(self, state);
    (void)!ls_session_submit_state(self->session, state);
    if (self->fires)
        (void)!ls_session_submit(self->session, (const uint8_t[]){WALKERS_FIRE}, 1);
    self->fires = false;
}

/* Each event is reported once, even if rollbacks run its tick again; a cancelled event did not
 * happen. */
static void receive_events(game *self)
{
    for (ls_event_update update; ls_session_poll(self->session, &update);) {
        if (update.kind == LS_EVENT_CANCELLED) {
            picture_cancel(&self->picture, update.id);
            self->report.cancelled++;
        }
        if (update.kind != LS_EVENT_HAPPENED)
            continue;
        const bang *fired = update.value;
        const hit *struck = update.value;
        if (LS_IS(update.event, hit))
            picture_flash(&self->picture, update.id, struck->victim, true);
        else
            picture_flash(&self->picture, update.id, fired->player, false);
        self->report.events_again += self->report.events && update.id <= self->report.last_id;
        self->report.last_id = update.id;
        self->report.events++;
    }
}

/* Measures whether the playout, in ticks and fractions of ticks, moves in every frame. */
static void watch_playout(report *self, ls_session *session, uint64_t now)
{
    ls_session_view view = ls_session_view_of(session);
    if (!view.confirmed)
        return;
    double position = (double)ls_world_tick(view.confirmed) + view.fraction / 4294967296.0;
    bool has_moved = position > self->position;
    self->position = position;
    if (!self->playing_ns)
        self->playing_ns = now;
    if (now - self->playing_ns < SETTLE_NS) {
        self->moved_ns = now;
        return;
    }
    self->frames++;
    self->stalled_frames += !has_moved;
    if (now - self->moved_ns > self->longest_gap_ns)
        self->longest_gap_ns = now - self->moved_ns;
    if (has_moved)
        self->moved_ns = now;
}

static void print_report(const game *self)
{
    const report *report = &self->report;
    ls_client_stats net = ls_client_get_stats(ls_session_client(self->session));
    ls_session_stats play = ls_session_get_stats(self->session);
    printf("{\"frames\": %" PRIu64 ", \"stalled_frames\": %" PRIu64 ", \"longest_gap_ms\": %.1f, "
           "\"stalls\": %" PRIu64 ", \"snaps\": %" PRIu64 ", \"depth_ms\": %.1f, "
           "\"rtt_ms\": %.1f, \"loss_percent\": %.1f, \"rollbacks\": %" PRIu64
           ", \"rollback_depth_max\": %u, \"corrections\": %" PRIu64 ", \"events\": %" PRIu64
           ", \"events_again\": %" PRIu64 ", \"events_cancelled\": %" PRIu64 ", \"ticks\": %" PRIu64
           ", \"diverged\": %s}\n",
           report->frames, report->stalled_frames, (double)report->longest_gap_ns / 1e6,
           play.stalls, play.snaps, (double)play.depth_ns / 1e6, (double)net.rtt_ns / 1e6,
           net.loss_permille / 10.0, play.prediction.rollbacks, play.prediction.depth_max,
           self->picture.corrections, report->events, report->events_again, report->cancelled,
           net.tick, net.has_diverged ? "true" : "false");
}

static bool wants_to_go_on(game *self)
{
    bool goes_on = true;
    for (SDL_Event event; SDL_PollEvent(&event);) {
        goes_on &= event.type != SDL_QUIT;
        self->fires |= event.type == SDL_MOUSEBUTTONDOWN ||
                       (event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_SPACE);
    }
    return goes_on;
}

static void run(game *self, const options *options)
{
    uint64_t until = options->seconds ? now_ns() + options->seconds * SECOND_NS : UINT64_MAX;
    ls_client *client = ls_session_client(self->session);
    self->picture.now_ns = now_ns();
    while (wants_to_go_on(self) && !ls_client_is_final(client) && self->picture.now_ns < until) {
        uint64_t now = now_ns();
        self->picture.frame_ns = now - self->picture.now_ns;
        self->picture.now_ns = now;
        ls_session_update(self->session, now);
        send_inputs(self, options->is_bot);
        receive_events(self);
        watch_playout(&self->report, self->session, now);
        picture_draw(&self->picture, self->session);
        uint64_t drawn = now_ns();
        SDL_RenderPresent(self->picture.renderer); /* waits for the display, if vsync works */
        if (now_ns() - drawn < SECOND_NS / 1000)   /* it does not: limit the frame rate here */
            SDL_Delay(1000 / 60);
    }
}

static void take_screenshot(game *self, const char *path)
{
    SDL_Surface *surface =
        SDL_CreateRGBSurfaceWithFormat(0, PICTURE_WIDTH, PICTURE_HEIGHT, 24, SDL_PIXELFORMAT_BGR24);
    picture_draw(&self->picture, self->session);
    SDL_RenderReadPixels(self->picture.renderer, NULL, SDL_PIXELFORMAT_BGR24, surface->pixels,
                         surface->pitch);
    SDL_SaveBMP(surface, path);
    SDL_FreeSurface(surface);
}

static void parse(int count, char **words, options *options)
{
    for (int i = 1; i < count; i++) {
        const char *value = i + 1 < count ? words[i + 1] : "";
        if (strcmp(words[i], "--bot") == 0)
            options->is_bot = true;
        else if (strcmp(words[i], "--report") == 0)
            options->reports = true;
        else if (strcmp(words[i], "--predict") == 0)
            options->predict_ticks = (uint32_t)atoi(value), i++;
        else if (strcmp(words[i], "--seconds") == 0)
            options->seconds = (uint64_t)atoi(value), i++;
        else if (strcmp(words[i], "--screenshot") == 0)
            options->screenshot = value, i++;
        else
            options->server = words[i];
    }
}

int main(int count, char **words)
{
    static game self;
    options options = {.predict_ticks = 20};
    ls_error error;
    parse(count, words, &options);
    if (!options.server) {
        fprintf(stderr, "which server? HOST:PORT#KEY, as `lockstep serve` prints it\n");
        return 2;
    }
    if (SDL_Init(SDL_INIT_VIDEO) ||
        !(self.window = SDL_CreateWindow("walkers", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                                         PICTURE_WIDTH, PICTURE_HEIGHT, 0)) ||
        !(self.picture.renderer = SDL_CreateRenderer(self.window, -1, SDL_RENDERER_PRESENTVSYNC))) {
        fprintf(stderr, "SDL: %s\n", SDL_GetError());
        return 5;
    }
    SDL_SetRenderDrawBlendMode(self.picture.renderer, SDL_BLENDMODE_BLEND);
    if (join(&self, &options, &error)) {
        fprintf(stderr, "%s\n", error.text);
        leave(&self);
        return 5;
    }
    run(&self, &options);
    const ls_client *client = ls_session_client(self.session);
    bool is_good = ls_client_get_state(client) == LS_CLIENT_PLAYING ||
                   ls_client_get_state(client) == LS_CLIENT_ENDED;
    if (ls_client_is_final(client))
        fprintf(stderr, "%s: %s\n", ls_client_state_name(ls_client_get_state(client)),
                ls_client_reason(client));
    if (options.screenshot)
        take_screenshot(&self, options.screenshot);
    if (options.reports)
        print_report(&self);
    leave(&self);
    return is_good ? 0 : 5;
}
