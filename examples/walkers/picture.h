/* Draws the worlds of a session: positions between two ticks are blended, and a correction of the
 * prediction is spread over some frames. */
#ifndef WALKERS_PICTURE_H
#define WALKERS_PICTURE_H

#include "walkers.h"
#include <lockstep/session.h>

#include <SDL.h>

enum {
    PICTURE_SCALE = 30, /* pixels a step of the field */
    PICTURE_WIDTH = WALKERS_WIDTH * PICTURE_SCALE,
    PICTURE_HEIGHT = WALKERS_HEIGHT * PICTURE_SCALE + 24, /* with the line at the bottom */
    PICTURE_EFFECTS = 64,
};

typedef struct effect { /* a flash where something happened */
    uint64_t id;        /* of the event; 0: free */
    uint64_t born_ns;
    SDL_FPoint at;
    bool is_hit;
} effect;

typedef struct seen { /* where a walker was drawn last */
    SDL_FPoint at, error;
    uint8_t moved;
    bool is_known;
} seen;

typedef struct picture {
    SDL_Renderer *renderer;
    uint64_t now_ns, frame_ns; /* of this frame; how long the one before took */
    uint64_t corrections;      /* of what was predicted, large enough to be seen */
    seen walkers[LS_PLAYERS_MAX];
    effect effects[PICTURE_EFFECTS];
} picture;

void picture_draw(picture *self, ls_session *session);
/* Where that player's walker was drawn last: for what happens now. */
void picture_flash(picture *self, uint64_t id, uint32_t player, bool is_hit);
void picture_cancel(picture *self, uint64_t id);

#endif
