/* Assigns baselines: the columns in which a world keeps what the filters and observers of systems
 * compare with. */
#ifndef LS_BASELINES_H
#define LS_BASELINES_H
#include "core/schedule/program_data.h"

/* Call it when the systems have their final positions. The numbers depend on these and on the order
 * of terms, both canonical, because the state and so its bytes have the baselines in this order. */
void ls_baselines_assign(ls_program *program);

#endif
