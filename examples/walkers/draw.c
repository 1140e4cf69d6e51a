#include "draw.h"

#include <math.h>
#include <string.h>

enum { CORNERS = 28 };

static SDL_Color faded(SDL_Color colour)
{
    colour.a = 0;
    return colour;
}

/* Draws concentric rings of corners from the inside out, with triangles between each pair of
 * rings. */
static void fill_rings(SDL_Renderer *renderer, SDL_FPoint centre, const float *radii,
                       const SDL_Color *colours, int count)
{
    SDL_Vertex corners[4 * CORNERS];
    int indices[3 * CORNERS * 6], used = 0;
    for (int ring = 0; ring < count; ring++) {
        for (int i = 0; i < CORNERS; i++) {
            float turn = DRAW_TURN * (float)i / CORNERS;
            int at = ring * CORNERS + i, next = ring * CORNERS + (i + 1) % CORNERS;
            corners[at] = (SDL_Vertex){.position = {centre.x + radii[ring] * cosf(turn),
                                                    centre.y + radii[ring] * sinf(turn)},
                                       .color = colours[ring]};
            int faces[6] = {at, next, at + CORNERS, next, next + CORNERS, at + CORNERS};
            for (int k = 0; ring + 1 < count && k < 6; k++)
                indices[used++] = faces[k];
        }
    }
    SDL_RenderGeometry(renderer, NULL, corners, count * CORNERS, indices, used);
}

void draw_disc(SDL_Renderer *renderer, SDL_FPoint centre, float radius, SDL_Color colour)
{
    float radii[3] = {0, radius - 0.7f, radius + 0.7f};
    fill_rings(renderer, centre, radii, (SDL_Color[3]){colour, colour, faded(colour)}, 3);
}

void draw_ring(SDL_Renderer *renderer, SDL_FPoint centre, float radius, float width,
               SDL_Color colour)
{
    float half = width / 2;
    float radii[4] = {radius - half - 1, radius - half, radius + half, radius + half + 1};
    fill_rings(renderer, centre, radii,
               (SDL_Color[4]){faded(colour), colour, colour, faded(colour)}, 4);
}

void draw_stroke(SDL_Renderer *renderer, SDL_FPoint from, SDL_FPoint to, float width,
                 SDL_Color colour)
{
    float x = to.x - from.x, y = to.y - from.y, length = sqrtf(x * x + y * y);
    int steps = (int)(length / (width / 4)) + 1;
    for (int i = 0; i <= steps; i++) {
        float t = (float)i / (float)steps;
        draw_disc(renderer, (SDL_FPoint){from.x + x * t, from.y + y * t}, width / 2, colour);
    }
}

/* A sign is 3 points wide and 5 high. points[] has a number of five octal digits for each: a digit
 * is a row, the first one the top row, and its highest bit is the left point. */
static const char signs[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ.:%/-";
static const uint16_t points[] = {
    075557, 026227, 071747, 071717, 055711, 074717, 074757, 071122, 075757, 075717, 025755,
    065656, 034443, 065556, 074647, 074644, 034553, 055755, 072227, 011152, 055655, 044447,
    057755, 065555, 025552, 065644, 025563, 065655, 034216, 072222, 055557, 055552, 055775,
    055255, 055222, 071247, 000002, 002020, 051245, 011244, 000700};

void draw_text(SDL_Renderer *renderer, int x, int y, const char *text, SDL_Color colour)
{
    enum { SCALE = 2 };
    SDL_SetRenderDrawColor(renderer, colour.r, colour.g, colour.b, colour.a);
    for (; *text; text++, x += 4 * SCALE) {
        const char *sign = strchr(signs, SDL_toupper(*text));
        for (int bit = 0; sign && bit < 15; bit++) {
            SDL_Rect point = {x + bit % 3 * SCALE, y + bit / 3 * SCALE, SCALE, SCALE};
            if (points[sign - signs] >> (14 - bit) & 1)
                SDL_RenderFillRect(renderer, &point);
        }
    }
}
