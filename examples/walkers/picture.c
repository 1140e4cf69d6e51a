#include "picture.h"

#include "draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECOND_NS 1e9f

static const SDL_Color palette[] = {
    {242, 95, 92, 255},   {87, 184, 255, 255}, {255, 209, 102, 255}, {98, 212, 150, 255},
    {200, 140, 255, 255}, {255, 150, 80, 255}, {120, 230, 230, 255}, {240, 130, 190, 255}};
static const SDL_Color white = {235, 240, 245, 255}, grey = {150, 160, 175, 255};

static SDL_FPoint pixel_of(const place *at)
{
    return (SDL_FPoint){(float)ls_fix_to_double(at->x) * PICTURE_SCALE,
                        (float)ls_fix_to_double(at->y) * PICTURE_SCALE};
}

static SDL_FPoint between(const place *from, const place *to, uint32_t fraction)
{
    SDL_FPoint a = pixel_of(from), b = pixel_of(to);
    float t = (float)fraction / 4294967296.0f;
    return (SDL_FPoint){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
}

/* After a wrong prediction a walker jumps. The picture shows the jump as a smooth motion over 0.2
 * s. */
static SDL_FPoint smooth(picture *self, const walker *who, SDL_FPoint to)
{
    seen *last = &self->walkers[who->player];
    float x = last->at.x - to.x, y = last->at.y - to.y, far = sqrtf(x * x + y * y);
    float seconds = (float)self->frame_ns / SECOND_NS;
    if (!last->is_known || last->moved != who->moved) {
        last->error = (SDL_FPoint){0, 0};
    } else if (far > (0.3f + 6 * seconds) * PICTURE_SCALE) { /* walking: 6 steps a second */
        last->error = (SDL_FPoint){last->error.x + x, last->error.y + y};
        self->corrections++;
    }
    float keep = expf(-seconds / 0.08f);
    last->error = (SDL_FPoint){last->error.x * keep, last->error.y * keep};
    last->at = to;
    last->moved = who->moved;
    last->is_known = true;
    return (SDL_FPoint){to.x + last->error.x, to.y + last->error.y};
}

static void draw_walker(picture *self, const walker *who, SDL_FPoint at, bool is_own)
{
    SDL_Color colour = palette[who->player % SDL_arraysize(palette)];
    float turn = (float)who->aim * DRAW_TURN / 65536, radius = 0.5f * PICTURE_SCALE;
    SDL_FPoint muzzle = {at.x + cosf(turn) * radius * 1.7f, at.y + sinf(turn) * radius * 1.7f};
    draw_stroke(self->renderer, at, muzzle, 7, (SDL_Color){90, 100, 115, 255});
    draw_disc(self->renderer, at, radius, colour);
    draw_disc(self->renderer, at, radius * 0.62f, (SDL_Color){0, 0, 0, 60});
    if (is_own)
        draw_ring(self->renderer, at, radius + 5, 1.5f, white);
    char score[16];
    snprintf(score, sizeof score, "%u", (unsigned)who->score);
    draw_text(self->renderer, (int)(at.x - 4 * (float)strlen(score)) + 1, (int)at.y - 4, score,
              white);
}

/* A layer: which world shows which units. The own walker and its shots come from the predicted
 * world: where the player has already steered them. The others come from the confirmed world, which
 * is certain. Drawing all from the predicted world is fairer for duels, but units jump after a
 * wrong prediction. */
typedef struct layer {
    const ls_world *world, *previous;
    uint32_t fraction, own;
    bool shows_own;
} layer;

LS_TERMS(seen_walkers, READS(place), READS(walker));
LS_TERMS(seen_shots, READS(place), READS(shot));

static void draw_walkers(picture *self, const layer *layer)
{
    ls_world_walk walk;
    for (ls_world_walk_begin(layer->world, seen_walkers, &walk); ls_world_walk_next(&walk);) {
        const place *to = LS_WALK_READ(seen_walkers, place, &walk);
        const walker *who = LS_WALK_READ(seen_walkers, walker, &walk);
        for (uint32_t i = 0; i < walk.span.count; i++) {
            bool is_own = who[i].player == layer->own;
            if (!who[i].is_here || is_own != layer->shows_own)
                continue;
            ls_entity entity = ls_span_entity(&walk.span, i);
            const place *from = LS_WORLD_READ(layer->previous, place, entity);
            const walker *was = LS_WORLD_READ(layer->previous, walker, entity);
            if (!from || was->moved != who[i].moved)
                from = &to[i]; /* it did not walk there: no interpolation */
            SDL_FPoint at = between(from, &to[i], layer->fraction);
            draw_walker(self, &who[i], smooth(self, &who[i], at), is_own);
        }
    }
}

static void draw_shots(const picture *self, const layer *layer)
{
    ls_world_walk walk;
    for (ls_world_walk_begin(layer->world, seen_shots, &walk); ls_world_walk_next(&walk);) {
        const place *to = LS_WALK_READ(seen_shots, place, &walk);
        const shot *which = LS_WALK_READ(seen_shots, shot, &walk);
        for (uint32_t i = 0; i < walk.span.count; i++) {
            if ((which[i].player == layer->own) != layer->shows_own)
                continue;
            const place *from =
                LS_WORLD_READ(layer->previous, place, ls_span_entity(&walk.span, i));
            SDL_FPoint tip = between(from ? from : &to[i], &to[i], layer->fraction);
            float turn = (float)which[i].aim * DRAW_TURN / 65536;
            SDL_FPoint tail = {tip.x - 16 * cosf(turn), tip.y - 16 * sinf(turn)};
            draw_stroke(self->renderer, tail, tip, 4,
                        palette[which[i].player % SDL_arraysize(palette)]);
            draw_disc(self->renderer, tip, 2.5f, white);
        }
    }
}

void picture_flash(picture *self, uint64_t id, uint32_t player, bool is_hit)
{
    self->effects[id % PICTURE_EFFECTS] = (effect){
        .id = id, .born_ns = self->now_ns, .at = self->walkers[player].at, .is_hit = is_hit};
}

void picture_cancel(picture *self, uint64_t id)
{
    effect *shown = &self->effects[id % PICTURE_EFFECTS];
    if (shown->id == id)
        shown->id = 0;
}

static void draw_effects(const picture *self)
{
    for (int i = 0; i < PICTURE_EFFECTS; i++) {
        const effect *shown = &self->effects[i];
        float age = (float)(self->now_ns - shown->born_ns) / (0.45f * SECOND_NS);
        if (!shown->id || age >= 1)
            continue;
        SDL_Color colour = shown->is_hit ? (SDL_Color){255, 240, 200, 255} : white;
        colour.a = (uint8_t)(200 * (1 - age));
        draw_ring(self->renderer, shown->at,
                  (shown->is_hit ? 12 : 4) + age * (shown->is_hit ? 34 : 12), shown->is_hit ? 4 : 2,
                  colour);
    }
}

static void draw_status(const picture *self, ls_session *session)
{
    ls_client_stats net = ls_client_get_stats(ls_session_client(session));
    ls_session_stats play = ls_session_get_stats(session);
    char text[160];
    snprintf(text, sizeof text,
             "tick %" PRIu64 "   rtt %.0f ms   loss %.1f %%   ahead %" PRIu64
             "   rollbacks %" PRIu64 "   stalls %" PRIu64 "%s",
             net.tick, (double)net.rtt_ns / 1e6, net.loss_permille / 10.0,
             play.predicted_tick - net.tick, play.prediction.rollbacks, play.stalls,
             net.has_diverged ? "   DIVERGED" : "");
    draw_text(self->renderer, 12, WALKERS_HEIGHT * PICTURE_SCALE + 7, text, grey);
}

void picture_draw(picture *self, ls_session *session)
{
    ls_session_view view = ls_session_view_of(session);
    SDL_SetRenderDrawColor(self->renderer, 22, 26, 34, 255);
    SDL_RenderClear(self->renderer);
    SDL_SetRenderDrawColor(self->renderer, 32, 38, 48, 255);
    for (int x = 0; x <= WALKERS_WIDTH; x += 2)
        SDL_RenderDrawLine(self->renderer, x * PICTURE_SCALE, 0, x * PICTURE_SCALE,
                           WALKERS_HEIGHT * PICTURE_SCALE);
    for (int y = 0; y <= WALKERS_HEIGHT; y += 2)
        SDL_RenderDrawLine(self->renderer, 0, y * PICTURE_SCALE, WALKERS_WIDTH * PICTURE_SCALE,
                           y * PICTURE_SCALE);
    uint32_t own = ls_client_get_stats(ls_session_client(session)).player;
    layer layers[2] = {
        {view.confirmed, view.confirmed_previous, view.fraction, own, false},
        {view.predicted, view.predicted_previous, view.fraction, own, true},
    };
    for (int i = 0; view.confirmed && i < 2; i++)
        draw_shots(self, &layers[i]);
    for (int i = 0; view.confirmed && i < 2; i++)
        draw_walkers(self, &layers[i]);
    draw_effects(self);
    draw_status(self, session);
}
