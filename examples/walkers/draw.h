/* Draws shapes with soft edges, and small letters. Lengths are in pixels. */
#ifndef WALKERS_DRAW_H
#define WALKERS_DRAW_H

#include <SDL.h>

#define DRAW_TURN 6.2831853f /* a full turn in radians */

void draw_disc(SDL_Renderer *renderer, SDL_FPoint centre, float radius, SDL_Color colour);
void draw_ring(SDL_Renderer *renderer, SDL_FPoint centre, float radius, float width,
               SDL_Color colour);
/* Draws a line with round ends. */
void draw_stroke(SDL_Renderer *renderer, SDL_FPoint from, SDL_FPoint to, float width,
                 SDL_Color colour);
/* Draws letters, digits and some signs, each 8 pixels wide; other characters are blank. */
void draw_text(SDL_Renderer *renderer, int x, int y, const char *text, SDL_Color colour);

#endif
