/* Assigns baselines: the columns in which a world keeps what the filters and observers of systems
 * compare with. */
#ifndef LS_BASELINES_H
#define LS_BASELINES_H
#include "core/schedule/program_data.h"

/* Call it when the systems have their final positions. A baseline's number depends only on these
 * positions and on the order of terms, which are both canonical: the bytes of a state have the
 * baselines in the order of their numbers. */
void ls_baselines_assign(ls_program *program);

#endif
