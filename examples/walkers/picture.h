/* Draws the worlds of a session. Positions between two ticks are interpolated, and the correction
 * of a wrong prediction is spread over several frames. */
#ifndef WALKERS_PICTURE_H
#define WALKERS_PICTURE_H

#include "walkers.h"
#include <lockstep/session.h>

#include <SDL.h>

enum {
    PICTURE_SCALE = 30, /* pixels per step */
    PICTURE_WIDTH = WALKERS_WIDTH * PICTURE_SCALE,
    PICTURE_HEIGHT = WALKERS_HEIGHT * PICTURE_SCALE + 24, /* field and status line */
    PICTURE_EFFECTS = 64,
};

typedef struct effect { /* a flash at a walker */
    uint64_t id;        /* id of its event; 0: unused entry */
    uint64_t born_ns;
    SDL_FPoint at;
    bool is_hit;
} effect;

typedef struct seen { /* the last drawn position of a walker */
    SDL_FPoint at, error;
    uint8_t moved;
    bool is_known;
} seen;

typedef struct picture {
    SDL_Renderer *renderer;
    uint64_t now_ns, frame_ns; /* time of this frame; duration of the previous frame */
    uint64_t corrections;      /* visible corrections of predictions */
    seen walkers[LS_PLAYERS_MAX];
    effect effects[PICTURE_EFFECTS];
} picture;

void picture_draw(picture *self, ls_session *session);
/* Shows an effect at the last drawn position of that player's walker. */
void picture_flash(picture *self, uint64_t id, uint32_t player, bool is_hit);
void picture_cancel(picture *self, uint64_t id);

#endif
