/* A world as text. */
#ifndef LS_PRINT_H
#define LS_PRINT_H
#include <lockstep/component.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The state as text, in the notation of the Core ECS paper: `Pos→{e0 ↦ Pos 1, ...} :+ ...`.
 *   owns  ls_free() by the caller */
LS_API char *ls_world_print(const ls_world *world);
/* One component of the state: `Pos→{e0 ↦ Pos 1, ...}`.
 *   owns  ls_free() by the caller */
LS_API char *ls_world_print_component(const ls_world *world, const ls_component *component);

#ifdef __cplusplus
}
#endif

#endif
