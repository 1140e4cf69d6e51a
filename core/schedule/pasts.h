/* Assigns pasts: the columns in which a world keeps what the filters and observers of systems
 * compare with. */
#ifndef LS_PASTS_H
#define LS_PASTS_H
#include "core/schedule/program_data.h"

/* Call it when the systems have their final positions. The numbers depend on these and on the order
 * of terms, both canonical, because the state and so its bytes have the pasts in this order. */
void ls_pasts_assign(ls_program *program);

#endif
