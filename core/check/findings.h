/* The findings of a check as text. */
#ifndef LS_FINDINGS_H
#define LS_FINDINGS_H
#include "core/check/check_state.h"

/* Adds one finding as a line that begins with the tick and the system's name. */
void ls_check_add(ls_check *check, const char *format, ...) LS_PRINTF(2, 3);
/* Prints a cell as `pos.x of world/3:1`; `field` NULL for the whole cell. */
void ls_check_print_cell(ls_check *check, ls_builder *text, const ls_page_place *place,
                         uint32_t slot, const ls_field *field);
/* Prints the first field in which two cells differ, and both values. */
void ls_check_print_change(ls_check *check, ls_builder *text, const ls_page_place *place,
                           uint32_t slot, const uint8_t *before, const uint8_t *after);

#endif
